#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/parser_state.h"

namespace tacet::syntax {

static void parse_definition(Parser& parser) {
  auto mark = parser.mark();
  parse_list(
      parser, NodeKind::ColonMinus, "a name", [&] { return parser.at_name(); },
      [&] {
        auto binding = parser.mark();
        parser.bump_as(NodeKind::Identifier, Field::Name);
        if (eat(parser, NodeKind::Colon)) {
          parse_into(parser, Field::Type, parse_type);
        }
        refuse_flags_and_tags(parser);
        parser.finish(NodeKind::SpecBinding, binding);
      });
  if (parser.at(NodeKind::Equal)) {
    TextRange range{parser.current().begin, parser.current().end};
    if (SyntaxError* report = parser.error_expected("`:-` to define a node")) {
      report->fixes.push_back({"write `:-`", Applicability::Safe, {{range, ":-"}}});
    }
    auto wrong = parser.mark();
    bump(parser);
    parser.finish(NodeKind::Error, wrong);
  } else {
    parser.expect(NodeKind::ColonMinus);
  }
  parse_into(parser, Field::Value, parse_any_expression);
  parser.finish(NodeKind::Definition, mark);
}

void parse_spec_block(Parser& parser) {
  auto mark = parser.mark();
  uint32_t opened = parser.current().begin;
  if (!parser.expect(NodeKind::LeftBrace)) {
    return;
  }
  while (!parser.at(NodeKind::RightBrace) && !parser.at(NodeKind::EndOfFile) &&
         !parser.at_item_word()) {
    uint32_t before = parser.current().begin;
    if (parser.at(NodeKind::KwReturns)) {
      auto statement = parser.mark();
      bump(parser);
      parse_into(parser, Field::Value, parse_any_expression);
      parser.finish(NodeKind::ReturnsStatement, statement);
    } else if (parser.at_name() || parser.at(NodeKind::ColonMinus)) {
      parse_definition(parser);
    } else if (parser.at(NodeKind::Semicolon)) {
      auto wrong = parser.mark();
      if (SyntaxError* report =
              parser.error(DiagnosticCode::T0012, {before, before + 1},
                           "definitions in a specification do not end with `;`")) {
        report->fixes.push_back({"remove `;`", Applicability::Safe, {{{before, before + 1}, ""}}});
      }
      bump(parser);
      parser.finish(NodeKind::Error, wrong);
    } else {
      parser.error_expected("a definition such as `x :- a + b`, or `returns`");
    }
    if (parser.current().begin == before || parser.is_silent()) {
      parser.skip_in_statement({NodeKind::RightBrace, NodeKind::KwReturns});
      if (parser.current().begin == before) {
        auto stuck = parser.mark();
        bump(parser);
        parser.finish(NodeKind::Error, stuck);
      }
    }
  }
  parser.expect(NodeKind::RightBrace, Field::None, opened);
  parser.finish(NodeKind::SpecBlock, mark);
}

}  // namespace tacet::syntax
