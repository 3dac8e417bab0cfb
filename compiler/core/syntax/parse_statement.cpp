#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/parser_state.h"

namespace tacet::syntax {

namespace {

constexpr KindSet kStatementStops = {NodeKind::Semicolon, NodeKind::RightBrace, NodeKind::KwLet,
                                     NodeKind::KwVar,     NodeKind::KwEncode,   NodeKind::KwReturn};

}  // namespace

void end_statement(Parser& parser) {
  if (eat(parser, NodeKind::Semicolon)) {
    return;
  }
  bool silent = parser.is_silent();
  parser.expect(NodeKind::Semicolon);
  bool separate = parser.current().newline_before || parser.at(NodeKind::RightBrace) ||
                  at_any(parser, {NodeKind::KwLet, NodeKind::KwVar, NodeKind::KwEncode});
  if (!silent && separate) {
    return;
  }
  parser.skip_in_statement(kStatementStops);
  eat(parser, NodeKind::Semicolon);
}

void parse_condition(Parser& parser) {
  const auto mark = parser.mark();
  parse_any_expression(parser);
  parse_equal_in_condition(parser, mark);
}

void parse_if(Parser& parser) {
  Parser::Nesting nesting(parser);
  if (!parser.may_nest()) {
    parser.skip_until(kStatementStops);
    return;
  }
  auto mark = parser.mark();
  parser.bump_as(NodeKind::KwIf);
  if (at_tags(parser)) {
    parse_tags(parser);
  }
  parse_into(parser, Field::Condition, parse_condition);
  parse_into(parser, Field::Consequence, parse_block);
  if (eat(parser, NodeKind::KwElse)) {
    auto alternative = parser.mark();
    if (parser.at(NodeKind::KwIf)) {
      parse_if(parser);
    } else {
      parse_block(parser);
    }
    parser.set_field(alternative, Field::Alternative);
  } else if (at_else_if(parser)) {
    parse_into(parser, Field::Alternative, parse_else_if);
  }
  parser.finish(NodeKind::IfExpression, mark);
}

static void parse_var(Parser& parser) {
  auto mark = parser.mark();
  const TextRange word{parser.current().begin, parser.current().end};
  const bool has_mut = at_mut(parser);
  bump(parser);
  if (has_mut) {
    parse_mut(parser, word);
  }
  auto at_binding = [&] {
    return parser.at_name() || parser.at(NodeKind::Wildcard) ||
           (is_reserved_word(parser.kind()) && !parser.at_item_word());
  };
  if (!at_binding()) {
    parser.error_expected("a name");
  }
  parse_list(parser, {NodeKind::Semicolon, NodeKind::Equal}, "a name", at_binding,
             [&] { parse_binding(parser); });
  if (eat(parser, NodeKind::Equal)) {
    parse_into(parser, Field::Value, parse_tail_value);
  }
  end_statement(parser);
  parser.finish(NodeKind::VarStatement, mark);
}

static void parse_annotation(Parser& parser) {
  auto mark = parser.mark();
  auto key = parser.mark();
  if (at_any(parser, {NodeKind::KwInput, NodeKind::KwOutput})) {
    parser.bump_as(NodeKind::AnnotationKey);
  } else {
    if (parser.at(NodeKind::Dim)) {
      bump(parser, Field::Name);
    } else {
      parser.bump_as(NodeKind::Identifier, Field::Name);
      if (eat(parser, NodeKind::Dot)) {
        parser.expect_name(Field::Field, "a field's name");
      }
    }
    parser.finish(NodeKind::AnnotationKey, key);
  }
  parser.set_field(key, Field::Key);
  parser.expect(NodeKind::Colon);
  parse_tag_list(parser);
  parser.finish(NodeKind::Annotation, mark);
}

static void parse_annotation_statement(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  if (at_any(parser, {NodeKind::KwIn, NodeKind::KwOut})) {
    parser.bump_as(NodeKind::AnnotationPlace, Field::Place);
  } else {
    parser.error_expected("`in` or `out`");
  }
  uint32_t opened = parser.current().begin;
  parser.expect(NodeKind::LeftBrace);
  parse_list(
      parser, NodeKind::RightBrace, "a variable's name",
      [&] {
        return parser.at_name() ||
               at_any(parser, {NodeKind::KwInput, NodeKind::KwOutput, NodeKind::Dim});
      },
      [&] { parse_annotation(parser); });
  parser.expect(NodeKind::RightBrace, Field::None, opened);
  end_statement(parser);
  parser.finish(NodeKind::AnnotationStatement, mark);
}

static void parse_encode(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  parser.expect_name(Field::Encoder, "an encoder's name");
  parser.expect(NodeKind::Dot);
  parser.expect_name(Field::Method, "`copy` or `call`");
  if (at_any(parser, {NodeKind::KwPublic, NodeKind::KwSecret})) {
    parse_visibility(parser, Field::Visibility);
  }
  uint32_t opened = parser.current().begin;
  parser.expect(NodeKind::LeftBracket);
  parse_list(
      parser, NodeKind::LeftArrow, "a name", [&] { return parser.at_name(); },
      [&] {
        auto destination = parser.mark();
        parser.bump_as(NodeKind::Identifier, Field::Name);
        if (at_tags(parser)) {
          parse_tags(parser);
        }
        parser.finish(NodeKind::EncodeDestination, destination);
      });
  parser.expect(NodeKind::LeftArrow);
  parse_into(parser, Field::Value, parse_any_expression);
  parser.expect(NodeKind::RightBracket, Field::None, opened);
  if (at_tags(parser)) {
    parse_tags(parser);
  }
  end_statement(parser);
  parser.finish(NodeKind::EncodeStatement, mark);
}

static void parse_return(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  if (!parser.at(NodeKind::Semicolon) && !parser.at(NodeKind::RightBrace)) {
    const auto value = parser.mark();
    const uint32_t begin = parser.current().begin;
    parse_tail_value(parser);
    parse_results_without_parentheses(parser, value, begin);
    parser.set_field(value, Field::Value);
  }
  end_statement(parser);
  parser.finish(NodeKind::ReturnStatement, mark);
}

/// Reports a target that is nothing one could ever assign to. Whether a name is a variable is
/// asked later.
static void check_target(Parser& parser, Parser::Mark mark, TextRange range) {
  static constexpr KindSet kValues = {NodeKind::BinaryExpression,      NodeKind::CastExpression,
                                      NodeKind::ConditionalExpression, NodeKind::LetExpression,
                                      NodeKind::RangeExpression,       NodeKind::PathExpression,
                                      NodeKind::SubmitExpression,      NodeKind::AwaitExpression,
                                      NodeKind::EncodeBeginExpression, NodeKind::UnaryExpression};
  NodeKind target = parser.last_kind();
  if (target == NodeKind::UnaryExpression && parser.node_kind_before(mark + 1) == NodeKind::Star) {
    // The operand's root stands right before its parent's.
    target = parser.node_kind_before(parser.mark() - 1);
  }
  if (kValues.has(target)) {
    parser.error(DiagnosticCode::T0013, range,
                 "cannot assign to a value; expected a variable, an element or `*reference`");
  }
}

/// A lone word with something behind it on its line is most often a keyword misspelt.
static void report_unknown_word(Parser& parser, TextRange range) {
  static constexpr std::string_view kWords[] = {"let",   "var",   "return",   "if",
                                                "else",  "for",   "while",    "encode",
                                                "await", "break", "continue", "submit"};
  std::string_view word = parser.text({NodeKind::Identifier, false, range.begin, range.end});
  suggest_keyword(parser.error_expected(fmt::format("`;` after `{}`", word)), word, range, kWords);
}

/// What begins with an expression: an assignment, a call, or the block's result.
static void finish_expression_statement(Parser& parser, Parser::Mark mark, uint32_t begin) {
  TextRange range{begin, parser.previous_end()};
  if (at_foreign_assignment(parser)) {
    parse_foreign_assignment(parser, mark, begin);
    return;
  }
  if (parser.at(NodeKind::Equal)) {
    check_target(parser, mark, range);
    parser.set_field(mark, Field::Target);
    bump(parser);
    parse_into(parser, Field::Value, parse_tail_value);
    end_statement(parser);
    parser.finish(NodeKind::AssignmentStatement, mark);
    return;
  }
  if (parser.at(NodeKind::RightBrace) || parser.at(NodeKind::EndOfFile) || parser.at_item_word()) {
    parser.set_field(mark, Field::Result);
    return;
  }
  if (parser.last_kind() == NodeKind::Identifier && !parser.current().newline_before &&
      !parser.at(NodeKind::Semicolon)) {
    report_unknown_word(parser, range);
  }
  bool is_call = parser.last_kind() == NodeKind::CallExpression ||
                 parser.last_kind() == NodeKind::TaggedExpression;
  if (!is_call && parser.at(NodeKind::Semicolon)) {
    if (SyntaxError* report =
            parser.error(DiagnosticCode::T0012, range,
                         "this statement has no effect: an expression statement must be a call")) {
      report->notes.emplace_back("the value of a block is its last expression, without `;`");
      if (parser.peek() == NodeKind::RightBrace) {
        const TextRange semicolon{parser.current().begin, parser.current().end};
        report->fixes.push_back({"remove `;`", Applicability::Unsafe, {{semicolon, ""}}});
      }
    }
  }
  parser.set_field(mark, Field::Call);
  end_statement(parser);
  parser.finish(NodeKind::CallStatement, mark);
}

static void parse_let(Parser& parser) {
  if (at_mut(parser)) {
    parse_var(parser);
    return;
  }
  auto mark = parser.mark();
  uint32_t begin = parser.current().begin;
  parse_let_head(parser);
  parser.expect(NodeKind::Equal);
  parse_into(parser, Field::Value, parse_tail_value);
  if (eat(parser, NodeKind::KwIn)) {
    parse_into(parser, Field::Body, parse_any_expression);
    parser.finish(NodeKind::LetExpression, mark);
    finish_expression_statement(parser, mark, begin);
    return;
  }
  end_statement(parser);
  parser.finish(NodeKind::LetStatement, mark);
}

static void parse_hole_statement(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  bump(parser);
  parser.finish(NodeKind::HoleStatement, mark);
}

/// Parses a statement that its first tokens announce; false if there is none here.
static auto parse_announced_statement(Parser& parser) -> bool {
  struct Announced {
    NodeKind first;
    void (*parse)(Parser& parser);
  };
  static constexpr Announced kAnnounced[] = {
      {NodeKind::KwLet, parse_let},
      {NodeKind::KwVar, parse_var},
      {NodeKind::KwEncode, parse_encode},
      {NodeKind::KwIf, parse_if},
      {NodeKind::KwReturn, parse_return},
      {NodeKind::LeftBrace, parse_block},
      {NodeKind::At, parse_annotation_statement},
  };
  for (const Announced& statement : kAnnounced) {
    if (parser.at(statement.first)) {
      statement.parse(parser);
      return true;
    }
  }
  if (parser.at(NodeKind::QuestionQuestionQuestion) && parser.peek() == NodeKind::Semicolon) {
    parse_hole_statement(parser);
    return true;
  }
  return parse_loop_or_jump(parser) || parse_declaration_by_type(parser);
}

/// What stands where a statement should, and starts none.
static void skip_stray_statement(Parser& parser) {
  auto mark = parser.mark();
  if (parser.at(NodeKind::Semicolon)) {
    const TextRange range{parser.current().begin, parser.current().begin + 1};
    if (SyntaxError* report = parser.error(DiagnosticCode::T0012, range, "unnecessary `;`")) {
      report->fixes.push_back({"remove `;`", Applicability::Safe, {{range, ""}}});
    }
    bump(parser);
    parser.finish(NodeKind::Error, mark);
    return;
  }
  if (parser.at(NodeKind::PlusPlus) && is_name(parser.peek())) {
    parse_increment_in_front(parser);
    return;
  }
  parser.error_expected("a statement");
  auto skipped = parser.mark();
  bump(parser);
  parser.finish(NodeKind::Error, skipped);
  parser.skip_in_statement(kStatementStops);
  eat(parser, NodeKind::Semicolon);
}

static void parse_statement(Parser& parser) {
  if (parse_announced_statement(parser)) {
    return;
  }
  if (!at_expression(parser)) {
    skip_stray_statement(parser);
    return;
  }
  auto mark = parser.mark();
  uint32_t begin = parser.current().begin;
  parse_any_expression(parser);
  finish_expression_statement(parser, mark, begin);
}

static auto at_body_without_braces(Parser& parser) -> bool {
  return at_any(parser, {NodeKind::Colon, NodeKind::KwReturn}) ||
         (parser.at_name() && parser.peek() == NodeKind::Equal) ||
         (at_any(parser, {NodeKind::KwBreak, NodeKind::KwContinue}) &&
          parser.peek() == NodeKind::Semicolon);
}

void parse_block(Parser& parser) {
  Parser::Nesting nesting(parser);
  auto mark = parser.mark();
  uint32_t opened = parser.current().begin;
  const bool has_statement = parser.reads_foreign_forms() && !parser.current().newline_before &&
                             parser.may_nest() && !parser.is_silent() &&
                             at_body_without_braces(parser);
  if (has_statement) {
    parse_body_without_braces(parser, parse_statement);
    return;
  }
  if (!parser.expect(NodeKind::LeftBrace)) {
    return;
  }
  if (!parser.may_nest()) {
    parser.skip_until({NodeKind::RightBrace});
  }
  while (!parser.at(NodeKind::RightBrace) && !parser.at(NodeKind::EndOfFile) &&
         !parser.at_item_word()) {
    uint32_t before = parser.current().begin;
    parse_statement(parser);
    if (parser.current().begin == before) {
      auto stuck = parser.mark();
      bump(parser);
      parser.finish(NodeKind::Error, stuck);
    }
  }
  parser.expect(NodeKind::RightBrace, Field::None, opened);
  parser.finish(NodeKind::Block, mark);
}

}  // namespace tacet::syntax
