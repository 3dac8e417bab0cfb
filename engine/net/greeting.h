#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/net/links.h"

namespace tacet::net {

/// The version of what parties say to each other. Frames and the first twelve bytes of a greeting
/// are the same in all versions, so that any two can tell each other that they differ.
constexpr uint32_t kLinkVersion = 2;

/// What all parties of a run must have alike, by name, such as `protocol` or the digest of the
/// `program`. Public: it is sent, and shown when it differs.
using Agreement = std::vector<std::pair<std::string, std::string>>;

/// What a party says first on a connection.
struct Greeting {
  uint32_t version = kLinkVersion;
  Rank rank = 0;
  Rank n_parties = 0;
  Agreement agreement{};
};

/// The payload of a hello frame. The texts together must fit into `kMaxControlPayload`.
[[nodiscard]] auto encode_greeting(const Greeting& greeting) -> std::vector<std::byte>;

/// Reads one. Of a greeting of another version there is the version alone. Texts are made safe to
/// print.
[[nodiscard]] auto decode_greeting(std::span<const std::byte> payload) -> Result<Greeting>;

/// Why two parties cannot work together, said of the one that sent `theirs`, or nothing.
[[nodiscard]] auto find_disagreement(const Greeting& ours, const Greeting& theirs)
    -> std::optional<std::string>;

}  // namespace tacet::net
