#include "cli/line_edits.h"

#include <algorithm>
#include <span>

namespace tacet::cli {

using LinesOfText = std::vector<std::string_view>;

/// The lines with their ends.
static auto split_line(std::string_view text) -> LinesOfText {
  LinesOfText lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t length = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

/// By `i * (after.size() + 1) + j`: how many lines `before[i…]` and `after[j…]` have in common.
static auto common_lines(std::span<const std::string_view> before,
                         std::span<const std::string_view> after) -> std::vector<uint32_t> {
  const size_t width = after.size() + 1;
  std::vector<uint32_t> common(width * (before.size() + 1), 0);
  for (size_t i = before.size(); i-- > 0;) {
    for (size_t j = after.size(); j-- > 0;) {
      common[i * width + j] =
          before[i] == after[j] ? common[(i + 1) * width + j + 1] + 1
                                : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  return common;
}

auto line_edits(std::string_view before, std::string_view after) -> std::vector<TextEdit> {
  constexpr size_t kMostCells = 4'000'000;
  const LinesOfText old_lines = split_line(before);
  const LinesOfText new_lines = split_line(after);
  size_t first = 0;
  const size_t shorter = std::min(old_lines.size(), new_lines.size());
  while (first < shorter && old_lines[first] == new_lines[first]) {
    ++first;
  }
  size_t n_last = 0;
  while (n_last < shorter - first &&
         old_lines[old_lines.size() - 1 - n_last] == new_lines[new_lines.size() - 1 - n_last]) {
    ++n_last;
  }
  const auto removed = std::span(old_lines).subspan(first, old_lines.size() - first - n_last);
  const auto added = std::span(new_lines).subspan(first, new_lines.size() - first - n_last);
  const bool is_small = (removed.size() + 1) * (added.size() + 1) <= kMostCells;
  const std::vector<uint32_t> common =
      is_small ? common_lines(removed, added) : std::vector<uint32_t>();
  const size_t width = added.size() + 1;

  std::vector<TextEdit> edits;
  uint32_t at = 0;
  for (size_t i = 0; i < first; ++i) {
    at += static_cast<uint32_t>(old_lines[i].size());
  }
  bool is_open = false;
  auto edit = [&]() -> TextEdit& {
    if (!is_open) {
      edits.push_back({{at, at}, ""});
      is_open = true;
    }
    return edits.back();
  };
  size_t i = 0;
  size_t j = 0;
  while (i < removed.size() || j < added.size()) {
    if (is_small && i < removed.size() && j < added.size() && removed[i] == added[j]) {
      at += static_cast<uint32_t>(removed[i++].size());
      ++j;
      is_open = false;
    } else if (i < removed.size() && (j == added.size() || !is_small ||
                                      common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      TextEdit& open = edit();
      at += static_cast<uint32_t>(removed[i++].size());
      open.range.end = at;
    } else {
      edit().new_text += added[j++];
    }
  }
  return edits;
}

}  // namespace tacet::cli
