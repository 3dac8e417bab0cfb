#include "engine/mpc_model/semi2k_costs.h"

#include <algorithm>
#include <bit>

#include "engine/mpc_model/protocol_costs.h"

namespace tacet::mpc_model {

namespace {

/// Every party sends to every other one what `bytes` says; correlations are not in it.
class Semi2kCosts final : public ProtocolCosts {
 public:
  explicit Semi2kCosts(uint32_t n_parties) : n_parties_(n_parties) {}

  auto n_parties() const -> uint32_t override { return n_parties_; }
  auto share(uint64_t /*n*/, unsigned /*ring*/) const -> Cost override { return {}; }
  auto share_bits(unsigned /*width*/, uint64_t /*n*/) const -> Cost override { return {}; }
  auto open(uint64_t n, unsigned n_bits) const -> Cost override {
    return to_all(cut_bytes(n, n_bits));
  }
  auto open_to_one(uint64_t n, unsigned n_bits) const -> Cost override {
    return {.rounds = 1, .bytes = (n_parties_ - 1) * cut_bytes(n, n_bits)};
  }
  auto open_bits(unsigned width, uint64_t n) const -> Cost override {
    return to_all(plane_bytes(width, n));
  }
  auto open_bits_to_one(unsigned width, uint64_t n) const -> Cost override {
    return {.rounds = 1, .bytes = (n_parties_ - 1) * plane_bytes(width, n)};
  }
  auto multiply(uint64_t n, unsigned ring) const -> Cost override {
    return to_all(2 * cut_bytes(n, ring));
  }
  auto square(uint64_t n, unsigned ring) const -> Cost override {
    return to_all(cut_bytes(n, ring));
  }
  auto dot(uint64_t n_rows, uint64_t length, unsigned ring) const -> Cost override {
    return multiply(n_rows * length, ring);
  }
  auto multiply_matrices(uint64_t rows, uint64_t inner, uint64_t columns, unsigned ring) const
      -> Cost override {
    return to_all(cut_bytes(rows * inner + inner * columns, ring));
  }
  auto conjunction(unsigned width, uint64_t n) const -> Cost override {
    return to_all(2 * plane_bytes(width, n));
  }
  /// Two parties: one bit of each summand. More: carry-save additions down to two.
  auto half_sum(unsigned width, uint64_t n) const -> Cost override {
    if (n_parties_ == 2) {
      return to_all(plane_bytes(width, n));
    }
    return then(carry_saves(width, n), conjunction(width, n));
  }
  auto zero_planes(unsigned width, uint64_t n) const -> Cost override { return half_sum(width, n); }
  /// One bit opened for each.
  auto bits_to_arithmetic(unsigned width, uint64_t n, unsigned /*ring*/) const -> Cost override {
    return to_all(plane_bytes(1, width * n));
  }
  /// Two parties: one bit of each. More: the sums of at most 12 bits below the point, and of some
  /// at the top, then their whole parts as numbers.
  auto truncate(uint64_t n, unsigned ring, unsigned f) const -> Cost override {
    if (n_parties_ == 2) {
      return bits_to_arithmetic(1, n, ring);
    }
    const auto n_whole = static_cast<unsigned>(std::bit_width(n_parties_));
    const auto n_top = static_cast<unsigned>(std::bit_width(2 * n_parties_));
    const unsigned n_fraction = f < 12 ? f : 12;
    return then(beside(sum(n_fraction + n_whole, n), sum(n_top + n_whole, n)),
                bits_to_arithmetic(2 * n_whole, n, ring));
  }
  auto truncate_probabilistic(uint64_t n, unsigned ring, unsigned f) const -> Cost override {
    return n_parties_ == 2 ? Cost{} : truncate(n, ring, f);
  }
  auto random_permutation(uint64_t /*n*/) const -> Cost override { return {}; }
  /// With a dealer's masks: the others send one word an element to each party in sequence.
  auto permute(uint64_t n, unsigned ring, uint64_t n_arrays) const -> Cost override {
    return times(n_parties_,
                 {.rounds = 1, .bytes = (n_parties_ - 1) * n_arrays * cut_bytes(n, ring)});
  }

 private:
  [[nodiscard]] auto to_all(uint64_t bytes) const -> Cost {
    return {.rounds = 1, .bytes = uint64_t{n_parties_} * (n_parties_ - 1) * bytes};
  }
  [[nodiscard]] auto carry_saves(unsigned width, uint64_t n) const -> Cost {
    Cost cost;
    for (unsigned n_terms = n_parties_; n_terms > 2; n_terms -= n_terms / 3) {
      cost = then(cost, conjunction(n_terms / 3 * width, n));
    }
    return cost;
  }
  /// Of everybody's number of `width` bits, with all carries.
  [[nodiscard]] auto sum(unsigned width, uint64_t n) const -> Cost {
    Cost cost = then(carry_saves(width, n), conjunction(width, n));
    for (unsigned distance = 1; distance < width; distance *= 2) {
      cost = then(cost, conjunction(2 * width, n));
    }
    return cost;
  }

  uint32_t n_parties_;
};

constexpr uint64_t kSlots = kPolynomialSize;

auto pairs(uint32_t n_parties) -> uint64_t {
  return uint64_t{n_parties} * (n_parties - 1) / 2;
}

/// `n_batches` for each pair of parties.
auto batches(uint32_t n_parties, uint64_t n_batches, unsigned bits, unsigned n_encrypted) -> Cost {
  const uint64_t bytes = n_encrypted * encryption_bytes() + reply_bytes(kSlots);
  return {.rounds = (n_batches + 1) / 2 + 1,
          .bytes = pairs(n_parties) * n_batches * n_plain_moduli(bits, 2) * bytes};
}

}  // namespace

auto semi2k_costs(uint32_t n_parties) -> std::unique_ptr<ProtocolCosts> {
  return std::make_unique<Semi2kCosts>(n_parties);
}

auto bfv_triples(uint32_t n_parties, uint64_t n, unsigned ring) -> Cost {
  return batches(n_parties, (n + kSlots - 1) / kSlots, ring, 2);
}
auto bfv_squares(uint32_t n_parties, uint64_t n, unsigned ring) -> Cost {
  return batches(n_parties, (n + kSlots - 1) / kSlots, ring, 1);
}
auto bfv_bit_triples(uint32_t n_parties, uint64_t n_words) -> Cost {
  return batches(n_parties, (64 * n_words + kSlots - 1) / kSlots, 1, 2);
}
auto bfv_cross_products(uint64_t n_words) -> Cost {
  return batches(2, (64 * n_words + kSlots - 1) / kSlots, 1, 1);
}
auto bfv_random_bits_of_two(uint64_t n) -> Cost {
  return batches(2, (n + kSlots - 1) / kSlots, 1, 1);
}
auto bfv_matrix_triple(uint32_t n_parties, MatrixSize size, unsigned ring) -> Cost {
  if (size.rows == 0 || size.inner == 0 || size.columns == 0) {
    return {};
  }
  const MatrixBlocks blocks = choose_matrix_blocks(size);
  const uint64_t n_encryptions = blocks.n_row_blocks() * blocks.n_inner_blocks();
  const uint64_t n_replies = blocks.n_row_blocks() * blocks.n_slices() * blocks.n_column_blocks();
  const auto together = [](uint64_t n) { return (n + kBlocksTogether - 1) / kBlocksTogether; };
  uint64_t encryption_rounds = 0;
  for (uint64_t left = blocks.n_inner_blocks(); left > 0;) {
    const uint64_t of_slice = std::min(left, kBlocksOfSlice);
    encryption_rounds += together(of_slice);
    left -= of_slice;
  }
  const uint64_t reply_rounds = blocks.n_slices() * together(blocks.n_column_blocks());
  return {.rounds = blocks.n_row_blocks() * (encryption_rounds + reply_rounds),
          .bytes = 2 * pairs(n_parties) * n_plain_moduli(ring, blocks.n_terms()) *
                   (n_encryptions * encryption_bytes() +
                    n_replies * reply_bytes(blocks.block.rows * blocks.block.columns))};
}

}  // namespace tacet::mpc_model
