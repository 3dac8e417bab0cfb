#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/net/links.h"

namespace tacet::net {

/// The version of what parties say to each other. Frames and the first twelve bytes of a greeting
/// are the same in all versions, so that any two can report to each other that they differ.
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

/// Why two parties cannot work together, said of the one that sent `theirs`, or nothing. `us` is
/// how the other side is called.
[[nodiscard]] auto find_disagreement(const Greeting& ours, const Greeting& theirs,
                                     std::string_view us = "this party has")
    -> std::optional<std::string>;

/// Who is to blame when the greetings of parties, by rank, do not agree, as far as they are known:
/// if more than half of all have the same, the first that has something else, be it the own one;
/// else the first that differs from the own one. Nothing if all agree.
[[nodiscard]] auto blame_for_disagreement(Rank own, Rank n_parties,
                                          const std::vector<std::optional<Greeting>>& greetings)
    -> LinkStatus;

}  // namespace tacet::net
