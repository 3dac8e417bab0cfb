#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace tacet::mpc {

/// SHA-256.
using Digest = std::array<std::byte, 32>;
[[nodiscard]] auto digest_of(std::span<const std::byte> bytes) -> Digest;

/// Whether as many bytes are equal, which may be known, while the bytes may not: no branch depends
/// on them.
[[nodiscard]] auto are_equal(std::span<const std::byte> a, std::span<const std::byte> b) -> bool;

}  // namespace tacet::mpc
