#pragma once

#include <optional>
#include <string_view>

#include "base/wipe.h"

namespace tacet::cli {

/// Whether somebody can be asked: standard input and standard error are a terminal.
auto can_ask() -> bool;

/// Asks for a line, which the terminal does not show; nothing at the end of the input. While it
/// waits, Ctrl-Z does nothing, and whatever ends the program gives the terminal back as it was.
auto ask_for_secret(std::string_view question) -> std::optional<SecureVector<char>>;

}  // namespace tacet::cli
