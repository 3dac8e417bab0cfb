#include <algorithm>
#include <cctype>
#include <iterator>

#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/lexer.h"
#include "formatter/layout.h"

namespace tacet::formatter {

using syntax::ExpressionKind;
using syntax::NodeKind;

void Layout::expression() {
  switch (syntax::expression_kind(kind())) {
    case ExpressionKind::Binary:
      return binary_expression();
    case ExpressionKind::Conditional:
      return conditional_expression();
    case ExpressionKind::Let:
      return let_expression();
    case ExpressionKind::For:
      return for_expression();
    case ExpressionKind::Call:
      return call_expression();
    case ExpressionKind::Unary:
      return unary_expression();
    case ExpressionKind::Parenthesized:
      return parenthesized_expression();
    case ExpressionKind::Submit:
    case ExpressionKind::Await:
    case ExpressionKind::EncodeBegin:
      return prefixed_expression();
    case ExpressionKind::If:
      return if_expression();
    case ExpressionKind::Tuple:
      enter();
      return list(NodeKind::RightParen, &Layout::expression, Inside::Tight,
                  TrailingComma::IfSingle);
    case ExpressionKind::Array:
      enter();
      return list(NodeKind::RightBracket, &Layout::expression);
    case ExpressionKind::Cast:
      enter();
      expression();
      space();
      token();
      space();
      return type();
    case ExpressionKind::Tagged:
      enter();
      expression();
      space();
      return tags();
    case ExpressionKind::Range:
    case ExpressionKind::Path:
    case ExpressionKind::Field:
      enter();
      expression();
      token();
      return expression();
    case ExpressionKind::Index:
      enter();
      expression();
      token();
      expression();
      return token();
    case ExpressionKind::Boolean:
    case ExpressionKind::Dim:
    case ExpressionKind::Float:
    case ExpressionKind::Hole:
    case ExpressionKind::Identifier:
    case ExpressionKind::Integer:
    case ExpressionKind::StatementHole:
    case ExpressionKind::String:
      return tight();
    case ExpressionKind::None:
      return is(NodeKind::Block) ? block_in_group() : tight();
  }
}

/// Operators of one class make one chain, which breaks before all of them or none.
static auto chain_class(NodeKind op) -> int {
  static constexpr syntax::KindSet kChains[] = {
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
void Layout::binary_expression() {
  // The left operand stands right behind its parent, so a chain is a run of nodes.
  auto operator_of = [&](uint32_t node) {
    uint32_t left = node + 1;
    return nodes_[left + nodes_[left].size].kind;
  };
  int chain = chain_class(operator_of(at_));
  uint32_t n_operators = 0;
  while (is(NodeKind::BinaryExpression) && chain_class(operator_of(at_)) == chain) {
    ++n_operators;
    ++at_;
  }
  open_group();
  expression();
  builder_.indent(indent_);
  for (; n_operators > 0; --n_operators) {
    line();
    token();
    space();
    expression();
  }
  builder_.dedent(indent_);
  builder_.close_group();
}

/// `a if c else b if d else e`
void Layout::conditional_expression() {
  uint32_t end = subtree_end();
  open_group();
  ++at_;
  expression();
  builder_.indent(indent_);
  while (at_ < end) {
    space();
    token();  // if
    space();
    expression();
    line();
    token();  // else
    space();
    if (is(NodeKind::ConditionalExpression)) {
      ++at_;
    }
    expression();
  }
  builder_.dedent(indent_);
  builder_.close_group();
}

/// `let x = e in body`, a line each where they were written so; the lines are indented unless the
/// expression begins a line itself.
void Layout::let_expression() {
  syntax::Field field = nodes_[at_].field;
  bool begins_line = field == syntax::Field::Body || field == syntax::Field::Result;
  uint32_t indent = begins_line ? 0 : indent_;
  bool is_first = true;
  open_group();
  while (is(NodeKind::LetExpression)) {
    enter();
    token();
    if (is_first) {
      builder_.indent(indent);
      is_first = false;
    }
    space();
    uint32_t names_end = at_;
    while (nodes_[names_end].kind != NodeKind::Equal) {
      names_end += nodes_[names_end].size;
    }
    inline_list(names_end, &Layout::typed_name);
    space();
    token();
    space();
    expression();
    space();
    if (opens_on_own_line(at_)) {
      builder_.break_groups();
    }
    token();  // in
    line();
  }
  expression();
  builder_.dedent(indent);
  builder_.close_group();
}

/// `for i: n { e }`
void Layout::for_expression() {
  enter();
  words(2);
  token();
  space();
  expression();
  space();
  open_group();
  if (opens_on_own_line(at_)) {
    builder_.break_groups();
  }
  token();
  builder_.indent(indent_);
  line();
  expression();
  trailing();
  comments_before(next_offset());
  builder_.dedent(indent_);
  builder_.line();
  token();
  builder_.close_group();
}

/// `f'<1, 1, 1>(x, y)`
void Layout::call_expression() {
  uint32_t end = enter();
  expression();
  while (at_ < end) {
    if (is(NodeKind::Quote)) {
      token();
    } else if (is(NodeKind::TemplateArguments)) {
      template_arguments();
    } else if (is(NodeKind::Arguments)) {
      arguments();
    } else {
      type();
    }
  }
}

void Layout::template_arguments() {
  enter();
  list(NodeKind::Greater, &Layout::argument);
}

/// A single argument with brackets of its own needs no second pair of lines around it.
void Layout::arguments() {
  enter();
  flush_comments();
  ListFacts facts = list_facts(NodeKind::RightParen);
  NodeKind first = kind_at(at_ + 1);
  bool hugs = facts.n_elements == 1 && !facts.ends_with_comma &&
              !has_comment_before(nodes_[facts.close].begin) &&
              (first == NodeKind::ForExpression || first == NodeKind::ArrayExpression ||
               first == NodeKind::TupleExpression);
  if (!hugs) {
    list(NodeKind::RightParen, &Layout::argument);
    return;
  }
  token();
  expression();
  token();
}

void Layout::argument() {
  if (is(NodeKind::Receiver)) {
    enter();
    words(2);
    return;
  }
  space_if_glued(at_);
  expression();
}

/// A space where two tokens would otherwise read as one: `< -1`, `& &x`, `> >`.
void Layout::space_if_glued(uint32_t node) {
  if (node == 0 || node >= n_nodes_) {
    return;
  }
  char before = text_[nodes_[node - 1].end - 1];
  char after = text_[nodes_[node].begin];
  bool is_glued = (before == '<' && (after == '-' || after == '=' || after == '<')) ||
                  (before == '&' && after == '&') ||
                  (before == '>' && (after == '>' || after == '='));
  if (is_glued) {
    space();
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

void Layout::unary_expression() {
  bool is_minus = kind_at(at_ + 1) == NodeKind::Minus;
  uint32_t node = at_;
  while (node > 0 && nodes_[node].end > nodes_[at_].begin) {
    --node;  // over what the expression is the first part of
  }
  uint32_t before = node > 0 ? nodes_[node].end : 0;
  enter();
  token();
  // Where a tag may end, a word or a bracket stands right before the sign.
  bool may_follow_tag = before > 0 && (text_[before - 1] == ')' || text_[before - 1] == ']' ||
                                       std::isalnum(static_cast<unsigned char>(text_[before - 1])));
  if (is_minus && may_follow_tag && begins_flow(text_.substr(next_offset()))) {
    space();
  }
  space_if_glued(at_);
  expression();
}

void Layout::parenthesized_expression() {
  enter();
  open_group();
  token();
  builder_.indent(indent_);
  soft_line();
  expression();
  trailing();
  comments_before(next_offset());
  builder_.dedent(indent_);
  builder_.soft_line();
  token();
  builder_.close_group();
}

/// `submit e`, `await f`, `encode-begin dev`
void Layout::prefixed_expression() {
  uint32_t end = enter();
  token();
  while (at_ < end) {
    space();
    is(NodeKind::Tags) ? tags() : expression();
  }
}

}  // namespace tacet::formatter
