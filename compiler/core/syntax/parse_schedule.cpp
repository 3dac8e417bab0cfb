#include "compiler/core/syntax/parser_state.h"

namespace tacet::syntax {

static void parse_schedule_dimension(Parser& parser, bool exploded) {
  auto mark = parser.mark();
  bump(parser, Field::Dimension);
  if (exploded && eat(parser, NodeKind::KwAs)) {
    parser.expect_name(Field::Name, "the exploded dimension's name");
  }
  parser.expect(NodeKind::Colon);
  if (!eat(parser, NodeKind::Integer, Field::Extent)) {
    parser.error_expected("the dimension's extent");
  }
  if (eat(parser, NodeKind::ColonColon) && !eat(parser, NodeKind::Integer, Field::Stride)) {
    parser.error_expected("the dimension's stride");
  }
  parser.finish(exploded ? NodeKind::ExplodedDimension : NodeKind::VectorizedDimension, mark);
}

static void parse_schedule_dimensions(Parser& parser, bool exploded) {
  auto mark = parser.mark();
  uint32_t opened = parser.current().begin;
  NodeKind close = exploded ? NodeKind::RightBrace : NodeKind::RightBracket;
  bump(parser);
  parse_list(
      parser, close, "a dimension's number", [&] { return parser.at(NodeKind::Integer); },
      [&] { parse_schedule_dimension(parser, exploded); });
  parser.expect(close, Field::None, opened);
  parser.finish(exploded ? NodeKind::ExplodedDimensions : NodeKind::VectorizedDimensions, mark);
  parser.set_field(mark, exploded ? Field::Exploded : Field::Vectorized);
}

static void parse_layout(Parser& parser) {
  auto mark = parser.mark();
  if (parser.at_name()) {
    auto preprocessing = parser.mark();
    parser.bump_as(NodeKind::Identifier, Field::Name);
    if (parser.at(NodeKind::LeftParen)) {
      uint32_t opened = parser.current().begin;
      bump(parser);
      parse_list(
          parser, NodeKind::RightParen, "a dimension's number",
          [&] { return parser.at(NodeKind::Integer); }, [&] { bump(parser, Field::Argument); });
      parser.expect(NodeKind::RightParen, Field::None, opened);
    }
    parser.finish(NodeKind::Preprocessing, preprocessing);
    parser.set_field(preprocessing, Field::Preprocessing);
  }
  bool any = false;
  if (parser.at(NodeKind::LeftBrace)) {
    parse_schedule_dimensions(parser, true);
    any = true;
  }
  if (parser.at(NodeKind::LeftBracket)) {
    parse_schedule_dimensions(parser, false);
    any = true;
  }
  if (!any) {
    parser.error_expected("a layout: `{exploded dimensions}[vectorized dimensions]`");
  }
  parser.finish(NodeKind::Layout, mark);
  parser.set_field(mark, Field::Layout);
}

void parse_schedule(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  if (parser.at(NodeKind::Hole)) {
    parser.bump_as(NodeKind::Hole);
    parser.finish(NodeKind::OpenSchedule, mark);
    return;
  }
  uint32_t opened = parser.current().begin;
  parser.expect(NodeKind::LeftBrace);
  while (parser.at_name()) {
    auto entry = parser.mark();
    parser.bump_as(NodeKind::Identifier, Field::Site);
    parser.expect(NodeKind::Colon);
    parse_layout(parser);
    eat(parser, NodeKind::Comma);
    parser.finish(NodeKind::ScheduleEntry, entry);
  }
  if (!parser.at(NodeKind::RightBrace)) {
    parser.error_expected("an array's name or `}`");
    parser.skip_until({NodeKind::RightBrace});
  }
  parser.expect(NodeKind::RightBrace, Field::None, opened);
  parser.finish(NodeKind::Schedule, mark);
  parser.set_field(mark, Field::Schedule);
}

}  // namespace tacet::syntax
