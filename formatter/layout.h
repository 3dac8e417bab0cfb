#pragma once

#include <cstdint>
#include <string_view>

#include "compiler/core/syntax/tree.h"
#include "formatter/doc/doc.h"
#include "formatter/style.h"

namespace tacet::formatter {

/// Writes the document of one unit of a file. Private to the formatter.
///
/// The nodes of a tree stand in the order of its text, tokens included, so the layout is one walk
/// with a cursor: every function below prints the node or token at the cursor and moves behind
/// it. Nothing is skipped but commas and semicolons that the grammar lets come and go.
///
/// Comments are printed between the tokens they stand between. What stands on the line of the
/// token before it stays there; `trailing` prints those, before every break, so that a comment
/// behind the last element of something is not taken for a part of it.
class Layout {
 public:
  /// `tree` must have no errors.
  Layout(const syntax::Tree& tree, const Style& style, doc::Builder& builder);

  /// The whole unit with its comments.
  void unit();

 private:
  using NodeKind = syntax::NodeKind;

  enum class Inside : uint8_t { Tight, Spaced };
  enum class TrailingComma : uint8_t { IfBroken, IfSingle };
  using Print = void (Layout::*)();

  // ---- cursor ----
  [[nodiscard]] auto kind() const -> NodeKind { return kind_at(at_); }
  [[nodiscard]] auto kind_at(uint32_t node) const -> NodeKind {
    return node < n_nodes_ ? nodes_[node].kind : NodeKind::EndOfFile;
  }
  [[nodiscard]] auto is(NodeKind kind) const -> bool { return this->kind() == kind; }
  [[nodiscard]] auto subtree_end() const -> uint32_t { return at_ + nodes_[at_].size; }
  /// Moves from a node to its first child and returns where its children end.
  auto enter() -> uint32_t {
    uint32_t end = subtree_end();
    ++at_;
    return end;
  }
  /// Where the next token begins, or the text's end.
  [[nodiscard]] auto next_offset() const -> uint32_t {
    return at_ < n_nodes_ ? nodes_[at_].begin : text_size_;
  }

  // ---- tokens and gaps ----
  /// The token at the cursor with the comments before it.
  void token();
  /// All tokens of the subtree at the cursor, nothing between them.
  void tight();
  void space() { builder_.space(); }
  /// `n` tokens with a space between each two.
  void words(uint32_t n);
  void line();
  /// Opens a group behind the comments before the next token, which are no part of it.
  void open_group() {
    flush_comments();
    builder_.open_group();
  }
  /// Prints the comments before the next token.
  void flush_comments() {
    if (has_comment_before(next_offset())) {
      comments_before(next_offset());
    }
  }
  void soft_line();
  void hard_line();
  void space_and(Print print) {
    space();
    (this->*print)();
  }
  /// If the cursor is at `kind`: a space and the token.
  auto spaced_token_if(NodeKind kind) -> bool;

  // ---- comments (layout_comments.cpp) ----
  /// Prints the comments on the line of the token just printed.
  void trailing();
  /// Prints the block comments before `offset` on the line of the token just printed.
  void comments_beside(uint32_t offset);
  /// Prints all comments before `offset`, inside of an expression or a list.
  void comments_before(uint32_t offset);
  /// Ends the line before a statement or item and prints the comments that stand before it; keeps
  /// one empty line where there are some, except at the start of a block.
  void separate(bool is_first);
  /// The rest of the comments before `offset` at a block's end.
  void comments_at_end(uint32_t offset, bool is_first);
  void comment();
  [[nodiscard]] auto ends_its_line() const -> bool;
  [[nodiscard]] auto is_alone() const -> bool;
  [[nodiscard]] auto source_column(uint32_t offset) const -> uint32_t;
  [[nodiscard]] auto has_comment_before(uint32_t offset) const -> bool {
    return next_comment_ < offset;
  }
  [[nodiscard]] auto n_line_ends_before(uint32_t offset) const -> uint32_t;
  [[nodiscard]] auto has_line_end_after(uint32_t offset) const -> bool;
  void load_comment();
  /// True if `// fmt: skip` is the comment right above; the node is then printed as it stands.
  auto skipped() -> bool;
  void node_verbatim();

  // ---- lists ----
  /// `open … close` at the cursor, with elements and commas between them.
  void list(NodeKind close, Print element, Inside inside = Inside::Tight,
            TrailingComma comma = TrailingComma::IfBroken);
  /// Elements and commas from the cursor to `end`, on one line; no comma behind the last.
  void inline_list(uint32_t end, Print element);
  /// What a list looks like before it is printed.
  struct ListFacts {
    uint32_t close = 0;  ///< the closing token
    uint32_t n_elements = 0;
    bool ends_with_comma = false;
    bool is_literals = true;  ///< all elements are numbers or Booleans
  };
  [[nodiscard]] auto list_facts(NodeKind close) const -> ListFacts;
  void list_elements(const ListFacts& facts, Print element, bool is_fill);
  void comma_before_close(const ListFacts& facts, TrailingComma comma);
  void end_list(const ListFacts& facts, Inside inside);

  // ---- items (layout_items.cpp) ----
  void item();
  void version_header();
  void input_declaration();
  void spec_item();
  void extern_item();
  void extern_member();
  void feq_item();
  void fn_item();
  void definition_item();
  void named_item();
  void optional_semicolon(uint32_t end);
  void pipeline_item();
  void test_item();
  void header_clauses(uint32_t end);
  void device_in_parentheses();
  void parameters();
  void results();
  void implements();
  void schedule();
  void schedule_entry();
  void layout_dimensions();
  void dimension();

  // ---- types and tags (layout_types.cpp) ----
  void type();
  void array_type();
  void flagged_type();
  void flags();
  void flag();
  void tags();
  void tag_list();
  void tag();
  void typed_name();
  void bound();

  // ---- statements (layout_statements.cpp) ----
  void spec_block();
  void spec_statement();
  void block();
  void block_in_group();
  void statement();
  void binding_statement();
  void assignment_statement();
  void annotation_statement();
  void annotation();
  void encode_statement();
  void encode_destination();
  void if_expression();
  void loop_statement();
  void simple_statement();
  void statements(uint32_t close);
  [[nodiscard]] auto opens_on_own_line(uint32_t open) const -> bool;

  // ---- expressions (layout_expressions.cpp) ----
  void expression();
  void binary_expression();
  void conditional_expression();
  void let_expression();
  void for_expression();
  void call_expression();
  void arguments();
  void argument();
  void template_arguments();
  void unary_expression();
  void parenthesized_expression();
  void prefixed_expression();
  void space_if_glued(uint32_t node);

  const syntax::Tree& tree_;
  std::string_view text_;
  const syntax::NodeData* nodes_;
  uint32_t n_nodes_;
  uint32_t text_size_;
  doc::Builder& builder_;
  uint32_t indent_;     ///< of one level
  uint32_t tab_width_;  ///< in the source
  uint32_t at_ = 0;
  uint32_t n_comments_printed_ = 0;
  uint32_t next_comment_ = UINT32_MAX;  ///< where the next comment begins
  bool is_skipped_ = false;
};

}  // namespace tacet::formatter
