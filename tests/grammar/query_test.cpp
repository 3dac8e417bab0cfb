// The highlighting of editors by grammar/queries. The programs in queries/ have a file beside them
// for each query that says what it captures; UPDATE_GOLDEN=1 writes these anew.

#include "tests/grammar/query.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "tests/grammar/corpus_folder.h"
#include "tests/harness/files.h"
#include "tests/harness/golden.h"

namespace tacet {
namespace {

using testing::Capture;
using testing::Query;

const std::vector<std::string> kQueries = {"highlights", "folds", "locals", "indents",
                                           "injections"};

/// The programs of queries/.
auto fixtures() -> std::vector<std::filesystem::path> {
  return harness::find_files(
      {.folder = "tests/grammar/queries", .endings = {".tacet", ".tlhe"}, .least = 3});
}

/// Every well-formed program that the tests of this folder know.
auto programs() -> std::vector<std::string> {
  std::vector<std::string> texts;
  for (const testing::CorpusFolderFile& file : testing::corpus_folder()) {
    for (const testing::CorpusTest& test : file.tests) {
      if (!test.is_malformed()) {
        texts.push_back(test.source);
      }
    }
  }
  for (const std::filesystem::path& path : fixtures()) {
    texts.push_back(harness::read_file(path));
  }
  return texts;
}

TEST(Queries, Compile) {
  for (const std::string& name : kQueries) {
    EXPECT_EQ(Query(name).error(), "");
  }
}

class QueryFixture : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(QueryFixture, CapturesWhatTheGoldenFilesSay) {
  const std::string text = harness::read_file(GetParam());
  auto tree = testing::GrammarParser().parse(text);
  ASSERT_FALSE(ts_node_has_error(ts_tree_root_node(tree.get())));
  for (const std::string& name : kQueries) {
    harness::expect_golden(GetParam().string() + "." + name,
                           annotate(text, Query(name).captures(tree.get(), text)));
  }
}

INSTANTIATE_TEST_SUITE_P(Files, QueryFixture, ::testing::ValuesIn(fixtures()),
                         harness::name_of_file);

// Editors differ in which of two captures of a node wins.
TEST(Highlights, CaptureNoNodeTwice) {
  testing::GrammarParser grammar;
  Query query("highlights");
  for (const std::string& text : programs()) {
    auto tree = grammar.parse(text);
    std::map<const void*, std::string> names;
    for (const Capture& capture : query.captures(tree.get(), text)) {
      auto [seen, is_new] = names.emplace(capture.node, capture.name);
      EXPECT_TRUE(is_new) << text.substr(capture.range.begin, capture.range.length()) << " is "
                          << seen->second << " and " << capture.name << " in\n"
                          << text;
    }
  }
}

void collect_uncoloured(TSNode node, std::string_view text,
                        const std::set<std::pair<uint32_t, uint32_t>>& coloured,
                        std::set<std::string>& out) {
  uint32_t begin = ts_node_start_byte(node);
  uint32_t end = ts_node_end_byte(node);
  if (coloured.count({begin, end}) != 0) {
    return;
  }
  if (ts_node_child_count(node) == 0 && begin != end) {
    out.insert(std::string(text.substr(begin, end - begin)));
  }
  for (uint32_t i = 0; i < ts_node_child_count(node); ++i) {
    collect_uncoloured(ts_node_child(node, i), text, coloured, out);
  }
}

TEST(Highlights, ColourEveryToken) {
  testing::GrammarParser grammar;
  Query query("highlights");
  std::set<std::string> uncoloured;
  for (const std::string& text : programs()) {
    auto tree = grammar.parse(text);
    std::set<std::pair<uint32_t, uint32_t>> coloured;
    for (const Capture& capture : query.captures(tree.get(), text)) {
      coloured.emplace(capture.range.begin, capture.range.end);
    }
    collect_uncoloured(ts_tree_root_node(tree.get()), text, coloured, uncoloured);
  }
  EXPECT_EQ(uncoloured, std::set<std::string>());
}

auto highlight_of(const std::string& text, const std::string& word) -> std::string {
  auto tree = testing::GrammarParser().parse(text);
  for (const Capture& capture : Query("highlights").captures(tree.get(), text)) {
    if (text.substr(capture.range.begin, capture.range.length()) == word) {
      return capture.name;
    }
  }
  return "";
}

TEST(Highlights, KnowTheBuiltins) {
  for (const char* name : {
#define TACET_BUILTIN(Name, text, places, documentation) text,
#include "compiler/front/names/builtins.def"
       }) {
    std::string word = name;
    EXPECT_EQ(highlight_of("#version 0.1.0\nval v() { returns " + word + "(1) }", word),
              "function.builtin");
  }
  EXPECT_EQ(highlight_of("#version 0.1.0\nval v() { returns summary(1) }", "summary"),
            "function.call");
}

TEST(Highlights, UseNamesThatEditorsFindByTheirFirstPart) {
  const std::set<std::string> known = {"attribute",   "comment", "constant",  "function",
                                       "keyword",     "label",   "namespace", "operator",
                                       "punctuation", "string",  "type",      "variable"};
  for (const std::string& name : Query("highlights").names()) {
    EXPECT_TRUE(known.count(name.substr(0, name.find('.')))) << name;
  }
}

}  // namespace
}  // namespace tacet
