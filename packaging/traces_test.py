"""What another machine would make differently is found, and nothing else."""

import gzip
import io
import unittest
import zipfile

import archives
import traces

FOLDER = b"/home/somebody/tacet"


def ar(date: int, owner: int, content: bytes) -> bytes:
    head = f"{'a.o/':16}{date:<12}{owner:<6}{owner:<6}{'100644':8}{len(content):<10}`\n".encode()
    return b"!<arch>\n" + head + content + b"\n" * (len(content) % 2)


def zipped(date: tuple) -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as archive:
        archive.writestr(zipfile.ZipInfo("one", (1980, 1, 1, 0, 0, 0)), b"x")
        archive.writestr(zipfile.ZipInfo("two", (2020, 1, 1, 0, 0, 0)), b"x")
        archive.writestr(zipfile.ZipInfo("three", date), b"x")
    return output.getvalue()


def found(content: bytes) -> list:
    return list(traces.found_in("package", content, [FOLDER]))


class Traces(unittest.TestCase):
    def test_a_plain_archive_has_none(self):
        content = archives.tar({"bin/tacet": archives.program(b"\x7fELF base/interner.cpp"),
                                "lib/x.a": archives.Entry(ar(0, 0, b"object"))}, 1000)
        self.assertEqual(found(archives.xz(content)), [])

    def test_a_path_is_found_through_all_archives(self):
        inner = archives.tar({"lib/x.a": archives.Entry(ar(0, 0, b"\0" + FOLDER + b"/base/check.h\0"))}, 1000)
        outer = archives.tar({"data.tar.gz": archives.Entry(gzip.compress(inner, mtime=0))}, 1000)
        self.assertEqual(found(outer), ["package/data.tar.gz/lib/x.a/a.o mentions /home/somebody/tacet"])

    def test_a_longer_name_is_another_folder(self):
        self.assertEqual(found(archives.tar({"x": archives.Entry(FOLDER + b"2/base")}, 1000)), [])

    def test_owners_are_found(self):
        self.assertEqual(found(archives.tar({"x.a": archives.Entry(ar(0, 1000, b"o"))}, 1000)),
                         ["package/x.a/a.o has the owner (1000, 1000)"])

    def test_two_dates_are_found(self):
        self.assertEqual(found(zipped((2020, 1, 1, 0, 0, 0))), [])
        self.assertEqual(found(zipped((2021, 1, 1, 0, 0, 0))), ["package has files of 2 dates"])
        self.assertEqual(found(archives.tar({"x.a": archives.Entry(ar(999, 0, b"o"))}, 1000)),
                         ["package has files of 2 dates"])

    def test_check_fails(self):
        with self.assertRaisesRegex(traces.Trace, "x mentions /home/somebody/tacet; another machine"):
            traces.check("package", archives.tar({"x": archives.Entry(FOLDER + b"/base")}, 1000), [FOLDER])


if __name__ == "__main__":
    unittest.main()
