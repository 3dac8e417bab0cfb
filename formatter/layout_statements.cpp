#include "compiler/core/syntax/kind_groups.h"
#include "formatter/layout.h"

namespace tacet::formatter {

using syntax::StatementKind;

/// True if a line ends right behind the opening brace: what was written over several lines
/// stays so.
auto Layout::opens_on_own_line(uint32_t open) const -> bool {
  return has_line_end_after(nodes_[open].end);
}

/// Statements or comments from the cursor up to the closing brace, each on a line of its own.
void Layout::statements(uint32_t close) {
  builder_.indent(indent_);
  bool is_first = true;
  while (at_ < close) {
    separate(is_first);
    is_first = false;
    if (skipped()) {
      node_verbatim();
    } else {
      statement();
    }
  }
  trailing();
  comments_at_end(nodes_[close].begin, is_first);
  builder_.dedent(indent_);
  builder_.hard_line();
  token();
}

void Layout::spec_block() {
  open_group();
  block();
  builder_.close_group();
}

void Layout::block_in_group() {
  open_group();
  block();
  builder_.close_group();
}

/// `{ … }` of either kind, inside a group of the caller. On one line only if it holds nothing but
/// one value and was written so.
void Layout::block() {
  flush_comments();
  bool is_spec = is(NodeKind::SpecBlock);
  uint32_t close = enter() - 1;
  uint32_t open = at_;
  if (at_ + 1 == close && !has_comment_before(nodes_[close].begin)) {
    token();
    token();
    return;
  }
  auto is_only_child = [&] {
    return open + 1 < close && open + 1 + nodes_[open + 1].size == close;
  };
  bool is_value = is_only_child() && (is_spec || nodes_[open + 1].field == syntax::Field::Result);
  token();
  if (!is_value || opens_on_own_line(open)) {
    statements(close);
    return;
  }
  builder_.indent(indent_);
  line();
  statement();
  trailing();
  comments_before(nodes_[close].begin);
  builder_.dedent(indent_);
  builder_.line();
  token();
}

void Layout::statement() {
  switch (syntax::statement_kind(kind())) {
    case StatementKind::Returns:
      return spec_statement();
    case StatementKind::Let:
    case StatementKind::Var:
      return binding_statement();
    case StatementKind::Assignment:
      return assignment_statement();
    case StatementKind::Annotation:
      return annotation_statement();
    case StatementKind::Encode:
      return encode_statement();
    case StatementKind::For:
    case StatementKind::While:
    case StatementKind::Do:
      return loop_statement();
    case StatementKind::Call:
    case StatementKind::Hole:
    case StatementKind::Break:
    case StatementKind::Continue:
    case StatementKind::Return:
      return simple_statement();
    case StatementKind::Block:
    case StatementKind::If:
      return expression();
    case StatementKind::None:
      return is(NodeKind::Definition) ? spec_statement() : expression();
  }
}

/// `x: i64, y :- e` and `returns e`
void Layout::spec_statement() {
  bool is_definition = is(NodeKind::Definition);
  uint32_t end = enter();
  if (!is_definition) {
    token();
    space();
    expression();
    return;
  }
  uint32_t sign = at_;
  while (sign < end && nodes_[sign].kind != NodeKind::ColonMinus) {
    sign += nodes_[sign].size;
  }
  inline_list(sign, &Layout::typed_name);
  space();
  token();
  space();
  expression();
}

/// `let x: i64 @ tag, y = e;` and `var x;`
void Layout::binding_statement() {
  uint32_t end = enter();
  token();
  space();
  uint32_t names_end = at_;
  while (nodes_[names_end].kind != NodeKind::Equal &&
         nodes_[names_end].kind != NodeKind::Semicolon) {
    names_end += nodes_[names_end].size;
  }
  inline_list(names_end, &Layout::typed_name);
  if (spaced_token_if(NodeKind::Equal)) {
    space();
    expression();
  }
  while (at_ < end) {
    token();
  }
}

void Layout::assignment_statement() {
  enter();
  expression();
  space();
  token();
  space();
  expression();
  token();
}

/// `@in { x: node(val.x), … };`
void Layout::annotation_statement() {
  enter();
  token();
  tight();
  space();
  list(NodeKind::RightBrace, &Layout::annotation, Inside::Spaced);
  token();
}

void Layout::annotation() {
  enter();
  tight();
  token();
  space();
  tag_list();
}

/// `encode e.copy[x_d, y_d <- e];`
void Layout::encode_statement() {
  uint32_t end = enter();
  words(2);
  token();
  token();
  if (is(NodeKind::Visibility)) {
    space_and(&Layout::tight);
  }
  token();
  uint32_t arrow = at_;
  while (nodes_[arrow].kind != NodeKind::LeftArrow) {
    arrow += nodes_[arrow].size;
  }
  bool has_destinations = at_ < arrow;
  inline_list(arrow, &Layout::encode_destination);
  if (has_destinations) {
    space();
  }
  token();
  space();
  expression();
  token();
  if (is(NodeKind::Tags)) {
    space_and(&Layout::tags);
  }
  while (at_ < end) {
    token();
  }
}

void Layout::encode_destination() {
  typed_name();
}

/// `if c { … } else if d { … } else { … }`: all on one line or every block over several.
void Layout::if_expression() {
  open_group();
  uint32_t end = enter();
  while (at_ < end) {
    if (is(NodeKind::Tags)) {
      space_and(&Layout::tags);
    } else if (is(NodeKind::KwIf)) {
      token();
    } else if (is(NodeKind::KwElse)) {
      space();
      token();
    } else if (is(NodeKind::IfExpression)) {
      space();
      ++at_;  // its tokens go on in this loop
    } else if (is(NodeKind::Block)) {
      space_and(&Layout::block);
    } else {
      space_and(&Layout::expression);
    }
  }
  builder_.close_group();
}

/// `for`, `while` and `do`
void Layout::loop_statement() {
  uint32_t end = enter();
  bool is_first = true;
  while (at_ < end) {
    bool is_glued = is(NodeKind::DotDot) || is(NodeKind::Semicolon) || is_first ||
                    kind_at(at_ - 1) == NodeKind::DotDot;
    if (!is_glued) {
      space();
    }
    is_first = false;
    if (is(NodeKind::Block)) {
      block_in_group();
    } else if (nodes_[at_].field == syntax::Field::None) {
      token();
    } else {
      expression();
    }
  }
}

/// A few tokens and perhaps a value: calls, holes, `break`, `continue`, `return`.
void Layout::simple_statement() {
  uint32_t end = enter();
  while (at_ < end) {
    if (is(NodeKind::KwReturn)) {
      token();
      if (!is(NodeKind::Semicolon)) {
        space();
      }
    } else if (nodes_[at_].field == syntax::Field::None) {
      tight();
    } else {
      expression();
    }
  }
}

}  // namespace tacet::formatter
