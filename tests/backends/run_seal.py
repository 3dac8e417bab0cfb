"""Builds SEAL from its sources, then code for it, and compares that with the reference device.

usage: run_seal.py TACET SOURCES [--build FOLDER], where SOURCES is a checkout of microsoft/SEAL

The library is built in FOLDER once. Results are recorded in bench/backends/README.md.
"""

import pathlib
import subprocess
import sys

from differential import Backend, Failure, main


def configure_and_build(source, build, *options):
    for command in (["cmake", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release", *options],
                    ["cmake", "--build", build, "-j2"]):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"{' '.join(map(str, command))} failed:\n{done.stdout[-600:]}"
                          f"{done.stderr[-600:]}")


class Cmake(Backend):
    """A library whose sources CMake builds and installs, and code that finds it there."""

    prefix = pathlib.Path()

    def add_arguments(self, parser):
        parser.add_argument("sources", type=pathlib.Path)
        parser.add_argument("--build", type=pathlib.Path,
                            default=pathlib.Path(f"/tmp/tacet_{self.target}"))

    def prepare(self, arguments):
        self.prefix = arguments.build.resolve() / "install"
        if not self.prefix.exists():
            configure_and_build(arguments.sources, arguments.build / "library",
                                f"-DCMAKE_INSTALL_PREFIX={self.prefix}", *self.options())
            subprocess.run(["cmake", "--install", arguments.build / "library"], check=True,
                           capture_output=True)

    def options(self):
        return []

    def build(self, folder):
        configure_and_build(folder, folder / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        [program] = folder.glob("*.cpp")
        return [folder / "build" / program.stem]


class Seal(Cmake):
    target = "seal"

    def options(self):
        return ["-DSEAL_BUILD_DEPS=OFF", "-DSEAL_USE_MSGSL=OFF", "-DSEAL_USE_ZLIB=OFF",
                "-DSEAL_USE_ZSTD=OFF"]


if __name__ == "__main__":
    sys.exit(main(Seal()))
