"""Finds what a package has of the machine that made it: paths of its folders, dates and owners of its files."""

import dataclasses
import gzip
import io
import lzma
import pathlib
import tarfile
import zipfile


@dataclasses.dataclass(frozen=True)
class Member:
    """A file in an archive, with what the archive says of it."""

    path: str
    content: bytes
    date: object = None
    owner: object = None


class Trace(ValueError):
    """A package that another machine would not make alike."""


def ar_members(content: bytes):
    """Those of an archive of ar, which is also what a package of Debian and a static library is."""
    at, names = 8, b""
    while at + 60 <= len(content):
        head = content[at:at + 60]
        size = int(head[48:58])
        body = content[at + 60:at + 60 + size]
        name = head[:16].decode().strip()
        if name == "//":
            names = body
        elif name.startswith("/") and name[1:].isdigit():
            start = int(name[1:])
            name = names[start:names.index(b"\n", start)].decode()
        owner = (int(head[28:34].strip() or 0), int(head[34:40].strip() or 0))
        yield Member(name.rstrip("/"), body, int(head[16:28].strip() or 0), owner)
        at += 60 + size + size % 2


def tar_members(content: bytes):
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for info in archive:
            file = archive.extractfile(info) if info.isfile() else None
            yield Member(info.name, file.read() if file else info.linkname.encode(), info.mtime,
                         (info.uname, info.gname))


def zip_members(content: bytes):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for info in archive.infolist():
            yield Member(info.filename, archive.read(info), info.date_time)


def members_of(content: bytes):
    """The files of an archive, none if it is none."""
    if content.startswith(b"!<arch>\n"):
        yield from ar_members(content)
    elif content.startswith(b"PK\x03\x04"):
        yield from zip_members(content)
    elif content[257:262] == b"ustar":
        yield from tar_members(content)
    elif content.startswith(b"\xfd7zXZ\0"):
        yield Member("", lzma.decompress(content))
    elif content.startswith(b"\x1f\x8b"):
        yield Member("", gzip.decompress(content), int.from_bytes(content[4:8], "little"))


def all_members(path: str, content: bytes):
    """The files of an archive, and of the archives in it."""
    for member in members_of(content):
        inner = f"{path}/{member.path}" if member.path else path
        yield dataclasses.replace(member, path=inner)
        yield from all_members(inner, member.content)


def of_machine(*folders: pathlib.Path) -> list:
    return [str(folder).encode() for folder in folders]


def found_in(name: str, content: bytes, folders: list):
    """Each trace, as a sentence."""
    dates = set()
    for member in all_members(name, content):
        for folder in folders:
            if folder + b"/" in member.content and not any(True for _ in members_of(member.content)):
                yield f"{member.path} mentions {folder.decode()}"
        if isinstance(member.owner, tuple) and not set(member.owner) <= {"", "root", 0}:
            yield f"{member.path} has the owner {member.owner}"
        # No date, that of this build, or the first that a zip can have.
        if member.date and member.date != (1980, 1, 1, 0, 0, 0):
            dates.add(member.date)
    if len(dates) > 1:
        yield f"{name} has files of {len(dates)} dates"


def check(name: str, content: bytes, folders: list) -> None:
    for trace in found_in(name, content, folders):
        raise Trace(f"{trace}; another machine would not make the same package")
