#!/usr/bin/env python3
"""Proves that check_layers.py fails on each kind of broken rule, and on nothing else."""

import unittest

import check_layers
from temporary_tree import violations_in

RULES = """
[layer."base"]
[layer."compiler/core/syntax"]
uses = ["base"]
test_uses = ["grammar"]
[layer."compiler/front/names"]
uses = ["compiler/core/syntax"]
[layer."grammar"]

[[forbid]]
in = ["compiler"]
except = ["compiler/front/names/report.cpp"]
headers = ["fstream", "boost/"]
because = "no I/O"

[[forbid]]
in = [""]
files = [".h"]
headers = ["map"]
tests = true
because = "heavy"
"""


def check(files: dict, rules: str = RULES) -> list:
    return violations_in({"tools/layers.toml": rules, **files}, check_layers.violations)


class CheckLayersTest(unittest.TestCase):
    def assert_one(self, files: dict, *words: str, rules: str = RULES):
        found = check(files, rules)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_finds_arrows_to_later_rooms(self):
        rooms = '[rooms]\ncompiler = ["front", "core"]\n' + RULES
        self.assert_one({}, "compiler/front/names uses compiler/core/syntax", "later", rules=rooms)
        self.assert_one({}, "compiler/core/syntax", "none of the rooms", rules=rooms.replace(', "core"', ""))
        self.assertEqual(check({}, '[rooms]\ncompiler = ["core", "front"]\n' + RULES), [])

    def test_accepts_arrows_that_point_down_at_any_depth(self):
        self.assertEqual(
            check(
                {
                    "compiler/front/names/a.cpp": '#include "compiler/front/names/a.h"\n#include "base/id.h"\n',
                    "compiler/front/names/a.h": '#include <vector>\n#include "compiler/core/syntax/b.h"\n',
                    "compiler/core/syntax/b_test.cpp": '#include "grammar/c.h"\n#include <fstream>\n',
                    "compiler/front/names/CMakeLists.txt": "tacet_folder(compiler/front/names LINKS base)",
                    "build/x/y.cpp": '#include "nowhere.h"\n',
                }
            ),
            [],
        )

    def test_refuses_an_arrow_that_points_up(self):
        self.assert_one(
            {"compiler/core/syntax/b.cpp": '#include "compiler/front/names/a.h"\n'},
            "compiler/core/syntax must not depend on compiler/front/names",
        )

    def test_refuses_an_arrow_that_is_for_tests_only(self):
        self.assert_one(
            {"compiler/core/syntax/b.cpp": '# include "grammar/c.h"\n'}, "must not depend on grammar"
        )

    def test_refuses_a_file_in_no_layer(self):
        self.assert_one({"stray/a.cpp": "\n"}, "belongs to no layer")

    def test_refuses_a_header_that_is_not_spelled_from_the_root(self):
        self.assert_one({"base/a.cpp": '#include "a.h"\n'}, "not spelled from the root")

    def test_refuses_a_forbidden_header(self):
        self.assert_one({"compiler/front/names/a.cpp": "#include <fstream>\n"}, "<fstream>", "no I/O")
        self.assert_one({"compiler/front/names/a.cpp": "#include <boost/x/y.hpp>\n"}, "no I/O")
        self.assert_one({"base/a.h": "#include <map>\n"}, "heavy")

    def test_a_forbidden_header_is_fine_where_the_rule_does_not_reach(self):
        for path in ("base/a.cpp", "compiler/front/names/a_test.cpp", "compiler/front/names/report.cpp"):
            self.assertEqual(check({path: "#include <fstream>\n"}), [])
        self.assertEqual(check({"base/a.cpp": "#include <map>\n"}), [])
        self.assertEqual(check({"compiler/front/names/a.cpp": "#include <fstreams>\n"}), [])

    def test_refuses_a_link_that_points_up(self):
        cmake = "tacet_folder(compiler/core/syntax\n  LINKS base {}\n  TEST_LINKS grammar)\n"
        self.assertEqual(check({"compiler/CMakeLists.txt": cmake.format("")}), [])
        self.assert_one(
            {"compiler/CMakeLists.txt": cmake.format("compiler/front/names")},
            "compiler/core/syntax must not link compiler/front/names",
        )
        self.assert_one(
            {"compiler/CMakeLists.txt": cmake.format("grammar")}, "must not link grammar"
        )

    def test_refuses_what_a_house_may_not_reach(self):
        layers = """
[layer."compiler/lower"]
uses = ["{}"]
test_uses = ["engine/run"]
[layer."engine/format"]
uses = ["engine/model"]
[layer."engine/model"]
[layer."engine/run"]
uses = ["engine/format", "engine/scheme"]
[layer."engine/scheme"]
[[reach]]
in = ["compiler"]
of = "engine"
may = ["engine/format", "engine/model"]
because = "no scheme"
"""
        self.assertEqual(check({}, layers.format("engine/format")), [])
        self.assert_one({}, "compiler/lower -> engine/run: no scheme", rules=layers.format("engine/run"))
        through = '[layer.tool]\nuses = ["engine/scheme"]\n' + layers.format("tool")
        self.assert_one({}, "compiler/lower -> tool -> engine/scheme: no scheme", rules=through)
        self.assert_one(
            {"compiler/lower/a.cpp": '#include "engine/scheme/b.h"\n'},
            "compiler/lower must not depend on engine/scheme",
            rules=layers.format("engine/format"),
        )
        misspelt = layers.format("engine/format").replace('may = ["engine/format"', 'may = ["cipher"')
        self.assert_one({}, "cipher has no layer", rules=misspelt)

    def test_refuses_rules_that_make_no_order(self):
        self.assert_one({}, "a -> b -> a", rules='[layer.a]\nuses=["b"]\n[layer.b]\nuses=["a"]\n')
        self.assert_one({}, "a uses b", rules='[layer.a]\nuses=["b"]\n')


if __name__ == "__main__":
    unittest.main()
