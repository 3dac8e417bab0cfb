#!/usr/bin/env python3
"""Proves that check_docs.py sees a page that is wrong, with a program that repeats its arguments in
the place of tacet."""

import unittest

import check_docs
from temporary_tree import violations_in

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

```console
$ tacet one &
$ tacet two &
$ wait
one
two
```
"""


def check(page: str) -> list:
    return violations_in(
        {"page.md": page, "a.tacet": "one\ntwo\n"},
        lambda root: check_docs.violations(root, "echo", root / "page.md"),
    )


class CheckDocsTest(unittest.TestCase):
    def test_accepts_what_happens(self):
        self.assertEqual(check(RIGHT), [])

    def test_sees_output_that_is_not_printed(self):
        found = check(RIGHT.replace("\nversion\n", "\nVersion\n"))
        self.assertEqual(len(found), 1, found)
        self.assertIn("$ tacet version\nprints\nversion\n", found[0])

    def test_sees_what_commands_print_that_run_at_the_same_time(self):
        found = check(RIGHT.replace("wait\none\ntwo\n", "wait\none\n"))
        self.assertEqual(len(found), 1, found)
        self.assertIn("$ wait\nprints\none\ntwo\n", found[0])

    def test_sees_a_file_that_has_moved_on(self):
        self.assertIn("a.tacet is not what", check(RIGHT.replace("two\n", "three\n"))[0])
        moved = RIGHT.replace("a.tacet -->", "b/b.tacet -->")
        self.assertIn("b/b.tacet does not exist", check(moved)[0])

    def test_lets_lines_be_left_out(self):
        self.assertTrue(check_docs.is_shown("one\ntwo\nthree\n", "one\n…\n"))
        self.assertTrue(check_docs.is_shown("one\ntwo\nthree\n", "…\ntwo\n…\n"))
        self.assertFalse(check_docs.is_shown("one\ntwo\nthree\n", "…\nTwo\n…\n"))
        self.assertFalse(check_docs.is_shown("one\ntwo\n", "one\n"))

    def test_sees_a_program_that_is_told_nothing_of_what_it_should(self):
        page = "<!-- fails: T5001 -->\n```tacet\nfn\n```\n"
        self.assertIn("is reported", check(page)[0])


if __name__ == "__main__":
    unittest.main()
