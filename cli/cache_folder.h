#pragma once

#include <string>

namespace tacet::cli {

/// Where Tacet keeps what it can measure or make again: `$XDG_CACHE_HOME/tacet`, or
/// `~/.cache/tacet`. Empty if neither is set.
auto cache_folder() -> std::string;

}  // namespace tacet::cli
