#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/parser_state.h"

namespace tacet::syntax {

/// Behind `while` as a name there stands an operator or the end of a statement; behind the
/// keyword a condition.
static constexpr KindSet kFirstOfCondition = {
    NodeKind::Integer,     NodeKind::Float,
    NodeKind::String,      NodeKind::Dim,
    NodeKind::Hole,        NodeKind::LeftParen,
    NodeKind::KwTrue,      NodeKind::KwFalse,
    NodeKind::Minus,       NodeKind::Bang,
    NodeKind::Tilde,       NodeKind::Amp,
    NodeKind::AmpAmp,      NodeKind::Star,
    NodeKind::LeftBracket, NodeKind::KwSubmit,
    NodeKind::KwAwait,     NodeKind::KwEncodeBegin,
    NodeKind::KwLet,       NodeKind::QuestionQuestionQuestion};

static void parse_bound(Parser& parser, NodeKind word, Field field) {
  if (eat(parser, word)) {
    parse_into(parser, field, parse_expression);
  }
}

void parse_loop_variables(Parser& parser) {
  do {
    parser.expect_name(Field::Variable, "the loop variable's name");
  } while (eat(parser, NodeKind::Comma));
}

void parse_range_of_loop(Parser& parser) {
  static constexpr KindSet kBehindArray = {NodeKind::Comma, NodeKind::LeftBrace,
                                           NodeKind::RightParen};
  parse_loop_variables(parser);
  parser.expect(NodeKind::KwIn);
  if (!parse_range_call(parser)) {
    const auto first = parser.mark();
    parse_expression(parser);
    if (at_any(parser, kBehindArray) && parser.mark() > first) {
      parser.set_field(first, Field::Array);
      while (eat(parser, NodeKind::Comma)) {
        parse_into(parser, Field::Array, parse_expression);
      }
      return;
    }
    parser.set_field(first, Field::Lower);
    parser.expect(NodeKind::DotDot);
    parse_into(parser, Field::Upper, parse_expression);
  }
  parse_bound(parser, NodeKind::KwStep, Field::Step);
  parse_bound(parser, NodeKind::KwMax, Field::Max);
}

static void parse_for(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  parse_range_of_loop(parser);
  parse_into(parser, Field::Body, parse_block);
  parser.finish(NodeKind::ForStatement, mark);
}

static void parse_while(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  parse_into(parser, Field::Condition, parse_condition);
  parse_bound(parser, NodeKind::KwMax, Field::Max);
  parse_into(parser, Field::Body, parse_block);
  parser.finish(NodeKind::WhileStatement, mark);
}

static void parse_do(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  parse_into(parser, Field::Body, parse_block);
  if (parser.expect(NodeKind::KwWhile)) {
    parse_into(parser, Field::Condition, parse_condition);
    parse_bound(parser, NodeKind::KwMax, Field::Max);
  }
  end_statement(parser);
  parser.finish(NodeKind::DoStatement, mark);
}

static void parse_jump(Parser& parser) {
  auto mark = parser.mark();
  const NodeKind kind =
      parser.at(NodeKind::KwBreak) ? NodeKind::BreakStatement : NodeKind::ContinueStatement;
  bump(parser);
  bump(parser);
  parser.finish(kind, mark);
}

auto parse_loop_or_jump(Parser& parser) -> bool {
  static constexpr KindSet kWords = {NodeKind::KwFor, NodeKind::KwWhile, NodeKind::KwDo,
                                     NodeKind::KwBreak, NodeKind::KwContinue};
  if (!at_any(parser, kWords)) {
    return false;
  }
  if (parser.at(NodeKind::KwFor) && parser.peek_behind_names() == NodeKind::KwIn) {
    parse_for(parser);
    return true;
  }
  const NodeKind next = parser.peek();
  if (parser.at(NodeKind::KwWhile) && (is_name(next) || kFirstOfCondition.has(next))) {
    parse_while(parser);
    return true;
  }
  if (parser.at(NodeKind::KwDo) && next == NodeKind::LeftBrace) {
    parse_do(parser);
    return true;
  }
  const bool is_jump = at_any(parser, {NodeKind::KwBreak, NodeKind::KwContinue});
  if (is_jump && next == NodeKind::Semicolon) {
    parse_jump(parser);
    return true;
  }
  return parse_foreign_loop(parser);
}

}  // namespace tacet::syntax
