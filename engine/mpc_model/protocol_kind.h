#pragma once

#include <cstdint>
#include <string_view>

namespace tacet::mpc {

enum class ProtocolKind : uint8_t { Ref, Semi2k, Aby3, Rep4, Aby3Active };

auto protocol_name(ProtocolKind kind) -> std::string_view;

/// Where the correlated randomness of `semi2k` comes from: made by the parties, by encryption, or
/// from a dealer, who is one more rank behind those of the parties.
enum class CorrelationsKind : uint8_t { Bfv, Dealer };

auto correlations_name(CorrelationsKind kind) -> std::string_view;
}  // namespace tacet::mpc
