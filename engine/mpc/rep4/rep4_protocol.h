#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/mpc/protocol.h"
#include "engine/mpc/rep4/joint_messages.h"
#include "engine/mpc/rep4/joint_sharing.h"

/// Private to this folder.
namespace tacet::mpc {

/// The parts of a secret in two pairs, and the steps that share what the two others know.
struct Split {
  JointStep first;   ///< what the parties know that lack neither of `second`'s parts
  JointStep second;  ///< the others
};

/// A number as a sum of two, each known to two parties; elsewhere empty.
struct TwoSums {
  RingArray first;
  RingArray second;
};

class Rep4 final : public Protocol {
 public:
  auto name() const -> std::string_view override { return "rep4"; }
  auto n_parts() const -> uint8_t override { return 3; }
  auto tolerates_a_liar() const -> bool override { return true; }
  auto start(Party& party) -> Task<> override;
  auto check_agreement(Party& party, std::vector<std::byte> bytes) -> Task<> override;

  auto share(Party& party, Rank owner, RingArray values, Ring ring, size_t n)
      -> Task<Share> override;
  auto share_bits(Party& party, Rank owner, BitPlanes values, unsigned width, size_t n)
      -> Task<Bits> override;
  auto constant_part(const Party& party) const -> std::optional<size_t> override;
  auto random_share(Party& party, Ring ring, size_t n) -> Task<Share> override;
  auto random_bits(Party& party, unsigned width, size_t n) -> Task<Bits> override;

  auto multiply(Party& party, Share x, Share y) -> Task<Share> override;
  auto dot(Party& party, Share x, Share y, size_t length) -> Task<Share> override;
  auto multiply_matrices(Party& party, Share x, Share y, MatrixShape shape) -> Task<Share> override;
  auto conjunction(Party& party, Bits x, Bits y) -> Task<Bits> override;

  auto summands(Party& party, Share x, unsigned width) -> Task<std::vector<Bits>> override;
  auto half_sum(Party& party, Share x, unsigned width) -> Task<HalfSum> override;
  auto zero_planes(Party& party, Share x, unsigned width) -> Task<Bits> override;
  auto bits_to_arithmetic(Party& party, Bits x, Ring ring) -> Task<Share> override;

  auto truncate(Party& party, Share x, unsigned f, Truncation how) -> Task<Share> override;

  auto random_permutation(Party& party, size_t n) -> Task<SecretPermutation> override;
  auto permute(Party& party, SecretPermutation permutation, std::vector<Share> arrays,
               Direction direction) -> Task<std::vector<Share>> override;

 protected:
  auto check(Party& party) -> Task<> override;
  auto open_checked(Party& party, Checked checked, Share x, unsigned count,
                    std::optional<Rank> receiver) -> Task<RingArray> override;
  auto open_bits_checked(Party& party, Checked checked, Bits x, std::optional<Rank> receiver)
      -> Task<BitPlanes> override;

 private:
  /// How the parts of the next number are paired: the same at all parties.
  auto next_split() -> Split;
  /// What is sent by `owner` to two parties alike; the others pass nothing.
  auto receive_input(Party& party, Rank owner, std::vector<std::byte> sent, size_t n_bytes)
      -> Task<std::vector<std::byte>>;
  /// The missing part, as bytes: `parts` are the own ones in that form, by part. Empty if it is not
  /// for this party.
  auto open_bytes(Party& party, std::optional<Rank> receiver,
                  std::array<std::vector<std::byte>, kRep4Parties> parts, size_t n_bytes)
      -> Task<std::vector<std::byte>>;

  std::optional<JointMessages> messages_;  ///< once it has started
  size_t n_splits_ = 0;
};

/// The steps of a product, one for each pair of parts.
auto product_steps() -> std::span<const JointStep>;
/// Those of numbers of which one has only the parts that `split.first` makes, and the other one
/// those of `split.second`.
auto cross_steps(const Split& split) -> std::vector<JointStep>;

auto sums_of(const Party& party, const Split& split, const Share& x) -> TwoSums;

/// x_i y_j + x_j y_i for parts i and j, at a party that has both.
auto cross_product(const Party& party, const JointStep& step, const Share& x, const Share& y)
    -> RingArray;
auto cross_conjunction(const Party& party, const JointStep& step, const Bits& x, const Bits& y)
    -> BitPlanes;

}  // namespace tacet::mpc
