#pragma once

#include <string>

#include "base/result.h"

namespace tacet::project {

/// Where a source is read from.
constexpr std::string_view kStdinPath = "-";

/// The bytes of the file at `path`, whatever they are. An error says why there are none: it is
/// missing, a folder, no regular file, unreadable, or larger than `syntax::kMaxFileSize`.
auto read_source(const std::string& path) -> Result<std::string>;

/// The bytes of standard input, under the same limit.
auto read_stdin() -> Result<std::string>;

}  // namespace tacet::project
