#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/mpc/protocol.h"
#include "engine/secure_random/aes_ctr.h"

/// Private to this folder.
namespace tacet::mpc {

constexpr Rank kParties = 3;

/// Large arrays are computed, masked and sent in pieces of so many bytes, so that the links are
/// busy meanwhile and what was just computed is still in the cache.
constexpr size_t kChunkBytes = size_t{1} << 18;

/// Who does what where one party knows two parts of a secret and the others the third.
struct Roles {
  Rank leader = 0;  ///< knows parts `leader` and `leader + 1`
  Rank own = 0;     ///< this party: 0 for the leader, 1 and 2 for those behind it
};

/// The key streams of a party: of both its parts, and of what all three know, which is no secret,
/// but independent of every share.
class PartKeys {
 public:
  PartKeys(const secure_random::AesKey& first, const secure_random::AesKey& second,
           const secure_random::AesKey& common);

  /// Key `i` of this party's two: that of its part i.
  auto of_part(size_t i) -> secure_random::AesCtr& { return of_parts_[i]; }
  auto common() -> secure_random::AesCtr& { return common_; }
  auto words(const Party& party, size_t part, Ring ring, size_t n) -> RingArray;
  auto planes(const Party& party, size_t part, unsigned width, size_t n) -> BitPlanes;

 private:
  secure_random::AesCtr of_parts_[2];  // NOLINT: one key is this party's own, one not
  secure_random::AesCtr common_;
};

/// The two numbers that a secret is the sum of: the leader's, and that of both others. Elsewhere
/// empty.
struct Split {
  RingArray leaders;
  RingArray others;
};
auto split_share(Roles roles, const Share& x) -> Split;

/// Their low bits.
struct SplitPlanes {
  BitPlanes known;   ///< by the leader
  BitPlanes theirs;  ///< of both others
};
auto planes_of(Roles roles, const Split& split, unsigned width) -> SplitPlanes;

class Aby3 final : public Protocol {
 public:
  auto name() const -> std::string_view override { return "aby3"; }
  auto n_parts() const -> uint8_t override { return 2; }
  auto start(Party& party) -> Task<> override;

  auto share(Party& party, Rank owner, RingArray values, Ring ring, size_t n)
      -> Task<Share> override;
  auto share_bits(Party& party, Rank owner, BitPlanes values, unsigned width, size_t n)
      -> Task<Bits> override;
  auto constant_part(const Party& party) const -> std::optional<size_t> override;
  auto random_share(Party& party, Ring ring, size_t n) -> Task<Share> override;
  auto random_bits(Party& party, unsigned width, size_t n) -> Task<Bits> override;
  auto open_checked(Party& party, Checked /*checked*/, Share x, unsigned count,
                    std::optional<Rank> receiver) -> Task<RingArray> override;
  auto open_bits_checked(Party& party, Checked /*checked*/, Bits x, std::optional<Rank> receiver)
      -> Task<BitPlanes> override;

  auto multiply(Party& party, Share x, Share y) -> Task<Share> override;
  auto square(Party& party, Share x) -> Task<Share> override;
  auto dot(Party& party, Share x, Share y, size_t length) -> Task<Share> override;
  auto multiply_matrices(Party& party, Share x, Share y, MatrixShape shape) -> Task<Share> override;
  auto conjunction(Party& party, Bits x, Bits y) -> Task<Bits> override;

  auto summands(Party& party, Share x, unsigned width) -> Task<std::vector<Bits>> override;
  auto half_sum(Party& party, Share x, unsigned width) -> Task<HalfSum> override;
  auto zero_planes(Party& party, Share x, unsigned width) -> Task<Bits> override;
  auto bits_to_arithmetic(Party& party, Bits x, Ring ring) -> Task<Share> override;

  auto truncate(Party& party, Share x, unsigned f, Truncation how) -> Task<Share> override;
  auto multiply_truncate(Party& party, Share x, Share y, unsigned f, Truncation how)
      -> Task<Share> override;
  auto dot_truncate(Party& party, Share x, Share y, size_t length, unsigned f, Truncation how)
      -> Task<Share> override;
  auto multiply_matrices_truncate(Party& party, Share x, Share y, MatrixShape shape, unsigned f,
                                  Truncation how) -> Task<Share> override;

  auto random_permutation(Party& party, size_t n) -> Task<SecretPermutation> override;
  auto permute(Party& party, SecretPermutation permutation, std::vector<Share> arrays,
               Direction direction) -> Task<std::vector<Share>> override;

 private:
  /// The roles of the next call that needs a leader: the same at all parties.
  auto next_roles(const Party& party) -> Roles;

  /// Bits that the leader knows, as shares whose part `leader + 2` is zero.
  auto share_from_leader(Party& party, Roles roles, BitPlanes values, unsigned width, size_t n)
      -> Task<Bits>;
  /// Adds this party's summand of a random sharing of zero, and gives `sink` the bytes of each
  /// chunk.
  template <class Sink>
  void mask_chunks(RingArray& local, Sink sink);
  void mask(RingArray& local);
  /// x, where this party knows a summand of it: `local` plus a mask that is zero in all, sent on.
  auto replicate(Party& party, RingArray local) -> Task<Share>;
  /// The two numbers of the sum of what each party knows.
  auto split_product(Party& party, Roles roles, RingArray local) -> Task<Split>;
  /// The sum of what each party knows, truncated.
  auto truncate_sum(Party& party, RingArray local, unsigned f, Truncation how) -> Task<Share>;

  std::optional<PartKeys> keys_;  ///< once it has started
  Rank next_leader_ = 0;
};

/// The local summand of a product: x_i y_i + x_i y_(i+1) + x_(i+1) y_i.
auto local_product(const Share& x, const Share& y) -> RingArray;
auto local_dot(const Share& x, const Share& y, size_t length) -> RingArray;
auto local_matrix_product(const Share& x, const Share& y, MatrixShape shape) -> RingArray;

}  // namespace tacet::mpc
