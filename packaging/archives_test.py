"""Archives depend on their contents alone."""

import io
import os
import pathlib
import tarfile
import tempfile
import unittest

import archives


class Archives(unittest.TestCase):
    def test_a_tree_gives_the_same_bytes_whatever_its_modes_dates_and_order(self):
        made = []
        for names, mask, date in ((["b", "a/c"], 0o022, 1), (["a/c", "b"], 0o077, 10**9)):
            with tempfile.TemporaryDirectory() as folder:
                before = os.umask(mask)
                try:
                    root = pathlib.Path(folder)
                    (root / "a").mkdir()
                    for name in names:
                        (root / name).write_bytes(b"#!/bin/sh\n" if name == "b" else b"text")
                        os.utime(root / name, (date, date))
                    (root / "b").chmod(0o777 & ~mask)
                    (root / "link").symlink_to("b")
                finally:
                    os.umask(before)
                made.append(archives.tar(archives.read_tree(root), 1000))
        self.assertEqual(made[0], made[1])

    def test_entries_are_sorted_with_their_folders_first(self):
        content = archives.tar({"b/x": archives.program(b"1"), "a": archives.Entry(b"2"), "b/d/y": archives.Entry()}, 7)
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            found = [(one.name, one.mode, one.mtime, one.uid, one.uname) for one in archive]
        self.assertEqual(found, [("a", 0o644, 7, 0, ""), ("b", 0o755, 7, 0, ""), ("b/d", 0o755, 7, 0, ""),
                                 ("b/d/y", 0o644, 7, 0, ""), ("b/x", 0o755, 7, 0, "")])

    def test_a_folder_keeps_the_mode_it_was_given(self):
        content = archives.tar({"tmp/x": archives.Entry(), "tmp": archives.folder(0o1777, 5)}, 0)
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            one = archive.getmember("tmp")
            self.assertEqual((one.mode, one.uid), (0o1777, 5))

    def test_only_programs_can_be_run(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "text").write_bytes(b"text")
            (root / "text").chmod(0o755)
            (root / "tool").write_bytes(b"\x7fELF")
            (root / "tool").chmod(0o755)
            found = archives.read_tree(root)
        self.assertEqual((found["text"].mode, found["tool"].mode), (0o644, 0o755))


if __name__ == "__main__":
    unittest.main()
