#include "engine/mpc_model/protocol_costs.h"

namespace tacet::mpc_model {

namespace {

/// One word from the owner; one word from each party for a product.
class Aby3Costs final : public ProtocolCosts {
 public:
  auto n_parties() const -> uint32_t override { return 3; }
  auto share(uint64_t n, unsigned ring) const -> Cost override {
    return {.rounds = 1, .bytes = cut_bytes(n, ring)};
  }
  auto share_bits(unsigned width, uint64_t n) const -> Cost override {
    return {.rounds = 1, .bytes = plane_bytes(width, n)};
  }
  auto open(uint64_t n, unsigned n_bits) const -> Cost override {
    return {.rounds = 1, .bytes = 3 * cut_bytes(n, n_bits)};
  }
  auto open_to_one(uint64_t n, unsigned n_bits) const -> Cost override {
    return {.rounds = 1, .bytes = cut_bytes(n, n_bits)};
  }
  auto open_bits(unsigned width, uint64_t n) const -> Cost override {
    return {.rounds = 1, .bytes = 3 * plane_bytes(width, n)};
  }
  auto open_bits_to_one(unsigned width, uint64_t n) const -> Cost override {
    return {.rounds = 1, .bytes = plane_bytes(width, n)};
  }
  auto multiply(uint64_t n, unsigned ring) const -> Cost override {
    return {.rounds = 1, .bytes = 3 * cut_bytes(n, ring)};
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
    return {.rounds = 1, .bytes = 3 * plane_bytes(width, n)};
  }
  /// The leader's number, then the carries but for the top one, by both others.
  auto half_sum(unsigned width, uint64_t n) const -> Cost override {
    return {.rounds = 2, .bytes = plane_bytes(width, n) + 2 * plane_bytes(width - 1, n)};
  }
  auto zero_planes(unsigned width, uint64_t n) const -> Cost override {
    return share_bits(width, n);
  }
  /// The leader's bits, each as long as its weight leaves, then two words.
  auto bits_to_arithmetic(unsigned width, uint64_t n, unsigned ring) const -> Cost override {
    uint64_t bytes = 2 * cut_bytes(n, ring);
    for (unsigned p = 0; p < width; ++p) {
      bytes += cut_bytes(n, ring - p);
    }
    return {.rounds = 2, .bytes = bytes};
  }
  /// Two words with a correction of f bits each, and two choices of f bits.
  auto truncate(uint64_t n, unsigned ring, unsigned f) const -> Cost override {
    return {.rounds = 1, .bytes = 2 * cut_bytes(n, ring) + 4 * cut_bytes(n, f)};
  }
  auto truncate_probabilistic(uint64_t n, unsigned ring, unsigned /*f*/) const -> Cost override {
    return {.rounds = 1, .bytes = cut_bytes(n, ring)};
  }
  /// The product as a sum of two numbers takes one word less.
  auto multiply_truncate(uint64_t n, unsigned ring, unsigned f) const -> Cost override {
    return then({.rounds = 1, .bytes = 2 * cut_bytes(n, ring)}, truncate(n, ring, f));
  }
  auto dot_truncate(uint64_t n_rows, uint64_t /*length*/, unsigned ring, unsigned f) const
      -> Cost override {
    return multiply_truncate(n_rows, ring, f);
  }
  auto multiply_matrices_truncate(uint64_t rows, uint64_t /*inner*/, uint64_t columns,
                                  unsigned ring, unsigned f) const -> Cost override {
    return multiply_truncate(rows * columns, ring, f);
  }
  auto random_permutation(uint64_t /*n*/) const -> Cost override { return {}; }
  auto permute(uint64_t n, unsigned ring, uint64_t n_arrays) const -> Cost override {
    return {.rounds = 2, .bytes = 4 * n_arrays * cut_bytes(n, ring)};
  }
};

}  // namespace

auto aby3_costs() -> std::unique_ptr<ProtocolCosts> {
  return std::make_unique<Aby3Costs>();
}

}  // namespace tacet::mpc_model
