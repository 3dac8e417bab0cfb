#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/mpc/bits.h"
#include "engine/mpc/party.h"
#include "engine/mpc/ring_arithmetic.h"
#include "engine/mpc/share.h"
#include "engine/mpc/task.h"

namespace tacet::mpc {

/// How a right shift of secrets rounds and what may go wrong.
enum class Truncation : uint8_t {
  /// Never wrong. The error is less than one unit in the last place, in either direction, and zero
  /// on average where shares are uniform, as those of products are. |x| is less than a quarter of
  /// the ring; modulo 2^128 x may also be 2^126, and is -2^126 + 2^62 at least if f is 62 at most.
  Exact,
  /// As `Exact`, but wrong by ring / 2^f with a probability of up to |x| / ring: one in 2^18 for
  /// numbers of 46 bits modulo 2^64. Cheaper. For who can bound |x| and asks for it.
  Probabilistic,
};

/// What a secret is raised by before an exact truncation by `f` bits, so that it is not negative: a
/// quarter of the ring. Modulo 2^128 less, if there is room below the f bits: then the square of
/// -2^63, which is 2^126, is below half of the ring.
constexpr auto truncation_offset(unsigned ring_bits, unsigned f) -> Word128 {
  const Word128 quarter = Word128{1} << (ring_bits - 2);
  return ring_bits == 128 && f <= 62 ? quarter - (Word128{1} << 62) : quarter;
}

enum class Direction : bool { Forward, Inverse };

/// A permutation of `n` things that no party knows: what this one knows of its factors, the first
/// one applied first. An empty factor is one that this party does not know. Element i moves to
/// place `factor[i]`.
struct SecretPermutation {
  size_t n = 0;
  std::vector<std::vector<uint32_t>> factors;
  /// Names it among those of a run, for protocols that need that.
  uint64_t number = 0;
};

/// A sum of two numbers before its carries ran: x = sum + 2 · carry modulo 2^width, where `sum` and
/// `carry` are the exclusive or and the conjunction of the summands, plane by plane.
struct HalfSum {
  Bits sum;
  Bits carry;
};

/// That a protocol has checked everything that this party was sent before: what shows secrets asks
/// for one, and only a check of `Protocol` gives one, so that code that would open a share without
/// a check does not compile. For one opening.
class Checked {
 public:
  Checked(Checked&&) noexcept = default;
  auto operator=(Checked&&) noexcept -> Checked& = default;
  Checked(const Checked&) = delete;
  auto operator=(const Checked&) -> Checked& = delete;
  ~Checked() = default;

 private:
  friend class Protocol;
  Checked() = default;
};

/// A protocol that computes on shares: one object for each party and run, with its keys. Everything
/// is by whole arrays. Local functions are plain; what needs the others is a task, whose rounds and
/// bytes are formulas in engine/mpc_model.
///
/// All parties call the same functions in the same order with equal public arguments. Results of
/// protocols that share secrets are fresh: independent of the operands' shares, given the secrets.
/// Secure against parties that follow the protocol and are curious, or, if the protocol says so,
/// against one that does not; who may conspire with whom is said by the protocol's own header.
///
/// A protocol that tolerates a liar finds lies at the latest when something is opened: `check`
/// comes before, and calls `Party::accuse` if it fails. What no check has passed is never shown.
class Protocol {
 public:
  Protocol() = default;
  Protocol(const Protocol&) = delete;
  auto operator=(const Protocol&) -> Protocol& = delete;
  virtual ~Protocol() = default;

  /// `ref`, `semi2k`, `aby3`, `rep4`, `aby3-active`.
  [[nodiscard]] virtual auto name() const -> std::string_view = 0;
  /// Parts of a `Share` and of `Bits`.
  [[nodiscard]] virtual auto n_parts() const -> uint8_t = 0;
  /// log2 of the statistical distance, of all that the parties of the run have sent so far, from
  /// what says nothing of their secrets; nothing if there is none. Never above -40. Encryption and
  /// random generators are taken for perfect.
  [[nodiscard]] virtual auto log_slack(const Party& /*party*/) const -> std::optional<double> {
    return std::nullopt;
  }
  /// Agrees on keys. Once, before anything else.
  virtual auto start(Party& party) -> Task<> = 0;

  /// Secrets that `owner` brings, `n` words of `ring`. `values` is read only by the owner.
  virtual auto share(Party& party, Rank owner, RingArray values, Ring ring, size_t n)
      -> Task<Share> = 0;
  virtual auto share_bits(Party& party, Rank owner, BitPlanes values, unsigned width, size_t n)
      -> Task<Bits> = 0;
  /// Which part of a share this party adds public values to, if any: so that, over all parties,
  /// the secrets grow by them.
  [[nodiscard]] virtual auto constant_part(const Party& party) const -> std::optional<size_t> = 0;
  /// Secrets that nobody knows, uniform. Most protocols send nothing for it.
  virtual auto random_share(Party& party, Ring ring, size_t n) -> Task<Share> = 0;
  virtual auto random_bits(Party& party, unsigned width, size_t n) -> Task<Bits> = 0;

  /// Checks what was computed so far, then shows the low `n_bits` bits of each word, zero-extended,
  /// to everybody or to `receiver`; the others then get an empty array. Nothing is shown of the
  /// bits above. These two are the only ways by which secrets are shown.
  auto open(Party& party, Share x, unsigned n_bits, std::optional<Rank> receiver)
      -> Task<RingArray>;
  auto open_bits(Party& party, Bits x, std::optional<Rank> receiver) -> Task<BitPlanes>;

  /// That all parties who follow the protocol have equal `bytes`, which are no secret: a run in
  /// which they differ ends. Protocols whose parties are trusted to send everybody the same have
  /// nothing to do.
  virtual auto check_agreement(Party& party, std::vector<std::byte> bytes) -> Task<>;
  /// Does the protocol tolerate a party that does not follow it?
  [[nodiscard]] virtual auto tolerates_a_liar() const -> bool { return false; }

  /// Products, element by element.
  virtual auto multiply(Party& party, Share x, Share y) -> Task<Share> = 0;
  virtual auto square(Party& party, Share x) -> Task<Share>;
  /// Dot products of rows of `length` elements: as many as rows. Sends as much as that many
  /// products, where the protocol can.
  virtual auto dot(Party& party, Share x, Share y, size_t length) -> Task<Share> = 0;
  /// The product of matrices stored by rows.
  virtual auto multiply_matrices(Party& party, Share x, Share y, MatrixShape shape)
      -> Task<Share> = 0;
  virtual auto conjunction(Party& party, Bits x, Bits y) -> Task<Bits> = 0;

  /// Secret bits whose numbers add up to x modulo 2^width: the low `width` bits of each summand.
  /// As many as the protocol has; adders make one number of them.
  virtual auto summands(Party& party, Share x, unsigned width) -> Task<std::vector<Bits>> = 0;
  /// The same as two summands, half added: where adders begin. By `summands`, carry-save additions
  /// and one conjunction unless the protocol knows something cheaper.
  virtual auto half_sum(Party& party, Share x, unsigned width) -> Task<HalfSum>;
  /// Bits that are all zero for exactly those numbers that are zero modulo 2^width.
  virtual auto zero_planes(Party& party, Share x, unsigned width) -> Task<Bits>;

  /// The numbers whose bits these are, modulo `ring`, zero-extended. Wide ones at most by the
  /// width of the ring.
  virtual auto bits_to_arithmetic(Party& party, Bits x, Ring ring) -> Task<Share> = 0;
  /// Each of the planes on its own: share p of the result is plane p, as 0 and 1. Consecutive in
  /// one array: plane p of number i is element p · n + i.
  virtual auto each_bit_to_arithmetic(Party& party, Bits x, Ring ring) -> Task<Share>;

  /// x / 2^f for signed x, rounded as `how` says; 0 < f < bits of the ring - 1.
  virtual auto truncate(Party& party, Share x, unsigned f, Truncation how) -> Task<Share> = 0;
  /// A product and a truncation: in sequence unless the protocol can do better.
  virtual auto multiply_truncate(Party& party, Share x, Share y, unsigned f, Truncation how)
      -> Task<Share>;
  virtual auto dot_truncate(Party& party, Share x, Share y, size_t length, unsigned f,
                            Truncation how) -> Task<Share>;
  virtual auto multiply_matrices_truncate(Party& party, Share x, Share y, MatrixShape shape,
                                          unsigned f, Truncation how) -> Task<Share>;

  /// A uniform permutation of `n` things. `n` is below 2^32.
  virtual auto random_permutation(Party& party, size_t n) -> Task<SecretPermutation> = 0;
  /// The arrays, all of the permutation's size, in the order that it gives them, or in the one that
  /// it had taken from them. Several at once cost the rounds of one.
  virtual auto permute(Party& party, SecretPermutation permutation, std::vector<Share> arrays,
                       Direction direction) -> Task<std::vector<Share>> = 0;

  /// What everybody knows, in the form of secrets. All of these are local.
  [[nodiscard]] auto public_share(const Party& party, const RingArray& values) const -> Share;
  [[nodiscard]] auto public_bits(const Party& party, const BitPlanes& values) const -> Bits;
  [[nodiscard]] auto add_public(const Party& party, Share x, const RingArray& values) const
      -> Share;
  [[nodiscard]] auto add_constant(const Party& party, Share x, Word128 constant) const -> Share;
  [[nodiscard]] auto exclusive_or_public(const Party& party, Bits x, const BitPlanes& values) const
      -> Bits;
  [[nodiscard]] auto complement(const Party& party, Bits x) const -> Bits;

 protected:
  /// Finds lies in anything that was received so far: ends only if every party that follows the
  /// protocol found none. By default there are no liars, and it sends nothing and takes no round.
  virtual auto check(Party& party) -> Task<>;
  /// `open` and `open_bits` behind their checks. What is sent to show a secret is checked by these
  /// themselves: their results are right.
  virtual auto open_checked(Party& party, Checked checked, Share x, unsigned n_bits,
                            std::optional<Rank> receiver) -> Task<RingArray> = 0;
  virtual auto open_bits_checked(Party& party, Checked checked, Bits x,
                                 std::optional<Rank> receiver) -> Task<BitPlanes> = 0;
};

/// What kernels call: the function of the party's protocol.
inline auto multiply(Party& party, Share x, Share y) -> Task<Share> {
  return party.protocol().multiply(party, std::move(x), std::move(y));
}
inline auto conjunction(Party& party, Bits x, Bits y) -> Task<Bits> {
  return party.protocol().conjunction(party, std::move(x), std::move(y));
}
inline auto share(Party& party, Rank owner, RingArray values, Ring ring, size_t n) -> Task<Share> {
  return party.protocol().share(party, owner, std::move(values), ring, n);
}
/// All bits, to everybody.
inline auto open(Party& party, Share x) -> Task<RingArray> {
  const unsigned n = n_bits(x.ring());
  return party.protocol().open(party, std::move(x), n, std::nullopt);
}
inline auto open_bits(Party& party, Bits x) -> Task<BitPlanes> {
  return party.protocol().open_bits(party, std::move(x), std::nullopt);
}
inline auto truncate(Party& party, Share x, unsigned f, Truncation how = Truncation::Exact)
    -> Task<Share> {
  return party.protocol().truncate(party, std::move(x), f, how);
}
inline auto bits_to_arithmetic(Party& party, Bits x, Ring ring) -> Task<Share> {
  return party.protocol().bits_to_arithmetic(party, std::move(x), ring);
}

}  // namespace tacet::mpc
