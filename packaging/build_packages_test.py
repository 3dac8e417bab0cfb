"""Checksums and the list of contents are of the files that are written; old packages do not stay beside new ones."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import archives
import build_packages
from components import Component

ZLIB = Component("deb", "zlib", "1.2.13", "Zlib", "text")
SETTING = build_packages.Setting(pathlib.Path("/none"), pathlib.Path("/none"), "0.1.0", 1_700_000_000)


def package(name: str, content: bytes) -> build_packages.Package:
    return build_packages.Package(name, content, frozenset({ZLIB}))


class Packages(unittest.TestCase):
    def test_the_files_match_their_checksums_and_descriptions(self):
        files = build_packages.described(SETTING, [package("b.deb", b"1"), package("a.tar.xz", b"2")])
        self.assertEqual(sorted(files), ["SHA256SUMS", "a.tar.xz", "b.deb", "tacet-0.1.0.spdx.json"])
        listed = json.loads(files["tacet-0.1.0.spdx.json"])
        digests = {one["name"]: one["checksums"][0]["checksumValue"] for one in listed["packages"] if "checksums" in one}
        self.assertEqual(digests, {name: archives.sha256(files[name]) for name in ("a.tar.xz", "b.deb")})
        with tempfile.TemporaryDirectory() as folder:
            build_packages.publish(pathlib.Path(folder), files)
            done = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder, capture_output=True,
                                  text=True, check=False)
            self.assertEqual((done.returncode, done.stdout.count(": OK\n")), (0, 3), done.stderr)

    def test_packages_of_before_are_removed_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "packages"
            build_packages.publish(folder, build_packages.described(SETTING, [package("old.deb", b"1")]))
            (folder / "mine.txt").write_text("kept", encoding="utf-8")
            build_packages.publish(folder, build_packages.described(SETTING, [package("new.deb", b"1")]))
            self.assertEqual(sorted(path.name for path in folder.iterdir()),
                             ["SHA256SUMS", "mine.txt", "new.deb", "tacet-0.1.0.spdx.json"])

    def test_checksums_of_other_folders_remove_nothing(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "packages"
            folder.mkdir()
            (pathlib.Path(name) / "other").write_text("kept", encoding="utf-8")
            (folder / "SHA256SUMS").write_text("0  ../other\n0  ..\nnonsense\n", encoding="utf-8")
            build_packages.publish(folder, {"SHA256SUMS": b""})
            self.assertTrue((pathlib.Path(name) / "other").exists())


if __name__ == "__main__":
    unittest.main()
