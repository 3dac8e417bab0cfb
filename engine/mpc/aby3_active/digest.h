#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace tacet::mpc {

/// SHA-256.
using Digest = std::array<std::byte, 32>;
[[nodiscard]] auto digest_of(std::span<const std::byte> bytes) -> Digest;

}  // namespace tacet::mpc
