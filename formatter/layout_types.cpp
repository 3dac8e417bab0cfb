#include "compiler/core/syntax/kind_groups.h"
#include "formatter/layout.h"

namespace tacet::formatter {

static void array_type(Layout& layout);
static void function_type(Layout& layout);
static void flagged_type(Layout& layout);
static void bound(Layout& layout);
static void flags(Layout& layout);
static void flag(Layout& layout);
static void tag(Layout& layout);

/// Any type, with flags or without.
void type(Layout& layout) {
  switch (syntax::type_kind(kind_here(layout))) {
    case syntax::TypeKind::Visible:
      enter(layout);
      tight(layout);
      space_and(layout, type);
      break;
    case syntax::TypeKind::Array:
      array_type(layout);
      break;
    case syntax::TypeKind::Slice:
      enter(layout);
      token(layout);
      type(layout);
      token(layout);
      break;
    case syntax::TypeKind::Reference:
      enter(layout);
      token(layout);
      space_if_glued(layout, layout.at);
      type(layout);
      break;
    case syntax::TypeKind::Record:
      enter(layout);
      list(layout, NodeKind::RightBrace, typed_name, Inside::Spaced);
      break;
    case syntax::TypeKind::Flagged:
    case syntax::TypeKind::Template:
      flagged_type(layout);
      break;
    case syntax::TypeKind::Function:
      function_type(layout);
      break;
    case syntax::TypeKind::Named:
    case syntax::TypeKind::Primitive:
    case syntax::TypeKind::None:
      tight(layout);
      break;
  }
}

/// `[T; n, m]`
static void array_type(Layout& layout) {
  uint32_t end = enter(layout);
  token(layout);
  type(layout);
  token(layout);
  space(layout);
  inline_list(layout, end - 1, expression);
  token(layout);
}

/// `fn(secret i64, i64) -> secret i64`
static void function_type(Layout& layout) {
  enter(layout);
  token(layout);
  token(layout);
  uint32_t closing = layout.at;
  while (layout.nodes[closing].kind != NodeKind::RightParen) {
    closing += layout.nodes[closing].size;
  }
  inline_list(layout, closing, type);
  token(layout);
  space(layout);
  token(layout);
  space(layout);
  type(layout);
}

/// `T'<storage>` and `Encoder'R<storage>`
static void flagged_type(Layout& layout) {
  uint32_t end = enter(layout);
  type(layout);
  token(layout);
  while (layout.at < end) {
    if (!is(layout, NodeKind::Flags)) {
      type(layout);
      continue;
    }
    const syntax::NodeData& before = layout.nodes[layout.at - 1];
    if (before.size == 1 && layout.text.substr(before.begin, before.end - before.begin) == "fxp") {
      space(layout);  // `fxp<` would begin a number of bits
    }
    flags(layout);
  }
}

/// `name: type in lo..hi norm r within e from owner @ tags`, any of it left out: parameters,
/// results, fields, bindings.
void typed_name(Layout& layout) {
  uint32_t end = enter(layout);
  while (layout.at < end) {
    if (is(layout, NodeKind::Identifier) || is(layout, NodeKind::Wildcard)) {
      tight(layout);
    } else if (is(layout, NodeKind::Colon)) {
      token(layout);
      space(layout);
    } else if (is(layout, NodeKind::Bound)) {
      space_and(layout, bound);
    } else if (is(layout, NodeKind::KwFrom) || is(layout, NodeKind::KwTo) ||
               is(layout, NodeKind::KwWithin)) {
      space(layout);
      words(layout, 2);
    } else if (is(layout, NodeKind::Tags)) {
      space_and(layout, tags);
    } else {
      type(layout);
    }
  }
}

static void bound(Layout& layout) {
  uint32_t end = enter(layout);
  const bool has_ends = is(layout, NodeKind::KwIn);
  token(layout);
  space(layout);
  expression(layout);
  if (has_ends) {
    token(layout);
    expression(layout);
  }
  if (layout.at < end && has_ends) {
    space(layout);
    token(layout);
    space(layout);
    expression(layout);
  }
}

static void flags(Layout& layout) {
  enter(layout);
  list(layout, NodeKind::Greater, flag);
}

static void flag(Layout& layout) {
  uint32_t end = enter(layout);
  token(layout);
  while (layout.at < end) {
    space(layout);
    token(layout);
  }
}

void tags(Layout& layout) {
  enter(layout);
  token(layout);
  space(layout);
  tag_list(layout);
}

void tag_list(Layout& layout) {
  if (is(layout, NodeKind::LeftBracket)) {
    list(layout, NodeKind::RightBracket, tag);
  } else {
    tag(layout);
  }
}

/// `node(val.x)-usable`; nothing stands between its tokens but a space behind commas.
static void tag(Layout& layout) {
  uint32_t end = subtree_end(layout);
  while (layout.at < end) {
    if (layout.nodes[layout.at].size > 1) {
      ++layout.at;
      continue;
    }
    bool is_last_comma = is(layout, NodeKind::Comma) &&
                         kind_at(layout, layout.at + 1) == NodeKind::RightParen &&
                         kind_at(layout, layout.at - 2) != NodeKind::LeftParen;
    if (is_last_comma) {
      ++layout.at;
      continue;
    }
    bool is_comma =
        is(layout, NodeKind::Comma) && kind_at(layout, layout.at + 1) != NodeKind::RightParen;
    token(layout);
    if (is_comma) {
      space(layout);
    }
  }
}

}  // namespace tacet::formatter
