#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "engine/mpc_model/cost.h"

namespace tacet::mpc_model {

/// What each function of a protocol (engine/mpc/protocol.h) takes, as formulas of public sizes: `n`
/// elements, words of `ring` bits, planes by `width`. What depends on nothing else is the same in
/// every run; tests hold it against what the parties count.
class ProtocolCosts {
 public:
  ProtocolCosts() = default;
  ProtocolCosts(const ProtocolCosts&) = delete;
  auto operator=(const ProtocolCosts&) -> ProtocolCosts& = delete;
  virtual ~ProtocolCosts() = default;

  [[nodiscard]] virtual auto n_parties() const -> uint32_t = 0;

  [[nodiscard]] virtual auto share(uint64_t n, unsigned ring) const -> Cost = 0;
  [[nodiscard]] virtual auto share_bits(unsigned width, uint64_t n) const -> Cost = 0;
  /// To everybody, or to one party.
  [[nodiscard]] virtual auto open(uint64_t n, unsigned n_bits) const -> Cost = 0;
  [[nodiscard]] virtual auto open_to_one(uint64_t n, unsigned n_bits) const -> Cost = 0;
  [[nodiscard]] virtual auto open_bits(unsigned width, uint64_t n) const -> Cost = 0;
  [[nodiscard]] virtual auto open_bits_to_one(unsigned width, uint64_t n) const -> Cost = 0;
  [[nodiscard]] virtual auto multiply(uint64_t n, unsigned ring) const -> Cost = 0;
  [[nodiscard]] virtual auto square(uint64_t n, unsigned ring) const -> Cost = 0;
  /// `n_rows` sums of `length` products.
  [[nodiscard]] virtual auto dot(uint64_t n_rows, uint64_t length, unsigned ring) const -> Cost = 0;
  [[nodiscard]] virtual auto multiply_matrices(uint64_t rows, uint64_t inner, uint64_t columns,
                                               unsigned ring) const -> Cost = 0;
  [[nodiscard]] virtual auto conjunction(unsigned width, uint64_t n) const -> Cost = 0;
  [[nodiscard]] virtual auto half_sum(unsigned width, uint64_t n) const -> Cost = 0;
  [[nodiscard]] virtual auto zero_planes(unsigned width, uint64_t n) const -> Cost = 0;
  [[nodiscard]] virtual auto bits_to_arithmetic(unsigned width, uint64_t n, unsigned ring) const
      -> Cost = 0;
  /// By `f` bits: exact, and probabilistic.
  [[nodiscard]] virtual auto truncate(uint64_t n, unsigned ring, unsigned f) const -> Cost = 0;
  [[nodiscard]] virtual auto truncate_probabilistic(uint64_t n, unsigned ring, unsigned f) const
      -> Cost = 0;
  [[nodiscard]] virtual auto multiply_truncate(uint64_t n, unsigned ring, unsigned f) const -> Cost;
  [[nodiscard]] virtual auto dot_truncate(uint64_t n_rows, uint64_t length, unsigned ring,
                                          unsigned f) const -> Cost;
  [[nodiscard]] virtual auto multiply_matrices_truncate(uint64_t rows, uint64_t inner,
                                                        uint64_t columns, unsigned ring,
                                                        unsigned f) const -> Cost;
  [[nodiscard]] virtual auto random_permutation(uint64_t n) const -> Cost = 0;
  /// Of `n_arrays` arrays at once.
  [[nodiscard]] virtual auto permute(uint64_t n, unsigned ring, uint64_t n_arrays) const
      -> Cost = 0;
};

/// The bytes of `n` words cut to `n_bits` bits, and of `width` planes of `n` bits.
constexpr auto cut_bytes(uint64_t n, unsigned n_bits) -> uint64_t {
  return n * ((n_bits + 7) / 8);
}
constexpr auto plane_bytes(unsigned width, uint64_t n) -> uint64_t {
  return width * ((n + 7) / 8);
}

auto ref_costs(uint32_t n_parties) -> std::unique_ptr<ProtocolCosts>;
auto aby3_costs() -> std::unique_ptr<ProtocolCosts>;
auto rep4_costs() -> std::unique_ptr<ProtocolCosts>;
/// Without the checks of products before openings, which depend on all that was computed since the
/// last one (product_checks.h): 6 to 30 rounds. `cost_of_program` has them.
auto aby3_active_costs() -> std::unique_ptr<ProtocolCosts>;
/// Without what making its correlated randomness takes (semi2k_costs.h); permutations as with a
/// dealer.
auto semi2k_costs(uint32_t n_parties) -> std::unique_ptr<ProtocolCosts>;

}  // namespace tacet::mpc_model
