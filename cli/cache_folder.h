#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tacet::cli {

/// Where Tacet keeps what it can measure or make again: `$XDG_CACHE_HOME/tacet`, or
/// `~/.cache/tacet`. Empty if neither is set.
auto cache_folder() -> std::string;

/// Writes a file of that folder, which is made if it is not there; `path` is empty if it cannot be
/// named.
auto write_to_cache(const std::string& path, std::string_view text) -> Status;

}  // namespace tacet::cli
