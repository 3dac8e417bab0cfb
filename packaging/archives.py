"""Archives whose bytes are decided by what is in them: sorted, of one date, of no owner, with plain modes."""

import dataclasses
import hashlib
import io
import lzma
import os
import pathlib
import tarfile


@dataclasses.dataclass(frozen=True)
class Entry:
    """A file, a symbolic link or a folder of an archive."""

    content: bytes = b""
    mode: int = 0o644
    link: str = ""
    is_folder: bool = False
    owner: int = 0


def folder(mode: int = 0o755, owner: int = 0) -> Entry:
    return Entry(mode=mode, is_folder=True, owner=owner)


def program(content: bytes) -> Entry:
    return Entry(content=content, mode=0o755)


def symbolic_link(target: str) -> Entry:
    return Entry(mode=0o777, link=target)


def read_tree(root: pathlib.Path) -> dict:
    """The files and links below a folder by their path. Of modes, only whether a file can be run counts."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = symbolic_link(os.readlink(path))
        elif path.is_file():
            content = path.read_bytes()
            found[name] = program(content) if os.access(path, os.X_OK) and is_program(content) else Entry(content)
    return found


def is_program(content: bytes) -> bool:
    return content.startswith((b"\x7fELF", b"#!"))


def with_folders(entries: dict) -> dict:
    """The entries and the folders that they are in."""
    found = dict(entries)
    for name in entries:
        for parent in pathlib.PurePosixPath(name).parents:
            if parent.as_posix() != ".":
                found.setdefault(parent.as_posix(), folder())
    return found


def tar(entries: dict, date: int) -> bytes:
    """A tar archive of entries by their paths."""
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, entry in sorted(with_folders(entries).items()):
            info = tarfile.TarInfo(name)
            info.mtime, info.mode, info.uid, info.gid = date, entry.mode, entry.owner, entry.owner
            if entry.is_folder:
                info.type = tarfile.DIRTYPE
            elif entry.link:
                info.type, info.linkname = tarfile.SYMTYPE, entry.link
            else:
                info.size = len(entry.content)
            archive.addfile(info, io.BytesIO(entry.content))
    return output.getvalue()


def xz(content: bytes) -> bytes:
    return lzma.compress(content, preset=9)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def write(path: pathlib.Path, content: bytes) -> None:
    """Replaces a file at once, so that an interrupted run leaves no half of one."""
    temporary = path.with_name(path.name + ".part")
    temporary.write_bytes(content)
    os.replace(temporary, path)
