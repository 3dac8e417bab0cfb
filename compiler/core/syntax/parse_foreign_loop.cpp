#include <fmt/format.h>

#include <optional>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/foreign.h"

// Loops as in C, Python and Rust, see parse_foreign.cpp.

namespace tacet::syntax {

/// `in lo..hi`, with parentheses that Tacet does not have around all of it.
static void parse_range_in_parentheses(Parser& parser) {
  const auto mark = parser.mark();
  bump(parser);
  const TextRange open = range_here(parser);
  drop(parser);
  parse_range_of_loop(parser);
  const TextRange close = range_here(parser);
  if (parser.at(NodeKind::RightParen)) {
    drop(parser);
    if (SyntaxError* error = parser.error(DiagnosticCode::T0001, {open.begin, close.end},
                                          "the range of a loop has no parentheses")) {
      error->fixes.push_back(
          {"remove the parentheses", Applicability::Safe, {{open, ""}, {close, ""}}});
    }
  } else {
    parser.expect(NodeKind::RightParen, Field::None, open.begin);
  }
  parse_into(parser, Field::Body, parse_block);
  parser.finish(NodeKind::ForStatement, mark);
}

/// Text without white space.
static auto squeezed(std::string_view text) -> std::string {
  std::string out;
  for (const char c : text) {
    if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) {
      out += c;
    }
  }
  return out;
}

/// The step of `i++`, `i += 2` or `i = i + 2`, as Tacet writes it: ` step 2`. None if it is
/// something else.
static auto step_text(std::string_view text, std::string_view name) -> std::optional<std::string> {
  const std::string step = squeezed(text);
  if (step == fmt::format("{}++", name) || step == fmt::format("++{}", name)) {
    return "";
  }
  for (const std::string& before : {fmt::format("{}+=", name), fmt::format("{0}={0}+", name)}) {
    if (step.starts_with(before)) {
      const std::string by = step.substr(before.size());
      return by == "1" ? "" : fmt::format(" step {}", by);
    }
  }
  return std::nullopt;
}

/// The parts of `int i = 0; i < n; i++`.
struct Header {
  std::string name, lower, upper;
  bool includes_upper = false;
  bool counts_down = false;
  std::string step;
};

/// Takes `; i <`; false if something else follows.
static auto take_comparison(Parser& parser, Header& header) -> bool {
  const auto mark = parser.mark();
  bump(parser);
  if (!at_text(parser, header.name)) {
    return false;
  }
  bump(parser);
  header.includes_upper = parser.at(NodeKind::LessEqual);
  header.counts_down = at_any(parser, {NodeKind::Greater, NodeKind::GreaterEqual});
  if (!header.counts_down &&
      !at_any(parser, {NodeKind::Less, NodeKind::LessEqual, NodeKind::NotEqual})) {
    return false;
  }
  bump(parser);
  parser.finish(NodeKind::Error, mark);
  return true;
}

/// Takes `; i++)`.
static auto take_step(Parser& parser, Header& header) -> bool {
  const auto mark = parser.mark();
  bump(parser);
  const uint32_t begin = parser.current().begin;
  while (!at_any(parser, {NodeKind::RightParen, NodeKind::LeftBrace, NodeKind::Semicolon,
                          NodeKind::EndOfFile})) {
    bump(parser);
  }
  header.step = parser.text(TextRange{begin, parser.previous_end()});
  if (!parser.at(NodeKind::RightParen)) {
    return false;
  }
  bump(parser);
  parser.finish(NodeKind::Error, mark);
  return true;
}

/// Takes `(int i = 0; i < n; i++)`; false where something else stands.
static auto take_header(Parser& parser, Header& header) -> bool {
  const auto words = parser.mark();
  bump(parser);
  while (at_word(parser) && (is_name(parser.peek()) || is_reserved_word(parser.peek()))) {
    bump(parser);
  }
  parser.finish(NodeKind::Error, words);
  if (!parser.at_name() || parser.peek() != NodeKind::Equal) {
    return false;
  }
  header.name = parser.text(parser.current());
  parser.bump_as(NodeKind::Identifier, Field::Variable);
  drop(parser);
  uint32_t begin = parser.current().begin;
  parse_into(parser, Field::Lower, parse_expression);
  header.lower = parser.text(TextRange{begin, parser.previous_end()});
  if (header.lower.empty() || !parser.at(NodeKind::Semicolon) || !take_comparison(parser, header)) {
    return false;
  }
  begin = parser.current().begin;
  parse_into(parser, Field::Upper, parse_expression);
  if (parser.previous_end() < begin) {
    return false;
  }
  header.upper = operand_text(parser, {begin, parser.previous_end()});
  return parser.at(NodeKind::Semicolon) && take_step(parser, header);
}

/// `for (int i = 0; i < n; i++) { … }`; nothing is taken if something else follows.
static auto parse_three_part_loop(Parser& parser) -> bool {
  const Parser::Checkpoint before = parser.checkpoint();
  const auto mark = parser.mark();
  bump(parser);
  const uint32_t begin = parser.current().begin;
  Header header;
  if (!take_header(parser, header)) {
    parser.rewind(before);
    return false;
  }
  const TextRange whole{begin, parser.previous_end()};
  const std::string range = fmt::format("{} in {}..{}{}", header.name, header.lower, header.upper,
                                        header.includes_upper ? " + 1" : "");
  const auto step = step_text(header.step, header.name);
  if (header.counts_down) {
    parser.error(DiagnosticCode::T0001, whole,
                 fmt::format("loops count up over a range: `for {} in lo..hi`", header.name));
  } else if (step) {
    report_foreign(parser, whole, fmt::format("loops count over a range: `for {}{}`", range, *step),
                   range + *step);
  } else {
    parser.error(DiagnosticCode::T0001, whole,
                 fmt::format("loops count over a range: `for {} step s`", range));
  }
  parse_into(parser, Field::Body, parse_block);
  parser.finish(NodeKind::ForStatement, mark);
  return true;
}

auto parse_foreign_loop(Parser& parser) -> bool {
  if (!parser.at(NodeKind::KwFor) || parser.peek() != NodeKind::LeftParen) {
    return false;
  }
  if (is_name(parser.peek(2)) && parser.peek(3) == NodeKind::KwIn) {
    parse_range_in_parentheses(parser);
    return true;
  }
  return parse_three_part_loop(parser);
}

auto parse_range_call(Parser& parser) -> bool {
  if (!at_text(parser, "range") || parser.peek() != NodeKind::LeftParen) {
    return false;
  }
  const uint32_t begin = parser.current().begin;
  const auto mark = parser.mark();
  bump(parser);
  bump(parser);
  parser.finish(NodeKind::Error, mark);
  std::vector<std::string> parts;
  bool has_all = true;
  static constexpr Field kFields[] = {Field::Lower, Field::Upper, Field::Step};
  const auto first = parser.mark();
  do {
    const uint32_t part = parser.current().begin;
    parse_into(parser, kFields[parts.size()], parse_expression);
    has_all = has_all && part < parser.previous_end();
    parts.push_back(operand_text(parser, {part, parser.previous_end()}));
    if (parser.at(NodeKind::Comma)) {
      drop(parser);
    }
  } while (parts.size() < 3 && at_expression(parser));
  if (parts.size() == 1) {
    parser.set_field(first, Field::Upper);
    parts.insert(parts.begin(), "0");
  }
  if (!parser.at(NodeKind::RightParen)) {
    parser.expect(NodeKind::RightParen, Field::None, begin);
    return true;
  }
  drop(parser);
  if (!has_all) {
    return true;
  }
  const std::string step = parts.size() > 2 ? " step " + parts[2] : "";
  const std::string text = fmt::format("{}..{}{}", parts[0], parts[1], step);
  report_foreign(parser, {begin, parser.previous_end()},
                 fmt::format("the range of a loop is written `{}`", text), text);
  return true;
}

}  // namespace tacet::syntax
