#include "compiler/core/diagnostics/apply_edits.h"

#include <algorithm>

namespace tacet {

auto sorted_edits(std::span<const TextEdit> edits) -> std::vector<TextEdit> {
  std::vector<TextEdit> sorted(edits.begin(), edits.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const TextEdit& a, const TextEdit& b) {
    return a.range.begin < b.range.begin;
  });
  std::vector<TextEdit> kept;
  for (TextEdit& edit : sorted) {
    if (kept.empty() || edit.range.begin >= kept.back().range.end) {
      kept.push_back(std::move(edit));
    }
  }
  return kept;
}

auto apply_edits(std::string_view text, std::span<const TextEdit> edits) -> std::string {
  std::string result;
  size_t done = 0;
  for (const TextEdit& edit : sorted_edits(edits)) {
    size_t begin = std::clamp<size_t>(edit.range.begin, done, text.size());
    result.append(text.substr(done, begin - done));
    result.append(edit.new_text);
    done = std::clamp<size_t>(edit.range.end, begin, text.size());
  }
  result.append(text.substr(done));
  return result;
}

}  // namespace tacet
