#include "engine/net/greeting.h"

#include <algorithm>

#include "base/check.h"
#include "engine/net/frame.h"
#include "engine/net/little_endian.h"

namespace tacet::net {

static constexpr std::string_view kMagic = "tacetnet";

static void append_text(std::vector<std::byte>& payload, std::string_view text) {
  append_little<uint16_t>(payload, static_cast<uint16_t>(text.size()));
  std::span<const std::byte> bytes = bytes_of(text);
  payload.insert(payload.end(), bytes.begin(), bytes.end());
}

auto encode_greeting(const Greeting& greeting) -> std::vector<std::byte> {
  std::span<const std::byte> magic = bytes_of(kMagic);
  std::vector<std::byte> payload(magic.begin(), magic.end());
  append_little<uint32_t>(payload, greeting.version);
  append_little<uint32_t>(payload, greeting.rank);
  append_little<uint32_t>(payload, greeting.n_parties);
  append_little<uint16_t>(payload, static_cast<uint16_t>(greeting.agreement.size()));
  for (const auto& [name, value] : greeting.agreement) {
    append_text(payload, name);
    append_text(payload, value);
  }
  TACET_CHECK(payload.size() <= kMaxControlPayload, "a greeting is short");
  return payload;
}

auto decode_greeting(std::span<const std::byte> payload) -> Result<Greeting> {
  PayloadReader reader(payload);
  Greeting greeting;
  if (reader.text(kMagic.size()) != kMagic) {
    return Error{"is not a Tacet party"};
  }
  greeting.version = reader.number<uint32_t>();
  if (!reader.failed() && greeting.version != kLinkVersion) {
    return greeting;
  }
  greeting.rank = reader.number<uint32_t>();
  greeting.n_parties = reader.number<uint32_t>();
  size_t n = reader.number<uint16_t>();
  for (size_t i = 0; i < n && !reader.failed(); ++i) {
    std::string name = printable(reader.text(reader.number<uint16_t>()));
    std::string value = printable(reader.text(reader.number<uint16_t>()));
    greeting.agreement.emplace_back(std::move(name), std::move(value));
  }
  if (!reader.at_end()) {
    return Error{"sent a malformed greeting"};
  }
  return greeting;
}

static auto value_of(const Agreement& agreement, const std::string& name) -> const std::string* {
  auto found = std::find_if(agreement.begin(), agreement.end(),
                            [&](const auto& entry) { return entry.first == name; });
  return found == agreement.end() ? nullptr : &found->second;
}

auto find_disagreement(const Greeting& ours, const Greeting& theirs, std::string_view us)
    -> std::optional<std::string> {
  if (theirs.version != ours.version) {
    return fmt::format("uses version {} of the link protocol; this party uses version {}",
                       theirs.version, ours.version);
  }
  for (const auto& [name, value] : ours.agreement) {
    const std::string* other = value_of(theirs.agreement, name);
    if (other == nullptr || *other != printable(value)) {
      return fmt::format("has a different {}: {}; {} {}", name, other == nullptr ? "none" : *other,
                         us, value);
    }
  }
  for (const auto& [name, value] : theirs.agreement) {
    if (value_of(ours.agreement, name) == nullptr) {
      return fmt::format("has a different {}: {}; {} none", name, value, us);
    }
  }
  if (theirs.n_parties != ours.n_parties) {
    return fmt::format("is in a run of {} parties; this party is in a run of {}", theirs.n_parties,
                       ours.n_parties);
  }
  return std::nullopt;
}

auto blame_for_disagreement(Rank own, Rank n_parties,
                            const std::vector<std::optional<Greeting>>& greetings) -> LinkStatus {
  const auto agree = [&](Rank a, Rank b) {
    return greetings[a] && greetings[b] && !find_disagreement(*greetings[a], *greetings[b]);
  };
  const auto n_like = [&](Rank rank) {
    Rank n = 0;
    for (Rank other = 0; other < n_parties; ++other) {
      n += agree(rank, other) ? 1 : 0;
    }
    return n;
  };
  Rank measure = own;
  for (Rank rank = 0; rank < n_parties; ++rank) {
    if (2 * n_like(rank) > n_parties) {
      measure = rank;
      break;
    }
  }
  const std::string_view us = agree(own, measure) ? "this party has" : "the others have";
  for (Rank rank = 0; rank < n_parties; ++rank) {
    if (greetings[rank] && !agree(measure, rank)) {
      return LinkError{rank, *find_disagreement(*greetings[measure], *greetings[rank], us)};
    }
  }
  return std::nullopt;
}

}  // namespace tacet::net
