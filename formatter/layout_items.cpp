#include "compiler/core/syntax/kind_groups.h"
#include "formatter/layout.h"

namespace tacet::formatter {

static void size_parameters(Layout& layout);
static void size_parameter(Layout& layout);
static void where_clause(Layout& layout);
static void version_header(Layout& layout);
static void input_declaration(Layout& layout);
static void spec_item(Layout& layout);
static void header_clauses(Layout& layout, uint32_t end);
static void extern_item(Layout& layout);
static void extern_member(Layout& layout);
static void feq_item(Layout& layout);
static void fn_item(Layout& layout);
static void definition_item(Layout& layout);
static void optional_semicolon(Layout& layout, uint32_t end);
static void named_item(Layout& layout);
static void pipeline_item(Layout& layout);
static void test_item(Layout& layout);
static void parameters(Layout& layout);
static void results(Layout& layout);
static void implements(Layout& layout);
static void schedule(Layout& layout);
static void open_schedule(Layout& layout);
static void schedule_entry(Layout& layout);
static void layout_dimensions(Layout& layout);
static void dimension(Layout& layout);

void item(Layout& layout) {
  switch (syntax::item_kind(kind_here(layout))) {
    case syntax::ItemKind::Val:
    case syntax::ItemKind::Tmln:
    case syntax::ItemKind::Sptl:
      return spec_item(layout);
    case syntax::ItemKind::Extern:
      return extern_item(layout);
    case syntax::ItemKind::Feq:
      return feq_item(layout);
    case syntax::ItemKind::Fn:
      return fn_item(layout);
    case syntax::ItemKind::Type:
    case syntax::ItemKind::Const:
      return definition_item(layout);
    case syntax::ItemKind::Party:
    case syntax::ItemKind::Import:
      return named_item(layout);
    case syntax::ItemKind::Pipeline:
      return pipeline_item(layout);
    case syntax::ItemKind::Test:
      return test_item(layout);
    case syntax::ItemKind::None:
      break;
  }
  if (is(layout, NodeKind::VersionHeader)) {
    return version_header(layout);
  }
  if (is(layout, NodeKind::InputDeclaration)) {
    return input_declaration(layout);
  }
  expression(layout);  // the result of an array program
}

static void version_header(Layout& layout) {
  enter(layout);
  words(layout, 2);
}

/// `input a: [4, 4] from server`
static void input_declaration(Layout& layout) {
  enter(layout);
  words(layout, 2);
  token(layout);
  space(layout);
  uint32_t end = enter(layout);  // the shape
  token(layout);
  inline_list(layout, end - 1, expression);
  words(layout, 3);
}

static void spec_item(Layout& layout) {
  uint32_t end = enter(layout);
  words(layout, 2);
  if (is(layout, NodeKind::Quote)) {
    token(layout);
    size_parameters(layout);
  }
  parameters(layout);
  header_clauses(layout, end);
  block_in_group(layout);
}

/// What stands between the parameters and the body. Several clauses stand either all on the line of
/// the parameters, or each on a line of its own and the body's brace below.
static void header_clauses(Layout& layout, uint32_t end) {
  auto is_body = [&] {
    return is(layout, NodeKind::Block) || is(layout, NodeKind::SpecBlock) ||
           is(layout, NodeKind::ExternProperties);
  };
  if (layout.at == end || is_body()) {
    space(layout);
    return;
  }
  // Results alone stay behind the parameters, which break to fit them.
  if (is(layout, NodeKind::Arrow)) {
    uint32_t clause_end = layout.at + 1 + layout.nodes[layout.at + 1].size;
    NodeKind next = kind_at(layout, clause_end);
    if (clause_end == end || next == NodeKind::SpecBlock || next == NodeKind::Block ||
        next == NodeKind::ExternProperties) {
      space(layout);
      token(layout);
      space(layout);
      results(layout);
      space(layout);
      return;
    }
  }
  open_group(layout);
  layout.builder.indent(layout.indent);
  while (layout.at < end && !is_body()) {
    line(layout);
    if (is(layout, NodeKind::Arrow)) {
      token(layout);
      space(layout);
      results(layout);
    } else if (is(layout, NodeKind::Implements)) {
      implements(layout);
    } else if (is(layout, NodeKind::WhereClause)) {
      where_clause(layout);
    } else if (is(layout, NodeKind::OpenSchedule)) {
      open_schedule(layout);
    } else {
      schedule(layout);
    }
  }
  layout.builder.dedent(layout.indent);
  if (layout.at < end) {
    line(layout);
  }
  layout.builder.close_group();
}

static void device_in_parentheses(Layout& layout) {
  token(layout);
  token(layout);
  if (is(layout, NodeKind::Comma)) {
    token(layout);
    space(layout);
    token(layout);
  }
  token(layout);
}

static void extern_item(Layout& layout) {
  uint32_t end = enter(layout);
  token(layout);
  device_in_parentheses(layout);
  space(layout);
  if (is(layout, NodeKind::Purity)) {
    tight(layout);
    space(layout);
  }
  token(layout);
  parameters(layout);
  header_clauses(layout, end);
  if (layout.at < end) {
    enter(layout);
    list(layout, NodeKind::RightBrace, extern_member, Inside::Spaced);
  }
}

/// `key: value`, or a named block of them.
static void extern_member(Layout& layout) {
  bool is_property = is(layout, NodeKind::ExternProperty);
  enter(layout);
  token(layout);
  if (is_property) {
    words(layout, 2);
  } else {
    space(layout);
    list(layout, NodeKind::RightBrace, extern_member, Inside::Spaced);
  }
}

static void feq_item(Layout& layout) {
  uint32_t end = enter(layout);
  words(layout, 3);
  layout.builder.indent(layout.indent);
  bool is_first = true;
  while (layout.at + 1 < end) {
    separate(layout, is_first);
    is_first = false;
    if (skipped(layout)) {
      node_verbatim(layout);
    } else {
      item(layout);
    }
  }
  trailing(layout);
  comments_at_end(layout, next_offset(layout), is_first);
  layout.builder.dedent(layout.indent);
  layout.builder.hard_line();
  token(layout);
}

static void fn_item(Layout& layout) {
  uint32_t end = enter(layout);
  token(layout);
  if (is(layout, NodeKind::LeftParen)) {
    device_in_parentheses(layout);
  }
  space(layout);
  token(layout);
  if (is(layout, NodeKind::Quote)) {
    token(layout);
    size_parameters(layout);
  }
  parameters(layout);
  header_clauses(layout, end);
  block_in_group(layout);
}

/// `'<T: number, n, m>`
static void size_parameters(Layout& layout) {
  enter(layout);
  list(layout, NodeKind::Greater, size_parameter);
}

/// `n`, `T: number`, `S: i64 | fxp`
static void size_parameter(Layout& layout) {
  const uint32_t end = enter(layout);
  token(layout);
  while (layout.at < end) {
    if (is(layout, NodeKind::Colon)) {
      token(layout);
      space(layout);
    } else if (is(layout, NodeKind::Pipe)) {
      space(layout);
      token(layout);
      space(layout);
    } else {
      tight(layout);
    }
  }
}

/// `where n >= k, n % 2 == 0`
static void where_clause(Layout& layout) {
  uint32_t end = enter(layout);
  token(layout);
  space(layout);
  inline_list(layout, end, expression);
}

/// `type name = …` and `const name = …`; without a semicolon.
static void definition_item(Layout& layout) {
  bool is_type = is(layout, NodeKind::TypeItem);
  uint32_t end = enter(layout);
  words(layout, 3);
  space(layout);
  is_type ? type(layout) : expression(layout);
  optional_semicolon(layout, end);
}

/// Drops the semicolon at an item's end, unless a comment precedes it.
static void optional_semicolon(Layout& layout, uint32_t end) {
  if (layout.at < end && has_comment_before(layout, layout.nodes[layout.at].begin)) {
    token(layout);
  }
  layout.at = end;
}

/// `party name` and `import name`; without a semicolon.
static void named_item(Layout& layout) {
  uint32_t end = enter(layout);
  words(layout, 2);
  optional_semicolon(layout, end);
}

static void pipeline_item(Layout& layout) {
  enter(layout);
  words(layout, 2);
  space(layout);
  enclosed_group(layout, Inside::Spaced, token);
}

static void test_item(Layout& layout) {
  enter(layout);
  words(layout, 2);
  space(layout);
  block_in_group(layout);
}

static void parameters(Layout& layout) {
  enter(layout);
  list(layout, NodeKind::RightParen, typed_name);
}

static void results(Layout& layout) {
  enter(layout);
  if (is(layout, NodeKind::LeftParen)) {
    list(layout, NodeKind::RightParen, typed_name, Inside::Tight, TrailingComma::IfSingle);
  } else {
    typed_name(layout);
  }
}

/// `impls a, b, c`
static void implements(Layout& layout) {
  uint32_t end = enter(layout);
  token(layout);
  space(layout);
  inline_list(layout, end, token);
}

static void schedule(Layout& layout) {
  enter(layout);
  token(layout);
  space(layout);
  list(layout, NodeKind::RightBrace, schedule_entry, Inside::Spaced);
}

/// `schedule ?`
static void open_schedule(Layout& layout) {
  enter(layout);
  token(layout);
  space(layout);
  token(layout);
}

/// `site: roll(1, 0) {0 as i: 64}[1: 64]`
static void schedule_entry(Layout& layout) {
  uint32_t end = enter(layout);
  token(layout);
  token(layout);
  space(layout);
  uint32_t layout_end = enter(layout);
  if (is(layout, NodeKind::Preprocessing)) {
    uint32_t preprocessing_end = enter(layout);
    token(layout);
    if (layout.at < preprocessing_end) {
      list(layout, NodeKind::RightParen, token);
    }
    space(layout);
  }
  while (layout.at < layout_end) {
    layout_dimensions(layout);
  }
  layout.at = end;  // the comma is the list's business
}

static void layout_dimensions(Layout& layout) {
  bool is_exploded = is(layout, NodeKind::ExplodedDimensions);
  enter(layout);
  list(layout, is_exploded ? NodeKind::RightBrace : NodeKind::RightBracket, dimension);
}

/// `0 as i: 64::2`
static void dimension(Layout& layout) {
  uint32_t end = enter(layout);
  token(layout);
  if (spaced_token_if(layout, NodeKind::KwAs)) {
    space(layout);
    token(layout);
  }
  token(layout);
  space(layout);
  while (layout.at < end) {
    token(layout);
  }
}

}  // namespace tacet::formatter
