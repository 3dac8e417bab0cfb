#!/usr/bin/env python3
"""Proves that check_words.py fails where users would see such a word, and nowhere else."""

import unittest

import check_words
from temporary_tree import violations_in


def check(files: dict) -> list:
    return violations_in(files, check_words.violations)


class CheckWordsTest(unittest.TestCase):
    def test_finds_words_in_prose(self):
        found = check({"docs/book/a.md": "One.\nAn encoder that is used up.\n"})
        self.assertEqual(found, ["docs/book/a.md:2: 'used up': say consumed"])

    def test_finds_words_in_strings(self):
        found = check({"cli/a.cpp": 'auto f() { return "the loop makes a turn"; }\n'})
        self.assertEqual(found, ["cli/a.cpp:1: 'a turn': say iteration"])

    def test_finds_words_in_titles_of_diagnostics(self):
        text = 'TACET_DIAGNOSTIC(T9110, Warning, "loop without a turn")\n'
        self.assertEqual(len(check({"compiler/codes.def": text})), 1)

    def test_finds_each_word(self):
        text = "Mend it, in the clear.\n"
        self.assertEqual(len(check({"README.md": text})), 2)

    def test_leaves_code_of_pages(self):
        self.assertEqual(check({"README.md": "```\nmend\n```\nSay `mend` there.\n"}), [])

    def test_finds_words_in_comments(self):
        self.assertEqual(check({"cli/a.cpp": "// Too dear.\n"}),
                         ["cli/a.cpp:1: 'Too dear': say expensive"])
        self.assertEqual(check({"cli/a.h": "int n = 0;  ///< what is told\n"}),
                         ["cli/a.h:1: 'is told': say reported, shown",
                          "cli/a.h:1: 'told': say reported, shown"])

    def test_finds_words_in_comments_of_tests(self):
        self.assertEqual(len(check({"tests/a_test.cpp": "  // It is mended.\n"})), 1)

    def test_finds_words_over_lines_of_a_comment(self):
        self.assertEqual(check({"cli/a.h": "auto f();\n/// The handle is used\n/// up here.\n"}),
                         ["cli/a.h:2: 'used up': say consumed"])

    def test_leaves_code_in_comments_and_urls(self):
        self.assertEqual(check({"cli/a.cpp": "// Calls `mend`.\n",
                                "cli/b.cpp": 'auto page = "https://mend";\n'}), [])

    def test_leaves_single_words_and_tests(self):
        self.assertEqual(check({"cli/a.cpp": 'auto word = "mend";\n',
                                "cli/a_test.cpp": 'auto text = "to mend";\n',
                                "tests/a.cpp": 'auto text = "to mend";\n'}), [])

    def test_leaves_good_meanings_in_comments(self):
        self.assertEqual(check({"cli/a.cpp": "// Turns it around on the way, as `a` tells.\n"}), [])

    def test_leaves_other_meanings(self):
        text = "It turns them into flags, comes to be known, and stands for a value.\n"
        self.assertEqual(check({"README.md": text}), [])


if __name__ == "__main__":
    unittest.main()
