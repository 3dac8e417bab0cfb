#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "engine/mpc/protocol.h"
#include "engine/secure_random/seed_expander.h"

namespace tacet::mpc {

/// What party 0 asks a dealer for, on behalf of all.
struct DealerRequest {
  enum class Kind : uint8_t {
    Finish,
    Triples,
    Squares,
    BitTriples,
    CrossProducts,
    RandomBits,
    Matrix,
    Permute
  };

  Kind kind = Kind::Finish;
  Ring ring = Ring::Z64;
  Direction direction = Direction::Forward;
  Rank owner = 0;            ///< of the permutation
  uint64_t n = 0;            ///< elements, or words of bits
  uint64_t permutation = 0;  ///< its number
  MatrixShape shape{};

  static constexpr size_t kSize = 6 * sizeof(uint64_t);
  [[nodiscard]] auto to_bytes() const -> std::array<std::byte, kSize>;
  /// Nothing if the bytes are no request for `n_parties`, or for more than 2^32 elements.
  static auto from_bytes(std::span<const std::byte, kSize> bytes, Rank n_parties)
      -> std::optional<DealerRequest>;
};

/// The stream of a party's seed that part `part` of request `number` comes from, or the permutation
/// of that number. Below 2^62 requests.
constexpr auto dealer_stream(uint64_t number, unsigned part) -> uint64_t {
  return number * 4 + part;
}

}  // namespace tacet::mpc
