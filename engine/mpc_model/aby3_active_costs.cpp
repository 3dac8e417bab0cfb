#include <bit>

#include "engine/mpc_model/protocol_costs.h"

namespace tacet::mpc_model {

namespace {

/// As `aby3` sends for products; everything else is made of these.
class Aby3ActiveCosts final : public ProtocolCosts {
 public:
  auto n_parties() const -> uint32_t override { return 3; }
  auto share(uint64_t n, unsigned ring) const -> Cost override {
    return {.rounds = 1, .bytes = cut_bytes(n, ring)};
  }
  auto share_bits(unsigned width, uint64_t n) const -> Cost override {
    return {.rounds = 1, .bytes = plane_bytes(width, n)};
  }
  auto open(uint64_t n, unsigned n_bits) const -> Cost override {
    return {.rounds = 1, .bytes = 3 * (cut_bytes(n, n_bits) + kDigest)};
  }
  auto open_to_one(uint64_t n, unsigned n_bits) const -> Cost override {
    return {.rounds = 1, .bytes = cut_bytes(n, n_bits) + kDigest};
  }
  auto open_bits(unsigned width, uint64_t n) const -> Cost override {
    return {.rounds = 1, .bytes = 3 * (plane_bytes(width, n) + kDigest)};
  }
  auto open_bits_to_one(unsigned width, uint64_t n) const -> Cost override {
    return {.rounds = 1, .bytes = plane_bytes(width, n) + kDigest};
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
  /// Majorities of the three parts' bits, then the carries of the two sums.
  auto half_sum(unsigned width, uint64_t n) const -> Cost override {
    return then(conjunction(width, n), conjunction(width, n));
  }
  auto zero_planes(unsigned width, uint64_t n) const -> Cost override { return half_sum(width, n); }
  /// The leader's bits as words, then a dot product.
  auto bits_to_arithmetic(unsigned width, uint64_t n, unsigned ring) const -> Cost override {
    return then(share(width * n, ring), dot(n, width, ring));
  }
  /// Three levels of conjunctions of a few bits, and five bits as numbers.
  auto truncate(uint64_t n, unsigned ring, unsigned f) const -> Cost override {
    const Cost bits =
        then(conjunction(f > 1 ? 4 : 3, n), then(conjunction(2, n), conjunction(2, n)));
    return then(bits, bits_to_arithmetic(5, n, ring));
  }
  auto truncate_probabilistic(uint64_t n, unsigned ring, unsigned f) const -> Cost override {
    return truncate(n, ring, f);
  }
  auto random_permutation(uint64_t /*n*/) const -> Cost override { return {}; }
  /// Three networks of switches, each of which is a product.
  auto permute(uint64_t n, unsigned ring, uint64_t n_arrays) const -> Cost override {
    if (n < 2) {
      return {};
    }
    const uint64_t size = std::bit_ceil(n);
    const auto n_layers = 2 * static_cast<uint64_t>(std::countr_zero(size)) - 1;
    const Cost layer = multiply(n_arrays * (size / 2), ring);
    return {.rounds = 3 * n_layers, .bytes = 3 * n_layers * layer.bytes};
  }

 private:
  static constexpr uint64_t kDigest = 32;
};

}  // namespace

auto aby3_active_costs() -> std::unique_ptr<ProtocolCosts> {
  return std::make_unique<Aby3ActiveCosts>();
}

}  // namespace tacet::mpc_model
