// The grammar's parser and the compiler's own give the same tree, node for node and field for
// field, on every well-formed program.

#include <gtest/gtest.h>
#include <tree_sitter/api.h>

#include <memory>

#include "compiler/syntax/file_syntax.h"
#include "tests/generator/random_program.h"
#include "tests/syntax/corpus.h"

extern "C" auto tree_sitter_tacet() -> const TSLanguage*;

namespace tacet {
namespace {

using syntax::FileSyntax;
using syntax::Language;
using syntax::Node;

struct ParserDelete {
  void operator()(TSParser* parser) const { ts_parser_delete(parser); }
};
struct TreeDelete {
  void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};

class Grammar {
 public:
  Grammar() : parser_(ts_parser_new()) {
    EXPECT_TRUE(ts_parser_set_language(parser_.get(), tree_sitter_tacet()));
  }

  auto parse(std::string_view text) -> std::unique_ptr<TSTree, TreeDelete> {
    return std::unique_ptr<TSTree, TreeDelete>(ts_parser_parse_string(
        parser_.get(), nullptr, text.data(), static_cast<uint32_t>(text.size())));
  }

 private:
  std::unique_ptr<TSParser, ParserDelete> parser_;
};

auto line(int depth, std::string_view field, std::string_view kind, uint32_t begin, uint32_t end)
    -> std::string {
  return fmt::format("{:{}}{}{}{} {}-{}\n", "", 2 * depth, field, field.empty() ? "" : ": ", kind,
                     begin, end);
}

/// A named node around one keyword is a leaf in the compiler's tree.
auto is_wrapped_word(TSNode node) -> bool {
  if (ts_node_child_count(node) != 1) {
    return false;
  }
  TSNode child = ts_node_child(node, 0);
  return !ts_node_is_named(child) && ts_node_start_byte(child) == ts_node_start_byte(node) &&
         ts_node_end_byte(child) == ts_node_end_byte(node);
}

void print(TSTreeCursor* cursor, int depth, std::string& out) {
  TSNode node = ts_tree_cursor_current_node(cursor);
  if (ts_node_is_extra(node)) {
    return;
  }
  const char* field = ts_tree_cursor_current_field_name(cursor);
  out += line(depth, field == nullptr ? "" : field, ts_node_type(node), ts_node_start_byte(node),
              ts_node_end_byte(node));
  if (!is_wrapped_word(node) && ts_tree_cursor_goto_first_child(cursor)) {
    do {
      print(cursor, depth + 1, out);
    } while (ts_tree_cursor_goto_next_sibling(cursor));
    ts_tree_cursor_goto_parent(cursor);
  }
}

auto print(const TSTree* tree) -> std::string {
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  std::string out;
  if (ts_tree_cursor_goto_first_child(&cursor)) {
    do {
      print(&cursor, 0, out);
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
  return out;
}

void print(Node node, uint32_t shift, int depth, std::string& out) {
  out += line(depth, field_name(node.field()), kind_name(node.kind()), node.range().begin + shift,
              node.range().end + shift);
  for (Node child : node.children()) {
    print(child, shift, depth + 1, out);
  }
}

auto print(const FileSyntax& file) -> std::string {
  std::string out;
  for (const syntax::Unit& unit : file.units) {
    for (Node child : unit.tree->root().children()) {
      print(child, unit.begin, 0, out);
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

void expect_same(Grammar& grammar, const std::string& text, Language language) {
  auto tree = grammar.parse(text);
  FileSyntax file = parse_file(text, language);
  for (const syntax::Unit& unit : file.units) {
    ASSERT_EQ(find_tree_fault(*unit.tree), "") << text;
  }
  ASSERT_FALSE(ts_node_has_error(ts_tree_root_node(tree.get())))
      << "the grammar's parser rejects:\n"
      << text;
  ASSERT_EQ(first_error(file), "") << text;
  ASSERT_EQ(print(file), print(tree.get())) << text;
}

TEST(TwoParsers, AgreeOnTheCorpus) {
  Grammar grammar;
  for (const testing::CorpusFile& file : testing::corpus()) {
    SCOPED_TRACE(file.path);
    expect_same(grammar, file.text, syntax::language_of(file.path));
    if (HasFatalFailure()) {
      return;
    }
  }
}

TEST(TwoParsers, AgreeOnModulesOfTheGenerator) {
  Grammar grammar;
  testing::ProgramGenerator generator;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    testing::Random random(seed);
    expect_same(grammar, generator.program(random, testing::Start::Module, 60), Language::Module);
    if (HasFatalFailure()) {
      return;
    }
  }
}

TEST(TwoParsers, AgreeOnArrayProgramsOfTheGenerator) {
  Grammar grammar;
  testing::ProgramGenerator generator;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    testing::Random random(seed);
    expect_same(grammar, generator.program(random, testing::Start::ArrayProgram, 40),
                Language::ArrayProgram);
    if (HasFatalFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace tacet
