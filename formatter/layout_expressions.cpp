#include <algorithm>
#include <cctype>
#include <iterator>

#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/lexer.h"
#include "formatter/layout.h"

namespace tacet::formatter {

using syntax::ExpressionKind;
using syntax::NodeKind;

static void binary_expression(Layout& layout);
static void conditional_expression(Layout& layout);
static void let_expression(Layout& layout);
static void for_expression(Layout& layout);
static void slice_expression(Layout& layout);
static void call_expression(Layout& layout);
static void template_arguments(Layout& layout);
static void arguments(Layout& layout);
static void argument(Layout& layout);
static void unary_expression(Layout& layout);
static void parenthesized_expression(Layout& layout);
static void prefixed_expression(Layout& layout);

void expression(Layout& layout) {
  switch (syntax::expression_kind(kind_here(layout))) {
    case ExpressionKind::Binary:
      return binary_expression(layout);
    case ExpressionKind::Conditional:
      return conditional_expression(layout);
    case ExpressionKind::Let:
      return let_expression(layout);
    case ExpressionKind::For:
      return for_expression(layout);
    case ExpressionKind::Call:
      return call_expression(layout);
    case ExpressionKind::Unary:
      return unary_expression(layout);
    case ExpressionKind::Parenthesized:
      return parenthesized_expression(layout);
    case ExpressionKind::Submit:
    case ExpressionKind::Await:
    case ExpressionKind::EncodeBegin:
      return prefixed_expression(layout);
    case ExpressionKind::If:
      return if_expression(layout);
    case ExpressionKind::Tuple:
      enter(layout);
      return list(layout, NodeKind::RightParen, expression, Inside::Tight, TrailingComma::IfSingle);
    case ExpressionKind::Array:
      enter(layout);
      return list(layout, NodeKind::RightBracket, expression);
    case ExpressionKind::Cast:
      enter(layout);
      expression(layout);
      space(layout);
      token(layout);
      space(layout);
      return type(layout);
    case ExpressionKind::Tagged:
      enter(layout);
      expression(layout);
      space(layout);
      return tags(layout);
    case ExpressionKind::Range:
    case ExpressionKind::Path:
    case ExpressionKind::Field:
      enter(layout);
      expression(layout);
      token(layout);
      return expression(layout);
    case ExpressionKind::Index:
      enter(layout);
      expression(layout);
      token(layout);
      expression(layout);
      return token(layout);
    case ExpressionKind::Slice:
      return slice_expression(layout);
    case ExpressionKind::Boolean:
    case ExpressionKind::Dim:
    case ExpressionKind::Float:
    case ExpressionKind::Hole:
    case ExpressionKind::Identifier:
    case ExpressionKind::Integer:
    case ExpressionKind::StatementHole:
    case ExpressionKind::String:
      return tight(layout);
    case ExpressionKind::None:
      return is(layout, NodeKind::Block) ? block_in_group(layout) : tight(layout);
  }
}

/// Operators of one class make one chain, which breaks before all of them or none.
static auto chain_class(NodeKind op) -> int {
  static constexpr syntax::KindSet kChains[] = {
      {NodeKind::PlusPlus},
      {NodeKind::Plus, NodeKind::Minus},
      {NodeKind::Star, NodeKind::Slash, NodeKind::Percent},
      {NodeKind::LessLess, NodeKind::GreaterGreater, NodeKind::GreaterGreaterGreater},
      {NodeKind::Pipe},
      {NodeKind::Caret},
      {NodeKind::Amp},
      {NodeKind::PipePipe},
      {NodeKind::AmpAmp},
  };
  const auto* found = std::find_if(std::begin(kChains), std::end(kChains),
                                   [&](const syntax::KindSet& chain) { return chain.has(op); });
  return static_cast<int>(found - std::begin(kChains));  // the last one: comparisons
}

/// `a + b - c`
static void binary_expression(Layout& layout) {
  // The left operand stands right behind its parent, so a chain is a run of nodes.
  auto operator_of = [&](uint32_t node) {
    uint32_t left = node + 1;
    return layout.nodes[left + layout.nodes[left].size].kind;
  };
  int chain = chain_class(operator_of(layout.at));
  uint32_t n_operators = 0;
  while (is(layout, NodeKind::BinaryExpression) && chain_class(operator_of(layout.at)) == chain) {
    ++n_operators;
    ++layout.at;
  }
  open_group(layout);
  expression(layout);
  layout.builder.indent(layout.indent);
  for (; n_operators > 0; --n_operators) {
    line(layout);
    token(layout);
    space(layout);
    expression(layout);
  }
  layout.builder.dedent(layout.indent);
  layout.builder.close_group();
}

/// `a if c else b if d else e`
static void conditional_expression(Layout& layout) {
  uint32_t end = subtree_end(layout);
  open_group(layout);
  ++layout.at;
  expression(layout);
  layout.builder.indent(layout.indent);
  while (layout.at < end) {
    space(layout);
    token(layout);  // if
    space(layout);
    expression(layout);
    line(layout);
    token(layout);  // else
    space(layout);
    if (is(layout, NodeKind::ConditionalExpression)) {
      ++layout.at;
    }
    expression(layout);
  }
  layout.builder.dedent(layout.indent);
  layout.builder.close_group();
}

/// `let x = e in body`, a line each where they were written so; the lines are indented unless the
/// expression begins a line itself.
static void let_expression(Layout& layout) {
  syntax::Field field = layout.nodes[layout.at].field;
  bool begins_line = field == syntax::Field::Body || field == syntax::Field::Result;
  uint32_t indent = begins_line ? 0 : layout.indent;
  bool is_first = true;
  open_group(layout);
  while (is(layout, NodeKind::LetExpression)) {
    enter(layout);
    token(layout);
    if (is_first) {
      layout.builder.indent(indent);
      is_first = false;
    }
    space(layout);
    uint32_t names_end = layout.at;
    while (layout.nodes[names_end].kind != NodeKind::Equal) {
      names_end += layout.nodes[names_end].size;
    }
    inline_list(layout, names_end, typed_name);
    space(layout);
    token(layout);
    space(layout);
    expression(layout);
    space(layout);
    if (opens_on_own_line(layout, layout.at)) {
      layout.builder.break_groups();
    }
    token(layout);  // in
    line(layout);
  }
  expression(layout);
  layout.builder.dedent(indent);
  layout.builder.close_group();
}

/// The next node of kind `kind` beside the one at the cursor.
static auto sibling(const Layout& layout, NodeKind kind) -> uint32_t {
  uint32_t node = layout.at;
  while (layout.nodes[node].kind != kind) {
    node += layout.nodes[node].size;
  }
  return node;
}

/// `for i: n { e }`, `for x, y: a, b { e }`
static void for_expression(Layout& layout) {
  enter(layout);
  if (is(layout, NodeKind::LeftBracket)) {  // `[e; n]`
    token(layout);
    expression(layout);
    token(layout);
    space(layout);
    expression(layout);
    token(layout);
    return;
  }
  token(layout);
  space(layout);
  inline_list(layout, sibling(layout, NodeKind::Colon), tight);
  token(layout);
  space(layout);
  inline_list(layout, sibling(layout, NodeKind::LeftBrace), expression);
  space(layout);
  enclosed_group(layout, Inside::Spaced, expression);
}

/// `a[lo..hi: step]`
static void slice_expression(Layout& layout) {
  uint32_t end = enter(layout);
  expression(layout);
  while (layout.at < end) {
    if (layout.nodes[layout.at].field != syntax::Field::None) {
      expression(layout);
      continue;
    }
    const bool is_colon = is(layout, NodeKind::Colon);
    token(layout);
    if (is_colon) {
      space(layout);
    }
  }
}

/// `f'<1, 1, 1>(x, y)`
static void call_expression(Layout& layout) {
  uint32_t end = enter(layout);
  expression(layout);
  while (layout.at < end) {
    if (is(layout, NodeKind::Quote)) {
      token(layout);
    } else if (is(layout, NodeKind::TemplateArguments)) {
      template_arguments(layout);
    } else if (is(layout, NodeKind::Arguments)) {
      arguments(layout);
    } else {
      type(layout);
    }
  }
}

static void template_arguments(Layout& layout) {
  enter(layout);
  list(layout, NodeKind::Greater, argument);
}

/// A single argument with brackets of its own needs no second pair of lines around it.
static void arguments(Layout& layout) {
  enter(layout);
  flush_comments(layout);
  ListFacts facts = list_facts(layout, NodeKind::RightParen);
  NodeKind first = kind_at(layout, layout.at + 1);
  bool hugs = facts.n_elements == 1 && !facts.ends_with_comma &&
              !has_comment_before(layout, layout.nodes[facts.close].begin) &&
              (first == NodeKind::ForExpression || first == NodeKind::ArrayExpression ||
               first == NodeKind::TupleExpression);
  if (!hugs) {
    list(layout, NodeKind::RightParen, argument);
    return;
  }
  token(layout);
  expression(layout);
  token(layout);
}

static void argument(Layout& layout) {
  if (is(layout, NodeKind::Receiver)) {
    enter(layout);
    words(layout, 2);
    return;
  }
  space_if_glued(layout, layout.at);
  expression(layout);
}

/// A space where two tokens would otherwise read as one: `< -1`, `& &x`, `> >`.
void space_if_glued(Layout& layout, uint32_t node) {
  if (node == 0 || node >= layout.n_nodes) {
    return;
  }
  char before = layout.text[layout.nodes[node - 1].end - 1];
  char after = layout.text[layout.nodes[node].begin];
  bool is_glued = (before == '<' && (after == '-' || after == '=' || after == '<')) ||
                  (before == '&' && after == '&') ||
                  (before == '>' && (after == '>' || after == '='));
  if (is_glued) {
    space(layout);
  }
}

/// True if `-` and what follows it would read as the flow of a tag: `-?`, `-need`.
static auto begins_flow(std::string_view operand) -> bool {
  for (std::string_view word : {"?", "usable", "saved", "need", "dead"}) {
    if (operand.substr(0, word.size()) == word) {
      return true;
    }
  }
  return false;
}

static void unary_expression(Layout& layout) {
  bool is_minus = kind_at(layout, layout.at + 1) == NodeKind::Minus;
  uint32_t node = layout.at;
  while (node > 0 && layout.nodes[node].end > layout.nodes[layout.at].begin) {
    --node;  // over what the expression is the first part of
  }
  uint32_t before = node > 0 ? layout.nodes[node].end : 0;
  enter(layout);
  token(layout);
  // Where a tag may end, a word or a bracket stands right before the sign.
  bool may_follow_tag =
      before > 0 && (layout.text[before - 1] == ')' || layout.text[before - 1] == ']' ||
                     std::isalnum(static_cast<unsigned char>(layout.text[before - 1])));
  if (is_minus && may_follow_tag && begins_flow(layout.text.substr(next_offset(layout)))) {
    space(layout);
  }
  space_if_glued(layout, layout.at);
  expression(layout);
}

static void parenthesized_expression(Layout& layout) {
  enter(layout);
  enclosed_group(layout, Inside::Tight, expression);
}

/// `submit e`, `await f`, `encode-begin dev`
static void prefixed_expression(Layout& layout) {
  uint32_t end = enter(layout);
  token(layout);
  while (layout.at < end) {
    space(layout);
    is(layout, NodeKind::Tags) ? tags(layout) : expression(layout);
  }
}

}  // namespace tacet::formatter
