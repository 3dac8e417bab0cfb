#include "tests/grammar/two_parsers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tacet::testing {

using syntax::FileSyntax;
using syntax::Node;

static auto line(int depth, std::string_view field, std::string_view kind, TextRange range)
    -> std::string {
  return fmt::format("{:{}}{}{}{} {}-{}\n", "", 2 * depth, field, field.empty() ? "" : ": ", kind,
                     range.begin, range.end);
}

/// A named node around one keyword is a leaf in the compiler's tree.
static auto is_wrapped_word(TSNode node) -> bool {
  if (ts_node_child_count(node) != 1) {
    return false;
  }
  TSNode child = ts_node_child(node, 0);
  return !ts_node_is_named(child) && ts_node_start_byte(child) == ts_node_start_byte(node) &&
         ts_node_end_byte(child) == ts_node_end_byte(node);
}

static void append_outline(TSTreeCursor* cursor, int depth, std::string& out) {
  TSNode node = ts_tree_cursor_current_node(cursor);
  if (ts_node_is_extra(node)) {
    return;
  }
  const char* field = ts_tree_cursor_current_field_name(cursor);
  out += line(depth, field == nullptr ? "" : field, ts_node_type(node),
              {ts_node_start_byte(node), ts_node_end_byte(node)});
  if (!is_wrapped_word(node) && ts_tree_cursor_goto_first_child(cursor)) {
    do {
      append_outline(cursor, depth + 1, out);
    } while (ts_tree_cursor_goto_next_sibling(cursor));
    ts_tree_cursor_goto_parent(cursor);
  }
}

auto outline(const TSTree* tree) -> std::string {
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  std::string out;
  if (ts_tree_cursor_goto_first_child(&cursor)) {
    do {
      append_outline(&cursor, 0, out);
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
  return out;
}

static void append_outline(Node node, uint32_t shift, int depth, std::string& out) {
  out += line(depth, field_name(node.field()), kind_name(node.kind()), node.range().shifted(shift));
  for (Node child : node.children()) {
    append_outline(child, shift, depth + 1, out);
  }
}

auto outline(const FileSyntax& file) -> std::string {
  std::string out;
  for (const syntax::Unit& unit : file.units) {
    for (Node child : unit.tree->root().children()) {
      append_outline(child, unit.begin, 0, out);
    }
  }
  return out;
}

auto first_error(const FileSyntax& file) -> std::string {
  auto errors = syntax_errors(file, FileId{0});
  return errors.empty() ? std::string()
                        : fmt::format("{} at {}: {}", code_name(errors[0].code),
                                      errors[0].place.range.begin, errors[0].message);
}

void expect_same_tree(GrammarParser& grammar, std::string_view text, syntax::Language language) {
  GrammarTree tree = grammar.parse(text);
  FileSyntax file = parse_file(text, language);
  for (const syntax::Unit& unit : file.units) {
    ASSERT_EQ(find_tree_fault(*unit.tree), "") << text;
  }
  ASSERT_FALSE(ts_node_has_error(ts_tree_root_node(tree.get())))
      << "the grammar's parser rejects:\n"
      << text;
  ASSERT_EQ(first_error(file), "") << text;
  ASSERT_EQ(outline(file), outline(tree.get())) << text;
}

}  // namespace tacet::testing
