#!/usr/bin/env python3
"""Proves that check_readme.py sees a README that is wrong, with a program that repeats its
arguments in the place of tacet."""

import pathlib
import tempfile
import unittest

import check_readme

RIGHT = """# A program

<!-- a.tacet -->
```tacet
one
two
```

```console
$ ./dev run a.tacet 1 "2 3"  # adds
run a.tacet 1 2 3
$ tacet version
version
$ git clone somewhere
```
"""


def check(readme: str) -> list:
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "README.md").write_text(readme)
        (root / "a.tacet").write_text("one\ntwo\n")
        return list(check_readme.violations(root, "echo"))


class CheckReadmeTest(unittest.TestCase):
    def test_accepts_what_happens(self):
        self.assertEqual(check(RIGHT), [])

    def test_sees_output_that_is_not_printed(self):
        found = check(RIGHT.replace("\nversion\n", "\nVersion\n"))
        self.assertEqual(len(found), 1, found)
        self.assertIn("$ tacet version\nprints\nversion\n", found[0])

    def test_sees_a_file_that_has_moved_on(self):
        self.assertIn("a.tacet is not what", check(RIGHT.replace("two\n", "three\n"))[0])
        self.assertIn("b.tacet does not exist", check(RIGHT.replace("a.tacet -->", "b.tacet -->"))[0])


if __name__ == "__main__":
    unittest.main()
