#include "formatter/layout.h"

#include <algorithm>

#include "base/display_width.h"

namespace tacet::formatter {

using syntax::NodeData;
using syntax::NodeKind;

Layout::Layout(const syntax::Tree& tree, const Style& style, doc::Builder& builder)
    : tree_(tree),
      text_(tree.text),
      nodes_(tree.nodes.data()),
      n_nodes_(static_cast<uint32_t>(tree.nodes.size())),
      text_size_(static_cast<uint32_t>(tree.text.size())),
      builder_(builder),
      indent_(style.indentation == Style::Indentation::Tabs ? style.tab_width : style.indent),
      tab_width_(style.tab_width) {
  load_comment();
}

void Layout::unit() {
  uint32_t end = enter();
  while (at_ < end) {
    separate(at_ == 1);
    if (skipped()) {
      node_verbatim();
    } else {
      item();
    }
  }
  trailing();
  comments_at_end(text_size_, end == 1);
}

static auto is_ascii(std::string_view text) -> bool {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

void Layout::token() {
  const NodeData& node = nodes_[at_];
  if (has_comment_before(node.begin)) {
    comments_before(node.begin);
  }
  uint32_t n_bytes = node.end - node.begin;
  if (node.kind != NodeKind::String) {
    builder_.text(node.begin, n_bytes);
  } else {
    std::string_view text = text_.substr(node.begin, n_bytes);
    builder_.wide_text(node.begin, n_bytes, is_ascii(text) ? n_bytes : display_width(text));
  }
  ++at_;
}

void Layout::tight() {
  uint32_t end = subtree_end();
  while (at_ < end) {
    if (nodes_[at_].size == 1) {
      token();
    } else {
      ++at_;
    }
  }
}

void Layout::words(uint32_t n) {
  token();
  for (; n > 1; --n) {
    space();
    token();
  }
}

void Layout::line() {
  trailing();
  builder_.line();
}

void Layout::soft_line() {
  trailing();
  builder_.soft_line();
}

void Layout::hard_line() {
  trailing();
  builder_.hard_line();
}

auto Layout::spaced_token_if(NodeKind kind) -> bool {
  if (!is(kind)) {
    return false;
  }
  space();
  token();
  return true;
}

// ---- lists ----

static auto is_literal(NodeKind kind) -> bool {
  return kind == NodeKind::Integer || kind == NodeKind::Float || kind == NodeKind::Boolean;
}

auto Layout::list_facts(NodeKind close) const -> ListFacts {
  ListFacts facts;
  uint32_t node = at_ + 1;
  while (kind_at(node) != close) {
    facts.ends_with_comma = nodes_[node].kind == NodeKind::Comma;
    if (!facts.ends_with_comma) {
      ++facts.n_elements;
      bool is_signed = nodes_[node].kind == NodeKind::UnaryExpression && nodes_[node].size == 3 &&
                       is_literal(nodes_[node + 2].kind);
      facts.is_literals = facts.is_literals && (is_literal(nodes_[node].kind) || is_signed);
    }
    node += nodes_[node].size;
  }
  facts.close = node;
  return facts;
}

void Layout::list(NodeKind close, Print element, Inside inside, TrailingComma comma) {
  flush_comments();
  ListFacts facts = list_facts(close);
  bool is_empty = facts.n_elements == 0 && !has_comment_before(nodes_[facts.close].begin);
  if (is_empty) {
    token();
    at_ = facts.close;
    token();
    return;
  }
  bool is_forced = inside == Inside::Spaced && opens_on_own_line(at_);
  bool needs_comma = comma == TrailingComma::IfSingle && facts.n_elements == 1;
  open_group();
  if (is_forced || (facts.ends_with_comma && !needs_comma && facts.n_elements > 0)) {
    builder_.break_groups();
  }
  token();
  builder_.indent(indent_);
  inside == Inside::Spaced ? line() : soft_line();
  bool is_fill = facts.is_literals && close == NodeKind::RightBracket && facts.n_elements > 4;
  if (is_fill) {
    builder_.open_fill();
  }
  list_elements(facts, element, is_fill);
  comma_before_close(facts, comma);
  if (is_fill) {
    builder_.close_fill();
  }
  end_list(facts, inside);
}

void Layout::list_elements(const ListFacts& facts, Print element, bool is_fill) {
  while (at_ < facts.close) {
    (this->*element)();
    if (at_ + 1 >= facts.close) {
      break;  // the last element, perhaps with a comma
    }
    if (is(NodeKind::Comma)) {
      comments_beside(nodes_[at_].begin);
      builder_.text(nodes_[at_].begin, 1);
      ++at_;
    } else {
      builder_.literal(",");  // schedule entries may stand without
    }
    trailing();
    is_fill ? builder_.fill_line() : builder_.line();
  }
}

void Layout::comma_before_close(const ListFacts& facts, TrailingComma comma) {
  if (facts.n_elements != 0) {
    comments_beside(next_offset());  // of the comma if there is one
  }
  at_ = facts.close;
  if (facts.n_elements == 0) {
    return;
  }
  if (comma == TrailingComma::IfSingle && facts.n_elements == 1) {
    builder_.literal(",");
  } else {
    builder_.if_break(",", "");
  }
}

void Layout::end_list(const ListFacts& facts, Inside inside) {
  trailing();
  comments_before(nodes_[facts.close].begin);
  builder_.dedent(indent_);
  inside == Inside::Spaced ? builder_.line() : builder_.soft_line();
  if (nodes_[facts.close].kind == NodeKind::Greater && facts.n_elements > 0) {
    uint32_t last = facts.close - (facts.ends_with_comma ? 2 : 1);
    if (text_[nodes_[last].end - 1] == '>') {
      space();  // `> >` is not `>>`
    }
  }
  token();
  builder_.close_group();
}

void Layout::inline_list(uint32_t end, Print element) {
  while (at_ < end) {
    (this->*element)();
    if (at_ == end) {
      return;
    }
    if (at_ + 1 < end) {
      builder_.text(nodes_[at_].begin, 1);
      space();
    }
    ++at_;  // the comma
  }
}

}  // namespace tacet::formatter
