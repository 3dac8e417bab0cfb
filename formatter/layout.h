#pragma once

#include <cstdint>
#include <string_view>

#include "compiler/core/syntax/tree.h"
#include "formatter/doc/doc.h"
#include "formatter/style.h"

namespace tacet::formatter {

struct Layout;
using NodeKind = syntax::NodeKind;

enum class Inside : uint8_t { Tight, Spaced };

enum class TrailingComma : uint8_t { IfBroken, IfSingle };

using Print = void (*)(Layout&);
/// What a list looks like before it is printed.
struct ListFacts {
  uint32_t close = 0;  ///< the closing token
  uint32_t n_elements = 0;
  bool ends_with_comma = false;
  bool is_literals = true;  ///< all elements are numbers or Booleans
};

/// Writes the document of one unit of a file. Private to the formatter.
///
/// The nodes of a tree are in the order of its text, tokens included, so the layout is one walk
/// with a cursor: every function below prints the node or token at the cursor and moves behind it.
/// Nothing is skipped but commas and semicolons that the grammar lets come and go.
///
/// Comments are printed between the tokens they stand between. What is on the line of the token
/// before it stays there; `trailing` prints those, before every break, so that a comment behind the
/// last element of something is not taken for a part of it.
struct Layout {
  /// `tree` must have no errors.
  Layout(const syntax::Tree& tree_, const Style& style, doc::Builder& builder_);

  const syntax::Tree& tree;
  std::string_view text;
  const syntax::NodeData* nodes;
  uint32_t n_nodes;
  uint32_t text_size;
  doc::Builder& builder;
  uint32_t indent;     ///< of one level
  uint32_t tab_width;  ///< in the source
  uint32_t at = 0;
  uint32_t n_comments_printed = 0;
  uint32_t next_comment = UINT32_MAX;  ///< where the next comment begins
  bool is_skipped = false;
};

auto kind_here(const Layout& layout) -> NodeKind;
auto kind_at(const Layout& layout, uint32_t node) -> NodeKind;
auto is(const Layout& layout, NodeKind kind) -> bool;
auto subtree_end(const Layout& layout) -> uint32_t;
/// Moves from a node to its first child and returns where its children end.
auto enter(Layout& layout) -> uint32_t;
/// Where the next token begins, or the text's end.
auto next_offset(const Layout& layout) -> uint32_t;
void space(Layout& layout);
/// Opens a group behind the comments before the next token, which are not part of it.
void open_group(Layout& layout);
/// Prints the comments before the next token.
void flush_comments(Layout& layout);
void space_and(Layout& layout, Print print);
auto has_comment_before(const Layout& layout, uint32_t offset) -> bool;

// layout.cpp
/// The whole unit with its comments.
void lay_out_unit(Layout& layout);
/// The token at the cursor with the comments before it.
void token(Layout& layout);
/// All tokens of the subtree at the cursor, nothing between them.
void tight(Layout& layout);
/// `n` tokens with a space between each two.
void words(Layout& layout, uint32_t n);
void line(Layout& layout);
void soft_line(Layout& layout);
/// If the cursor is at `kind`: a space and the token.
auto spaced_token_if(Layout& layout, NodeKind kind) -> bool;
/// `open … close` at the cursor around `content`, inside a group of the caller.
void enclosed(Layout& layout, Inside inside, Print content);
/// The same in a group of its own, which keeps a line end right behind `open` if it is spaced.
void enclosed_group(Layout& layout, Inside inside, Print content);
/// `open … close` at the cursor, with elements and commas between them.
void list(Layout& layout, NodeKind close, Print element, Inside inside = Inside::Tight,
          TrailingComma comma = TrailingComma::IfBroken);
/// Elements and commas from the cursor to `end`, on one line; no comma behind the last.
void inline_list(Layout& layout, uint32_t end, Print element);
auto list_facts(const Layout& layout, NodeKind close) -> ListFacts;

// layout_comments.cpp
/// Prints the comments on the line of the token just printed.
void trailing(Layout& layout);
/// Prints the block comments before `offset` on the line of the token just printed.
void comments_beside(Layout& layout, uint32_t offset);
/// Prints all comments before `offset`, inside of an expression or a list.
void comments_before(Layout& layout, uint32_t offset);
/// Ends the line before a statement or item and prints the comments that precede it; keeps one
/// empty line where there are some, except at the start of a block.
void separate(Layout& layout, bool is_first);
/// The rest of the comments before `offset` at a block's end.
void comments_at_end(Layout& layout, uint32_t offset, bool is_first);
auto has_line_end_after(const Layout& layout, uint32_t offset) -> bool;
void load_comment(Layout& layout);
/// True if `// fmt: skip` is the comment right above; the node is then printed as it stands.
auto skipped(Layout& layout) -> bool;
void node_verbatim(Layout& layout);

// layout_items.cpp
void item(Layout& layout);

// layout_types.cpp
void type(Layout& layout);
void tags(Layout& layout);
void tag_list(Layout& layout);
void typed_name(Layout& layout);

// layout_statements.cpp
void block_in_group(Layout& layout);
void if_expression(Layout& layout);
auto opens_on_own_line(const Layout& layout, uint32_t open) -> bool;

// layout_expressions.cpp
void expression(Layout& layout);
void space_if_glued(Layout& layout, uint32_t node);

inline auto kind_here(const Layout& layout) -> NodeKind {
  return kind_at(layout, layout.at);
}

inline auto kind_at(const Layout& layout, uint32_t node) -> NodeKind {
  return node < layout.n_nodes ? layout.nodes[node].kind : NodeKind::EndOfFile;
}

inline auto is(const Layout& layout, NodeKind kind) -> bool {
  return kind_here(layout) == kind;
}

inline auto subtree_end(const Layout& layout) -> uint32_t {
  return layout.at + layout.nodes[layout.at].size;
}

inline auto enter(Layout& layout) -> uint32_t {
  uint32_t end = subtree_end(layout);
  ++layout.at;
  return end;
}

inline auto next_offset(const Layout& layout) -> uint32_t {
  return layout.at < layout.n_nodes ? layout.nodes[layout.at].begin : layout.text_size;
}

inline void space(Layout& layout) {
  layout.builder.space();
}

inline void open_group(Layout& layout) {
  flush_comments(layout);
  layout.builder.open_group();
}

inline void flush_comments(Layout& layout) {
  if (has_comment_before(layout, next_offset(layout))) {
    comments_before(layout, next_offset(layout));
  }
}

inline void space_and(Layout& layout, Print print) {
  space(layout);
  print(layout);
}

inline auto has_comment_before(const Layout& layout, uint32_t offset) -> bool {
  return layout.next_comment < offset;
}

}  // namespace tacet::formatter
