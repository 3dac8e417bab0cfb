#!/usr/bin/env python3
"""Proves that check_tidy.py sees each kind of untidiness, and nothing in a tidy tree."""

import unittest

import check_tidy
from temporary_tree import violations_in

CODES = "TACET_DIAGNOSTIC(T0001, Error, \"unexpected token\")\n"


def check(files: dict) -> list:
    return violations_in(files, check_tidy.violations)


class CheckTidyTest(unittest.TestCase):
    def assert_one(self, files: dict, words: str):
        found = check(files)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_tidy_tree_passes(self):
        self.assertEqual(
            check(
                {
                    "base/id.h": "// why\n#pragma once\n\n#include <map>\n",
                    "base/id.cpp": '#include "base/id.h"\n\n#include <map>\n',
                    "base/id_test.cpp": '#include "base/id.h"\n',
                    "README.md": "[a](base/id.h) [b](docs/x.md#part) [c](https://example.org)\n",
                    "docs/x.md": "[up](../README.md)\n",
                    "compiler/core/diagnostics/codes.def": CODES,
                    "docs/diagnostics/T0001.md": "# T0001\n",
                    "examples/data.csv": "tabs\tare data \n",
                    "grammar/src/parser.h": "\tint x; \n",
                }
            ),
            [],
        )

    def test_sees_white_space(self):
        self.assert_one({"a.py": "if x:\n\ty\n"}, "a.py:2: a tab")
        self.assert_one({"a.cmake": "x \n"}, "a.cmake:1: spaces at the end")
        self.assert_one({"a.cpp": "int x;\r\n"}, "spaces at the end")
        self.assert_one({"a.md": "x"}, "no end")

    def test_sees_unfinished_business(self):
        self.assert_one({"a.cpp": "// TO" + "DO later\n"}, "unfinished")
        self.assertEqual(check({"a.cpp": "auto mastodon = 1;\n"}), [])

    def test_sees_names_that_say_nothing(self):
        for name in ("string_utils.cpp", "helpers.py", "task-manager.md", "Common.txt"):
            self.assert_one({name: "\n"}, "does not say")

    def test_sees_headers_without_guard_and_sources_without_own_header(self):
        self.assert_one({"a.h": "#include <map>\n#pragma once\n"}, "#pragma once")
        self.assert_one({"a.h": "int x;\n"}, "#pragma once")
        self.assert_one({"a.h": "#pragma once\n", "a.cpp": '#include <map>\n#include "a.h"\n'},
                        "does not include a.h first")

    def test_sees_links_that_lead_nowhere(self):
        self.assert_one({"docs/a.md": "[gone](b.md#part)\n"}, "b.md leads nowhere")

    def test_sees_diagnostics_without_page_and_pages_without_diagnostic(self):
        codes = {"compiler/core/diagnostics/codes.def": CODES}
        found = check({**codes, "docs/diagnostics/T0002.md": "# T0002\n"})
        self.assertEqual(len(found), 2, found)
        self.assertIn("T0001.md: is missing", found[0])
        self.assertIn("T0002.md: explains a code", found[1])


if __name__ == "__main__":
    unittest.main()
