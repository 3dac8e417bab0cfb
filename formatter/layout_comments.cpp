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

void Layout::load_comment() {
  next_comment_ = n_comments_printed_ < tree_.comments.size()
                      ? tree_.comments[n_comments_printed_].range.begin
                      : UINT32_MAX;
}

/// Line ends in the white space before `offset`; two stand for two or more.
auto Layout::n_line_ends_before(uint32_t offset) const -> uint32_t {
  uint32_t n = 0;
  while (offset > 0 && n < 2 && is_white(text_[offset - 1])) {
    --offset;
    if (is_line_end(text_[offset])) {
      ++n;
      if (text_[offset] == '\n' && offset > 0 && text_[offset - 1] == '\r') {
        --offset;
      }
    }
  }
  return n;
}

auto Layout::has_line_end_after(uint32_t offset) const -> bool {
  while (offset < text_size_ && is_white(text_[offset])) {
    if (is_line_end(text_[offset++])) {
      return true;
    }
  }
  return offset == text_size_;
}

/// The column at which `offset` stands in the source, tabs reaching to multiples of their width.
auto Layout::source_column(uint32_t offset) const -> uint32_t {
  std::string_view before = text_.substr(0, offset);
  size_t line_end = before.find_last_of("\r\n");
  before = before.substr(line_end == std::string_view::npos ? 0 : line_end + 1);
  uint32_t column = 0;
  while (!before.empty()) {
    Grapheme grapheme = next_grapheme(before);
    column += before.front() == '\t' ? tab_width_ - column % tab_width_ : grapheme.n_columns;
    before.remove_prefix(grapheme.n_bytes);
  }
  return column;
}

/// True if the next comment has a line or more for itself. Only then does a block comment ask for
/// line ends around it: where lines break beside it otherwise is the layout's decision, which must
/// not be taken for the author's when the text is formatted again.
auto Layout::is_alone() const -> bool {
  return n_line_ends_before(next_comment_) > 0 &&
         has_line_end_after(tree_.comments[n_comments_printed_].range.end);
}

/// Prints the comment that is next. What comes before and after is the caller's business, except
/// that a comment that reaches to its line's end ends the line.
void Layout::comment() {
  bool is_alone = this->is_alone();
  const Comment& comment = tree_.comments[n_comments_printed_++];
  load_comment();
  uint32_t begin = comment.range.begin;
  std::string_view text = text_.substr(begin, comment.range.length());
  while (!text.empty() && is_white(text.back())) {
    text.remove_suffix(1);
  }
  auto n_bytes = static_cast<uint32_t>(text.size());
  is_skipped_ = false;
  if (comment.kind != CommentKind::Block) {
    builder_.overhang(begin, n_bytes);
    builder_.hard_line();
    is_skipped_ = text == "// fmt: skip";
    return;
  }
  bool has_lines = text.find_first_of("\r\n") != std::string_view::npos;
  uint32_t column = has_lines ? source_column(begin) : 0;
  builder_.verbatim(text_, begin, n_bytes, column);
  if (is_alone) {
    builder_.hard_line();
  }
}

/// True if only comments stand between the next comment and the end of its line: it then belongs
/// to what is before it rather than to the token behind it.
auto Layout::ends_its_line() const -> bool {
  for (uint32_t i = n_comments_printed_; i < tree_.comments.size(); ++i) {
    const Comment& comment = tree_.comments[i];
    if (comment.kind != CommentKind::Block || has_line_end_after(comment.range.end)) {
      return true;
    }
    bool is_comment_next =
        i + 1 < tree_.comments.size() &&
        text_.find_first_not_of(" \t\f\v,", comment.range.end) == tree_.comments[i + 1].range.begin;
    if (!is_comment_next) {
      return false;
    }
  }
  return false;
}

void Layout::trailing() {
  if (at_ <= 1) {
    return;  // no token stands before
  }
  bool is_run = false;  // what holds of one comment holds of those behind it on the line
  while (has_comment_before(next_offset()) && n_line_ends_before(next_comment_) == 0 &&
         (is_run || ends_its_line())) {
    is_run = true;
    builder_.space();
    comment();
  }
}

void Layout::comments_beside(uint32_t offset) {
  while (has_comment_before(offset) && n_line_ends_before(next_comment_) == 0 &&
         tree_.comments[n_comments_printed_].kind == CommentKind::Block) {
    builder_.space();
    comment();
  }
}

void Layout::comments_before(uint32_t offset) {
  auto last_before = [&](uint32_t at) {
    while (at > 0 && is_white(text_[at - 1])) {
      --at;
    }
    return at == 0 ? ' ' : text_[at - 1];
  };
  while (has_comment_before(offset)) {
    char before = last_before(next_comment_);
    bool is_block = tree_.comments[n_comments_printed_].kind == CommentKind::Block;
    if (n_line_ends_before(next_comment_) > 0 && (!is_block || is_alone())) {
      builder_.hard_line();
    } else if (!is_block || (before != '(' && before != '[')) {
      builder_.space();
    }
    comment();
    char after = offset < text_size_ ? text_[offset] : ' ';
    if (after != ')' && after != ']' && after != ',' && after != ';') {
      builder_.space();
    }
  }
}

void Layout::separate(bool is_first) {
  trailing();
  is_skipped_ = false;
  bool was_on_own_line = true;
  auto gap = [&](uint32_t offset) {
    uint32_t n = n_line_ends_before(offset);
    bool is_empty = n >= 2 && !is_first;
    if (n == 0 && !was_on_own_line) {
      builder_.space();
    } else {
      is_empty ? builder_.empty_line() : builder_.hard_line();
    }
  };
  while (has_comment_before(next_offset())) {
    gap(next_comment_);
    comment();
    is_first = false;
    was_on_own_line = false;
  }
  gap(next_offset());
}

void Layout::comments_at_end(uint32_t offset, bool is_first) {
  while (has_comment_before(offset)) {
    n_line_ends_before(next_comment_) >= 2 && !is_first ? builder_.empty_line()
                                                        : builder_.hard_line();
    comment();
    is_first = false;
  }
}

auto Layout::skipped() -> bool {
  bool skipped = is_skipped_;
  is_skipped_ = false;
  return skipped;
}

void Layout::node_verbatim() {
  uint32_t begin = nodes_[at_].begin;
  uint32_t end = nodes_[at_].end;
  builder_.verbatim(text_, begin, end - begin, source_column(begin));
  at_ = subtree_end();
  while (has_comment_before(end)) {
    ++n_comments_printed_;
    load_comment();
  }
}

}  // namespace tacet::formatter
