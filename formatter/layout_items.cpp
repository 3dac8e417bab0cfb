#include "compiler/core/syntax/kind_groups.h"
#include "formatter/layout.h"

namespace tacet::formatter {

void Layout::item() {
  switch (syntax::item_kind(kind())) {
    case syntax::ItemKind::Val:
    case syntax::ItemKind::Tmln:
    case syntax::ItemKind::Sptl:
      return spec_item();
    case syntax::ItemKind::Extern:
      return extern_item();
    case syntax::ItemKind::Feq:
      return feq_item();
    case syntax::ItemKind::Fn:
      return fn_item();
    case syntax::ItemKind::Type:
    case syntax::ItemKind::Const:
      return definition_item();
    case syntax::ItemKind::Party:
    case syntax::ItemKind::Import:
      return named_item();
    case syntax::ItemKind::Pipeline:
      return pipeline_item();
    case syntax::ItemKind::Test:
      return test_item();
    case syntax::ItemKind::None:
      break;
  }
  if (is(NodeKind::VersionHeader)) {
    return version_header();
  }
  if (is(NodeKind::InputDeclaration)) {
    return input_declaration();
  }
  expression();  // the result of an array program
}

void Layout::version_header() {
  enter();
  words(2);
}

/// `input a: [4, 4] from server`
void Layout::input_declaration() {
  enter();
  words(2);
  token();
  space();
  uint32_t end = enter();  // the shape
  token();
  inline_list(end - 1, &Layout::tight);
  words(3);
}

void Layout::spec_item() {
  uint32_t end = enter();
  words(2);
  parameters();
  header_clauses(end);
  spec_block();
}

/// What stands between the parameters and the body. Several clauses stand either all on the line of
/// the parameters, or each on a line of its own and the body's brace below.
void Layout::header_clauses(uint32_t end) {
  auto is_body = [&] {
    return is(NodeKind::Block) || is(NodeKind::SpecBlock) || is(NodeKind::ExternProperties);
  };
  if (at_ == end || is_body()) {
    space();
    return;
  }
  // Results alone stay behind the parameters, which break to make room for them.
  if (is(NodeKind::Arrow)) {
    uint32_t clause_end = at_ + 1 + nodes_[at_ + 1].size;
    NodeKind next = kind_at(clause_end);
    if (clause_end == end || next == NodeKind::SpecBlock || next == NodeKind::Block ||
        next == NodeKind::ExternProperties) {
      space();
      token();
      space();
      results();
      space();
      return;
    }
  }
  open_group();
  builder_.indent(indent_);
  while (at_ < end && !is_body()) {
    line();
    if (is(NodeKind::Arrow)) {
      token();
      space();
      results();
    } else if (is(NodeKind::Implements)) {
      implements();
    } else {
      schedule();
    }
  }
  builder_.dedent(indent_);
  if (at_ < end) {
    line();
  }
  builder_.close_group();
}

void Layout::device_in_parentheses() {
  token();
  token();
  token();
}

void Layout::extern_item() {
  uint32_t end = enter();
  token();
  device_in_parentheses();
  space();
  if (is(NodeKind::Purity)) {
    tight();
    space();
  }
  token();
  parameters();
  header_clauses(end);
  if (at_ < end) {
    enter();
    list(NodeKind::RightBrace, &Layout::extern_member, Inside::Spaced);
  }
}

/// `key: value`, or a named block of them.
void Layout::extern_member() {
  bool is_property = is(NodeKind::ExternProperty);
  enter();
  token();
  if (is_property) {
    words(2);
  } else {
    space();
    list(NodeKind::RightBrace, &Layout::extern_member, Inside::Spaced);
  }
}

void Layout::feq_item() {
  uint32_t end = enter();
  words(3);
  builder_.indent(indent_);
  bool is_first = true;
  while (at_ + 1 < end) {
    separate(is_first);
    is_first = false;
    if (skipped()) {
      node_verbatim();
    } else {
      item();
    }
  }
  trailing();
  comments_at_end(next_offset(), is_first);
  builder_.dedent(indent_);
  builder_.hard_line();
  token();
}

void Layout::fn_item() {
  uint32_t end = enter();
  token();
  if (is(NodeKind::LeftParen)) {
    device_in_parentheses();
  }
  space();
  token();
  parameters();
  header_clauses(end);
  block_in_group();
}

/// `type name = …` and `const name = …`; without a semicolon.
void Layout::definition_item() {
  bool is_type = is(NodeKind::TypeItem);
  uint32_t end = enter();
  words(3);
  space();
  is_type ? type() : expression();
  optional_semicolon(end);
}

/// Drops the semicolon at an item's end, unless a comment stands before it.
void Layout::optional_semicolon(uint32_t end) {
  if (at_ < end && has_comment_before(nodes_[at_].begin)) {
    token();
  }
  at_ = end;
}

/// `party name` and `import name`; without a semicolon.
void Layout::named_item() {
  uint32_t end = enter();
  words(2);
  optional_semicolon(end);
}

void Layout::pipeline_item() {
  enter();
  words(2);
  space();
  bool is_forced = opens_on_own_line(at_);
  open_group();
  if (is_forced) {
    builder_.break_groups();
  }
  token();
  builder_.indent(indent_);
  line();
  token();
  trailing();
  comments_before(next_offset());
  builder_.dedent(indent_);
  builder_.line();
  token();
  builder_.close_group();
}

void Layout::test_item() {
  enter();
  words(2);
  space();
  block_in_group();
}

void Layout::parameters() {
  enter();
  list(NodeKind::RightParen, &Layout::typed_name);
}

void Layout::results() {
  enter();
  if (is(NodeKind::LeftParen)) {
    list(NodeKind::RightParen, &Layout::typed_name, Inside::Tight, TrailingComma::IfSingle);
  } else {
    typed_name();
  }
}

/// `impls a, b, c`
void Layout::implements() {
  uint32_t end = enter();
  token();
  space();
  inline_list(end, &Layout::token);
}

void Layout::schedule() {
  enter();
  token();
  space();
  list(NodeKind::RightBrace, &Layout::schedule_entry, Inside::Spaced);
}

/// `site: roll(1, 0) {0 as i: 64}[1: 64]`
void Layout::schedule_entry() {
  uint32_t end = enter();
  token();
  token();
  space();
  uint32_t layout_end = enter();
  if (is(NodeKind::Preprocessing)) {
    uint32_t preprocessing_end = enter();
    token();
    if (at_ < preprocessing_end) {
      list(NodeKind::RightParen, &Layout::token);
    }
    space();
  }
  while (at_ < layout_end) {
    layout_dimensions();
  }
  at_ = end;  // the comma is the list's business
}

void Layout::layout_dimensions() {
  bool is_exploded = is(NodeKind::ExplodedDimensions);
  enter();
  list(is_exploded ? NodeKind::RightBrace : NodeKind::RightBracket, &Layout::dimension);
}

/// `0 as i: 64::2`
void Layout::dimension() {
  uint32_t end = enter();
  token();
  if (spaced_token_if(NodeKind::KwAs)) {
    space();
    token();
  }
  token();
  space();
  while (at_ < end) {
    token();
  }
}

}  // namespace tacet::formatter
