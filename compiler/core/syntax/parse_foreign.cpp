#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/foreign.h"

// What people write who come from C, Python or Rust. Each form is reported once, with the Tacet
// form, and parsed as what it means, so that nothing follows from it.

namespace tacet::syntax {

void report_foreign(Parser& parser, TextRange range, std::string message, std::string text,
                    Applicability applicability) {
  if (SyntaxError* error = parser.error(DiagnosticCode::T0001, range, std::move(message))) {
    error->fixes.push_back({fmt::format("write `{}`", text), applicability, {{range, text}}});
  }
}

void drop(Parser& parser) {
  const auto mark = parser.mark();
  bump(parser);
  parser.finish(NodeKind::Error, mark);
}

auto at_text(const Parser& parser, std::string_view word) -> bool {
  return parser.at_name() && parser.text(parser.current()) == word;
}

/// Does the character right behind the current token read so?
static auto is_followed_by(const Parser& parser, char c) -> bool {
  const uint32_t end = parser.current().end;
  return parser.text(TextRange{end, end + 1}) == std::string_view(&c, 1);
}

// ---- operators ----

auto at_foreign_assignment(Parser& parser) -> bool {
  static constexpr KindSet kWithEqual = {NodeKind::Plus,    NodeKind::Minus, NodeKind::Star,
                                         NodeKind::Slash,   NodeKind::Amp,   NodeKind::Pipe,
                                         NodeKind::Percent, NodeKind::Caret};
  if (at_any(parser, kWithEqual) && is_followed_by(parser, '=')) {
    return parser.peek() == NodeKind::Equal;
  }
  static constexpr KindSet kPlaces = {NodeKind::Identifier, NodeKind::IndexExpression,
                                      NodeKind::FieldExpression, NodeKind::UnaryExpression};
  const bool increments = parser.at(NodeKind::PlusPlus);
  if (increments ? !kPlaces.has(parser.last_kind())
                 : !(parser.at(NodeKind::Minus) && is_followed_by(parser, '-'))) {
    return false;
  }
  const NodeKind behind = parser.peek(increments ? 1 : 2);
  return behind == NodeKind::Semicolon || behind == NodeKind::RightBrace ||
         behind == NodeKind::RightParen;
}

auto operand_text(const Parser& parser, TextRange range) -> std::string {
  static constexpr KindSet kSimple = {
      NodeKind::Identifier, NodeKind::Integer,         NodeKind::Float,
      NodeKind::Boolean,    NodeKind::CallExpression,  NodeKind::ParenthesizedExpression,
      NodeKind::Hole,       NodeKind::IndexExpression, NodeKind::FieldExpression};
  return fmt::format(fmt::runtime(kSimple.has(parser.last_kind()) ? "{}" : "({})"),
                     parser.text(range));
}

void parse_foreign_assignment(Parser& parser, Parser::Mark mark, uint32_t begin) {
  const std::string target(parser.text(TextRange{begin, parser.previous_end()}));
  const std::string op(parser.text(parser.current()).substr(0, 1));
  const bool has_value = is_followed_by(parser, '=');
  parser.set_field(mark, Field::Target);
  const bool increments = parser.at(NodeKind::PlusPlus);
  drop(parser);
  if (!has_value) {
    if (!increments) {
      drop(parser);
    }
    report_foreign(parser, {begin, parser.previous_end()},
                   fmt::format("`{0}{1}{1}` is written `{0} = {0} {1} 1`", target, op),
                   fmt::format("{0} = {0} {1} 1", target, op));
  } else {
    bump(parser);
    const uint32_t value = parser.current().begin;
    parse_into(parser, Field::Value, parse_tail_value);
    const std::string right = operand_text(parser, {value, parser.previous_end()});
    report_foreign(parser, {begin, parser.previous_end()},
                   fmt::format("`{0} {1}= …` is written `{0} = {0} {1} …`", target, op),
                   fmt::format("{0} = {0} {1} {2}", target, op, right));
  }
  end_statement(parser);
  parser.finish(NodeKind::AssignmentStatement, mark);
}

/// A choice on the line of the brace is taken for an expression (`parse_if_as_operand`).
static auto at_statement_keyword(const Parser& parser) -> bool {
  return at_any(parser, {NodeKind::KwVar, NodeKind::KwWhile, NodeKind::KwReturn}) ||
         (parser.at(NodeKind::KwIf) && parser.current().newline_before);
}

auto parse_statements_in_for_expression(Parser& parser, std::string_view variable, TextRange extent,
                                        bool is_behind_expression) -> bool {
  const bool is_statement =
      is_behind_expression
          ? at_any(parser, {NodeKind::Equal, NodeKind::Semicolon}) || at_foreign_assignment(parser)
          : at_statement_keyword(parser);
  if (!parser.reads_foreign_forms() || !is_statement) {
    return false;
  }
  std::string_view n = parser.text(TextRange{extent.begin + 1, extent.end});
  n.remove_prefix(std::min(n.find_first_not_of(" \t\r\n"), n.size()));
  const bool has_several = variable.find(',') != std::string_view::npos;
  const std::string range = fmt::format(" in {}{}", has_several ? "" : "0..", n);
  if (SyntaxError* error = parser.error(
          DiagnosticCode::T0001, extent,
          fmt::format("a loop over statements is written `for {}{} {{ … }}`", variable, range))) {
    error->fixes.push_back({fmt::format("write `for {}{}`", variable, range),
                            Applicability::Unsafe,
                            {{extent, range}}});
  }
  parser.skip_until({NodeKind::RightBrace});
  return true;
}

auto parse_second_counter(Parser& parser) -> bool {
  if (!parser.reads_foreign_forms() || !parser.at(NodeKind::Comma) ||
      parser.peek(1) != NodeKind::Identifier || parser.peek(2) != NodeKind::Colon) {
    return false;
  }
  const uint32_t comma = parser.current().begin;
  drop(parser);
  const uint32_t name = parser.current().begin;
  const auto mark = parser.mark();
  parse_counters_and_body(parser);
  const uint32_t end = parser.previous_end();
  parser.finish(NodeKind::ForExpression, mark);
  parser.set_field(mark, Field::Body);
  if (SyntaxError* error = parser.error(DiagnosticCode::T0001, {comma, name + 1},
                                        "each counter has a `for` of its own: `for i: n { for j: "
                                        "m { … } }`")) {
    error->fixes.push_back({"write a second `for`",
                            Applicability::Safe,
                            {{{comma, name}, " { for "}, {{end, end}, " }"}}});
  }
  return true;
}

auto parse_comma_in_index(Parser& parser, Parser::Mark mark) -> bool {
  if (!parser.at(NodeKind::Comma) || !parser.reads_foreign_forms()) {
    return false;
  }
  const uint32_t comma = parser.current().begin;
  parser.finish(NodeKind::IndexExpression, mark);
  parser.set_field_before(parser.mark(), Field::Array);
  drop(parser);
  if (SyntaxError* error =
          parser.error(DiagnosticCode::T0001, {comma, comma + 1},
                       "an index of two dimensions is written in two brackets: `a[i][j]`")) {
    error->fixes.push_back(
        {"write `][`", Applicability::Safe, {{{comma, parser.current().begin}, "]["}}});
  }
  return true;
}

void parse_equal_in_condition(Parser& parser, Parser::Mark mark) {
  if (!parser.at(NodeKind::Equal) || parser.mark() == mark) {
    return;
  }
  report_foreign(parser, range_here(parser), "`=` assigns; values are compared with `==`", "==");
  parser.set_field_before(parser.mark(), Field::Left);
  parser.bump_as(NodeKind::EqualEqual, Field::Operator);
  parse_into(parser, Field::Right, parse_expression);
  parser.finish(NodeKind::BinaryExpression, mark);
}

/// `a` behind `not`, which was taken for a name.
static void parse_not(Parser& parser, Parser::Mark mark, uint32_t begin) {
  parser.finish(NodeKind::Error, mark);
  const uint32_t first = parser.current().begin;
  parse_into(parser, Field::Value, parse_any_expression);
  const std::string operand = operand_text(parser, {first, parser.previous_end()});
  report_foreign(parser, {begin, parser.previous_end()}, "`not` is written `!`", "!" + operand);
  parser.finish(NodeKind::ParenthesizedExpression, mark);
}

void parse_word_operator(Parser& parser, Parser::Mark mark, uint32_t begin) {
  const bool is_not = parser.text(TextRange{begin, parser.previous_end()}) == "not";
  if (is_not && !parser.current().newline_before) {
    parse_not(parser, mark, begin);
    return;
  }
  const bool is_and = at_text(parser, "and");
  if ((!is_and && !at_text(parser, "or")) || parser.mark() == mark ||
      parser.current().newline_before) {
    return;
  }
  const std::string_view ours = is_and ? "&&" : "||";
  report_foreign(parser, range_here(parser),
                 fmt::format("`{}` is written `{}`", parser.text(parser.current()), ours),
                 std::string(ours));
  parser.set_field_before(parser.mark(), Field::Left);
  parser.bump_as(is_and ? NodeKind::AmpAmp : NodeKind::PipePipe, Field::Operator);
  parse_into(parser, Field::Right, parse_any_expression);
  parser.finish(NodeKind::BinaryExpression, mark);
}

void parse_question_mark(Parser& parser, Parser::Mark mark, uint32_t begin) {
  if (!parser.at(NodeKind::Hole) || parser.mark() == mark || parser.current().newline_before) {
    return;
  }
  const Parser::Checkpoint before = parser.checkpoint();
  const TextRange condition{begin, parser.previous_end()};
  parser.set_field_before(parser.mark(), Field::Condition);
  drop(parser);
  const uint32_t first = parser.current().begin;
  parse_into(parser, Field::Consequence, parse_expression);
  const TextRange consequence{first, parser.previous_end()};
  if (!parser.at(NodeKind::Colon)) {
    parser.rewind(before);
    return;
  }
  drop(parser);
  const uint32_t second = parser.current().begin;
  parse_into(parser, Field::Alternative, parse_any_expression);
  const TextRange alternative{second, parser.previous_end()};
  report_foreign(parser, {begin, parser.previous_end()}, "`c ? a : b` is written `a if c else b`",
                 fmt::format("{} if {} else {}", parser.text(consequence), parser.text(condition),
                             parser.text(alternative)));
  parser.finish(NodeKind::ConditionalExpression, mark);
}

// ---- choices ----

/// What a block yields, if that is all there is in it.
static auto only_value(const Parser& parser, TextRange block) -> std::string_view {
  std::string_view inside = parser.text(TextRange{block.begin + 1, block.end - 1});
  const size_t first = inside.find_first_not_of(" \t\r\n");
  const size_t last = inside.find_last_not_of(" \t\r\n");
  const bool is_value = first != std::string_view::npos &&
                        inside.find_first_of(";{}") == std::string_view::npos &&
                        inside.find("//") == std::string_view::npos;
  return is_value ? inside.substr(first, last - first + 1) : std::string_view();
}

/// Is what ended last, and began at `begin`, a whole expression? A choice beside an operator needs
/// parentheses.
static auto is_alone(const Parser& parser, uint32_t begin) -> bool {
  static constexpr KindSet kEnds = {NodeKind::RightBrace, NodeKind::RightParen, NodeKind::Comma,
                                    NodeKind::RightBracket, NodeKind::Semicolon};
  const std::string_view before = parser.text(TextRange{0, begin});
  const size_t last = before.find_last_not_of(" \t\r\n");
  return at_any(parser, kEnds) && last != std::string_view::npos &&
         std::string_view("{([=,:").find(before[last]) != std::string_view::npos;
}

void parse_if_as_operand(Parser& parser) {
  Parser::Nesting nesting(parser);
  const auto mark = parser.mark();
  const uint32_t begin = parser.current().begin;
  bump(parser);
  const uint32_t condition = parser.current().begin;
  parse_into(parser, Field::Condition, parse_any_expression);
  const TextRange choice{condition, parser.previous_end()};
  uint32_t block = parser.current().begin;
  parse_into(parser, Field::Consequence, parse_block);
  const TextRange first{block, parser.previous_end()};
  TextRange second;
  if (eat(parser, NodeKind::KwElse)) {
    block = parser.current().begin;
    const auto alternative = parser.mark();
    if (parser.at(NodeKind::KwIf)) {
      parse_if(parser);
    } else {
      parse_block(parser);
      second = {block, parser.previous_end()};
    }
    parser.set_field(alternative, Field::Alternative);
  }
  const TextRange whole{begin, parser.previous_end()};
  static constexpr std::string_view kMessage =
      "a choice inside of an expression is written `a if c else b`";
  const bool has_blocks = first.length() > 1 && second.length() > 1;
  const std::string_view yes = has_blocks ? only_value(parser, first) : std::string_view();
  const std::string_view no = has_blocks ? only_value(parser, second) : std::string_view();
  if (!yes.empty() && !no.empty()) {
    const std::string text = fmt::format("{} if {} else {}", yes, parser.text(choice), no);
    report_foreign(parser, whole, std::string(kMessage),
                   is_alone(parser, begin) ? text : fmt::format("({})", text));
  } else {
    parser.error(DiagnosticCode::T0001, {begin, begin + 2}, std::string(kMessage));
  }
  parser.finish(NodeKind::IfExpression, mark);
}

void parse_body_without_braces(Parser& parser, void (*statement)(Parser&)) {
  const auto mark = parser.mark();
  const uint32_t colon = parser.current().begin;
  const bool has_colon = parser.at(NodeKind::Colon);
  if (has_colon) {
    drop(parser);
  }
  const uint32_t begin = parser.current().begin;
  if (parser.current().newline_before) {
    parser.error(DiagnosticCode::T0001, {colon, colon + 1},
                 "a block is written in braces: `{ … }`");
    return;
  }
  statement(parser);
  const std::string text = fmt::format("{}{{ {} }}", has_colon ? " " : "",
                                       parser.text(TextRange{begin, parser.previous_end()}));
  report_foreign(parser, {colon, parser.previous_end()}, "a block is written in braces: `{ … }`",
                 text);
  parser.finish(NodeKind::Block, mark);
}

auto at_else_if(const Parser& parser) -> bool {
  return at_text(parser, "elif") || at_text(parser, "elsif") || at_text(parser, "elseif");
}

void parse_else_if(Parser& parser) {
  report_foreign(parser, range_here(parser),
                 fmt::format("`{}` is written `else if`", parser.text(parser.current())),
                 "else if");
  parse_if(parser);
}

// ---- conversions and results ----

void parse_increment_in_front(Parser& parser) {
  const auto mark = parser.mark();
  const uint32_t begin = parser.current().begin;
  drop(parser);
  const uint32_t first = parser.current().begin;
  parse_into(parser, Field::Target, parse_postfix);
  const std::string target(parser.text(TextRange{first, parser.previous_end()}));
  report_foreign(parser, {begin, parser.previous_end()},
                 fmt::format("`++{0}` is written `{0} = {0} + 1`", target),
                 fmt::format("{0} = {0} + 1", target));
  end_statement(parser);
  parser.finish(NodeKind::AssignmentStatement, mark);
}

void parse_conversion(Parser& parser) {
  const auto mark = parser.mark();
  const uint32_t begin = parser.current().begin;
  parse_into(parser, Field::Type, parse_type);
  const std::string type(parser.text(TextRange{begin, parser.previous_end()}));
  drop(parser);
  const uint32_t first = parser.current().begin;
  parse_into(parser, Field::Value, parse_any_expression);
  const std::string value = operand_text(parser, {first, parser.previous_end()});
  if (!parser.at(NodeKind::RightParen) || parser.previous_end() < first) {
    parser.expect(NodeKind::RightParen, Field::None, first - 1);
  } else {
    drop(parser);
    report_foreign(parser, {begin, parser.previous_end()},
                   fmt::format("conversions are written `e as {}`", type),
                   is_alone(parser, begin) ? fmt::format("{} as {}", value, type)
                                           : fmt::format("({} as {})", value, type));
  }
  parser.finish(NodeKind::CastExpression, mark);
}

void parse_results_without_parentheses(Parser& parser, Parser::Mark mark, uint32_t begin) {
  if (!parser.at(NodeKind::Comma) || parser.mark() == mark) {
    return;
  }
  parser.set_field(mark, Field::Element);
  while (eat(parser, NodeKind::Comma) && at_expression(parser)) {
    parse_into(parser, Field::Element, parse_any_expression);
  }
  const TextRange whole{begin, parser.previous_end()};
  report_foreign(parser, whole, "several results are returned in parentheses: `return (a, b);`",
                 fmt::format("({})", parser.text(whole)));
  parser.finish(NodeKind::TupleExpression, mark);
}

}  // namespace tacet::syntax
