#!/usr/bin/env python3
"""Makes the wheel of the Python package: everything that it needs, for all versions from 3.9.

usage: build_wheel.py ROOT LIBRARY FOLDER [--strip STRIP] [--limit MIB]

ROOT is the repository, LIBRARY the file libtacet.so. Prints the path of the wheel in FOLDER. The
same files give the same bytes. packaging/build_packages.py makes it of the portable library. Libraries that not every system with glibc has are put into the wheel
under names of their own, so that they do not meet those of other packages in one process.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib

from elf_file import ElfFile

# What every system with glibc has: parts of glibc.
GLIBC = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1",
         "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libresolv.so.2", "libutil.so.1"}
# What each system with this glibc has: the libraries of g++ 12, with symbols up to these versions.
# Those of a newer one are put into the wheel.
CXX = {"libstdc++.so.6", "libgcc_s.so.1"}
CXX_VERSIONS = {"GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13), "GCC": (12, 0, 0)}
CXX_GLIBC = (2, 36)
FOLDERS = ("/usr/lib/{machine}-linux-gnu", "/lib/{machine}-linux-gnu", "/usr/lib64", "/lib64",
           "/usr/local/lib", "/usr/lib", "/lib")
DATE = (1980, 1, 1, 0, 0, 0)


class WheelError(Exception):
    """The wheel would not work elsewhere."""


def find_library(name: str, machine: str) -> pathlib.Path:
    for folder in FOLDERS:
        path = pathlib.Path(folder.format(machine=machine)) / name
        if path.exists():
            return path.resolve()
    raise WheelError(f"{name} is needed, but it is not in {', '.join(FOLDERS)}")


def licence(library: ElfFile) -> bytes:
    """The licence of a library that is put into the wheel, as its Debian package states it."""
    asked = subprocess.run(["dpkg-query", "--search", "*/" + pathlib.Path(library.name).name], capture_output=True, text=True,
                           check=False)
    package = asked.stdout.partition(":")[0]
    path = pathlib.Path("/usr/share/doc") / package / "copyright"
    if not package or not path.is_file():
        raise WheelError(f"the licence of {library.name} is not known: no Debian package has it")
    return path.read_bytes()


def own_name(name: str) -> str:
    """Of a library in the wheel: as long as its name, and no other package's."""
    renamed = name.replace(".so.", "-tc.", 1)
    if renamed == name:
        raise WheelError(f"{name} has no version in its name")
    return renamed


def numbers(version: str) -> tuple:
    return tuple(int(part) for part in version.split("_")[-1].split(".") if part.isdigit())


def fits_cxx(libraries) -> bool:
    """Whether the libraries of g++ 12 have all symbols that these need of them."""
    return all(numbers(version) <= CXX_VERSIONS.get(version.split("_")[0], ())
               for library in libraries for file, version in library.versions() if file in CXX)


def gather(library: ElfFile, system: set) -> dict:
    """What the library needs and the system does not have, by name, each after what it needs."""
    found: dict = {}

    def visit(elf: ElfFile) -> None:
        for name in elf.needed():
            if name not in system and name not in found:
                needed = ElfFile.read(find_library(name, elf.machine))
                visit(needed)
                found[name] = needed

    visit(library)
    return found


def strip(content: bytes, program: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "library.so"
        path.write_bytes(content)
        subprocess.run([program, "--strip-unneeded", str(path)], check=True)
        return path.read_bytes()


def stripped(library: ElfFile, program: str) -> ElfFile:
    return ElfFile(strip(bytes(library.content), program), library.name)


def glibc_version(libraries) -> tuple:
    """The oldest glibc that has all symbols that the libraries need."""
    versions = [(2, 17)]
    for library in libraries:
        for file, version in library.versions():
            found = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", version)
            if found:
                versions.append((int(found.group(1)), int(found.group(2))))
            elif file in GLIBC:
                raise WheelError(f"{library.name} needs {version} of {file}")
    return max(versions)


def binaries(path: pathlib.Path, program: str) -> tuple:
    """The files of the libraries, and the tag of the platforms that they run on."""
    library = ElfFile.read(path)
    bundled = gather(library, GLIBC | CXX)
    uses_cxx = any(CXX & set(each.needed()) for each in [library, *bundled.values()])
    if uses_cxx and not fits_cxx([library, *bundled.values()]):
        uses_cxx = False
        bundled = gather(library, GLIBC)
    everything = {name: stripped(each, program) for name, each in bundled.items()}
    main = stripped(library, program)
    needed = glibc_version([main, *everything.values()])
    major, minor = max(needed, CXX_GLIBC) if uses_cxx else needed
    for each in [main, *everything.values()]:
        for name in everything:
            each.rename(name, own_name(name))
    files = {"tacet/libtacet.so": bytes(main.content)}
    for name, each in everything.items():
        files[f"tacet/libraries/{own_name(name)}"] = bytes(each.content)
        files[f"tacet/libraries/licences/{name}.txt"] = licence(each)
    if everything:
        order = "".join(own_name(name) + "\n" for name in everything)
        files["tacet/libraries/load_order"] = order.encode()
    return files, f"manylinux_{major}_{minor}_{main.machine}"


def sources(root: pathlib.Path) -> dict:
    package = root / "python/tacet"
    found = {}
    for path in package.rglob("*"):
        inner = path.relative_to(package.parent).as_posix()
        if path.is_file() and "__pycache__" not in inner and path.suffix != ".so":
            found[inner] = path.read_bytes()
    return found


def version_of(root: pathlib.Path) -> str:
    text = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"project\(tacet VERSION (\d+\.\d+\.\d+)", text)
    if not found:
        raise WheelError("CMakeLists.txt states no version")
    return found.group(1)


def metadata(root: pathlib.Path, version: str) -> bytes:
    head = ["Metadata-Version: 2.1", "Name: tacet", f"Version: {version}",
            "Summary: A language and compiler for computing on encrypted data",
            "License: Apache-2.0", "License-File: LICENSE", "Requires-Python: >=3.9",
            "Provides-Extra: numpy", "Requires-Dist: numpy ; extra == 'numpy'",
            "Provides-Extra: jupyter", "Requires-Dist: ipykernel ; extra == 'jupyter'",
            "Classifier: Programming Language :: Python :: 3",
            "Classifier: Programming Language :: Python :: Implementation :: CPython",
            "Classifier: Operating System :: POSIX :: Linux", "Classifier: Typing :: Typed",
            "Classifier: Topic :: Security :: Cryptography",
            "Description-Content-Type: text/markdown", ""]
    return ("\n".join(head) + "\n").encode() + (root / "python/README.md").read_bytes()


def record(files: dict, path: str) -> bytes:
    lines = []
    for name, content in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}")
    return ("\n".join(sorted(lines) + [f"{path},,"]) + "\n").encode()


def contents(root: pathlib.Path, library: pathlib.Path, program: str, licences: dict | None = None) -> tuple:
    """All files of the wheel, and its name. LICENCES are those of what is linked into the library."""
    version = version_of(root)
    files, platform = binaries(library, program)
    files.update(licences or {})
    tag = f"py3-none-{platform}"
    info = f"tacet-{version}.dist-info"
    files.update(sources(root))
    kernel = f"tacet-{version}.data/data/share/jupyter/kernels/tacet"
    for path in sorted((root / "python/tacet/kernelspec").iterdir()):
        files[f"{kernel}/{path.name}"] = path.read_bytes()
    files[f"{info}/METADATA"] = metadata(root, version)
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: tacet\nRoot-Is-Purelib: false\n"
                              f"Tag: {tag}\n").encode()
    files[f"{info}/LICENSE"] = (root / "LICENSE").read_bytes()
    files[f"{info}/RECORD"] = record(files, f"{info}/RECORD")
    return files, f"tacet-{version}-{tag}.whl"


def compressor(*_) -> object:
    """Compresses by half a percent more than that of `zipfile`, as it remembers more."""
    return zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9)


def write(path: pathlib.Path, files: dict) -> None:
    temporary = path.with_suffix(".part")
    zipfile._get_compressor = compressor  # it has no parameter for that
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if ".so" in name else 0o100644) << 16
            entry.create_system = 3
            archive.writestr(entry, content)
    os.replace(temporary, path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--strip", default=shutil.which("strip"), help="the program `strip`")
    parser.add_argument("--limit", type=float, default=12, help="the largest size in MiB")
    arguments = parser.parse_args()
    try:
        if not arguments.strip:
            raise WheelError("the program `strip` is missing; it is in the package binutils")
        files, name = contents(arguments.root, arguments.library, arguments.strip)
        arguments.folder.mkdir(parents=True, exist_ok=True)
        path = arguments.folder / name
        write(path, files)
        size = path.stat().st_size / 2**20
        if size > arguments.limit:
            raise WheelError(f"{path} has {size:.1f} MiB, more than {arguments.limit:g}")
    except (WheelError, ValueError, OSError, subprocess.CalledProcessError) as error:
        print(f"build_wheel: {error}", file=sys.stderr)
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
