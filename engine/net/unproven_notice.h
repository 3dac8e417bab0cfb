#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include "engine/net/links.h"

namespace tacet::net {

/// What a party says in place of a handshake whose private key is of no use: its rank, and that it
/// cannot begin. Anybody can say so, therefore it has no words of the sender's choice.
constexpr size_t kUnprovenNoticeSize = 12;

[[nodiscard]] auto encode_unproven_notice(Rank rank) -> std::array<std::byte, kUnprovenNoticeSize>;

/// Who sent it; nothing if `bytes` are not one. No handshake of TLS begins alike.
[[nodiscard]] auto decode_unproven_notice(std::span<const std::byte> bytes) -> std::optional<Rank>;

}  // namespace tacet::net
