#!/usr/bin/env python3
"""Proves that check_batches.py fails where a name of a file's own is another's, and nowhere else."""

import unittest

import check_batches
from temporary_tree import violations_in

BUILD = "tacet_folder(a LINKS base)"
ONE = "namespace {\n\nauto size_of(int x) -> int {\n  return x;\n}\n\n}  // namespace\n"
OTHER = "static auto size_of(char x) -> int {\n  return x;\n}\n"


def check(files: dict) -> list:
    return violations_in(files, check_batches.violations)


class CheckBatchesTest(unittest.TestCase):
    def test_finds_functions_of_one_name(self):
        found = check({"a/CMakeLists.txt": BUILD, "a/x.cpp": ONE, "a/y.cpp": OTHER})
        self.assertEqual(len(found), 1)
        self.assertIn("a/x.cpp, a/y.cpp", found[0])
        self.assertIn("`size_of`", found[0])

    def test_finds_constants_of_one_name(self):
        text = "constexpr size_t kMost = 3;\n"
        self.assertEqual(len(check({"a/CMakeLists.txt": BUILD, "a/x.cpp": text, "a/y.cpp": text})), 1)

    def test_looks_into_folders_that_belong_to_it(self):
        build = "tacet_folder(a LINKS base\n  FOLDERS b)"
        self.assertEqual(len(check({"a/CMakeLists.txt": build, "a/x.cpp": ONE, "a/b/y.cpp": OTHER})), 1)

    def test_leaves_what_is_compiled_apart(self):
        build = "tacet_folder(a LINKS base\n  APART y.cpp)"
        self.assertEqual(check({"a/CMakeLists.txt": build, "a/x.cpp": ONE, "a/y.cpp": OTHER}), [])
        build = BUILD + "\nset_source_files_properties(y.cpp PROPERTIES COMPILE_OPTIONS -O3)"
        self.assertEqual(check({"a/CMakeLists.txt": build, "a/x.cpp": ONE, "a/y.cpp": OTHER}), [])

    def test_leaves_tests_beside_the_library_and_public_functions(self):
        public = ONE.replace("namespace {\n", "").replace("}  // namespace\n", "")
        files = {"a/CMakeLists.txt": BUILD, "a/x.cpp": ONE, "a/y_test.cpp": OTHER, "a/z.cpp": public}
        self.assertEqual(check(files), [])


if __name__ == "__main__":
    unittest.main()
