#include "engine/mpc_model/protocol_costs.h"

namespace tacet::mpc_model {

namespace {

/// A word for each value that two parties share; six for a product, or four if each factor is known
/// to two.
class Rep4Costs final : public ProtocolCosts {
 public:
  auto n_parties() const -> uint32_t override { return 4; }
  auto share(uint64_t n, unsigned ring) const -> Cost override {
    return {.rounds = 1, .bytes = 2 * cut_bytes(n, ring)};
  }
  auto share_bits(unsigned width, uint64_t n) const -> Cost override {
    return {.rounds = 1, .bytes = 2 * plane_bytes(width, n)};
  }
  auto open(uint64_t n, unsigned n_bits) const -> Cost override {
    return then(check(), {.rounds = 1, .bytes = 4 * (cut_bytes(n, n_bits) + kTag)});
  }
  auto open_to_one(uint64_t n, unsigned n_bits) const -> Cost override {
    return then(check(), {.rounds = 1, .bytes = cut_bytes(n, n_bits) + kTag});
  }
  auto open_bits(unsigned width, uint64_t n) const -> Cost override {
    return then(check(), {.rounds = 1, .bytes = 4 * (plane_bytes(width, n) + kTag)});
  }
  auto open_bits_to_one(unsigned width, uint64_t n) const -> Cost override {
    return then(check(), {.rounds = 1, .bytes = plane_bytes(width, n) + kTag});
  }
  auto multiply(uint64_t n, unsigned ring) const -> Cost override {
    return {.rounds = 1, .bytes = 6 * cut_bytes(n, ring)};
  }
  auto square(uint64_t n, unsigned ring) const -> Cost override { return multiply(n, ring); }
  auto dot(uint64_t n_rows, uint64_t /*length*/, unsigned ring) const -> Cost override {
    return multiply(n_rows, ring);
  }
  auto multiply_matrices(uint64_t rows, uint64_t /*inner*/, uint64_t columns, unsigned ring) const
      -> Cost override {
    return multiply(rows * columns, ring);
  }
  auto conjunction(unsigned width, uint64_t n) const -> Cost override {
    return {.rounds = 1, .bytes = 6 * plane_bytes(width, n)};
  }
  /// Both sums of two parts, then the carries but for the top one.
  auto half_sum(unsigned width, uint64_t n) const -> Cost override {
    return {.rounds = 2, .bytes = 2 * plane_bytes(width, n) + 4 * plane_bytes(width - 1, n)};
  }
  auto zero_planes(unsigned width, uint64_t n) const -> Cost override {
    return share_bits(width, n);
  }
  /// Both halves of each bit, each as long as its weight leaves, then one product.
  auto bits_to_arithmetic(unsigned width, uint64_t n, unsigned ring) const -> Cost override {
    uint64_t bytes = 4 * cut_bytes(n, ring);
    for (unsigned p = 0; p < width; ++p) {
      bytes += 2 * cut_bytes(n, ring - p);
    }
    return {.rounds = 2, .bytes = bytes};
  }
  /// Two quotients and two top bits, then the product of these, one summand of it in whole words.
  auto truncate(uint64_t n, unsigned ring, unsigned f) const -> Cost override {
    return {.rounds = 2, .bytes = 3 * cut_bytes(n, ring) + 5 * cut_bytes(n, f)};
  }
  auto truncate_probabilistic(uint64_t n, unsigned ring, unsigned f) const -> Cost override {
    return truncate(n, ring, f);
  }
  auto random_permutation(uint64_t /*n*/) const -> Cost override { return {}; }
  /// Three parts anew for each of four factors.
  auto permute(uint64_t n, unsigned ring, uint64_t n_arrays) const -> Cost override {
    return {.rounds = 4, .bytes = 12 * n_arrays * cut_bytes(n, ring)};
  }

 private:
  static constexpr uint64_t kTag = 16;
  /// A tag from each party to each other one.
  static auto check() -> Cost { return {.rounds = 1, .bytes = 12 * kTag}; }
};

}  // namespace

auto rep4_costs() -> std::unique_ptr<ProtocolCosts> {
  return std::make_unique<Rep4Costs>();
}

}  // namespace tacet::mpc_model
