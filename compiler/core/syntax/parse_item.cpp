#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/parser_state.h"

namespace tacet::syntax {

static void parse_spec_item(Parser& parser) {
  auto mark = parser.mark();
  NodeKind word = parser.kind();
  NodeKind kind = word == NodeKind::KwVal    ? NodeKind::ValItem
                  : word == NodeKind::KwTmln ? NodeKind::TmlnItem
                                             : NodeKind::SptlItem;
  bump(parser);
  parser.expect_name(Field::Name, "a specification's name");
  if (kind == NodeKind::ValItem) {
    parse_size_parameters(parser);
  } else {
    refuse_size_parameters(parser, kind == NodeKind::TmlnItem ? "a timeline specification"
                                                              : "a spatial specification");
  }
  parse_parameters(parser, ParameterForm::Specification);
  if (eat(parser, NodeKind::Arrow)) {
    parse_results(parser, ParameterForm::Specification);
  } else if (kind != NodeKind::ValItem) {
    parser.error_expected(kind == NodeKind::TmlnItem
                              ? "`->` (a timeline specification returns at least its local event)"
                              : "`->` (a spatial specification returns at least its buffer space)");
  }
  if (kind == NodeKind::ValItem) {
    parse_where(parser);
  }
  parse_into(parser, Field::Body, parse_spec_block);
  parser.finish(kind, mark);
}

static void parse_extern_property(Parser& parser, Parser::Mark mark) {
  parser.set_field(mark, Field::Key);
  parser.expect(NodeKind::Colon);
  if (at_any(parser, {NodeKind::String, NodeKind::Integer, NodeKind::Error})) {
    bump(parser, Field::Value);  // a string without end was reported
  } else if (parser.at_name()) {
    parser.bump_as(NodeKind::Identifier, Field::Value);
  } else {
    parser.error_expected("a string, a number or a parameter's name");
  }
  parser.finish(NodeKind::ExternProperty, mark);
}

static auto at_property_key(const Parser& parser) -> bool {
  return parser.at_name() || at_any(parser, {NodeKind::KwInput, NodeKind::KwOutput});
}

static void parse_extern_entry(Parser& parser) {
  auto mark = parser.mark();
  bool may_be_resource = parser.at_name();
  parser.bump_as(NodeKind::Identifier);
  if (!may_be_resource || !parser.at(NodeKind::LeftBrace)) {
    parse_extern_property(parser, mark);
    return;
  }
  parser.set_field(mark, Field::Name);
  uint32_t opened = parser.current().begin;
  bump(parser);
  parse_list(
      parser, NodeKind::RightBrace, "a resource's property",
      [&] { return at_property_key(parser); },
      [&] {
        auto property = parser.mark();
        parser.bump_as(NodeKind::Identifier);
        parse_extern_property(parser, property);
      });
  parser.expect(NodeKind::RightBrace, Field::None, opened);
  parser.finish(NodeKind::ExternResource, mark);
}

/// `(gpu)` behind `extern` or `fn`; `(he, mpc)` behind `fn`.
static void parse_devices(Parser& parser, uint32_t n_most) {
  uint32_t opened = parser.current().begin;
  parser.expect(NodeKind::LeftParen);
  parser.expect_name(Field::Device, "a device's name");
  for (uint32_t n = 1; n < n_most && eat(parser, NodeKind::Comma); ++n) {
    parser.expect_name(Field::Device, "a device's name");
  }
  parser.expect(NodeKind::RightParen, Field::None, opened);
}

static void parse_extern_item(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  parse_devices(parser, 1);
  if (parser.at(NodeKind::KwPure)) {
    parser.bump_as(NodeKind::Purity, Field::Purity);
  }
  parser.expect_name(Field::Name, "the extern's name");
  refuse_size_parameters(parser, "an extern");
  parse_parameters(parser, ParameterForm::Extern);
  if (eat(parser, NodeKind::Arrow)) {
    parse_results(parser, ParameterForm::Extern);
  }
  if (parser.at(NodeKind::LeftBrace)) {
    auto properties = parser.mark();
    uint32_t opened = parser.current().begin;
    bump(parser);
    parse_list(
        parser, NodeKind::RightBrace, "a property such as `path`",
        [&] { return at_property_key(parser); }, [&] { parse_extern_entry(parser); });
    parser.expect(NodeKind::RightBrace, Field::None, opened);
    parser.finish(NodeKind::ExternProperties, properties);
    parser.set_field(properties, Field::Properties);
  }
  parser.finish(NodeKind::ExternItem, mark);
}

static void parse_fn_item(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  if (parser.at(NodeKind::LeftParen)) {
    parse_devices(parser, 2);
  }
  parser.expect_name(Field::Name, "the function's name");
  parse_size_parameters(parser);
  parse_parameters(parser, ParameterForm::Function);
  if (eat(parser, NodeKind::Arrow)) {
    parse_results(parser, ParameterForm::Function);
  }
  parse_where(parser);
  if (parser.at(NodeKind::KwImpls)) {
    auto implements = parser.mark();
    bump(parser);
    if (!parser.at_name()) {
      parser.error_expected("a specification's name");
    }
    while (parser.at_name() &&
           !(parser.at(NodeKind::KwSchedule) &&
             (parser.peek() == NodeKind::LeftBrace || parser.peek() == NodeKind::Hole))) {
      parser.bump_as(NodeKind::Identifier, Field::Specification);
      if (!eat(parser, NodeKind::Comma)) {
        break;
      }
    }
    parser.finish(NodeKind::Implements, implements);
    parser.set_field(implements, Field::Implements);
  }
  if (parser.at(NodeKind::KwSchedule)) {
    parse_schedule(parser);
  }
  parse_into(parser, Field::Body, parse_block);
  parser.finish(NodeKind::FnItem, mark);
}

static void parse_feq_item(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  parser.expect_name(Field::Name, "the class's name");
  uint32_t opened = parser.current().begin;
  static constexpr KindSet kMembers = {NodeKind::KwVal, NodeKind::KwTmln, NodeKind::KwSptl,
                                       NodeKind::KwExtern, NodeKind::KwFn};
  if (parser.expect(NodeKind::LeftBrace)) {
    if (parser.at(NodeKind::RightBrace)) {
      parser.error(DiagnosticCode::T0001, {opened, parser.current().end},
                   "an equivalence class needs at least one member");
    }
    while (!parser.at(NodeKind::RightBrace) && !parser.at(NodeKind::EndOfFile)) {
      if (at_any(parser, kMembers)) {
        parse_into(parser, Field::Member, parse_item);
      } else if (parser.at_item_word()) {
        break;
      } else {
        parser.error_expected("a member of the class (`val`, `extern`, `fn`)");
        auto stuck = parser.mark();
        bump(parser);
        parser.finish(NodeKind::Error, stuck);
        parser.skip_until({NodeKind::RightBrace});
      }
    }
    parser.expect(NodeKind::RightBrace, Field::None, opened);
  }
  parser.finish(NodeKind::FeqItem, mark);
}

static void parse_type_item(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  parser.expect_name(Field::Name, "the type's name");
  parser.expect(NodeKind::Equal);
  parse_into(parser, Field::Type, parse_type);
  eat(parser, NodeKind::Semicolon);
  parser.finish(NodeKind::TypeItem, mark);
}

static void parse_const_item(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  parser.expect_name(Field::Name, "the constant's name");
  parser.expect(NodeKind::Equal);
  parse_into(parser, Field::Value, parse_any_expression);
  eat(parser, NodeKind::Semicolon);
  parser.finish(NodeKind::ConstItem, mark);
}

static void parse_import_item(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  if (!eat(parser, NodeKind::String, Field::Name)) {
    parser.expect_name(Field::Name, "the module's name");
  }
  eat(parser, NodeKind::Semicolon);
  parser.finish(NodeKind::ImportItem, mark);
}

static void parse_party_item(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  parser.expect_name(Field::Name, "the party's name");
  eat(parser, NodeKind::Semicolon);
  parser.finish(NodeKind::PartyItem, mark);
}

static void parse_pipeline_item(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  parser.expect_name(Field::Name, "the pipeline's name");
  uint32_t opened = parser.current().begin;
  if (parser.expect(NodeKind::LeftBrace)) {
    parser.expect_name(Field::Entry, "the name of the function to run");
    parser.expect(NodeKind::RightBrace, Field::None, opened);
  }
  parser.finish(NodeKind::PipelineItem, mark);
}

static void parse_test_item(Parser& parser) {
  auto mark = parser.mark();
  bump(parser);
  if (!eat(parser, NodeKind::String, Field::Name)) {
    parser.error_expected("the test's name as a string");
  }
  parse_into(parser, Field::Body, parse_block);
  parser.finish(NodeKind::TestItem, mark);
}

static void parse_version_header(Parser& parser) {
  auto mark = parser.mark();
  TextRange range{parser.current().begin, parser.current().end};
  bump(parser);
  if (!parser.bump_version_number()) {
    if (SyntaxError* error =
            parser.error(DiagnosticCode::T0008, range,
                         "`#version` needs a version of three numbers, such as `0.1.0`")) {
      error->fixes.push_back(
          {"write `0.1.0`", Applicability::Unsafe, {{{range.end, range.end}, " 0.1.0"}}});
    }
    while (at_any(parser, {NodeKind::Integer, NodeKind::Float, NodeKind::Dot}) &&
           !parser.current().newline_before) {
      auto wrong = parser.mark();
      bump(parser);
      parser.finish(NodeKind::Error, wrong);
    }
  }
  parser.finish(NodeKind::VersionHeader, mark);
}

static void skip_to_item(Parser& parser);

/// Tokens that begin no item: one error for all of them up to the next item.
static void parse_stray_tokens(Parser& parser) {
  static constexpr std::string_view kItemWords[] = {"val",    "tmln",     "sptl",   "feq",
                                                    "extern", "fn",       "type",   "const",
                                                    "party",  "pipeline", "import", "test"};
  if (parser.at(NodeKind::RightBrace)) {
    parser.error(DiagnosticCode::T0001, {parser.current().begin, parser.current().end},
                 "unmatched `}`");
  } else {
    TextRange range{parser.current().begin, parser.current().end};
    std::string found = parser.describe_current();
    if (SyntaxError* error = parser.error(
            DiagnosticCode::T0001, range,
            fmt::format("expected an item (`fn`, `val`, `feq`, …), found {}", found))) {
      if (parser.at(NodeKind::Identifier)) {
        suggest_keyword(error, parser.text(parser.current()), range, kItemWords);
      }
    }
  }
  skip_to_item(parser);
}

/// Wraps everything up to the next item in an `Error` node.
static void skip_to_item(Parser& parser) {
  auto mark = parser.mark();
  int open = 0;
  do {
    if (parser.at(NodeKind::LeftBrace)) {
      ++open;
    } else if (parser.at(NodeKind::RightBrace) && --open <= 0) {
      bump(parser);
      break;
    }
    bump(parser);
  } while (!parser.at(NodeKind::EndOfFile) && !parser.at_item_word() &&
           !(open <= 0 && parser.current().newline_before &&
             at_any(parser, {NodeKind::KwTest, NodeKind::KwParty})));
  parser.finish(NodeKind::Error, mark);
}

/// Parses an item that its first tokens announce; false if there is none here.
static auto parse_announced_item(Parser& parser) -> bool {
  struct Announced {
    NodeKind first;
    void (*parse)(Parser& parser);
  };
  static constexpr Announced kAnnounced[] = {
      {NodeKind::KwVal, parse_spec_item},
      {NodeKind::KwTmln, parse_spec_item},
      {NodeKind::KwSptl, parse_spec_item},
      {NodeKind::KwExtern, parse_extern_item},
      {NodeKind::KwFeq, parse_feq_item},
      {NodeKind::KwFn, parse_fn_item},
      {NodeKind::KwType, parse_type_item},
      {NodeKind::KwConst, parse_const_item},
      {NodeKind::KwImport, parse_import_item},
      {NodeKind::KwPipeline, parse_pipeline_item},
      {NodeKind::HashVersion, parse_version_header},
  };
  for (const Announced& item : kAnnounced) {
    if (parser.at(item.first)) {
      item.parse(parser);
      return true;
    }
  }
  if (parser.at(NodeKind::KwParty) && (is_name(parser.peek()) || is_reserved_word(parser.peek()))) {
    parse_party_item(parser);
    return true;
  }
  if (parser.at(NodeKind::KwTest) && parser.peek() == NodeKind::String) {
    parse_test_item(parser);
    return true;
  }
  return false;
}

void parse_item(Parser& parser) {
  if (!parse_announced_item(parser)) {
    parse_stray_tokens(parser);
  }
}

auto parse_unit(std::string_view text, Language language, ParserMemory& memory) -> Tree {
  Parser parser(text, language, memory);
  if (!parser.at(NodeKind::EndOfFile)) {
    if (language == Language::Module) {
      parse_item(parser);
      if (parser.is_silent() && !parser.at_item_word() && !parser.at(NodeKind::EndOfFile)) {
        skip_to_item(parser);  // the rest of an item that was given up
      }
    } else {
      parse_array_program_unit(parser);
    }
  }
  return parser.take_tree();
}

}  // namespace tacet::syntax
