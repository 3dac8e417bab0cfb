#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/parser_state.h"

namespace tacet::syntax {

namespace {

constexpr KindSet kSizeStops = {NodeKind::RightBracket, NodeKind::Comma, NodeKind::Semicolon,
                                NodeKind::RightParen, NodeKind::LeftBrace};

auto size_level(NodeKind kind) -> int {
  static constexpr KindSet kSums = {NodeKind::Plus, NodeKind::Minus};
  static constexpr KindSet kProducts = {NodeKind::Star, NodeKind::Slash, NodeKind::Percent};
  return kSums.has(kind) ? 1 : kProducts.has(kind) ? 2 : 0;
}

}  // namespace

auto at_size(const Parser& parser) -> bool {
  return parser.at(NodeKind::Integer) || parser.at_name() || parser.at(NodeKind::LeftParen);
}

static void parse_size_level(Parser& parser, int lowest);

static void parse_size_atom(Parser& parser) {
  if (parser.at(NodeKind::Integer)) {
    bump(parser);
  } else if (parser.at_name()) {
    parser.bump_as(NodeKind::Identifier);
  } else if (parser.at(NodeKind::LeftParen)) {
    Parser::Nesting nesting(parser);
    if (!parser.may_nest()) {
      parser.skip_until(kSizeStops);
      return;
    }
    auto mark = parser.mark();
    const uint32_t opened = parser.current().begin;
    bump(parser);
    parse_into(parser, Field::Value, parse_size);
    parser.expect(NodeKind::RightParen, Field::None, opened);
    parser.finish(NodeKind::ParenthesizedExpression, mark);
  } else {
    parser.error_expected("a length (a number, a constant or a size parameter)");
  }
}

static void parse_size_level(Parser& parser, int lowest) {
  auto mark = parser.mark();
  parse_size_atom(parser);
  while (parser.mark() > mark) {
    const int level = size_level(parser.kind());
    if (level == 0 || level < lowest) {
      return;
    }
    if (!parser.may_wrap()) {
      parser.skip_until(kSizeStops);
      return;
    }
    parser.set_field_before(parser.mark(), Field::Left);
    bump(parser, Field::Operator);
    auto right = parser.mark();
    parse_size_level(parser, level + 1);
    parser.set_field(right, Field::Right);
    parser.finish(NodeKind::BinaryExpression, mark);
  }
}

void parse_size(Parser& parser) {
  parse_size_level(parser, 1);
}

/// `number`, `i64 | fxp`
static void parse_type_bound(Parser& parser) {
  do {
    if (at_primitive_type(parser)) {
      parse_into(parser, Field::Bound, parse_type);
    } else {
      parser.expect_name(Field::Bound, "`number`, `integer`, or types such as `i64 | fxp`");
    }
  } while (eat(parser, NodeKind::Pipe));
}

void parse_size_parameters(Parser& parser) {
  if (!parser.at(NodeKind::Quote)) {
    return;
  }
  bump(parser);
  auto mark = parser.mark();
  const uint32_t opened = parser.current().begin;
  if (!parser.expect(NodeKind::Less)) {
    return;
  }
  if (parser.at(NodeKind::Greater)) {
    parser.error_expected("the name of a size, such as `n`");
  }
  parse_list(
      parser, NodeKind::Greater, "the name of a size", [&] { return parser.at_name(); },
      [&] {
        auto parameter = parser.mark();
        parser.bump_as(NodeKind::Identifier, Field::Name);
        const bool is_type = eat(parser, NodeKind::Colon);
        if (is_type) {
          parse_type_bound(parser);
        }
        parser.finish(is_type ? NodeKind::TypeParameter : NodeKind::SizeParameter, parameter);
      });
  parser.expect_greater(opened);
  parser.finish(NodeKind::SizeParameters, mark);
  parser.set_field(mark, Field::Sizes);
}

void refuse_size_parameters(Parser& parser, std::string_view what) {
  if (!parser.at(NodeKind::Quote) || parser.peek() != NodeKind::Less) {
    return;
  }
  auto wrong = parser.mark();
  const uint32_t begin = parser.current().begin;
  parse_size_parameters(parser);
  parser.finish(NodeKind::Error, wrong);
  parser.error(
      DiagnosticCode::T0001, {begin, parser.previous_end()},
      fmt::format("{} has no size or type parameters; `fn(he)`, `fn(mpc)` and `val` have them",
                  what));
}

void parse_where(Parser& parser) {
  if (!parser.at(NodeKind::KwWhere)) {
    return;
  }
  auto mark = parser.mark();
  bump(parser);
  do {
    if (!at_expression(parser)) {
      parser.error_expected("a constraint on sizes, such as `n >= k`");
      break;
    }
    parse_into(parser, Field::Condition, parse_expression);
  } while (eat(parser, NodeKind::Comma));
  parser.finish(NodeKind::WhereClause, mark);
  parser.set_field(mark, Field::Constraints);
}

}  // namespace tacet::syntax
