#pragma once

#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"

namespace tacet {

/// How large a tree of reasons is shown.
inline constexpr uint32_t kMostReasonDepth = 6;  ///< reasons below each other
inline constexpr uint32_t kMostReasonWidth = 5;  ///< of the same thing
inline constexpr uint32_t kMostReasons = 16;     ///< in all

/// Cuts the tree to these sizes, the deepest and the last parts first: `… 3 more` in their place.
/// O(n).
void limit_reasons(std::vector<Reason>& reasons);

/// Whether a report for people shows the reasons: if one of them is at no place that is marked
/// anyway, and there is no table of the same, a note of several lines.
auto exceed_labels(const Diagnostic& diagnostic) -> bool;

}  // namespace tacet
