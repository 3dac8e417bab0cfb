#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/mpc/aby3_active/claims.h"
#include "engine/mpc/protocol.h"
#include "engine/secure_random/aes_ctr.h"

/// Private to this folder.
namespace tacet::mpc {

constexpr Rank kActiveParties = 3;

/// The key streams of a party: of both its parts.
class ActiveKeys {
 public:
  ActiveKeys(const secure_random::AesKey& first, const secure_random::AesKey& second);

  /// Key `i` of this party's two: that of its part i.
  auto of_part(size_t i) -> secure_random::AesCtr& { return of_parts_[i]; }
  auto words(const Party& party, size_t part, Ring ring, size_t n) -> RingArray;
  auto planes(const Party& party, size_t part, unsigned width, size_t n) -> BitPlanes;

 private:
  std::array<secure_random::AesCtr, 2> of_parts_;
};

/// A task that continues when a check has ended.
struct WaitingForCheck {
  std::coroutine_handle<> task;
  TaskState* state = nullptr;
};

class Aby3Active final : public Protocol {
 public:
  auto name() const -> std::string_view override { return "aby3-active"; }
  auto n_parts() const -> uint8_t override { return 2; }
  auto tolerates_a_liar() const -> bool override { return true; }
  auto start(Party& party) -> Task<> override;

  auto share(Party& party, Rank owner, RingArray values, Ring ring, size_t n)
      -> Task<Share> override;
  auto share_bits(Party& party, Rank owner, BitPlanes values, unsigned width, size_t n)
      -> Task<Bits> override;
  auto constant_part(const Party& party) const -> std::optional<size_t> override;
  auto random_share(Party& party, Ring ring, size_t n) -> Task<Share> override;
  auto random_bits(Party& party, unsigned width, size_t n) -> Task<Bits> override;
  auto check_agreement(Party& party, std::vector<std::byte> bytes) -> Task<> override;

  auto multiply(Party& party, Share x, Share y) -> Task<Share> override;
  auto dot(Party& party, Share x, Share y, size_t length) -> Task<Share> override;
  auto multiply_matrices(Party& party, Share x, Share y, MatrixShape shape) -> Task<Share> override;
  auto conjunction(Party& party, Bits x, Bits y) -> Task<Bits> override;

  auto summands(Party& party, Share x, unsigned width) -> Task<std::vector<Bits>> override;
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
  /// x, of which this party knows the summand `local`, which it masks and sends. Writes `origins`
  /// of its words, unless they are empty.
  auto replicate(Party& party, RingArray local, std::span<ClaimOrigin> origins) -> Task<Share>;
  /// Checks what is recorded if that is much.
  auto check_if_much(Party& party) -> Task<>;
  /// Parts of an opening: what `other(1)` has second and `other(2)` has first, which this party
  /// lacks, if it is a receiver.
  auto exchange_parts(Party& party, std::span<const std::byte> first,
                      std::span<const std::byte> second, std::optional<Rank> receiver)
      -> Task<std::vector<std::byte>>;
  /// The sum of the bits of each number, each plane times its factor.
  auto weighed_bits(Party& party, Bits x, std::vector<Word128> factors, Ring ring) -> Task<Share>;
  auto switch_layers(Party& party, std::vector<std::vector<uint8_t>> settings, size_t n_places,
                     Rank known_part, std::vector<Share> arrays) -> Task<std::vector<Share>>;

  std::optional<ActiveKeys> keys_;  ///< once it has started
  Claims claims_;                   ///< that no check has taken
  uint64_t n_checked_ = 0;  ///< of the arrays that were added to the claims: so many first ones
  bool is_checking_ = false;
  std::vector<WaitingForCheck> waiting_for_check_;
  Rank next_leader_ = 0;
};

/// Which of this party's parts is part `part` of all, if it has that.
auto own_part(const Party& party, Rank part) -> std::optional<size_t>;
/// A number that the parties of a part know, in the form of secrets. Others pass nothing of
/// meaning.
auto from_part(const Party& party, Rank part, const RingArray& words) -> Share;
auto from_part(const Party& party, Rank part, const BitPlanes& planes) -> Bits;

}  // namespace tacet::mpc
