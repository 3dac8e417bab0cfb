#include "compiler/core/syntax/kind_groups.h"
#include "formatter/layout.h"

namespace tacet::formatter {

/// Any type, with flags or without.
void Layout::type() {
  switch (syntax::type_kind(kind())) {
    case syntax::TypeKind::Visible:
      enter();
      tight();
      space_and(&Layout::type);
      break;
    case syntax::TypeKind::Array:
      array_type();
      break;
    case syntax::TypeKind::Slice:
      enter();
      token();
      type();
      token();
      break;
    case syntax::TypeKind::Reference:
      enter();
      token();
      space_if_glued(at_);
      type();
      break;
    case syntax::TypeKind::Record:
      enter();
      list(NodeKind::RightBrace, &Layout::typed_name, Inside::Spaced);
      break;
    case syntax::TypeKind::Flagged:
    case syntax::TypeKind::Template:
      flagged_type();
      break;
    case syntax::TypeKind::Named:
    case syntax::TypeKind::Primitive:
    case syntax::TypeKind::None:
      tight();
      break;
  }
}

/// `[T; n, m]`
void Layout::array_type() {
  uint32_t end = enter();
  token();
  type();
  token();
  space();
  inline_list(end - 1, &Layout::tight);
  token();
}

/// `T'<storage>` and `Encoder'R<storage>`
void Layout::flagged_type() {
  uint32_t end = enter();
  type();
  token();
  while (at_ < end) {
    if (!is(NodeKind::Flags)) {
      type();
      continue;
    }
    const syntax::NodeData& before = nodes_[at_ - 1];
    if (before.size == 1 && text_.substr(before.begin, before.end - before.begin) == "fxp") {
      space();  // `fxp<` would begin a number of bits
    }
    flags();
  }
}

/// `name: type in lo..hi from owner @ tags`, any of it left out: parameters, results, fields,
/// bindings.
void Layout::typed_name() {
  uint32_t end = enter();
  while (at_ < end) {
    if (is(NodeKind::Identifier) || is(NodeKind::Wildcard)) {
      tight();
    } else if (is(NodeKind::Colon)) {
      token();
      space();
    } else if (is(NodeKind::Bound)) {
      space_and(&Layout::bound);
    } else if (is(NodeKind::KwFrom) || is(NodeKind::KwTo)) {
      space();
      words(2);
    } else if (is(NodeKind::Tags)) {
      space_and(&Layout::tags);
    } else {
      type();
    }
  }
}

void Layout::bound() {
  enter();
  token();
  space();
  expression();
  token();
  expression();
}

void Layout::flags() {
  enter();
  list(NodeKind::Greater, &Layout::flag);
}

void Layout::flag() {
  uint32_t end = enter();
  token();
  while (at_ < end) {
    space();
    token();
  }
}

void Layout::tags() {
  enter();
  token();
  space();
  tag_list();
}

void Layout::tag_list() {
  if (is(NodeKind::LeftBracket)) {
    list(NodeKind::RightBracket, &Layout::tag);
  } else {
    tag();
  }
}

/// `node(val.x)-usable`; nothing stands between its tokens but a space behind commas.
void Layout::tag() {
  uint32_t end = subtree_end();
  while (at_ < end) {
    if (nodes_[at_].size > 1) {
      ++at_;
      continue;
    }
    bool is_last_comma = is(NodeKind::Comma) && kind_at(at_ + 1) == NodeKind::RightParen &&
                         kind_at(at_ - 2) != NodeKind::LeftParen;
    if (is_last_comma) {
      ++at_;
      continue;
    }
    bool is_comma = is(NodeKind::Comma) && kind_at(at_ + 1) != NodeKind::RightParen;
    token();
    if (is_comma) {
      space();
    }
  }
}

}  // namespace tacet::formatter
