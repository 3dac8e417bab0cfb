#include "compiler/core/syntax/parser_state.h"

namespace tacet::syntax {

static void parse_input_declaration(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  parser.expect_name(Field::Name, "the input's name");
  parser.expect(NodeKind::Colon);
  auto shape = parser.mark();
  uint32_t opened = parser.current().begin;
  if (parser.expect(NodeKind::LeftBracket)) {
    if (parser.at(NodeKind::RightBracket)) {
      parser.error_expected("the array's length");
    }
    parse_list(
        parser, NodeKind::RightBracket, "the array's length", [&] { return at_size(parser); },
        [&] { parse_into(parser, Field::Extent, parse_size); });
    parser.expect(NodeKind::RightBracket, Field::None, opened);
    parser.finish(NodeKind::ArrayShape, shape);
    parser.set_field(shape, Field::Shape);
  }
  if (parser.expect(NodeKind::KwFrom)) {
    parser.expect_name(Field::Owner, "`client` or `server`");
  }
  parser.finish(NodeKind::InputDeclaration, mark);
}

void parse_array_program_unit(Parser& parser) {
  if (parser.at(NodeKind::KwInput)) {
    parse_input_declaration(parser);
    return;
  }
  auto mark = parser.mark();
  parse_any_expression(parser);
  parser.set_field(mark, Field::Body);
  if (!parser.at(NodeKind::EndOfFile)) {
    parser.error_expected("an operator or the end of the program");
    auto rest = parser.mark();
    while (!parser.at(NodeKind::EndOfFile)) {
      bump(parser);
    }
    if (parser.mark() > rest) {
      parser.finish(NodeKind::Error, rest);
    }
  }
}

}  // namespace tacet::syntax
