#!/usr/bin/env python3
"""Makes all packages of Tacet in one folder, with their checksums and a list of what they contain.

usage: build_packages.py ROOT FOLDER

ROOT is the repository; the presets `package` and `portable` must have been built in it, which `./dev package`
does. SOURCE_DATE_EPOCH is the date of all files. The same sources, tools and libraries give the same bytes.
Fails, and leaves FOLDER as it was, if a program needs a newer glibc than stated, if a licence is not known, or if
something of this machine got into a package.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import archives
import components as parts
import glibc
import oci_image
import sbom
import traces

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))

import build_wheel  # noqa: E402

# What `cmake --install` puts for development that needs nothing but the C interface.
INTERFACE = ("include/tacet.h", "lib/libtacet.so", "lib/pkgconfig/tacet.pc", "lib/cmake/tacet/tacet-config.cmake",
             "lib/cmake/tacet/tacet-config-version.cmake", "lib/cmake/tacet/tacet-c-targets.cmake",
             "lib/cmake/tacet/tacet-c-targets-release.cmake")


@dataclasses.dataclass(frozen=True)
class Setting:
    """Where things are, and what they are called."""

    root: pathlib.Path
    work: pathlib.Path
    version: str
    date: int

    @property
    def package(self) -> pathlib.Path:
        return self.root / "build/package"

    @property
    def portable(self) -> pathlib.Path:
        return self.root / "build/portable"

    @property
    def program(self) -> pathlib.Path:
        """The portable program, stripped."""
        return self.work / "installed/bin/tacet"

    @property
    def library(self) -> pathlib.Path:
        return next((self.work / "installed/lib").glob("libtacet.so.*.*.*"))

    @property
    def machine(self) -> str:
        return glibc.ElfFile.read(self.program).machine

    def components(self, build: pathlib.Path, target: str, map_name: str = "") -> set:
        return parts.of_target(self.root, build, target, build / map_name if map_name else None)


@dataclasses.dataclass(frozen=True)
class Package:
    """A file for users, and what of others is in it."""

    name: str
    content: bytes
    components: frozenset


def run(*command, **options) -> str:
    """The output of a command. Its errors are shown if it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(str(part) for part in command)} failed:\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout


def install(setting: Setting) -> None:
    """Installs the portable build, stripped, in a folder of its own."""
    folder = setting.work / "installed"
    for component in ("program", "library", "development"):
        run("cmake", "--install", setting.portable, "--prefix", folder, "--strip", "--component", component)
    config = folder / "lib/pkgconfig/tacet.pc"
    text = config.read_text(encoding="utf-8")
    first = f"prefix={folder}\n"
    if not text.startswith(first):
        raise RuntimeError(f"{config} does not start with its prefix")
    config.write_text("prefix=${pcfiledir}/../..\n" + text.removeprefix(first), encoding="utf-8")
    for path in (setting.program, setting.library):
        glibc.check(path)


def portable_components(setting: Setting) -> dict:
    """By program of the portable build, what it contains."""
    return {"tacet": setting.components(setting.portable, "tacet", "tacet.map"),
            "libtacet": setting.components(setting.portable, "libtacet", "libtacet.map"),
            "tree-sitter-tacet": setting.components(setting.portable, "tree-sitter-tacet", "tree-sitter-tacet.map")}


def tarball(setting: Setting, contents: dict) -> Package:
    installed = archives.read_tree(setting.work / "installed")
    chosen = {name: entry for name, entry in installed.items()
              if name in INTERFACE or not name.startswith(("include/", "lib/cmake/", "lib/pkgconfig/", "lib/tacet/lib"))}
    missing = [name for name in INTERFACE if name not in chosen]
    if missing:
        raise RuntimeError(f"the portable build installs no {missing[0]}")
    everything = set().union(*contents.values())
    for name, entry in parts.licence_files(everything).items():
        chosen[f"share/doc/tacet/licences/{name}"] = entry
    name = f"tacet-{setting.version}-linux-{setting.machine}"
    content = archives.tar({f"{name}/{path}": entry for path, entry in chosen.items()}, setting.date)
    return Package(f"{name}.tar.xz", archives.xz(content), frozenset(everything))


def debian_packages(setting: Setting) -> list:
    folder = setting.work / "deb"
    folder.mkdir()
    # cpack makes temporary folders with the modes that it packs.
    run("cpack", "-G", "DEB", "--config", setting.package / "CPackConfig.cmake", "-B", folder, cwd=folder,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(setting.date)}, umask=0o022)
    targets = {"tacet": ("tacet", "tree-sitter-tacet"), "tacet-mpi": ("tacet_mpi",), "libtacet1": ("libtacet",),
               "libtacet-dev": ("tacet", "libtacet")}
    found = []
    for path in sorted(folder.glob("*.deb")):
        components = set()
        for target in targets[path.name.partition("_")[0]]:
            components |= setting.components(setting.package, target)
        depends = run("dpkg-deb", "--field", path, "Depends")
        names = {alternative.split()[0] for entry in depends.split(",") for alternative in entry.split("|")[:1]}
        components |= parts.of_debian_packages({name for name in names if "tacet" not in name} - {"cmake"},
                                               is_inside=False)
        found.append(Package(path.name, path.read_bytes(), frozenset(components)))
    return found


def wheel(setting: Setting, contents: dict) -> Package:
    licences = {f"tacet/libraries/licences/{name}": entry.content
                for name, entry in parts.licence_files(contents["libtacet"]).items()}
    files, name = build_wheel.contents(setting.root, setting.library, shutil.which("strip"), licences)
    path = setting.work / name
    build_wheel.write(path, files)
    return Package(name, path.read_bytes(), frozenset(contents["libtacet"]))


def extensions(setting: Setting, contents: dict) -> list:
    """The extension for VS Code alone, and with the program inside."""
    folder = setting.root / "editors/vscode"
    if not (folder / "node_modules/esbuild").is_dir():
        raise RuntimeError(f"{folder}/node_modules is missing: `npm ci --ignore-scripts` there installs it")
    run("node", "scripts/bundle.mjs", cwd=folder)
    bundled = parts.of_notices(folder / "build/licences.txt")
    plain = setting.work / f"tacet-{setting.version}.vsix"
    run("node", "scripts/package.mjs", plain, cwd=folder)
    platform = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}[setting.machine]
    full = setting.work / f"tacet-{platform}-{setting.version}.vsix"
    licences = setting.work / "licences.txt"
    licences.write_bytes(parts.licence_text(contents["tacet"]))
    run("node", "scripts/package.mjs", full, "--server", setting.program, "--platform", platform,
        "--licences", licences, cwd=folder)
    return [Package(plain.name, plain.read_bytes(), frozenset(bundled)),
            Package(full.name, full.read_bytes(), frozenset(bundled | contents["tacet"]))]


def container_image(setting: Setting, contents: dict) -> Package:
    licences = setting.work / "licences"
    for name, entry in parts.licence_files(contents["tacet"]).items():
        (licences / name).parent.mkdir(parents=True, exist_ok=True)
        (licences / name).write_bytes(entry.content)
    commit = json.loads(run(setting.program, "version", "--json"))["commit"]
    content = oci_image.build(setting.program, licences, setting.version, commit, setting.date)
    inside = contents["tacet"] | parts.of_debian_packages({"libc6"})
    return Package(f"tacet-{setting.version}-linux-{setting.machine}.oci.tar", content, frozenset(inside))


def make_all(setting: Setting) -> list:
    install(setting)
    contents = portable_components(setting)
    return [tarball(setting, contents), *debian_packages(setting), wheel(setting, contents),
            *extensions(setting, contents), container_image(setting, contents)]


def described(setting: Setting, packages: list) -> dict:
    """All files by name: the packages, the list of what they contain, and the checksums."""
    listed = sbom.document(setting.version, {one.name: (archives.sha256(one.content), one.components)
                                             for one in packages}, setting.date)
    wrong = list(sbom.problems(listed))
    if wrong:
        raise RuntimeError(f"the list of contents is not SPDX: {wrong[0]}")
    files = {one.name: one.content for one in packages}
    files[f"tacet-{setting.version}.spdx.json"] = json.dumps(listed, indent=1).encode() + b"\n"
    sums = "".join(f"{archives.sha256(content)}  {name}\n" for name, content in sorted(files.items()))
    return {**files, "SHA256SUMS": sums.encode()}


def publish(folder: pathlib.Path, files: dict) -> None:
    """Puts the files in the folder, and removes packages of earlier versions that SHA256SUMS there lists."""
    folder.mkdir(parents=True, exist_ok=True)
    sums = folder / "SHA256SUMS"
    if sums.is_file():
        for line in sums.read_text(encoding="utf-8").splitlines():
            name = line.partition("  ")[2]
            if name not in files and "/" not in name and (folder / name).is_file():
                (folder / name).unlink()
    for name, content in files.items():
        archives.write(folder / name, content)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="tacet-packages-") as work:
            root = arguments.root.resolve()
            setting = Setting(root, pathlib.Path(work), build_wheel.version_of(root),
                              int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")))
            packages = make_all(setting)
            for one in packages:
                traces.check(one.name, one.content, traces.of_machine(root, pathlib.Path(work)))
            files = described(setting, packages)
            publish(arguments.folder, files)
            needed = glibc.version_text(glibc.check(setting.program))
    except (build_wheel.WheelError, ValueError, OSError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"build_packages: {error}", file=sys.stderr)
        return 1
    for name, content in sorted(files.items()):
        print(f"{len(content) / 2**20:8.2f} MiB  {arguments.folder / name}")
    print(f"The portable program needs glibc {needed} or newer, and nothing else.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
