#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/parser_state.h"

namespace tacet::syntax {

static void parse_parenthesized(Parser& parser) {
  auto mark = parser.mark();
  uint32_t opened = parser.current().begin;
  bump(parser);
  bool is_tuple = false;
  auto element = parser.mark();
  parse_any_expression(parser);
  parser.set_field(element, Field::Element);
  auto behind_first = parser.mark();
  if (parser.at(NodeKind::Comma) && behind_first > element) {
    is_tuple = true;
    bump(parser);
    parse_list(
        parser, NodeKind::RightParen, "an expression", [&] { return at_expression(parser); },
        [&] { parse_into(parser, Field::Element, parse_any_expression); });
  } else if (behind_first > element) {
    parser.set_field_before(behind_first, Field::Value);
  }
  parser.expect(NodeKind::RightParen, Field::None, opened);
  parser.finish(is_tuple ? NodeKind::TupleExpression : NodeKind::ParenthesizedExpression, mark);
}

/// `; n` of `[e; n]`, a loop without a variable, behind the only element of an array. False, and
/// nothing is taken, if no `]` follows: the bracket is not closed, and `;` ends the statement.
static auto parse_repetition(Parser& parser) -> bool {
  if (!parser.at(NodeKind::Semicolon)) {
    return false;
  }
  const Parser::Checkpoint before = parser.checkpoint();
  parser.set_field_before(parser.mark(), Field::Body);
  bump(parser);
  const uint32_t begin = parser.current().begin;
  if (at_expression(parser)) {
    parse_into(parser, Field::Extent, parse_any_expression);
  }
  if (parser.at(NodeKind::RightBracket) && parser.current().begin > begin) {
    return true;
  }
  parser.rewind(before);
  parser.set_field_before(parser.mark(), Field::Element);
  return false;
}

static void parse_array(Parser& parser) {
  auto mark = parser.mark();
  uint32_t opened = parser.current().begin;
  bump(parser);
  int n_elements = 0;
  bool has_comma = false;
  parse_list(
      parser, NodeKind::RightBracket, "an expression", [&] { return at_expression(parser); },
      [&] {
        parse_into(parser, Field::Element, parse_any_expression);
        ++n_elements;
        has_comma = parser.at(NodeKind::Comma);
      });
  const bool is_repetition = n_elements == 1 && !has_comma && parse_repetition(parser);
  parser.expect(NodeKind::RightBracket, Field::None, opened);
  parser.finish(is_repetition ? NodeKind::ForExpression : NodeKind::ArrayExpression, mark);
}

/// `for i: n { e }`, `for x, y: a, b { e }`; the caller has seen the names and the colon.
static void parse_for_expression(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  parse_counters_and_body(parser);
  parser.finish(NodeKind::ForExpression, mark);
}

void parse_counters_and_body(Parser& parser) {
  const uint32_t first = parser.current().begin;
  do {
    parser.bump_as(NodeKind::Identifier, Field::Variable);
  } while (eat(parser, NodeKind::Comma));
  const std::string_view variable = parser.text(TextRange{first, parser.previous_end()});
  const uint32_t colon = parser.current().begin;
  parser.expect(NodeKind::Colon);
  do {
    parse_into(parser, Field::Extent, parse_any_expression);
    if (parse_second_counter(parser)) {
      return;
    }
  } while (eat(parser, NodeKind::Comma));
  const TextRange extent{colon, parser.previous_end()};
  uint32_t opened = parser.current().begin;
  parser.expect(NodeKind::LeftBrace);
  bool has_statements = parse_statements_in_for_expression(parser, variable, extent, false);
  if (!has_statements) {
    parse_into(parser, Field::Body, parse_any_expression);
    has_statements = parse_statements_in_for_expression(parser, variable, extent, true);
  }
  parser.expect(NodeKind::RightBrace, Field::None, opened);
  if (has_statements) {
    parser.be_silent();
  }
}

static void parse_literal(Parser& parser) {
  const bool is_number = at_any(parser, {NodeKind::Integer, NodeKind::Float});
  auto mark = parser.mark();
  uint32_t begin = parser.current().begin;
  bump(parser);
  if (is_number && at_word(parser) && starts_right_behind_previous(parser)) {
    parser.error(DiagnosticCode::T0009, {begin, parser.current().end},
                 "letters directly after a number; names start with a letter");
    bump(parser);
    parser.finish(NodeKind::Error, mark);
  }
}

/// At `for i:`, which unlike `for i in` is an expression.
static auto at_for_expression(Parser& parser) -> bool {
  return parser.at(NodeKind::KwFor) && parser.peek_behind_names() == NodeKind::Colon;
}

static void parse_primary(Parser& parser) {
  if (at_any(parser, {NodeKind::Integer, NodeKind::Float, NodeKind::String, NodeKind::Dim,
                      NodeKind::Hole})) {
    parse_literal(parser);
  } else if (parser.at(NodeKind::QuestionQuestionQuestion)) {
    parser.bump_as(NodeKind::StatementHole);
  } else if (at_any(parser, {NodeKind::KwTrue, NodeKind::KwFalse})) {
    parser.bump_as(NodeKind::Boolean);
  } else if (parser.at(NodeKind::LeftParen)) {
    parse_parenthesized(parser);
  } else if (parser.at(NodeKind::LeftBracket)) {
    parse_array(parser);
  } else if (at_for_expression(parser)) {
    parse_for_expression(parser);
  } else if (parser.at_name() || parser.at_declared_word()) {
    parser.bump_as(NodeKind::Identifier);
  } else if (parser.reads_foreign_forms() && parser.at(NodeKind::KwIf) &&
             !parser.current().newline_before && parser.may_nest()) {
    parse_if_as_operand(parser);
  } else if (at_type(parser) && !parser.at(NodeKind::LeftBrace) &&
             parser.peek() == NodeKind::LeftParen) {
    parse_conversion(parser);
  } else {
    parser.error_expected_next("an expression");
  }
}

// ---- what follows it ----

static void parse_arguments(Parser& parser) {
  auto mark = parser.mark();
  uint32_t opened = parser.current().begin;
  parser.expect(NodeKind::LeftParen);
  auto at_operator = [&] {
    if (!at_any(parser, {NodeKind::Plus, NodeKind::Star})) {
      return false;
    }
    NodeKind next = parser.peek();
    return next == NodeKind::Comma || next == NodeKind::RightParen;
  };
  auto at_argument = [&] { return at_expression(parser) || at_operator(); };
  parse_list(parser, NodeKind::RightParen, "an argument", at_argument, [&] {
    if (at_operator()) {
      parser.bump_as(NodeKind::Operator);
    } else if (parser.at(NodeKind::KwTo) && is_name(parser.peek())) {
      auto receiver = parser.mark();
      bump(parser);
      parser.expect_name(Field::Party, "a party's name");
      parser.finish(NodeKind::Receiver, receiver);
    } else {
      parse_any_expression(parser);
    }
  });
  parser.expect(NodeKind::RightParen, Field::None, opened);
  parser.finish(NodeKind::Arguments, mark);
  parser.set_field(mark, Field::Arguments);
}

/// What follows `'` in a call: `<1, 2>`, or a type.
static void parse_template(Parser& parser) {
  auto mark = parser.mark();
  if (at_any(parser, {NodeKind::LeftArrow, NodeKind::LessLess, NodeKind::LessEqual})) {
    parser.split(NodeKind::Less, 1);
  }
  if (!parser.at(NodeKind::Less)) {
    parse_flagged_type(parser);
    parser.set_field(mark, Field::Template);
    return;
  }
  Parser::Nesting nesting(parser);
  uint32_t opened = parser.current().begin;
  bump(parser);
  if (!parser.may_nest()) {
    parser.skip_until(kExpressionStops);
  }
  parse_list(
      parser, NodeKind::Greater, "an expression",
      [&] { return at_expression(parser) || at_primitive_type(parser); },
      [&] {
        if (at_primitive_type(parser)) {
          parse_type(parser);
        } else {
          parse_operand(parser);
        }
      });
  parser.expect_greater(opened);
  parser.finish(NodeKind::TemplateArguments, mark);
  parser.set_field(mark, Field::Template);
}

/// `(…)` or `'<…>(…)` behind the function that ends at `operand_end`, and likewise below.
static void parse_call(Parser& parser, Parser::Mark mark, Parser::Mark operand_end) {
  parser.set_field_before(operand_end, Field::Function);
  if (eat(parser, NodeKind::Quote)) {
    parse_template(parser);
  }
  parse_arguments(parser);
  parser.finish(NodeKind::CallExpression, mark);
}

static void parse_index(Parser& parser, Parser::Mark mark, Parser::Mark operand_end) {
  parser.set_field_before(operand_end, Field::Array);
  uint32_t opened = parser.current().begin;
  bump(parser);
  BracketContent content = parse_index_or_bounds(parser);
  while (content == BracketContent::Index && parse_comma_in_index(parser, mark)) {
    content = parse_index_or_bounds(parser);
  }
  parser.expect(NodeKind::RightBracket, Field::None, opened);
  parser.finish(
      content == BracketContent::Bounds ? NodeKind::SliceExpression : NodeKind::IndexExpression,
      mark);
}

static void parse_field(Parser& parser, Parser::Mark mark, Parser::Mark operand_end) {
  parser.set_field_before(operand_end, Field::Record);
  bump(parser);
  parser.expect_name(Field::Field, "a field's name");
  parser.finish(NodeKind::FieldExpression, mark);
}

static void parse_tags_behind(Parser& parser, Parser::Mark mark, Parser::Mark operand_end) {
  parser.set_field_before(operand_end, Field::Value);
  parse_tags(parser);
  parser.finish(NodeKind::TaggedExpression, mark);
}

void parse_postfix(Parser& parser) {
  static constexpr KindSet kCall = {NodeKind::LeftParen, NodeKind::Quote};
  static constexpr KindSet kPostfix =
      kCall | KindSet{NodeKind::LeftBracket, NodeKind::Dot, NodeKind::At};
  auto mark = parser.mark();
  parse_primary(parser);
  if (parser.mark() == mark) {
    return;
  }
  while (at_any(parser, kPostfix)) {
    if (parser.at(NodeKind::At) && !at_tags(parser)) {
      return;
    }
    if (!parser.may_wrap()) {
      parser.skip_until(kExpressionStops);
      return;
    }
    auto operand_end = parser.mark();
    if (at_any(parser, kCall)) {
      parse_call(parser, mark, operand_end);
    } else if (parser.at(NodeKind::LeftBracket)) {
      parse_index(parser, mark, operand_end);
    } else if (parser.at(NodeKind::Dot)) {
      parse_field(parser, mark, operand_end);
    } else {
      parse_tags_behind(parser, mark, operand_end);
    }
  }
}

}  // namespace tacet::syntax
