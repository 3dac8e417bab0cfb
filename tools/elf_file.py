"""Reads what a shared object of 64 bits needs, and renames the libraries in it.

Nothing but the standard library. The names and structures are those of the System V ABI and its
processor supplements; byte order is that of the file.
"""

import pathlib
import re
import struct

DT_NEEDED, DT_STRTAB, DT_STRSZ, DT_SONAME = 1, 5, 10, 14
DT_VERNEED, DT_VERNEEDNUM = 0x6FFFFFFE, 0x6FFFFFFF
PT_LOAD, PT_DYNAMIC = 1, 2
MACHINES = {62: "x86_64", 183: "aarch64"}


class ElfFile:
    """A shared object: its name, what it needs, and the versions of symbols that it needs."""

    def __init__(self, content: bytes, name: str = "the file") -> None:
        if content[:5] != b"\x7fELF\x02":
            raise ValueError(f"{name} is not an ELF file of 64 bits")
        self.content = bytearray(content)
        self.name = name
        self._order = "<" if content[5] == 1 else ">"
        self.machine = MACHINES.get(self._unpack("H", 18)[0], "")
        self._segments = self._read_segments()
        self._dynamic = self._read_dynamic()
        self._strings = self._offset(self._one(DT_STRTAB))
        self._strings_end = self._strings + self._one(DT_STRSZ)

    @classmethod
    def read(cls, path) -> "ElfFile":
        return cls(pathlib.Path(path).read_bytes(), str(path))

    def needed(self) -> list:
        """The names of the libraries that it needs."""
        return [self._text(value) for tag, value in self._dynamic if tag == DT_NEEDED]

    def soname(self) -> str:
        """Its own name, empty if it has none."""
        return next((self._text(value) for tag, value in self._dynamic if tag == DT_SONAME), "")

    def versions(self) -> list:
        """Pairs of a library and a version of symbols that it needs: `libc.so.6`, `GLIBC_2.34`."""
        found = []
        tags = dict(self._dynamic)
        if DT_VERNEED not in tags:
            return found
        at = self._offset(tags[DT_VERNEED])
        for _ in range(tags[DT_VERNEEDNUM]):
            _, n_versions, file, first, following = self._unpack("HHIII", at)
            version = at + first
            for _ in range(n_versions):
                _, _, _, name, next_version = self._unpack("IHHII", version)
                found.append((self._text(file), self._text(name)))
                version += next_version
            at += following
        return sorted(found)

    def rename(self, old: str, new: str) -> None:
        """Another name of a library that is as long as the old one, wherever it is mentioned."""
        if len(old) != len(new):
            raise ValueError(f"{old} and {new} are not of the same length")
        table = bytes(self.content[self._strings:self._strings_end])
        pattern = re.compile(rb"\0" + re.escape(old.encode()) + rb"\0")
        for found in pattern.finditer(table):
            at = self._strings + found.start() + 1
            self.content[at:at + len(old)] = new.encode()

    def _unpack(self, layout: str, at: int) -> tuple:
        return struct.unpack_from(self._order + layout, self.content, at)

    def _read_segments(self) -> list:
        start, = self._unpack("Q", 32)
        size, count = self._unpack("HH", 54)
        # Type, offset in the file, address, size in the file.
        found = [self._unpack("IIQQQQ", start + size * i) for i in range(count)]
        return [(kind, offset, address, length) for kind, _, offset, address, _, length in found]

    def _read_dynamic(self) -> list:
        places = [(offset, length) for kind, offset, _, length in self._segments
                  if kind == PT_DYNAMIC]
        if not places:
            raise ValueError(f"{self.name} is not a shared object")
        offset, length = places[0]
        entries = [self._unpack("qQ", offset + 16 * i) for i in range(length // 16)]
        end = next((i for i, (tag, _) in enumerate(entries) if tag == 0), len(entries))
        return entries[:end]

    def _one(self, tag: int) -> int:
        return dict(self._dynamic)[tag]

    def _offset(self, address: int) -> int:
        """Where in the file an address is."""
        for kind, offset, start, length in self._segments:
            if kind == PT_LOAD and start <= address < start + length:
                return offset + address - start
        raise ValueError(f"{self.name} has no place for the address {address:#x}")

    def _text(self, at: int) -> str:
        start = self._strings + at
        return self.content[start:self.content.index(0, start)].decode()
