"""What a portable program needs of the system: parts of glibc, no newer than a stated version."""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))

from elf_file import ElfFile  # noqa: E402

# The oldest glibc that portable programs run with. Debian 12, Ubuntu 22.04, Fedora 35 and RHEL 9 have it or a
# newer one. What raises it is a decision, not an accident: change it here, in docs/book/installation.md and
# in CHANGELOG.md.
LIMIT = (2, 34)
PARTS = ("libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1")
FOLDERS = ("/lib/{machine}-linux-gnu", "/lib64", "/lib")


class NotPortable(ValueError):
    """A program needs more than a system with the stated glibc has."""


def version_text(version: tuple) -> str:
    return ".".join(str(part) for part in version)


def oldest(program: ElfFile) -> tuple:
    """The oldest glibc that has all symbols that the program needs. Fails if it needs other libraries."""
    others = [name for name in program.needed() if name not in PARTS]
    if others:
        raise NotPortable(f"{program.name} needs {', '.join(others)}, which is not part of glibc")
    versions = [(2, 2, 5)]
    for file, version in program.versions():
        found = re.fullmatch(r"GLIBC_(\d+(?:\.\d+)+)", version)
        if not found:
            raise NotPortable(f"{program.name} needs {version} of {file}, which is not a version of glibc")
        versions.append(tuple(int(part) for part in found.group(1).split(".")))
    return max(versions)


def check(path: pathlib.Path, limit: tuple = LIMIT) -> tuple:
    """As `oldest`; fails if that is newer than the limit."""
    program = ElfFile.read(path)
    needed = oldest(program)
    if needed > limit:
        newer = sorted(version for _, version in program.versions() if version == "GLIBC_" + version_text(needed))
        raise NotPortable(f"{path} needs glibc {version_text(needed)}, the limit is {version_text(limit)}: "
                          f"`objdump -T {path} | grep {newer[0]}` lists what needs it")
    return needed


def find(name: str, machine: str) -> pathlib.Path:
    for folder in FOLDERS:
        path = pathlib.Path(folder.format(machine=machine)) / name
        if path.exists():
            return path
    raise FileNotFoundError(f"there is no {name}")


def libraries_of(program: pathlib.Path) -> list:
    """The files of glibc that the program loads, where it looks for them."""
    machine = ElfFile.read(program).machine
    found = {}
    waiting = ElfFile.read(program).needed()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = find(name, machine)
            waiting += ElfFile.read(found[name]).needed()
    # The kernel looks for the dynamic linker of a program in this place.
    linker = {"x86_64": "/lib64/ld-linux-x86-64.so.2", "aarch64": "/lib/ld-linux-aarch64.so.1"}[machine]
    found[pathlib.Path(linker).name] = pathlib.Path(linker)
    # Opened by name when a thread is cancelled, and when names of hosts are resolved.
    for name in ("libresolv.so.2", "libnss_dns.so.2", "libnss_files.so.2"):
        found[name] = find(name, machine)
    return sorted(found.values())


def package_status() -> bytes:
    """The entry of libc6 in dpkg's list of packages."""
    return subprocess.run(["dpkg-query", "--status", "libc6"], capture_output=True, check=True).stdout
