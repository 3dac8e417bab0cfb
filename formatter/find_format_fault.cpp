#include <fmt/format.h>

#include <algorithm>

#include "formatter/format.h"

namespace tacet::formatter {

using syntax::FileSyntax;
using syntax::NodeData;
using syntax::NodeKind;
using syntax::Tree;
using syntax::Unit;

namespace {

/// A node or comment as far as formatting must keep it.
struct Kept {
  NodeKind kind = NodeKind::Error;
  syntax::Field field = syntax::Field::None;
  bool is_comment = false;
  uint32_t depth = 0;
  std::string_view text;  ///< of tokens and comments
};

}  // namespace

static auto is_blank(char c) -> bool {
  return c == ' ' || c == '\t' || c == '\f' || c == '\v';
}

static void drop_last_blanks(std::string& text) {
  while (!text.empty() && is_blank(text.back())) {
    text.pop_back();
  }
}

/// The words of a comment: its lines without the blanks around them.
static auto comment_words(std::string_view text) -> std::string {
  std::string words;
  bool is_line_start = true;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\n' || c == '\r') {
      drop_last_blanks(words);
      if (c == '\n' || text.substr(i + 1, 1) != "\n") {
        words.push_back('\n');
      }
      is_line_start = true;
    } else if (!is_line_start || !is_blank(c)) {
      words.push_back(c);
      is_line_start = false;
    }
  }
  drop_last_blanks(words);
  return words;
}

static auto is_kept(const Kept& a, const Kept& b) -> bool {
  bool same_text =
      a.text == b.text || (a.is_comment && comment_words(a.text) == comment_words(b.text));
  return same_text && a.kind == b.kind && a.field == b.field && a.is_comment == b.is_comment &&
         a.depth == b.depth;
}

static void append_unit(const Tree& tree, std::vector<Kept>& kept) {
  size_t next_comment = 0;
  auto text_of = [&](uint32_t begin, uint32_t end) {
    return std::string_view(tree.text).substr(begin, end - begin);
  };
  auto comments_before = [&](uint32_t offset) {
    while (next_comment < tree.comments.size() &&
           tree.comments[next_comment].range.begin < offset) {
      TextRange range = tree.comments[next_comment++].range;
      kept.push_back(
          {NodeKind::Error, syntax::Field::None, true, 0, text_of(range.begin, range.end)});
    }
  };
  std::vector<size_t> ends;
  for (size_t i = 1; i < tree.nodes.size(); ++i) {
    const NodeData& node = tree.nodes[i];
    while (!ends.empty() && ends.back() <= i) {
      ends.pop_back();
    }
    if (node.kind == NodeKind::Comma || node.kind == NodeKind::Semicolon) {
      continue;
    }
    comments_before(node.begin);
    kept.push_back({node.kind, node.field, false, static_cast<uint32_t>(ends.size()),
                    node.size == 1 ? text_of(node.begin, node.end) : ""});
    ends.push_back(i + node.size);
  }
  comments_before(UINT32_MAX);
}

static auto kept_of(const FileSyntax& file) -> std::vector<Kept> {
  std::vector<Kept> kept;
  for (const Unit& unit : file.units) {
    append_unit(*unit.tree, kept);
  }
  return kept;
}

static auto describe(const std::vector<Kept>& kept, size_t i) -> std::string {
  if (i >= kept.size()) {
    return "nothing";
  }
  std::string_view what = kept[i].is_comment ? "comment" : kind_name(kept[i].kind);
  return fmt::format("{} `{}` at depth {}", what, kept[i].text, kept[i].depth);
}

/// Did every unit keep what it has? Nearly always so, and then no list of a whole file is needed.
static auto is_kept_unit_by_unit(const FileSyntax& before, const FileSyntax& after) -> bool {
  if (before.units.size() != after.units.size()) {
    return false;
  }
  std::vector<Kept> old_kept;
  std::vector<Kept> new_kept;
  for (size_t i = 0; i < before.units.size(); ++i) {
    old_kept.clear();
    new_kept.clear();
    append_unit(*before.units[i].tree, old_kept);
    append_unit(*after.units[i].tree, new_kept);
    if (!std::equal(old_kept.begin(), old_kept.end(), new_kept.begin(), new_kept.end(), is_kept)) {
      return false;
    }
  }
  return true;
}

auto find_format_fault(const FileSyntax& before, const FileSyntax& after) -> std::string {
  if (is_kept_unit_by_unit(before, after)) {
    return "";
  }
  std::vector<Kept> old_kept = kept_of(before);
  std::vector<Kept> new_kept = kept_of(after);
  auto [a, b] =
      std::mismatch(old_kept.begin(), old_kept.end(), new_kept.begin(), new_kept.end(), is_kept);
  if (a == old_kept.end() && b == new_kept.end()) {
    return "";
  }
  auto i = static_cast<size_t>(a - old_kept.begin());
  return fmt::format("{} became {}", describe(old_kept, i), describe(new_kept, i));
}

}  // namespace tacet::formatter
