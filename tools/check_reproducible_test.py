#!/usr/bin/env python3
"""Proves that check_reproducible.py fails where numbers may differ between machines, and nowhere else."""

import unittest

import check_reproducible
from temporary_tree import violations_in

OFF = "tacet_folder(compiler/a)\ntarget_compile_options(x PRIVATE -ffp-contract=off)\n"


def check(files: dict) -> list:
    return violations_in(files, check_reproducible.violations)


class CheckReproducibleTest(unittest.TestCase):
    def test_finds_long_double(self):
        found = check({"compiler/a/x.cpp": "double a;\nlong  double b = 1;\n"})
        self.assertEqual(len(found), 1)
        self.assertIn("compiler/a/x.cpp:2", found[0])
        self.assertEqual(len(check({"cli/x.h": "auto a = 1.5L;\n"})), 1)
        self.assertEqual(len(check({"base/x.h": "auto a = 1e-3L;\n"})), 1)

    def test_leaves_tests_comments_and_engines(self):
        files = {"compiler/a/x_test.cpp": "long double b;\n", "compiler/a/x.cpp": "int a;  // long double\n",
                 "engine/x.cpp": "long double b;\n", "compiler/a/y.cpp": "auto a = 3LL + 0x1L0;\n"}
        self.assertEqual(check(files), [])

    def test_finds_functions_of_the_library_where_bits_matter(self):
        text = "auto a = std::exp(1);\nauto b = std::sqrt(2) + std::ldexp(1, 2);\n"
        found = check({"compiler/he/approximate/x.cpp": text})
        self.assertEqual(len(found), 1)
        self.assertIn("std::exp(", found[0])
        self.assertEqual(check({"compiler/views/x.cpp": text}), [])

    def test_finds_contraction(self):
        text = '#include "base/double_double.h"\nDoubleDouble a;\n'
        self.assertEqual(len(check({"compiler/a/x.cpp": text, "compiler/a/CMakeLists.txt": "tacet_folder(a)"})), 1)
        self.assertEqual(check({"compiler/a/x.cpp": text, "compiler/a/CMakeLists.txt": OFF}), [])


if __name__ == "__main__":
    unittest.main()
