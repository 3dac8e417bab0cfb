#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "compiler/core/diagnostics/source_view.h"

namespace tacet {

/// A range as LSP writes it: zero-based lines, UTF-16 characters. For .cpp files of
/// this folder only, because of what it includes.
auto json_range(const SourceView& source, TextRange range) -> nlohmann::ordered_json;

/// JSON text on one line; bytes that are not UTF-8 become U+FFFD.
auto json_text(const nlohmann::ordered_json& value) -> std::string;

}  // namespace tacet
