#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"

namespace tacet::formatter {

/// Appends the edits that turn `before` into `after`, which differ in white space for the most
/// part: one edit per run of white space that changed, so that cursors and marks of an editor
/// stay where they are. Ranges count from `offset`. O(size).
void append_minimal_edits(std::string_view before, std::string_view after, uint32_t offset,
                          std::vector<TextEdit>& edits);

}  // namespace tacet::formatter
