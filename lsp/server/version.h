#pragma once

namespace tacet::lsp {

/// What `initialize` says of us.
inline constexpr const char* kVersion = TACET_VERSION;

}  // namespace tacet::lsp
