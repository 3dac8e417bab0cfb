// The corpus shows all of the grammar: every kind of node, every field of it, present and absent
// where it is optional, once and several times where it may repeat.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/grammar/corpus_folder.h"
#include "tests/grammar/grammar_parser.h"

namespace tacet {
namespace {

/// What was seen of a kind of node.
struct Seen {
  int n_nodes = 0;
  /// How many nodes had a field a given number of times.
  std::map<std::string, std::map<int, int>> counts;
};

using Vocabulary = std::map<std::string, Seen>;

void look_at(TSTreeCursor* cursor, Vocabulary& vocabulary) {
  TSNode node = ts_tree_cursor_current_node(cursor);
  Seen& seen = vocabulary[ts_node_type(node)];
  ++seen.n_nodes;
  std::map<std::string, int> fields;
  if (ts_tree_cursor_goto_first_child(cursor)) {
    do {
      if (const char* field = ts_tree_cursor_current_field_name(cursor)) {
        ++fields[field];
      }
      look_at(cursor, vocabulary);
    } while (ts_tree_cursor_goto_next_sibling(cursor));
    ts_tree_cursor_goto_parent(cursor);
  }
  for (const auto& [field, count] : fields) {
    ++seen.counts[field][count];
  }
}

auto vocabulary_of_the_corpus() -> Vocabulary {
  Vocabulary vocabulary;
  testing::GrammarParser grammar;
  for (const testing::CorpusFolderFile& file : testing::corpus_folder()) {
    for (const testing::CorpusTest& test : file.tests) {
      if (!test.is_malformed()) {
        auto tree = grammar.parse(test.source);
        TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree.get()));
        look_at(&cursor, vocabulary);
        ts_tree_cursor_delete(&cursor);
      }
    }
  }
  return vocabulary;
}

void expect_field(const std::string& kind, const Seen& seen, const std::string& field,
                  const nlohmann::json& info) {
  SCOPED_TRACE(kind + "." + field);
  auto counts = seen.counts.find(field);
  ASSERT_NE(counts, seen.counts.end()) << "does not occur";
  int with = 0;
  for (const auto& [count, n] : counts->second) {
    with += n;
  }
  if (!info["required"].get<bool>()) {
    EXPECT_LT(with, seen.n_nodes) << "is never left out";
  }
  if (info["multiple"].get<bool>()) {
    EXPECT_TRUE(counts->second.count(1)) << "never stands alone";
    EXPECT_GT(counts->second.rbegin()->first, 1) << "never stands twice";
  }
}

TEST(GrammarCorpus, ShowsEveryNodeAndField) {
  std::ifstream file(TACET_SOURCE_ROOT "/grammar/src/node-types.json");
  Vocabulary vocabulary = vocabulary_of_the_corpus();
  for (const nlohmann::json& type : nlohmann::json::parse(file)) {
    auto kind = type["type"].get<std::string>();
    if (type.contains("subtypes")) {
      continue;
    }
    const Seen& seen = vocabulary[kind];
    EXPECT_GT(seen.n_nodes, 0) << kind << " does not occur";
    if (seen.n_nodes > 0 && type.contains("fields")) {
      for (const auto& [field, info] : type["fields"].items()) {
        expect_field(kind, seen, field, info);
      }
    }
  }
}

}  // namespace
}  // namespace tacet
