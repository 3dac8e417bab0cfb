// The committed parser is one that Debian 12's libtree-sitter loads, as are those of older editors.

#include <gtest/gtest.h>
#include <tree_sitter/api.h>

#include "tests/grammar/grammar_parser.h"

namespace tacet {
namespace {

TEST(GrammarLanguage, HasTheVersionThatEditorsLoad) {
  EXPECT_EQ(ts_language_version(tree_sitter_tacet()), 14U);
  EXPECT_GE(TREE_SITTER_LANGUAGE_VERSION, 14);
  EXPECT_LE(TREE_SITTER_MIN_COMPATIBLE_LANGUAGE_VERSION, 14);
}

TEST(GrammarLanguage, Parses) {
  auto tree = testing::GrammarParser().parse("#version 0.1.0\nval v() { returns 1 }");
  EXPECT_STREQ(ts_node_type(ts_tree_root_node(tree.get())), "source_file");
}

}  // namespace
}  // namespace tacet
