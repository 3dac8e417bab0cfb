#include "engine/net/unproven_notice.h"

#include <algorithm>

#include "engine/net/little_endian.h"

namespace tacet::net {

static constexpr std::string_view kMagic = "tacetbad";

auto encode_unproven_notice(Rank rank) -> std::array<std::byte, kUnprovenNoticeSize> {
  std::array<std::byte, kUnprovenNoticeSize> bytes{};
  const std::span<const std::byte> magic = bytes_of(kMagic);
  std::copy(magic.begin(), magic.end(), bytes.begin());
  store_little<uint32_t>(std::span(bytes).subspan(magic.size()), rank);
  return bytes;
}

auto decode_unproven_notice(std::span<const std::byte> bytes) -> std::optional<Rank> {
  PayloadReader reader(bytes);
  const bool is_one = reader.text(kMagic.size()) == kMagic;
  const Rank rank = reader.number<uint32_t>();
  return is_one && reader.at_end() ? std::optional(rank) : std::nullopt;
}

}  // namespace tacet::net
