#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/foreign.h"

// Declarations as in C, Python and Rust, see parse_foreign.cpp.

namespace tacet::syntax {

auto at_mut(Parser& parser) -> bool {
  static constexpr std::string_view kMut = " mut ";
  const uint32_t end = parser.current().end;
  return parser.text(TextRange{end, end + static_cast<uint32_t>(kMut.size())}) == kMut &&
         is_name(parser.peek(2));
}

void parse_mut(Parser& parser, TextRange word) {
  const TextRange range{word.begin, parser.current().end};
  drop(parser);
  report_foreign(parser, range, "a variable that changes is declared with `var`", "var");
}

/// What the type of another language is here.
static auto type_for(std::string_view word) -> std::string_view {
  static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"int", "i64"},    {"long", "i64"},  {"short", "i16"},  {"unsigned", "u64"}, {"char", "i8"},
      {"size_t", "u64"}, {"float", "fxp"}, {"double", "fxp"}, {"auto", "auto"},
  };
  for (const auto& [theirs, ours] : kTypes) {
    if (theirs == word) {
      return ours;
    }
  }
  return {};
}

auto parse_declaration_by_type(Parser& parser) -> bool {
  if (!parser.at_name() || !is_name(parser.peek())) {
    return false;
  }
  const std::string_view type = type_for(parser.text(parser.current()));
  const NodeKind behind = parser.peek(2);
  if (type.empty() || (behind != NodeKind::Equal && behind != NodeKind::Semicolon)) {
    return false;
  }
  const auto mark = parser.mark();
  const uint32_t begin = parser.current().begin;
  drop(parser);
  const TextRange whole{begin, parser.current().end};
  const std::string name(parser.text(parser.current()));
  const std::string ours =
      type == "auto" ? fmt::format("var {}", name) : fmt::format("var {}: {}", name, type);
  const auto binding = parser.mark();
  parser.bump_as(NodeKind::Identifier, Field::Name);
  parser.finish(NodeKind::Binding, binding);
  report_foreign(parser, whole,
                 fmt::format("variables are declared with `let` or `var`: `{}`", ours), ours,
                 Applicability::Unsafe);
  if (eat(parser, NodeKind::Equal)) {
    parse_into(parser, Field::Value, parse_tail_value);
  }
  end_statement(parser);
  parser.finish(NodeKind::VarStatement, mark);
  return true;
}

void parse_names_in_parentheses(Parser& parser) {
  const uint32_t opened = parser.current().begin;
  drop(parser);
  const uint32_t begin = parser.current().begin;
  parse_list(
      parser, NodeKind::RightParen, "a name",
      [&] { return parser.at_name() || parser.at(NodeKind::Wildcard); },
      [&] { parse_binding(parser); });
  if (!parser.at(NodeKind::RightParen)) {
    parser.expect(NodeKind::RightParen, Field::None, opened);
    return;
  }
  const std::string names(parser.text(TextRange{begin, parser.previous_end()}));
  const TextRange whole{opened, parser.current().end};
  drop(parser);
  report_foreign(parser, whole, "several names are bound without parentheses: `let a, b = …`",
                 names);
}

void parse_extents_behind_type(Parser& parser, uint32_t begin) {
  if (!parser.at(NodeKind::LeftBracket) || parser.current().newline_before) {
    return;
  }
  const std::string element(parser.text(TextRange{begin, parser.previous_end()}));
  const auto mark = parser.mark();
  const uint32_t opened = parser.current().begin;
  bump(parser);
  const uint32_t first = parser.current().begin;
  if (at_expression(parser)) {
    parse_any_expression(parser);
  }
  const std::string extent(parser.text(TextRange{first, parser.previous_end()}));
  parser.expect(NodeKind::RightBracket, Field::None, opened);
  parser.finish(NodeKind::Error, mark);
  if (extent.empty()) {
    parser.error(DiagnosticCode::T0001, {begin, parser.previous_end()},
                 "array types are written `[T; n]`");
    return;
  }
  report_foreign(parser, {begin, parser.previous_end()}, "array types are written `[T; n]`",
                 fmt::format("[{}; {}]", element, extent));
}

}  // namespace tacet::syntax
