#include "formatter/layout.h"

#include <algorithm>

#include "base/display_width.h"

namespace tacet::formatter {

using syntax::NodeData;
using syntax::NodeKind;

static void list_elements(Layout& layout, const ListFacts& facts, Print element, bool is_fill);
static void comma_before_close(Layout& layout, const ListFacts& facts, TrailingComma comma);
static void end_list(Layout& layout, const ListFacts& facts, Inside inside);

Layout::Layout(const syntax::Tree& tree_, const Style& style, doc::Builder& builder_)
    : tree(tree_),
      text(tree_.text),
      nodes(tree_.nodes.data()),
      n_nodes(static_cast<uint32_t>(tree_.nodes.size())),
      text_size(static_cast<uint32_t>(tree_.text.size())),
      builder(builder_),
      indent(style.indentation == Style::Indentation::Tabs ? style.tab_width : style.indent),
      tab_width(style.tab_width) {
  load_comment(*this);
}

void lay_out_unit(Layout& layout) {
  uint32_t end = enter(layout);
  while (layout.at < end) {
    separate(layout, layout.at == 1);
    if (skipped(layout)) {
      node_verbatim(layout);
    } else {
      item(layout);
    }
  }
  trailing(layout);
  comments_at_end(layout, layout.text_size, end == 1);
}

static auto is_ascii(std::string_view text) -> bool {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

void token(Layout& layout) {
  const NodeData& node = layout.nodes[layout.at];
  if (has_comment_before(layout, node.begin)) {
    comments_before(layout, node.begin);
  }
  uint32_t n_bytes = node.end - node.begin;
  if (node.kind != NodeKind::String) {
    layout.builder.text(node.begin, n_bytes);
  } else {
    std::string_view text = layout.text.substr(node.begin, n_bytes);
    layout.builder.wide_text(node.begin, n_bytes, is_ascii(text) ? n_bytes : display_width(text));
  }
  ++layout.at;
}

void tight(Layout& layout) {
  uint32_t end = subtree_end(layout);
  while (layout.at < end) {
    if (layout.nodes[layout.at].size == 1) {
      token(layout);
    } else {
      ++layout.at;
    }
  }
}

void words(Layout& layout, uint32_t n) {
  token(layout);
  for (; n > 1; --n) {
    space(layout);
    token(layout);
  }
}

void line(Layout& layout) {
  trailing(layout);
  layout.builder.line();
}

void soft_line(Layout& layout) {
  trailing(layout);
  layout.builder.soft_line();
}

auto spaced_token_if(Layout& layout, NodeKind kind) -> bool {
  if (!is(layout, kind)) {
    return false;
  }
  space(layout);
  token(layout);
  return true;
}

void enclosed(Layout& layout, Inside inside, Print content) {
  token(layout);
  layout.builder.indent(layout.indent);
  inside == Inside::Spaced ? line(layout) : soft_line(layout);
  content(layout);
  trailing(layout);
  comments_before(layout, next_offset(layout));
  layout.builder.dedent(layout.indent);
  inside == Inside::Spaced ? layout.builder.line() : layout.builder.soft_line();
  token(layout);
}

void enclosed_group(Layout& layout, Inside inside, Print content) {
  open_group(layout);
  if (inside == Inside::Spaced && opens_on_own_line(layout, layout.at)) {
    layout.builder.break_groups();
  }
  enclosed(layout, inside, content);
  layout.builder.close_group();
}

// ---- lists ----

static auto is_literal(NodeKind kind) -> bool {
  return kind == NodeKind::Integer || kind == NodeKind::Float || kind == NodeKind::Boolean;
}

auto list_facts(const Layout& layout, NodeKind close) -> ListFacts {
  ListFacts facts;
  uint32_t node = layout.at + 1;
  while (kind_at(layout, node) != close) {
    facts.ends_with_comma = layout.nodes[node].kind == NodeKind::Comma;
    if (!facts.ends_with_comma) {
      ++facts.n_elements;
      bool is_signed = layout.nodes[node].kind == NodeKind::UnaryExpression &&
                       layout.nodes[node].size == 3 && is_literal(layout.nodes[node + 2].kind);
      facts.is_literals = facts.is_literals && (is_literal(layout.nodes[node].kind) || is_signed);
    }
    node += layout.nodes[node].size;
  }
  facts.close = node;
  return facts;
}

void list(Layout& layout, NodeKind close, Print element, Inside inside, TrailingComma comma) {
  flush_comments(layout);
  ListFacts facts = list_facts(layout, close);
  bool is_empty =
      facts.n_elements == 0 && !has_comment_before(layout, layout.nodes[facts.close].begin);
  if (is_empty) {
    token(layout);
    layout.at = facts.close;
    token(layout);
    return;
  }
  bool is_forced = inside == Inside::Spaced && opens_on_own_line(layout, layout.at);
  bool needs_comma = comma == TrailingComma::IfSingle && facts.n_elements == 1;
  open_group(layout);
  if (is_forced || (facts.ends_with_comma && !needs_comma && facts.n_elements > 0)) {
    layout.builder.break_groups();
  }
  token(layout);
  layout.builder.indent(layout.indent);
  inside == Inside::Spaced ? line(layout) : soft_line(layout);
  bool is_fill = facts.is_literals && close == NodeKind::RightBracket && facts.n_elements > 4;
  if (is_fill) {
    layout.builder.open_fill();
  }
  list_elements(layout, facts, element, is_fill);
  comma_before_close(layout, facts, comma);
  if (is_fill) {
    layout.builder.close_fill();
  }
  end_list(layout, facts, inside);
}

static void list_elements(Layout& layout, const ListFacts& facts, Print element, bool is_fill) {
  while (layout.at < facts.close) {
    element(layout);
    if (layout.at + 1 >= facts.close) {
      break;  // the last element, perhaps with a comma
    }
    if (is(layout, NodeKind::Comma)) {
      comments_beside(layout, layout.nodes[layout.at].begin);
      layout.builder.text(layout.nodes[layout.at].begin, 1);
      ++layout.at;
    } else {
      layout.builder.literal(",");  // schedule entries may stand without
    }
    trailing(layout);
    is_fill ? layout.builder.fill_line() : layout.builder.line();
  }
}

static void comma_before_close(Layout& layout, const ListFacts& facts, TrailingComma comma) {
  if (facts.n_elements != 0) {
    comments_beside(layout, next_offset(layout));  // of the comma if there is one
  }
  layout.at = facts.close;
  if (facts.n_elements == 0) {
    return;
  }
  if (comma == TrailingComma::IfSingle && facts.n_elements == 1) {
    layout.builder.literal(",");
  } else {
    layout.builder.if_break(",", "");
  }
}

static void end_list(Layout& layout, const ListFacts& facts, Inside inside) {
  trailing(layout);
  comments_before(layout, layout.nodes[facts.close].begin);
  layout.builder.dedent(layout.indent);
  inside == Inside::Spaced ? layout.builder.line() : layout.builder.soft_line();
  if (layout.nodes[facts.close].kind == NodeKind::Greater && facts.n_elements > 0) {
    uint32_t last = facts.close - (facts.ends_with_comma ? 2 : 1);
    if (layout.text[layout.nodes[last].end - 1] == '>') {
      space(layout);  // `> >` is not `>>`
    }
  }
  token(layout);
  layout.builder.close_group();
}

void inline_list(Layout& layout, uint32_t end, Print element) {
  while (layout.at < end) {
    element(layout);
    if (layout.at == end) {
      return;
    }
    if (layout.at + 1 < end) {
      layout.builder.text(layout.nodes[layout.at].begin, 1);
      space(layout);
    }
    ++layout.at;  // the comma
  }
}

}  // namespace tacet::formatter
