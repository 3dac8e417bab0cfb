#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/mpc/bits.h"
#include "engine/mpc/party.h"
#include "engine/mpc/protocol.h"
#include "engine/mpc/ring_arithmetic.h"
#include "engine/net/links.h"

namespace tacet::mpc {

/// One party's shares of random numbers with c = a b: of elements, words of bits (shared by
/// exclusive or), matrices. Of squares, `b` is empty and c = a^2.
struct Triples {
  RingArray a, b, c;
};

/// For the product of a word of bits of party 0 and one of party 1, who each know their own factor
/// `own`: shares, by exclusive or, of the conjunction of both.
struct CrossProducts {
  RingArray own, product;
};

/// One party's shares of random bits, by exclusive or and as numbers of a ring.
struct RandomBits {
  BitPlanes bits;
  RingArray numbers;
};

/// For one use of one party's permutation. The owner of the permutation has in `shift` the permuted
/// sum of all others' `before` less the sum of their `after`; the others have those.
struct PermutedMasks {
  RingArray before, after;
  RingArray shift;
};

/// Where the randomness comes from that `semi2k` computes with: independent of all secrets, so that
/// it can be made before these are there. Each piece is used once.
///
/// As with protocols, all parties ask for the same in the same order.
class Correlations {
 public:
  Correlations() = default;
  Correlations(const Correlations&) = delete;
  auto operator=(const Correlations&) -> Correlations& = delete;
  virtual ~Correlations() = default;

  /// `dealer`, `bfv`.
  [[nodiscard]] virtual auto name() const -> std::string_view = 0;
  /// How many elements to request at a time, so that generation, computation and communication
  /// overlap.
  [[nodiscard]] virtual auto chunk() const -> size_t = 0;
  virtual auto start(Party& party) -> Task<> = 0;
  /// As `Protocol::log_slack`.
  [[nodiscard]] virtual auto log_slack(const Party& /*party*/) const -> std::optional<double> {
    return std::nullopt;
  }

  virtual auto triples(Party& party, Ring ring, size_t n) -> Task<Triples> = 0;
  virtual auto squares(Party& party, Ring ring, size_t n) -> Task<Triples> = 0;
  /// `n_words` words of 64 triples of bits each.
  virtual auto bit_triples(Party& party, size_t n_words) -> Task<Triples> = 0;
  /// Of two parties, `n_words` words of 64 bits.
  virtual auto cross_products(Party& party, size_t n_words) -> Task<CrossProducts> = 0;
  virtual auto random_bits(Party& party, Ring ring, size_t n) -> Task<RandomBits> = 0;
  virtual auto matrix_triple(Party& party, Ring ring, MatrixShape shape) -> Task<Triples> = 0;

  /// Whether there are `permuted_masks`. Without them, parties permute by networks of products.
  [[nodiscard]] virtual auto has_permutations() const -> bool = 0;
  /// The own factor of a permutation of `n` things, and a number that names it among all.
  virtual auto draw_permutation(Party& party, size_t n, uint64_t* number)
      -> std::vector<uint32_t> = 0;
  /// For `owner`'s factor of the permutation with this number, or its inverse, on `n` elements.
  virtual auto permuted_masks(Party& party, Rank owner, uint64_t number, Direction direction,
                              Ring ring, size_t n) -> PermutedMasks = 0;
};

/// From a dealer, which is trusted not to conspire with anyone: it knows every piece, and who
/// knows them and sees one party's messages knows the secrets. `all` links the parties, ranks
/// 0 … n - 1, and the dealer, rank n; the parties' own links are `make_party_links(all)`.
///
/// Everybody but the last party expands all of its shares from a seed; the last one is sent the one
/// number of each piece that depends on the others.
auto make_dealer_correlations(net::Links& all) -> std::unique_ptr<Correlations>;
/// `all` without the dealer. At the end, `finish` dismisses the dealer first.
auto make_party_links(net::Links& all) -> std::unique_ptr<net::Links>;
/// Party 0 informs the dealer that there are no more requests; the others do nothing. For callers
/// that finish `all` themselves.
void dismiss_dealer(net::Links& all);
/// What the dealer does until it is dismissed; to `finish` the links is left to the caller.
auto run_dealer(net::Links& all, secure_random::SecureRandom random) -> net::LinkStatus;

/// Made by the parties themselves, by homomorphic encryption (engine/masked_products): nobody needs
/// to be trusted, and all but one may conspire. 128 bits of security; all masks and all noise of a
/// run together hide what they should within 2^-40 (`masked_products::Slack`), and a run that needs
/// more than that allows ends with an error.
auto make_bfv_correlations() -> std::unique_ptr<Correlations>;

}  // namespace tacet::mpc
