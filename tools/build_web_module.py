#!/usr/bin/env python3
"""Builds the module of pages without a server: Tacet as WebAssembly, with Debian's emscripten.

usage: build_web_module.py ROOT BUILD [--jobs N] [--sources-only]

Makes tacet.js, tacet.wasm and licences.txt in BUILD/site. Next to BUILD, in `web-sources`, are the source
packages of the libraries that Debian has for other machines alone, fetched from where apt fetches
packages, without a change of its configuration; and in `web-tools`, emscripten's configuration and
the libraries that it compiles for itself.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

APT = pathlib.Path("/etc/apt")
EMSCRIPTEN = pathlib.Path("/usr/share/emscripten")
PACKAGES = ("isl", "zlib", "bearssl")
# Packages of which the module contains code, besides its own C library, which emscripten has.
HEADERS = ("emscripten", "libboost-dev", "libcli11-dev", "libfmt-dev", "libtomlplusplus-dev",
           "nlohmann-json3-dev")
TOOLCHAIN = EMSCRIPTEN / "cmake/Modules/Platform/Emscripten.cmake"


class ModuleError(Exception):
    """Something that the build needs is missing."""


def run(words: list, folder: pathlib.Path, environment: dict | None = None) -> None:
    """A command whose output is shown only if it fails."""
    done = subprocess.run([str(word) for word in words], cwd=folder, env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          errors="replace", check=False)
    if done.returncode != 0:
        last = "\n".join(done.stdout.splitlines()[-40:])
        raise ModuleError(f"{last}\n{' '.join(map(str, words[:4]))} … failed in {folder}")


def source_entry(text: str) -> str:
    """A file of apt's sources, in either format, with source packages instead of others."""
    lines = []
    for line in text.split("\n"):
        line = re.sub(r"^(Types:).*", r"\1 deb-src", line)
        lines.append(re.sub(r"^deb(?=\s)", "deb-src", line))
    return "\n".join(lines)


def write_entries(parts: pathlib.Path, apt: pathlib.Path = APT) -> None:
    parts.mkdir(parents=True, exist_ok=True)
    files = [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*"))]
    for file in files:
        if file.suffix in (".list", ".sources") and file.is_file():
            (parts / file.name).write_text(source_entry(file.read_text()))


def fetch(sources: pathlib.Path) -> None:
    """Unpacks the source packages."""
    done = sources / "unpacked"
    if done.exists():
        return
    for name in PACKAGES:
        for stale in sources.glob(f"{name}[-_]*"):
            shutil.rmtree(stale) if stale.is_dir() else stale.unlink()
    write_entries(sources / "parts")
    (sources / "lists/partial").mkdir(parents=True, exist_ok=True)
    (sources / "cache").mkdir(exist_ok=True)
    apt = ["apt-get", "-qq", "-o", f"Dir::State::Lists={sources / 'lists'}",
           "-o", "Dir::Etc::SourceList=/dev/null", "-o", f"Dir::Etc::SourceParts={sources / 'parts'}",
           "-o", f"Dir::Cache={sources / 'cache'}"]
    if os.geteuid() == 0:
        # Not another user, who may not write here.
        apt += ["-o", "APT::Sandbox::User=root"]
    run([*apt, "update"], sources)
    run([*apt, "source", *PACKAGES], sources)
    done.touch()


def folder_of(sources: pathlib.Path, name: str) -> pathlib.Path:
    found = [path for path in sources.glob(f"{name}-*") if path.is_dir()]
    if len(found) != 1:
        raise ModuleError(f"expected one folder {sources}/{name}-*, found {len(found)}")
    return found[0]


def environment_of(tools: pathlib.Path) -> dict:
    """Debian's emscripten may not write where it is installed, and needs Debian's packages of Node
    even if another Node is installed."""
    if not TOOLCHAIN.exists():
        raise ModuleError("emscripten is missing; apt-get install emscripten installs it")
    tools.mkdir(parents=True, exist_ok=True)
    config = (EMSCRIPTEN / ".emscripten").read_text()
    config = re.sub(r"^FROZEN_CACHE\b.*\n?", "", config, flags=re.M) + "\nFROZEN_CACHE = False\n"
    (tools / "emscripten.cfg").write_text(config)
    if not (tools / "cache").exists():
        shutil.copytree(EMSCRIPTEN / "cache", tools / "cache.part", symlinks=True, dirs_exist_ok=True)
        (tools / "cache.part").rename(tools / "cache")
    return {**os.environ, "EM_CONFIG": str(tools / "emscripten.cfg"), "EM_CACHE": str(tools / "cache"),
            "NODE_PATH": "/usr/share/nodejs"}


def build_isl(sources: pathlib.Path, environment: dict, jobs: int) -> None:
    """isl has a configuration of its own, which cannot run what it compiles."""
    folder = sources / "isl"
    if (folder / ".libs/libisl.a").exists():
        return
    folder.mkdir(exist_ok=True)
    known = {"ac_cv_have_decl_ffs": "yes", "ac_cv_have_decl___builtin_ffs": "yes"}
    run(["emconfigure", folder_of(sources, "isl") / "configure", "--host=wasm32-unknown-linux",
         "--with-int=imath-32", "--disable-shared", "--enable-static", "CFLAGS=-O2"],
        folder, {**environment, **known})
    run(["emmake", "make", f"-j{jobs}", "gitversion.h", "libisl.la"], folder, environment)


def build_module(root: pathlib.Path, build: pathlib.Path, sources: pathlib.Path, environment: dict,
                 jobs: int) -> None:
    build.mkdir(parents=True, exist_ok=True)
    if not (build / "build.ninja").exists():
        run(["cmake", "-S", root, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
             f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}", f"-DTACET_WEB_SOURCES={sources}"], root, environment)
    # With ninja's own progress: this takes about ten minutes on two cores.
    done = subprocess.run(["ninja", "-C", build, f"-j{jobs}", "tacet_module"], env=environment,
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise ModuleError("the module does not build")


def write_licences(build: pathlib.Path, sources: pathlib.Path) -> None:
    """Of what the module contains besides Tacet."""
    files = {name: folder_of(sources, name) / "debian/copyright" for name in PACKAGES}
    files |= {name: pathlib.Path("/usr/share/doc") / name / "copyright" for name in HEADERS}
    text = ""
    for name, file in sorted(files.items()):
        if not file.is_file():
            raise ModuleError(f"the licence of {name} is not known: there is no {file}")
        text += f"\n{'=' * 72}\n{name}\n\n{file.read_text(errors='replace').strip()}\n"
    (build / "site/licences.txt").write_text("The module contains:\n" + text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--sources-only", action="store_true", help="only what the module is built on")
    arguments = parser.parse_args()
    root, build = arguments.root.resolve(), arguments.build.resolve()
    sources = build.parent / "web-sources"
    try:
        environment = environment_of(build.parent / "web-tools")
        sources.mkdir(parents=True, exist_ok=True)
        fetch(sources)
        build_isl(sources, environment, arguments.jobs)
        if not arguments.sources_only:
            build_module(root, build, sources, environment, arguments.jobs)
            write_licences(build, sources)
    except (ModuleError, OSError) as error:
        print(f"build_web_module: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
