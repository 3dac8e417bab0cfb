#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/core/diagnostics/render.h"

namespace tacet::cli {

/// What `edits` do to `text` as a unified diff with three lines around each change; empty if
/// they change nothing. The edits do not overlap.
auto unified_diff(std::string_view path, std::string_view text, std::span<const TextEdit> edits,
                  Colour colour) -> std::string;

}  // namespace tacet::cli
