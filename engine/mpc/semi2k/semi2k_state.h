#pragma once

#include <memory>
#include <vector>

#include "engine/mpc/semi2k/correlations.h"
#include "engine/mpc/semi2k/pair_seeds.h"

namespace tacet::mpc {

/// What one party of `semi2k` keeps, and the functions of the protocol by topic. Arrays of parts
/// are this party's summands.
struct Semi2kState {
  std::unique_ptr<Correlations> correlations;
  PairSeeds seeds;
};

/// Bytes that every party sends to every other one: own ones, sent piece by piece as they are
/// there, and those of the others. For one exchange.
class Exchange {
 public:
  Exchange(Party& party, size_t n_bytes);

  /// The own bytes from `begin` on, to be written and then sent.
  [[nodiscard]] auto own(size_t begin, size_t n_bytes) -> std::span<std::byte> {
    return own_.edit_bytes().subspan(begin, n_bytes);
  }
  void send(size_t begin, size_t n_bytes);
  /// Awaited: all bytes of the others.
  [[nodiscard]] auto receive() -> Party::Round;
  /// Of the others, in any order.
  [[nodiscard]] auto theirs() const -> const std::vector<RingArray>& { return theirs_; }

 private:
  Party& party_;
  size_t n_bytes_;
  RingArray own_;
  std::vector<RingArray> theirs_;
};

/// The sum of everybody's words; the exclusive or of everybody's bits.
template <class T>
void sum_words(Exchange& exchange, size_t begin, std::span<T> out);
auto sum_bits(Exchange& exchange, size_t begin, unsigned width, size_t n, const Memory& memory)
    -> BitPlanes;

auto semi2k_multiply(Party& party, Semi2kState& state, Share x, Share y) -> Task<Share>;
auto semi2k_square(Party& party, Semi2kState& state, Share x) -> Task<Share>;
auto semi2k_multiply_matrices(Party& party, Semi2kState& state, Share x, Share y, MatrixShape shape)
    -> Task<Share>;
auto semi2k_conjunction(Party& party, Semi2kState& state, Bits x, Bits y) -> Task<Bits>;
/// Of two parties: the conjunction of party 0's bits and party 1's, one bit of each for each. `own`
/// are this party's.
auto semi2k_cross_conjunction(Party& party, Semi2kState& state, BitPlanes own) -> Task<Bits>;
/// Of bits: a plane of `n` numbers of one bit.
auto semi2k_bits_to_numbers(Party& party, Semi2kState& state, BitPlanes bits, Ring ring)
    -> Task<RingArray>;
/// Never wrong. For two parties by one bit of each, for more by adding a few bits of all.
auto semi2k_truncate(Party& party, Semi2kState& state, RingArray x, unsigned f) -> Task<RingArray>;
/// Two parties, wrong if the shares run over.
auto semi2k_truncate_locally(const Party& party, const RingArray& x, unsigned f) -> RingArray;
auto semi2k_permute(Party& party, Semi2kState& state, SecretPermutation permutation,
                    std::vector<Share> arrays, Direction direction) -> Task<std::vector<Share>>;

}  // namespace tacet::mpc
