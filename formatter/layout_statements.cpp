#include "compiler/core/syntax/kind_groups.h"
#include "formatter/layout.h"

namespace tacet::formatter {

using syntax::StatementKind;

static void block(Layout& layout);
static void statement(Layout& layout);
static void spec_statement(Layout& layout);
static void binding_statement(Layout& layout);
static void assignment_statement(Layout& layout);
static void annotation_statement(Layout& layout);
static void annotation(Layout& layout);
static void encode_statement(Layout& layout);
static void encode_destination(Layout& layout);
static void loop_statement(Layout& layout);
static void simple_statement(Layout& layout);

/// True if a line ends right behind the opening brace: what was written over several lines
/// stays so.
auto opens_on_own_line(const Layout& layout, uint32_t open) -> bool {
  return has_line_end_after(layout, layout.nodes[open].end);
}

/// Statements or comments from the cursor up to the closing brace, each on a line of its own.
static void statements(Layout& layout, uint32_t close) {
  layout.builder.indent(layout.indent);
  bool is_first = true;
  while (layout.at < close) {
    separate(layout, is_first);
    is_first = false;
    if (skipped(layout)) {
      node_verbatim(layout);
    } else {
      statement(layout);
    }
  }
  trailing(layout);
  comments_at_end(layout, layout.nodes[close].begin, is_first);
  layout.builder.dedent(layout.indent);
  layout.builder.hard_line();
  token(layout);
}

void block_in_group(Layout& layout) {
  open_group(layout);
  block(layout);
  layout.builder.close_group();
}

/// `{ … }` of either kind, inside a group of the caller. On one line only if it holds nothing but
/// one value and was written so.
static void block(Layout& layout) {
  flush_comments(layout);
  bool is_spec = is(layout, NodeKind::SpecBlock);
  uint32_t close = enter(layout) - 1;
  uint32_t open = layout.at;
  if (layout.at + 1 == close && !has_comment_before(layout, layout.nodes[close].begin)) {
    token(layout);
    token(layout);
    return;
  }
  auto is_only_child = [&] {
    return open + 1 < close && open + 1 + layout.nodes[open + 1].size == close;
  };
  bool is_value =
      is_only_child() && (is_spec || layout.nodes[open + 1].field == syntax::Field::Result);
  if (!is_value || opens_on_own_line(layout, open)) {
    token(layout);
    statements(layout, close);
    return;
  }
  enclosed(layout, Inside::Spaced, statement);
}

static void statement(Layout& layout) {
  switch (syntax::statement_kind(kind_here(layout))) {
    case StatementKind::Returns:
      return spec_statement(layout);
    case StatementKind::Let:
    case StatementKind::Var:
      return binding_statement(layout);
    case StatementKind::Assignment:
      return assignment_statement(layout);
    case StatementKind::Annotation:
      return annotation_statement(layout);
    case StatementKind::Encode:
      return encode_statement(layout);
    case StatementKind::For:
    case StatementKind::While:
    case StatementKind::Do:
      return loop_statement(layout);
    case StatementKind::Call:
    case StatementKind::Hole:
    case StatementKind::Break:
    case StatementKind::Continue:
    case StatementKind::Return:
      return simple_statement(layout);
    case StatementKind::Block:
    case StatementKind::If:
      return expression(layout);
    case StatementKind::None:
      return is(layout, NodeKind::Definition) ? spec_statement(layout) : expression(layout);
  }
}

/// `x: i64, y :- e` and `returns e`
static void spec_statement(Layout& layout) {
  bool is_definition = is(layout, NodeKind::Definition);
  uint32_t end = enter(layout);
  if (!is_definition) {
    token(layout);
    space(layout);
    expression(layout);
    return;
  }
  uint32_t sign = layout.at;
  while (sign < end && layout.nodes[sign].kind != NodeKind::ColonMinus) {
    sign += layout.nodes[sign].size;
  }
  inline_list(layout, sign, typed_name);
  space(layout);
  token(layout);
  space(layout);
  expression(layout);
}

/// `let x: i64 @ tag, y = e;` and `var x;`
static void binding_statement(Layout& layout) {
  uint32_t end = enter(layout);
  token(layout);
  space(layout);
  uint32_t names_end = layout.at;
  while (layout.nodes[names_end].kind != NodeKind::Equal &&
         layout.nodes[names_end].kind != NodeKind::Semicolon) {
    names_end += layout.nodes[names_end].size;
  }
  inline_list(layout, names_end, typed_name);
  if (spaced_token_if(layout, NodeKind::Equal)) {
    space(layout);
    expression(layout);
  }
  while (layout.at < end) {
    token(layout);
  }
}

static void assignment_statement(Layout& layout) {
  enter(layout);
  expression(layout);
  space(layout);
  token(layout);
  space(layout);
  expression(layout);
  token(layout);
}

/// `@in { x: node(val.x), … };`
static void annotation_statement(Layout& layout) {
  enter(layout);
  token(layout);
  tight(layout);
  space(layout);
  list(layout, NodeKind::RightBrace, annotation, Inside::Spaced);
  token(layout);
}

static void annotation(Layout& layout) {
  enter(layout);
  tight(layout);
  token(layout);
  space(layout);
  tag_list(layout);
}

/// `encode e.copy[x_d, y_d <- e];`
static void encode_statement(Layout& layout) {
  uint32_t end = enter(layout);
  words(layout, 2);
  token(layout);
  token(layout);
  if (is(layout, NodeKind::Visibility)) {
    space_and(layout, tight);
  }
  token(layout);
  uint32_t arrow = layout.at;
  while (layout.nodes[arrow].kind != NodeKind::LeftArrow) {
    arrow += layout.nodes[arrow].size;
  }
  bool has_destinations = layout.at < arrow;
  inline_list(layout, arrow, encode_destination);
  if (has_destinations) {
    space(layout);
  }
  token(layout);
  space(layout);
  expression(layout);
  token(layout);
  if (is(layout, NodeKind::Tags)) {
    space_and(layout, tags);
  }
  while (layout.at < end) {
    token(layout);
  }
}

static void encode_destination(Layout& layout) {
  typed_name(layout);
}

/// `if c { … } else if d { … } else { … }`: all on one line or every block over several.
void if_expression(Layout& layout) {
  open_group(layout);
  uint32_t end = enter(layout);
  while (layout.at < end) {
    if (is(layout, NodeKind::Tags)) {
      space_and(layout, tags);
    } else if (is(layout, NodeKind::KwIf)) {
      token(layout);
    } else if (is(layout, NodeKind::KwElse)) {
      space(layout);
      token(layout);
    } else if (is(layout, NodeKind::IfExpression)) {
      space(layout);
      ++layout.at;  // its tokens continue in this loop
    } else if (is(layout, NodeKind::Block)) {
      space_and(layout, block);
    } else {
      space_and(layout, expression);
    }
  }
  layout.builder.close_group();
}

/// `for`, `while` and `do`
static void loop_statement(Layout& layout) {
  uint32_t end = enter(layout);
  bool is_first = true;
  while (layout.at < end) {
    bool is_glued = is(layout, NodeKind::DotDot) || is(layout, NodeKind::Semicolon) ||
                    is(layout, NodeKind::Comma) || is_first ||
                    kind_at(layout, layout.at - 1) == NodeKind::DotDot;
    if (!is_glued) {
      space(layout);
    }
    is_first = false;
    if (is(layout, NodeKind::Block)) {
      block_in_group(layout);
    } else if (layout.nodes[layout.at].field == syntax::Field::None) {
      token(layout);
    } else {
      expression(layout);
    }
  }
}

/// A few tokens and perhaps a value: calls, holes, `break`, `continue`, `return`.
static void simple_statement(Layout& layout) {
  uint32_t end = enter(layout);
  while (layout.at < end) {
    if (is(layout, NodeKind::KwReturn)) {
      token(layout);
      if (!is(layout, NodeKind::Semicolon)) {
        space(layout);
      }
    } else if (layout.nodes[layout.at].field == syntax::Field::None) {
      tight(layout);
    } else {
      expression(layout);
    }
  }
}

}  // namespace tacet::formatter
