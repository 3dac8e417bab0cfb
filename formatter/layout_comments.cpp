#include "base/display_width.h"
#include "formatter/layout.h"

namespace tacet::formatter {

using syntax::Comment;
using syntax::CommentKind;

static auto is_line_end(char c) -> bool {
  return c == '\n' || c == '\r';
}

static auto is_white(char c) -> bool {
  return c == ' ' || c == '\t' || c == '\f' || c == '\v' || is_line_end(c);
}

void load_comment(Layout& layout) {
  layout.next_comment = layout.n_comments_printed < layout.tree.comments.size()
                            ? layout.tree.comments[layout.n_comments_printed].range.begin
                            : UINT32_MAX;
}

/// Line ends in the white space before `offset`; two stand for two or more.
static auto n_line_ends_before(const Layout& layout, uint32_t offset) -> uint32_t {
  uint32_t n = 0;
  while (offset > 0 && n < 2 && is_white(layout.text[offset - 1])) {
    --offset;
    if (is_line_end(layout.text[offset])) {
      ++n;
      if (layout.text[offset] == '\n' && offset > 0 && layout.text[offset - 1] == '\r') {
        --offset;
      }
    }
  }
  return n;
}

auto has_line_end_after(const Layout& layout, uint32_t offset) -> bool {
  while (offset < layout.text_size && is_white(layout.text[offset])) {
    if (is_line_end(layout.text[offset++])) {
      return true;
    }
  }
  return offset == layout.text_size;
}

/// The column at which `offset` is in the source, tabs reaching to multiples of their width.
static auto source_column(const Layout& layout, uint32_t offset) -> uint32_t {
  std::string_view before = layout.text.substr(0, offset);
  size_t line_end = before.find_last_of("\r\n");
  before = before.substr(line_end == std::string_view::npos ? 0 : line_end + 1);
  uint32_t column = 0;
  while (!before.empty()) {
    Grapheme grapheme = next_grapheme(before);
    column +=
        before.front() == '\t' ? layout.tab_width - column % layout.tab_width : grapheme.n_columns;
    before.remove_prefix(grapheme.n_bytes);
  }
  return column;
}

/// True if the next comment has a line or more for itself. Only then does a block comment ask for
/// line ends around it: where lines break beside it otherwise is the layout's decision, which must
/// not be taken for the author's when the text is formatted again.
static auto comment_is_alone(const Layout& layout) -> bool {
  return n_line_ends_before(layout, layout.next_comment) > 0 &&
         has_line_end_after(layout, layout.tree.comments[layout.n_comments_printed].range.end);
}

/// Prints the comment that is next. What comes before and after is the caller's business, except
/// that a comment that reaches to its line's end ends the line.
static void comment(Layout& layout) {
  bool is_alone = comment_is_alone(layout);
  const Comment& comment = layout.tree.comments[layout.n_comments_printed++];
  load_comment(layout);
  uint32_t begin = comment.range.begin;
  std::string_view text = layout.text.substr(begin, comment.range.length());
  while (!text.empty() && is_white(text.back())) {
    text.remove_suffix(1);
  }
  auto n_bytes = static_cast<uint32_t>(text.size());
  layout.is_skipped = false;
  if (comment.kind != CommentKind::Block) {
    layout.builder.overhang(begin, n_bytes);
    layout.builder.hard_line();
    layout.is_skipped = text == "// fmt: skip";
    return;
  }
  bool has_lines = text.find_first_of("\r\n") != std::string_view::npos;
  uint32_t column = has_lines ? source_column(layout, begin) : 0;
  layout.builder.verbatim(layout.text, begin, n_bytes, column);
  if (is_alone) {
    layout.builder.hard_line();
  }
}

/// True if only comments stand between the next comment and the end of its line: it then belongs
/// to what is before it rather than to the token behind it.
static auto ends_its_line(const Layout& layout) -> bool {
  for (uint32_t i = layout.n_comments_printed; i < layout.tree.comments.size(); ++i) {
    const Comment& comment = layout.tree.comments[i];
    if (comment.kind != CommentKind::Block || has_line_end_after(layout, comment.range.end)) {
      return true;
    }
    bool is_comment_next = i + 1 < layout.tree.comments.size() &&
                           layout.text.find_first_not_of(" \t\f\v,", comment.range.end) ==
                               layout.tree.comments[i + 1].range.begin;
    if (!is_comment_next) {
      return false;
    }
  }
  return false;
}

void trailing(Layout& layout) {
  if (layout.at <= 1) {
    return;  // no token precedes
  }
  bool is_run = false;  // what holds of one comment holds of those behind it on the line
  while (has_comment_before(layout, next_offset(layout)) &&
         n_line_ends_before(layout, layout.next_comment) == 0 &&
         (is_run || ends_its_line(layout))) {
    is_run = true;
    layout.builder.space();
    comment(layout);
  }
}

void comments_beside(Layout& layout, uint32_t offset) {
  while (has_comment_before(layout, offset) &&
         n_line_ends_before(layout, layout.next_comment) == 0 &&
         layout.tree.comments[layout.n_comments_printed].kind == CommentKind::Block) {
    layout.builder.space();
    comment(layout);
  }
}

void comments_before(Layout& layout, uint32_t offset) {
  auto last_before = [&](uint32_t at) {
    while (at > 0 && is_white(layout.text[at - 1])) {
      --at;
    }
    return at == 0 ? ' ' : layout.text[at - 1];
  };
  while (has_comment_before(layout, offset)) {
    char before = last_before(layout.next_comment);
    bool is_block = layout.tree.comments[layout.n_comments_printed].kind == CommentKind::Block;
    if (n_line_ends_before(layout, layout.next_comment) > 0 &&
        (!is_block || comment_is_alone(layout))) {
      layout.builder.hard_line();
    } else if (!is_block || (before != '(' && before != '[')) {
      layout.builder.space();
    }
    comment(layout);
    char after = offset < layout.text_size ? layout.text[offset] : ' ';
    if (after != ')' && after != ']' && after != ',' && after != ';') {
      layout.builder.space();
    }
  }
}

void separate(Layout& layout, bool is_first) {
  trailing(layout);
  layout.is_skipped = false;
  bool was_on_own_line = true;
  auto gap = [&](uint32_t offset) {
    uint32_t n = n_line_ends_before(layout, offset);
    bool is_empty = n >= 2 && !is_first;
    if (n == 0 && !was_on_own_line) {
      layout.builder.space();
    } else {
      is_empty ? layout.builder.empty_line() : layout.builder.hard_line();
    }
  };
  while (has_comment_before(layout, next_offset(layout))) {
    gap(layout.next_comment);
    comment(layout);
    is_first = false;
    was_on_own_line = false;
  }
  gap(next_offset(layout));
}

void comments_at_end(Layout& layout, uint32_t offset, bool is_first) {
  while (has_comment_before(layout, offset)) {
    n_line_ends_before(layout, layout.next_comment) >= 2 && !is_first ? layout.builder.empty_line()
                                                                      : layout.builder.hard_line();
    comment(layout);
    is_first = false;
  }
}

auto skipped(Layout& layout) -> bool {
  bool skipped = layout.is_skipped;
  layout.is_skipped = false;
  return skipped;
}

void node_verbatim(Layout& layout) {
  uint32_t begin = layout.nodes[layout.at].begin;
  uint32_t end = layout.nodes[layout.at].end;
  layout.builder.verbatim(layout.text, begin, end - begin, source_column(layout, begin));
  layout.at = subtree_end(layout);
  while (has_comment_before(layout, end)) {
    ++layout.n_comments_printed;
    load_comment(layout);
  }
}

}  // namespace tacet::formatter
