#include "compiler/core/diagnostics/reasons.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet {

/// Behind the reason at `at` and all that are below it.
static auto end_of_reason(const std::vector<Reason>& reasons, size_t at) -> size_t {
  const uint32_t depth = reasons[at].depth;
  size_t end = at + 1;
  while (end < reasons.size() && reasons[end].depth > depth) {
    ++end;
  }
  return end;
}

/// Copies the reasons from `at` to `end`, which are of the same thing, and what is below them.
static void copy_fitting(const std::vector<Reason>& from, size_t at, size_t end, uint32_t depth,
                         std::vector<Reason>& to) {
  uint32_t n_kept = 0;
  size_t n_left_out = 0;
  while (at < end) {
    const size_t next = end_of_reason(from, at);
    if (depth < kMostReasonDepth && n_kept < kMostReasonWidth && to.size() < kMostReasons) {
      ++n_kept;
      to.push_back(from[at]);
      to.back().depth = depth;
      copy_fitting(from, at + 1, next, depth + 1, to);
    } else {
      n_left_out += next - at;
    }
    at = next;
  }
  if (n_left_out > 0) {
    to.push_back({depth, fmt::format("… {} more", n_left_out), {}});
  }
}

void limit_reasons(std::vector<Reason>& reasons) {
  std::vector<Reason> kept;
  copy_fitting(reasons, 0, reasons.size(), 0, kept);
  reasons = std::move(kept);
}

auto exceed_labels(const Diagnostic& diagnostic) -> bool {
  const auto is_marked = [&](const Reason& reason) {
    return reason.place == diagnostic.place ||
           std::any_of(diagnostic.labels.begin(), diagnostic.labels.end(),
                       [&](const Label& label) { return label.place == reason.place; });
  };
  const auto is_table = [](const std::string& note) {
    return note.find('\n') != std::string::npos;
  };
  return std::none_of(diagnostic.notes.begin(), diagnostic.notes.end(), is_table) &&
         !std::all_of(diagnostic.reasons.begin(), diagnostic.reasons.end(), is_marked);
}

}  // namespace tacet
