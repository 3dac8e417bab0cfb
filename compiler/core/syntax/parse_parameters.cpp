#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/parser_state.h"

namespace tacet::syntax {

/// `name: type` of a specification; in an extern the name may be left out.
static void parse_spec_parameter(Parser& parser, NodeKind kind, bool name_optional) {
  auto mark = parser.mark();
  if (!name_optional || (parser.at_name() && parser.peek() == NodeKind::Colon)) {
    parser.expect_name(Field::Name);
    parser.expect(NodeKind::Colon);
  }
  parse_into(parser, Field::Type, parse_type);
  refuse_flags_and_tags(parser);
  if (parser.mark() > mark) {
    parser.finish(kind, mark);
  }
}

static void parse_bound_operand(Parser& parser, Field field) {
  auto mark = parser.mark();
  if (at_any(parser, {NodeKind::Integer, NodeKind::Float})) {
    bump(parser);
  } else if (parser.at_name()) {
    parser.bump_as(NodeKind::Identifier);
  } else if (parser.at(NodeKind::LeftParen)) {
    uint32_t opened = parser.current().begin;
    bump(parser);
    parse_into(parser, Field::Value, parse_any_expression);
    parser.expect(NodeKind::RightParen, Field::None, opened);
    parser.finish(NodeKind::ParenthesizedExpression, mark);
  } else if (parser.at(NodeKind::Minus)) {
    bump(parser, Field::Operator);
    if (at_any(parser, {NodeKind::Integer, NodeKind::Float})) {
      bump(parser, Field::Operand);
    } else {
      parser.expect_name(Field::Operand, "a number or a constant");
    }
    parser.finish(NodeKind::UnaryExpression, mark);
  } else {
    parser.error_expected("a number, a constant or an expression in parentheses");
  }
  parser.set_field(mark, field);
}

/// `in lo..hi`, `norm r`, or both
static void parse_value_bound(Parser& parser) {
  auto mark = parser.mark();
  if (eat(parser, NodeKind::KwIn)) {
    parse_bound_operand(parser, Field::Lower);
    parser.expect(NodeKind::DotDot);
    parse_bound_operand(parser, Field::Upper);
  }
  if (eat(parser, NodeKind::KwNorm)) {
    parse_bound_operand(parser, Field::Norm);
  }
  parser.finish(NodeKind::Bound, mark);
  parser.set_field(mark, Field::Bound);
}

static void parse_function_type(Parser& parser);

/// What a function that is passed takes or gives: a value, not a function.
static void parse_passed_type(Parser& parser, Field field) {
  if (!parser.at(NodeKind::KwFn)) {
    parse_into(parser, field, parse_type);
    return;
  }
  Parser::Nesting nesting(parser);
  auto wrong = parser.mark();
  const uint32_t begin = parser.current().begin;
  if (parser.may_nest()) {
    parse_function_type(parser);
  } else {
    bump(parser);
  }
  parser.finish(NodeKind::Error, wrong);
  parser.error(DiagnosticCode::T0001, {begin, parser.previous_end()},
               "a function that is passed takes and gives values, not functions");
}

/// `fn(secret i64, i64) -> secret i64`
static void parse_function_type(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  const uint32_t opened = parser.current().begin;
  if (parser.expect(NodeKind::LeftParen)) {
    parse_list(
        parser, NodeKind::RightParen, "a type",
        [&] { return at_type(parser) || parser.at(NodeKind::KwFn); },
        [&] { parse_passed_type(parser, Field::Type); });
    parser.expect(NodeKind::RightParen, Field::None, opened);
    if (parser.expect(NodeKind::Arrow)) {
      parse_passed_type(parser, Field::Result);
    }
  }
  parser.finish(NodeKind::FunctionType, mark);
}

static void parse_parameter(Parser& parser) {
  auto mark = parser.mark();
  parser.expect_name(Field::Name, "a parameter's name");
  if (eat(parser, NodeKind::Colon)) {
    if (parser.at(NodeKind::KwFn)) {
      parse_into(parser, Field::Type, parse_function_type);
      parser.finish(NodeKind::FunctionParameter, mark);
      return;
    }
    parse_into(parser, Field::Type, parse_flagged_type);
    if (parser.at(NodeKind::KwIn) || parser.at(NodeKind::KwNorm)) {
      parse_value_bound(parser);
    }
  }
  if (eat(parser, NodeKind::KwFrom)) {
    parser.expect_name(Field::Owner, "a party's name");
  }
  if (at_tags(parser)) {
    parse_tags(parser);
  }
  parser.finish(NodeKind::Parameter, mark);
}

void parse_parameters(Parser& parser, ParameterForm form) {
  auto mark = parser.mark();
  uint32_t opened = parser.current().begin;
  if (!parser.expect(NodeKind::LeftParen)) {
    return;
  }
  parse_list(
      parser, NodeKind::RightParen, "a parameter",
      [&] {
        return parser.at_name() || (form == ParameterForm::Extern && at_type(parser)) ||
               (form != ParameterForm::Extern && is_reserved_word(parser.kind()) &&
                !parser.at_item_word());
      },
      [&] {
        switch (form) {
          case ParameterForm::Specification:
            parse_spec_parameter(parser, NodeKind::Parameter, false);
            break;
          case ParameterForm::Extern:
            parse_spec_parameter(parser, NodeKind::Parameter, true);
            break;
          case ParameterForm::Function:
            parse_parameter(parser);
            break;
        }
      });
  parser.expect(NodeKind::RightParen, Field::None, opened);
  parser.finish(NodeKind::Parameters, mark);
  parser.set_field(mark, Field::Parameters);
}

static void parse_result(Parser& parser, ParameterForm form) {
  if (form != ParameterForm::Function) {
    parse_spec_parameter(parser, NodeKind::Result, true);
    return;
  }
  auto mark = parser.mark();
  parse_flagged_type(parser);
  parser.set_field(mark, Field::Type);
  if (parser.at(NodeKind::Colon)) {
    parser.error_expected("`,` or `{` (the results of a function have no names)");
    bump(parser);
    parse_flagged_type(parser);
  }
  if (eat(parser, NodeKind::KwWithin)) {
    if (at_any(parser, {NodeKind::Integer, NodeKind::Float})) {
      bump(parser, Field::Tolerance);
    } else {
      parser.error_expected("a number");
    }
  }
  if (eat(parser, NodeKind::KwTo)) {
    parser.expect_name(Field::Owner, "a party's name");
  }
  if (at_tags(parser)) {
    parse_tags(parser);
  }
  if (parser.mark() > mark) {
    parser.finish(NodeKind::Result, mark);
  }
}

void parse_results(Parser& parser, ParameterForm form) {
  auto mark = parser.mark();
  if (!parser.at(NodeKind::LeftParen)) {
    parse_result(parser, form);
  } else {
    uint32_t opened = parser.current().begin;
    bump(parser);
    size_t n = 0;
    bool comma = false;
    parse_list(
        parser, NodeKind::RightParen, "a type", [&] { return at_type(parser); },
        [&] {
          parse_result(parser, form);
          ++n;
          comma = comma || parser.at(NodeKind::Comma);
        });
    if (!comma && parser.at(NodeKind::RightParen)) {
      TextRange range{opened, parser.current().end};
      if (SyntaxError* error = parser.error(
              DiagnosticCode::T0001, range,
              n == 0 ? "empty list of results; omit `->` to return nothing"
                     : "write a single result without parentheses, or with a comma: `(T,)`")) {
        if (n == 1) {
          error->fixes.push_back({"remove the parentheses",
                                  Applicability::Safe,
                                  {{{opened, opened + 1}, ""}, {{range.end - 1, range.end}, ""}}});
        }
      }
    }
    parser.expect(NodeKind::RightParen, Field::None, opened);
  }
  parser.finish(NodeKind::Results, mark);
  parser.set_field(mark, Field::Results);
}

}  // namespace tacet::syntax
