#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/parser_state.h"

namespace tacet::syntax {

namespace {

constexpr KindSet kPrimitives = {NodeKind::KwBool,    NodeKind::KwI8,     NodeKind::KwI16,
                                 NodeKind::KwI32,     NodeKind::KwI64,    NodeKind::KwU8,
                                 NodeKind::KwU16,     NodeKind::KwU32,    NodeKind::KwU64,
                                 NodeKind::KwF32,     NodeKind::KwF64,    NodeKind::KwFxp,
                                 NodeKind::KwEvent,   NodeKind::KwFence,  NodeKind::KwBufferSpace,
                                 NodeKind::KwEncoder, NodeKind::KwFuture, NodeKind::KwRngState};

constexpr KindSet kVisibilities = {NodeKind::KwPublic, NodeKind::KwSecret};

constexpr KindSet kTypeStops = {NodeKind::Comma,        NodeKind::Semicolon, NodeKind::Equal,
                                NodeKind::RightParen,   NodeKind::LeftBrace, NodeKind::RightBrace,
                                NodeKind::RightBracket, NodeKind::At,        NodeKind::Arrow};

}  // namespace

auto at_type(const Parser& parser) -> bool {
  return parser.at_name() || at_any(parser, kPrimitives) ||
         at_any(parser,
                {NodeKind::LeftBracket, NodeKind::Amp, NodeKind::AmpAmp, NodeKind::LeftBrace});
}

auto at_primitive_type(const Parser& parser) -> bool {
  return at_any(parser, kPrimitives);
}

void parse_visibility(Parser& parser, Field field) {
  parser.bump_as(NodeKind::Visibility, field);
}

static void parse_primitive(Parser& parser) {
  auto mark = parser.mark();
  if (!parser.at(NodeKind::KwFxp)) {
    parser.bump_as(NodeKind::PrimitiveType);
    return;
  }
  auto before = parser.checkpoint();
  bump(parser);
  if (parser.at(NodeKind::Less) && starts_right_behind_previous(parser)) {
    uint32_t opened = parser.current().begin;
    bump(parser);
    if (!eat(parser, NodeKind::Integer, Field::FractionBits)) {
      parser.error_expected("the number of fraction bits");
    }
    parser.expect_greater(opened);
    parser.finish(NodeKind::PrimitiveType, mark);
    return;
  }
  parser.rewind(before);
  parser.bump_as(NodeKind::PrimitiveType);
}

static void parse_array_type(Parser& parser) {
  auto mark = parser.mark();
  uint32_t opened = parser.current().begin;
  bump(parser);
  parse_into(parser, Field::Element, parse_type);
  bool is_array = eat(parser, NodeKind::Semicolon);
  if (is_array) {
    const auto at_extent = [&] { return at_size(parser); };
    if (!at_extent()) {
      parser.error_expected("the array's length (a number or a constant)");
      parser.skip_until({NodeKind::RightBracket, NodeKind::Comma, NodeKind::Semicolon});
    }
    parse_list(parser, NodeKind::RightBracket, "the array's length", at_extent,
               [&] { parse_into(parser, Field::Extent, parse_size); });
  }
  parser.expect(NodeKind::RightBracket, Field::None, opened);
  parser.finish(is_array ? NodeKind::ArrayType : NodeKind::SliceType, mark);
}

static void parse_record_type(Parser& parser) {
  auto mark = parser.mark();
  uint32_t opened = parser.current().begin;
  bump(parser);
  parse_list(
      parser, NodeKind::RightBrace, "a field's name", [&] { return parser.at_name(); },
      [&] {
        auto field = parser.mark();
        parser.bump_as(NodeKind::Identifier, Field::Name);
        parser.expect(NodeKind::Colon);
        parse_into(parser, Field::Type, parse_flagged_type);
        parser.finish(NodeKind::RecordField, field);
      });
  parser.expect(NodeKind::RightBrace, Field::None, opened);
  parser.finish(NodeKind::RecordType, mark);
}

void parse_type(Parser& parser) {
  Parser::Nesting nesting(parser);
  auto mark = parser.mark();
  const uint32_t begin = parser.current().begin;
  if (!at_type(parser)) {
    // Several results have a tuple of types, nothing else has.
    parser.error_expected_next(parser.at(NodeKind::LeftParen)
                                   ? "a type (for several values, a record `{ a: T, b: U }`)"
                                   : "a type");
    return;
  }
  if (!parser.may_nest()) {
    parser.skip_until(kTypeStops);
    return;
  }
  if (at_any(parser, kVisibilities)) {
    parse_visibility(parser, Field::Visibility);
    parse_into(parser, Field::Type, parse_type);
    parser.finish(NodeKind::VisibleType, mark);
  } else if (at_any(parser, kPrimitives)) {
    parse_primitive(parser);
    parse_extents_behind_type(parser, begin);
  } else if (parser.at(NodeKind::LeftBracket)) {
    parse_array_type(parser);
  } else if (at_any(parser, {NodeKind::Amp, NodeKind::AmpAmp})) {
    parser.split(NodeKind::Amp, 1);
    bump(parser);
    parse_into(parser, Field::Referent, parse_type);
    parser.finish(NodeKind::ReferenceType, mark);
  } else if (parser.at(NodeKind::LeftBrace)) {
    parse_record_type(parser);
  } else {
    parser.bump_as(NodeKind::Identifier, Field::Name);
    parser.finish(NodeKind::NamedType, mark);
    parse_extents_behind_type(parser, begin);
  }
}

static void parse_flags(Parser& parser) {
  auto mark = parser.mark();
  uint32_t opened = parser.current().begin;
  bump(parser);
  parse_list(
      parser, NodeKind::Greater, "a flag", [&] { return parser.at_name(); },
      [&] {
        auto flag = parser.mark();
        parser.bump_as(NodeKind::Identifier, Field::Name);
        if (eat(parser, NodeKind::Equal)) {
          if (at_any(parser, {NodeKind::Integer, NodeKind::String})) {
            bump(parser, Field::Value);
          } else {
            parser.error_expected("the setting's value (a number or a string)");
          }
        }
        parser.finish(NodeKind::Flag, flag);
      });
  parser.expect_greater(opened);
  parser.finish(NodeKind::Flags, mark);
  parser.set_field(mark, Field::Flags);
}

void parse_flagged_type(Parser& parser) {
  auto mark = parser.mark();
  parse_type(parser);
  if (!parser.at(NodeKind::Quote)) {
    return;
  }
  parser.set_field(mark, Field::Type);
  bump(parser);
  if (parser.at(NodeKind::Less)) {
    parse_flags(parser);
    parser.finish(NodeKind::FlaggedType, mark);
    return;
  }
  parse_into(parser, Field::Argument, parse_type);
  if (parser.at(NodeKind::Less)) {
    parse_flags(parser);
  }
  parser.finish(NodeKind::TemplateType, mark);
}

// ---- tags ----

/// Takes flags or tags off a part of a specification, with a message that says where they belong.
void refuse_flags_and_tags(Parser& parser) {
  const bool has_flags = parser.at(NodeKind::Quote) && parser.peek() == NodeKind::Less;
  if (!has_flags && !at_tags(parser)) {
    return;
  }
  auto wrong = parser.mark();
  const uint32_t begin = parser.current().begin;
  if (has_flags) {
    bump(parser);
    parse_flags(parser);
  }
  if (at_tags(parser)) {
    parse_tags(parser);
  }
  parser.finish(NodeKind::Error, wrong);
  const TextRange range{begin, parser.previous_end()};
  if (SyntaxError* report = parser.error(
          DiagnosticCode::T0001, range,
          fmt::format("{} belong to functions; a specification describes only the computation",
                      has_flags ? "flags" : "tags"))) {
    report->fixes.push_back({"remove them", Applicability::Safe, {{range, ""}}});
  }
}

auto at_tags(Parser& parser) -> bool {
  if (!parser.at(NodeKind::At)) {
    return false;
  }
  NodeKind next = parser.peek();
  return !((next == NodeKind::KwIn || next == NodeKind::KwOut) &&
           parser.peek(2) == NodeKind::LeftBrace);
}

static auto at_dimension(const Parser& parser) -> bool {
  return at_any(parser, {NodeKind::KwVal, NodeKind::KwTmln, NodeKind::KwSptl});
}

static void parse_quotient_node(Parser& parser) {
  auto mark = parser.mark();
  parser.bump_as(NodeKind::Dimension, Field::Dimension);
  if (eat(parser, NodeKind::Dot)) {
    if (parser.at(NodeKind::Dim)) {
      bump(parser, Field::Name);
    } else if (parser.at(NodeKind::LeftParen)) {
      uint32_t opened = parser.current().begin;
      bump(parser);
      parse_list(
          parser, NodeKind::RightParen, "a node's name", [&] { return parser.at_name(); },
          [&] { parser.bump_as(NodeKind::Identifier, Field::Name); });
      parser.expect(NodeKind::RightParen, Field::None, opened);
    } else {
      parser.expect_name(Field::Name, "a node's name");
    }
  }
  parser.finish(NodeKind::QuotientNode, mark);
  parser.set_field(mark, Field::Node);
}

static void parse_tag(Parser& parser) {
  auto mark = parser.mark();
  if (at_dimension(parser)) {
    parse_quotient_node(parser);
    if (!parser.bump_flow()) {
      parser.error_expected("a flow (`-usable`, `-saved`, `-need`, `-dead` or `-?`)");
    }
  } else if (at_any(parser, {NodeKind::KwNode, NodeKind::KwNone, NodeKind::KwInput})) {
    parser.bump_as(NodeKind::Quotient, Field::Quotient);
    uint32_t opened = parser.current().begin;
    parser.expect(NodeKind::LeftParen);
    if (at_dimension(parser)) {
      parse_quotient_node(parser);
    } else {
      parser.error_expected("`val`, `tmln` or `sptl`");
      parser.skip_until({NodeKind::RightParen, NodeKind::Comma, NodeKind::RightBracket,
                         NodeKind::Semicolon, NodeKind::LeftBrace});
    }
    parser.expect(NodeKind::RightParen, Field::None, opened);
    parser.bump_flow();
  } else {
    parser.error_expected("a tag such as `node(val.x)`");
  }
  parser.finish(NodeKind::Tag, mark);
}

void parse_tag_list(Parser& parser) {
  if (!parser.at(NodeKind::LeftBracket)) {
    parse_tag(parser);
    return;
  }
  uint32_t opened = parser.current().begin;
  bump(parser);
  parse_list(
      parser, NodeKind::RightBracket, "a tag",
      [&] {
        return at_dimension(parser) ||
               at_any(parser, {NodeKind::KwNode, NodeKind::KwNone, NodeKind::KwInput});
      },
      [&] { parse_tag(parser); });
  parser.expect(NodeKind::RightBracket, Field::None, opened);
}

void parse_tags(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  parse_tag_list(parser);
  parser.finish(NodeKind::Tags, mark);
  parser.set_field(mark, Field::Tags);
}

void parse_binding(Parser& parser) {
  auto mark = parser.mark();
  if (parser.at(NodeKind::Wildcard)) {
    bump(parser, Field::Name);
  } else if (!parser.expect_name(Field::Name)) {
    return;
  }
  if (eat(parser, NodeKind::Colon)) {
    parse_into(parser, Field::Type, parse_flagged_type);
  }
  if (at_tags(parser)) {
    parse_tags(parser);
  }
  parser.finish(NodeKind::Binding, mark);
}

}  // namespace tacet::syntax
