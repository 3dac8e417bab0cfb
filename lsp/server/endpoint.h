#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace tacet::lsp {

/// A connected socket on a loopback port. Editors listen before they start a server and
/// give it their port; if nobody listens there, we do, and take the first who comes.
auto open_port(uint16_t port) -> Result<int>;

/// The same with a Unix socket of that path, which only its owner may connect to.
auto open_pipe(const std::string& path) -> Result<int>;

}  // namespace tacet::lsp
