"""A program that needs more than a system with the stated glibc has is found."""

import pathlib
import subprocess
import tempfile
import unittest

import glibc
import small_program
from elf_file import ElfFile


class Glibc(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.program = small_program.portable(pathlib.Path(cls.folder.name))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_oldest_version_is_that_of_the_newest_symbol(self):
        found = glibc.oldest(ElfFile.read(self.program))
        self.assertGreaterEqual(found, (2, 3, 4))
        self.assertEqual(glibc.check(self.program, limit=found), found)

    def test_exceptions_and_random_numbers_are_within_the_limit(self):
        glibc.check(self.program)
        symbols = subprocess.run(["nm", str(self.program)], capture_output=True, text=True, check=True).stdout
        for name in ("_dl_find_object", "arc4random"):
            self.assertRegex(symbols, rf"(?m) t {name}$")
        done = subprocess.run([str(self.program)], capture_output=True, text=True, check=False)
        self.assertRegex(done.stdout, r"^2 of \d+ in /")

    def test_a_newer_version_than_the_limit_fails_and_says_how_to_find_its_symbols(self):
        with self.assertRaisesRegex(glibc.NotPortable, r"needs glibc 2\.\d+, the limit is 2\.2: `objdump -T .*GLIBC_2"):
            glibc.check(self.program, limit=(2, 2))

    def test_other_libraries_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            program = small_program.compile_program(pathlib.Path(folder))
            with self.assertRaisesRegex(glibc.NotPortable, r"needs libstdc\+\+\.so\.6"):
                glibc.check(program)

    def test_the_libraries_of_a_program_are_found_with_the_linker(self):
        names = {path.name for path in glibc.libraries_of(self.program)}
        self.assertLessEqual({"libc.so.6", "libm.so.6", "libnss_dns.so.2"}, names)
        self.assertTrue(any(name.startswith("ld-linux") for name in names))

    def test_the_documents_state_the_limit(self):
        root = pathlib.Path(__file__).resolve().parents[1]
        text = (root / "docs/book/installation.md").read_text(encoding="utf-8")
        self.assertIn(f"glibc {glibc.version_text(glibc.LIMIT)}", text)


if __name__ == "__main__":
    unittest.main()
