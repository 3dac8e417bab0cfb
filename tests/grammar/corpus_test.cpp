// Every program of grammar/test/corpus has the tree that stands below it, and the compiler's own
// parser gives the same one. UPDATE_GOLDEN=1 writes the trees anew: read the difference.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/grammar/corpus_file.h"
#include "tests/grammar/corpus_folder.h"
#include "tests/grammar/two_parsers.h"

namespace tacet {
namespace {

using testing::CorpusTest;

void expect_rejected(testing::GrammarParser& grammar, const std::string& source,
                     syntax::Language language) {
  auto tree = grammar.parse(source);
  EXPECT_TRUE(ts_node_has_error(ts_tree_root_node(tree.get())));
  EXPECT_NE(testing::first_error(parse_file(source, language)), "");
}

void expect_tree(testing::GrammarParser& grammar, CorpusTest& test, syntax::Language language) {
  if (test.is_malformed()) {
    expect_rejected(grammar, test.source, language);
    return;
  }
  // The line end that the format takes off must make no difference, and neither may its kind.
  for (const char* end : {"", "\n", "\r\n", "\n\n// the end"}) {
    expect_same_tree(grammar, test.source + end, language);
  }
  std::string tree = testing::write_tree(grammar.parse(test.source).get());
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    test.tree = tree;
  }
  EXPECT_EQ(test.tree, tree);
}

TEST(GrammarCorpus, EveryTestHasItsTree) {
  testing::GrammarParser grammar;
  int n_tests = 0;
  for (testing::CorpusFolderFile& file : testing::corpus_folder()) {
    for (CorpusTest& test : file.tests) {
      SCOPED_TRACE(file.path + ": " + test.name);
      expect_tree(grammar, test, file.language);
      ++n_tests;
    }
    if (std::getenv("UPDATE_GOLDEN") != nullptr) {
      std::ofstream(file.path, std::ios::binary) << testing::write_corpus(file.tests);
    }
  }
  EXPECT_GE(n_tests, 300);
}

TEST(GrammarCorpus, NamesAreUnique) {
  for (const testing::CorpusFolderFile& file : testing::corpus_folder()) {
    std::vector<std::string> names;
    for (const CorpusTest& test : file.tests) {
      names.push_back(test.name);
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << file.path;
  }
}

}  // namespace
}  // namespace tacet
