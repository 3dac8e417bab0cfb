#include "linter/suppressions.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/names/file_items.h"

namespace tacet::linter {

namespace {

auto trimmed(std::string_view text) -> std::string_view {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Reads `allow(T5001, secret-read) reason`.
void read(std::string_view text, Suppression& suppression) {
  const size_t open = text.find('(');
  const size_t close = text.find(')');
  const std::optional<Level> level = find_level(trimmed(text.substr(0, open)));
  if (!level || open == std::string_view::npos || close == std::string_view::npos || close < open) {
    suppression.problem =
        "what stands behind `tacet:` is `allow(…)`, `warn(…)` or `deny(…)` with codes of rules";
    return;
  }
  suppression.level = *level;
  std::string_view list = text.substr(open + 1, close - open - 1);
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    const std::string_view name = trimmed(list.substr(0, comma));
    DiagnosticCode code{};
    if (find_rule_code(name, code)) {
      suppression.codes.push_back(code);
    } else {
      suppression.problem = fmt::format("there is no rule `{}`", name);
    }
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  if (suppression.level == Level::Allow && trimmed(text.substr(close + 1)).empty()) {
    suppression.problem = "say why it is allowed, behind the `)`";
  }
}

/// The places of a tree's text in lines.
class Lines {
 public:
  explicit Lines(const syntax::Tree& tree) : tree_(tree), text_(tree.text) {}

  auto begin_of_line(uint32_t offset) const -> uint32_t {
    const size_t line_end = offset == 0 ? std::string_view::npos : text_.rfind('\n', offset - 1);
    return line_end == std::string_view::npos ? 0 : static_cast<uint32_t>(line_end + 1);
  }
  auto end_of_line(uint32_t offset) const -> uint32_t {
    return static_cast<uint32_t>(std::min(text_.find('\n', offset), text_.size()));
  }
  auto is_alone(TextRange comment) const -> bool {
    const uint32_t begin = begin_of_line(comment.begin);
    return trimmed(text_.substr(begin, comment.begin - begin)).empty();
  }
  /// Where the first token behind `offset` begins.
  auto next_token(uint32_t offset) const -> uint32_t {
    for (const syntax::NodeData& node : tree_.nodes) {
      if (node.size == 1 && node.begin >= offset && node.begin < node.end) {
        return node.begin;
      }
    }
    return static_cast<uint32_t>(text_.size());
  }

 private:
  const syntax::Tree& tree_;
  std::string_view text_;
};

}  // namespace

auto find_suppressions(const syntax::Tree& tree) -> std::vector<Suppression> {
  static constexpr std::string_view kMark = "tacet:";
  std::vector<Suppression> found;
  const std::string_view text = tree.text;
  const Lines lines(tree);
  for (const syntax::Comment& comment : tree.comments) {
    std::string_view words = text.substr(comment.range.begin, comment.range.length());
    if (comment.kind != syntax::CommentKind::Line || words.substr(0, 2) != "//") {
      continue;
    }
    words = trimmed(words.substr(2));
    if (words.substr(0, kMark.size()) != kMark) {
      continue;
    }
    Suppression suppression;
    suppression.place = comment.range;
    read(trimmed(words.substr(kMark.size())), suppression);
    const uint32_t line = lines.begin_of_line(comment.range.begin);
    const uint32_t end = lines.end_of_line(comment.range.end);
    if (!lines.is_alone(comment.range)) {
      uint32_t begin = comment.range.begin;
      while (begin > line && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) {
        --begin;
      }
      suppression.removed = {begin, comment.range.end};
      suppression.scope = {line, end};
    } else {
      suppression.removed = {line, std::min(end + 1, static_cast<uint32_t>(text.size()))};
      const uint32_t token = lines.next_token(comment.range.end);
      const syntax::Node item = names::item_node(tree);
      const bool is_about_item = item && token <= item.range().begin;
      suppression.scope = is_about_item
                              ? item.range()
                              : TextRange{lines.begin_of_line(token), lines.end_of_line(token)};
    }
    found.push_back(std::move(suppression));
  }
  return found;
}

}  // namespace tacet::linter
