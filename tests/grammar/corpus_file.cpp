#include "tests/grammar/corpus_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::testing {

auto CorpusTest::is_malformed() const -> bool {
  return std::find(attributes.begin(), attributes.end(), ":error") != attributes.end();
}

static auto is_row_of(char mark, std::string_view line) -> bool {
  return line.size() >= 3 && line.find_first_not_of(mark) == std::string_view::npos;
}

/// Takes the first line off `text`, its end included in what is taken but not in what is returned.
static auto take_line(std::string_view& text) -> std::string_view {
  size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

static auto trimmed(std::string_view text) -> std::string_view {
  constexpr std::string_view kSpace = " \r\n";
  size_t begin = text.find_first_not_of(kSpace);
  return begin == std::string_view::npos
             ? std::string_view()
             : text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

/// Up to the next row of `mark`, which stays in `text`.
static auto take_part(std::string_view& text, char mark) -> std::string_view {
  std::string_view whole = text;
  while (!text.empty()) {
    std::string_view rest = text;
    if (is_row_of(mark, take_line(rest))) {
      return whole.substr(0, whole.size() - text.size());
    }
    text = rest;
  }
  return whole;
}

auto read_corpus(std::string_view text) -> std::vector<CorpusTest> {
  std::vector<CorpusTest> tests;
  take_part(text, '=');
  while (!text.empty()) {
    CorpusTest test;
    take_line(text);
    std::string_view head = take_part(text, '=');
    test.name = take_line(head);
    while (!head.empty()) {
      test.attributes.emplace_back(take_line(head));
    }
    take_line(text);
    std::string_view source = take_part(text, '-');
    source.remove_suffix(source.empty() ? 0 : 1);
    test.source = source;
    take_line(text);
    test.tree = trimmed(take_part(text, '='));
    tests.push_back(std::move(test));
  }
  return tests;
}

auto write_corpus(const std::vector<CorpusTest>& tests) -> std::string {
  std::string out;
  const std::string row(80, '=');
  for (const CorpusTest& test : tests) {
    out += fmt::format("{}{}\n{}\n", out.empty() ? "" : "\n", row, test.name);
    for (const std::string& attribute : test.attributes) {
      out += attribute + "\n";
    }
    out += fmt::format("{}\n{}\n{}\n\n", row, test.source, std::string(80, '-'));
    out += test.tree.empty() ? "" : test.tree + "\n";
  }
  return out;
}

static void append_tree(TSTreeCursor* cursor, int depth, std::string& out) {
  TSNode node = ts_tree_cursor_current_node(cursor);
  if (!ts_node_is_named(node)) {
    return;
  }
  const char* field = ts_tree_cursor_current_field_name(cursor);
  out +=
      fmt::format("{}{:{}}{}{}({}", depth == 0 ? "" : "\n", "", 2 * depth,
                  field == nullptr ? "" : field, field == nullptr ? "" : ": ", ts_node_type(node));
  if (ts_tree_cursor_goto_first_child(cursor)) {
    do {
      append_tree(cursor, depth + 1, out);
    } while (ts_tree_cursor_goto_next_sibling(cursor));
    ts_tree_cursor_goto_parent(cursor);
  }
  out += ")";
}

auto write_tree(const TSTree* tree) -> std::string {
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  std::string out;
  append_tree(&cursor, 0, out);
  ts_tree_cursor_delete(&cursor);
  return out;
}

}  // namespace tacet::testing
