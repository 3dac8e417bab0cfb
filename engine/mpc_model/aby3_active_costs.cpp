#include <bit>

#include "engine/mpc_model/protocol_costs.h"

namespace tacet::mpc_model {

namespace {

/// As `aby3` sends for products; everything else is made of these. Checks are for what records
/// say (product_checks.h).
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
    return opening(3 * (cut_bytes(n, n_bits) + kDigest));
  }
  auto open_to_one(uint64_t n, unsigned n_bits) const -> Cost override {
    return opening(cut_bytes(n, n_bits) + kDigest);
  }
  auto open_bits(unsigned width, uint64_t n) const -> Cost override {
    return opening(3 * (plane_bytes(width, n) + kDigest));
  }
  auto open_bits_to_one(unsigned width, uint64_t n) const -> Cost override {
    return opening(plane_bytes(width, n) + kDigest);
  }
  auto multiply(uint64_t n, unsigned ring) const -> Cost override { return dot(n, 1, ring); }
  auto square(uint64_t n, unsigned ring) const -> Cost override { return multiply(n, ring); }
  auto dot(uint64_t n_rows, uint64_t length, unsigned ring) const -> Cost override {
    return {.rounds = 1,
            .bytes = 3 * cut_bytes(n_rows, ring),
            .record = dots(n_rows, length, ring, true)};
  }
  auto multiply_matrices(uint64_t rows, uint64_t inner, uint64_t columns, unsigned ring) const
      -> Cost override {
    Cost cost{.rounds = 1, .bytes = 3 * cut_bytes(rows * columns, ring)};
    if (rows * columns > 0) {
      cost.record = record_of({.kind = Recorded::Kind::MatrixProducts,
                               .ring = ring,
                               .length = inner,
                               .n = rows * columns,
                               .n_words = rows * inner + inner * columns + rows * columns,
                               .round = 1});
    }
    return cost;
  }
  auto conjunction(unsigned width, uint64_t n) const -> Cost override {
    Cost cost{.rounds = 1, .bytes = 3 * plane_bytes(width, n)};
    const uint64_t n_words = width * ((n + 63) / 64);
    if (n_words > 0) {
      cost.record = record_of(
          {.kind = Recorded::Kind::Conjunctions, .n = n_words, .n_words = n_words, .round = 1});
    }
    return cost;
  }
  /// Majorities of the three parts' bits, then the carries of the two sums.
  auto half_sum(unsigned width, uint64_t n) const -> Cost override {
    return then(conjunction(width, n), conjunction(width, n));
  }
  auto zero_planes(unsigned width, uint64_t n) const -> Cost override { return half_sum(width, n); }
  /// The leader's bits as words, then a dot product.
  auto bits_to_arithmetic(unsigned width, uint64_t n, unsigned ring) const -> Cost override {
    Cost parts = share(width * n, ring);
    parts.record = dots(width * n, 1, ring, false);
    return then(parts, dot(n, width, ring));
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
    Cost layer;
    for (uint64_t i = 0; i < n_arrays; ++i) {
      layer = beside(layer, multiply(size / 2, ring));
    }
    return times(3 * n_layers, layer);
  }

 private:
  static constexpr uint64_t kDigest = 32;

  static auto opening(uint64_t bytes) -> Cost {
    return {.rounds = 1, .bytes = bytes, .record = record_of({.kind = Recorded::Kind::Opening})};
  }
  /// Recorded after a round.
  static auto dots(uint64_t n, uint64_t length, unsigned ring, bool is_followed_by_check)
      -> Record {
    return n == 0 ? nullptr
                  : record_of({.kind = Recorded::Kind::Dots,
                               .is_followed_by_check = is_followed_by_check,
                               .ring = ring,
                               .length = length,
                               .n = n,
                               .n_words = n * length,
                               .round = 1});
  }
};

}  // namespace

auto aby3_active_costs() -> std::unique_ptr<ProtocolCosts> {
  return std::make_unique<Aby3ActiveCosts>();
}

}  // namespace tacet::mpc_model
