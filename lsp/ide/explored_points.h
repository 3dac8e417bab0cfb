#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lsp/ide/analysis.h"

namespace tacet::ide {

/// One of the ways to compute something that were explored.
struct ExploredPoint {
  std::string label;
  std::string implementation;  ///< the function
  std::optional<double> milliseconds;
  std::optional<double> bytes;  ///< sent, and of keys
  std::string why;              ///< if it was not measured, or how it was not
  bool is_chosen = false;
  bool is_on_front = false;  ///< nothing else is better in time or bytes and not worse in the other
  /// The file with it, where the text can say it: other calls, a layout, a pipeline's function.
  /// Empty if the text is that already, or no longer has what is to be replaced.
  std::string text;
};

struct Explored {
  std::string name;     ///< of what is computed
  std::string picture;  ///< time against bytes, as SVG; empty if nothing was measured
  bool is_measured = false;
  bool is_unfinished = false;  ///< what is predicted is still being searched for
  std::vector<ExploredPoint> points;
};

/// Feature: what was explored, beside the source
///
/// Of the specification, function or pipeline at `offset`: what `tacet.explore` has for it, or for
/// what the function there implements. If nothing was explored, what implements the same, with the
/// times that functions on devices are predicted to take. An error says that there is neither.
auto explored_at(const Analysis& analysis, FileId file, uint32_t offset) -> Result<Explored>;

}  // namespace tacet::ide
