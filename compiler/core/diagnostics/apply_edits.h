#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"

namespace tacet {

/// The edits in the order of their places; insertions at one place keep their
/// order. An edit that overlaps an earlier one is left out.
auto sorted_edits(std::span<const TextEdit> edits) -> std::vector<TextEdit>;

/// `text` after all `edits`, whose ranges all refer to the text before.
auto apply_edits(std::string_view text, std::span<const TextEdit> edits) -> std::string;

}  // namespace tacet
