"""Runs the Python of the pages: the README of the package, and the book."""

import contextlib
import io
import pathlib
import re
import unittest

import tacet

ROOT = pathlib.Path(tacet.__file__).resolve().parents[2]


class Pages(unittest.TestCase):
    def run_page(self, page: str) -> str:
        """All blocks in sequence; what they print."""
        names: dict = {}
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.S)
        self.assertTrue(blocks, page)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            for block in blocks:
                exec(compile(block, page, "exec"), names)
        return printed.getvalue()

    def test_readme(self) -> None:
        self.assertEqual(self.run_page("python/README.md"), "70\n70\n")

    def test_book(self) -> None:
        self.assertEqual(self.run_page("docs/book/python.md"), "")


if __name__ == "__main__":
    unittest.main()
