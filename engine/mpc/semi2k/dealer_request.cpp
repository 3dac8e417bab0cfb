#include "engine/mpc/semi2k/dealer_request.h"

#include <cstring>

namespace tacet::mpc {

auto DealerRequest::to_bytes() const -> std::array<std::byte, kSize> {
  const uint64_t words[] = {static_cast<uint64_t>(kind) | static_cast<uint64_t>(ring) << 8 |
                                static_cast<uint64_t>(direction == Direction::Inverse) << 16 |
                                static_cast<uint64_t>(owner) << 32,
                            n,
                            permutation,
                            shape.rows,
                            shape.inner,
                            shape.columns};
  std::array<std::byte, kSize> bytes;
  for (size_t i = 0; i < kSize; ++i) {
    bytes[i] = static_cast<std::byte>(words[i / 8] >> (8 * (i % 8)));
  }
  return bytes;
}

auto DealerRequest::from_bytes(std::span<const std::byte, kSize> bytes, Rank n_parties)
    -> std::optional<DealerRequest> {
  uint64_t words[kSize / 8] = {};
  for (size_t i = 0; i < kSize; ++i) {
    words[i / 8] |= static_cast<uint64_t>(bytes[i]) << (8 * (i % 8));
  }
  constexpr uint64_t kMost = uint64_t{1} << 32;
  const uint64_t kind = words[0] & 0xff;
  const uint64_t ring = words[0] >> 8 & 0xff;
  const uint64_t direction = words[0] >> 16 & 0xffff;
  const uint64_t owner = words[0] >> 32;
  if (kind > static_cast<uint64_t>(Kind::Permute) || ring > 2 || direction > 1 ||
      owner >= n_parties || words[1] > kMost ||
      (kind == static_cast<uint64_t>(Kind::CrossProducts) && n_parties != 2)) {
    return std::nullopt;
  }
  for (const uint64_t size : {words[3], words[4], words[5]}) {
    if (size > kMost) {
      return std::nullopt;
    }
  }
  const MatrixShape shape{.rows = words[3], .inner = words[4], .columns = words[5]};
  if (Word128{shape.rows} * shape.inner > kMost || Word128{shape.inner} * shape.columns > kMost ||
      Word128{shape.rows} * shape.columns > kMost) {
    return std::nullopt;
  }
  return DealerRequest{.kind = static_cast<Kind>(kind),
                       .ring = static_cast<Ring>(ring),
                       .direction = direction == 1 ? Direction::Inverse : Direction::Forward,
                       .owner = static_cast<Rank>(owner),
                       .n = words[1],
                       .permutation = words[2],
                       .shape = shape};
}

}  // namespace tacet::mpc
