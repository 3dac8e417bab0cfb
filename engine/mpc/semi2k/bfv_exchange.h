#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/masked_products/products.h"
#include "engine/mpc/party.h"
#include "engine/mpc/ring_array.h"

namespace tacet::mpc {

namespace mp = masked_products;

/// One party's keys for products with every other one, and the exchange of encryptions and masked
/// products among all. For each pair of parties and each batch, one of them encrypts its factors
/// and the other multiplies: the lower one in even batches, the higher one in odd ones, so that
/// both have as much to do.
class BfvExchange {
 public:
  /// Makes keys and exchanges the public ones. One round.
  auto start(Party& party) -> Task<>;

  [[nodiscard]] auto setting() const -> const mp::Setting& { return *setting_; }
  [[nodiscard]] auto keys() const -> const mp::Keys& { return *keys_; }
  [[nodiscard]] auto public_keys(Rank other) const -> const mp::PublicKeys& {
    return *public_keys_[other];
  }
  static auto encrypts(Rank self, Rank other, size_t batch) -> bool {
    return (self < other) == (batch % 2 == 0);
  }

  /// Before this party sends so many replies, as all others do meanwhile: ends the run if they are
  /// more than `Slack` allows.
  void count_replies(Party& party, size_t n_replies);
  /// As `Protocol::log_slack`.
  [[nodiscard]] auto log_slack(const Party& party) const -> std::optional<double> {
    return mp::Slack::of(n_replies_ * party.n_parties());
  }

  /// Ends the run because of what `other` sent.
  static void reject(Party& party, Rank other, const Error& error);

 private:
  mp::SettingRef setting_;
  std::optional<mp::Keys> keys_;
  std::vector<std::optional<mp::PublicKeys>> public_keys_;  ///< by rank
  uint64_t n_replies_ = 0;                                  ///< of this party
};

/// Bytes that come from some of the others, by rank.
struct Incoming {
  std::vector<mp::Bytes> from;

  void expect(Rank other, size_t n_bytes, std::vector<Receipt>& receipts);
};

/// Up to 8192 numbers at each party, with own factors and shares of sums of their products. `Word`
/// is `uint64_t` for all rings but that of 128 bits.
template <class Word>
struct ProductBatch {
  /// Terms that the encrypting party sends, and the multiplying one multiplies them with: the sums
  /// of products over all pairs and terms are added to `shares`.
  std::vector<std::vector<Word>> to_encrypt, to_multiply;
  std::vector<Word> shares;
};

/// How many plain moduli a batch has, and how many encryptions go out at a time.
struct BatchShape {
  size_t n_primes = 0;
  size_t n_terms = 0;
};

/// Makes the batches of `run_batches` in sequence, and takes them when they are done.
template <class Word>
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  virtual auto make() -> ProductBatch<Word> = 0;
  virtual void take(ProductBatch<Word> batch) = 0;
};

/// `n_batches` batches, two at a time: while encryptions of two are in transit, the previous two
/// are multiplied. ceil(n_batches / 2) + 1 rounds.
template <class Word>
auto run_batches(Party& party, BfvExchange& exchange, size_t n_batches, BatchShape shape,
                 BatchSource<Word>& source) -> Task<>;

}  // namespace tacet::mpc
