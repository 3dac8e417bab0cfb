#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "engine/mpc/aby3_active/prime_claims.h"
#include "engine/mpc/aby3_active/product_check.h"

namespace tacet::mpc {

/// The check that many dot products of replicated words of 32 and 64 bits are right, as
/// `ProductCheck`, which it is used like: by whole numbers and a prime.
///
/// The parts of shares are whole numbers below 2^k; x~ is the sum of the parts of x, no longer
/// modulo 2^k. Party a computed z_a = x_a y_a + x_a y_(a+1) + x_(a+1) y_a + F_a - F_(a+1)
/// modulo 2^k, with words F from common keys. So it knows the carry c_a of
///
///     z_a + 2^k c_a = x_a y_a + x_a y_(a+1) + x_(a+1) y_a + F_a - F_(a+1),
///
/// and as the F cancel, x~ y~ - z~ = 2^k (c_0 + c_1 + c_2) for a right product, as whole numbers.
///
///   1. A coin gives bits b_ij for claims i and j < 48. Party a shares C_aj = sum_i b_ij c_ai as
///      whole numbers: it adds G_a - G_(a+1), with G of 248 bits from common keys, and sends the
///      sum, of 256 bits, to the party before it.
///   2. A coin gives a prime p of 51 bits and weights w_j, s_r modulo p. With W_i = s_r sum_j w_j
///      b_ij, of the row r that i is in, the claims are one of elements modulo p:
///      sum_i W_i x~_i y~_i = sum_i W_i z~_i + 2^k sum_rj s_r w_j C~_rj.
///   3. That is folded and opened as in `ProductCheck`.
///
/// Soundness. Let x~ y~ - z~ of one claim be no multiple of 2^k. For each j, given all other bits,
/// at most one of two values of b_ij makes sum_i b_ij (x~_i y~_i - z~_i) a multiple of 2^k; so all
/// 48 sums are multiples with a probability of 2^-48. Otherwise one of them is not what any whole
/// number C~ would make it, and the difference is not zero and below 2^322, since what stands for
/// C~ has 256 bits in each part. It has at most six prime factors above 2^50, and p is one of more
/// than 2^44.8 primes that was drawn afterwards. If it is none of the six, weights and folds
/// miss the error where a polynomial of degree 2 vanishes each time.
///
/// Privacy. G are uniform below 2^248, sums of carries below 2^110: a message of step 1 is
/// independent of them but for 2^-138. What a liar sends adds errors that it knows: to z_a, which
/// is its own summand of known words; to C_a, of which it knows its own carries; and to messages of
/// folds. So whether the check ends well depends on coins and on what the liar knows.
class PrimeCheck {
 public:
  using Element = uint64_t;

  /// n dot products of `length` words each. The words outlive the check.
  template <class Word>
  void add_dots(PartsOf<Word> x, PartsOf<Word> y, PartsOf<Word> z, const ClaimOrigin* origins,
                size_t n, size_t length);
  [[nodiscard]] auto is_empty() const -> bool {
    return std::get<0>(claims_).empty() && std::get<1>(claims_).empty();
  }

  void weigh(const Coin& coin);
  [[nodiscard]] auto is_done() const -> bool { return stage_ == Stage::Done; }
  [[nodiscard]] auto awaits() const -> bool { return awaits_; }
  [[nodiscard]] auto message(const KeyBytes& keys) -> std::vector<std::byte>;
  void receive(std::span<const std::byte> bytes);
  void fold(const Coin& coin);

  /// The first or second parts of both factors and of their product.
  [[nodiscard]] auto opening(size_t part) const -> std::array<Element, 3>;
  /// Of the sums of all three parts.
  [[nodiscard]] auto holds(const std::array<Element, 3>& sums) const -> bool;
  void add(Element& x, Element y) const { x = field_->add(x, field_->reduced(y)); }

  /// log2 of the greatest probability with which a false claim is not found, after that many folds,
  /// the message of carries among them.
  [[nodiscard]] static auto log_error(size_t n_folds) -> double;
  [[nodiscard]] auto n_folds() const -> size_t { return n_folds_; }

 private:
  enum class Stage : uint8_t { Carries, Claims, Terms, Done };
  using SharedElement = std::array<Element, 2>;
  /// Products of pairs of rows: shares, of which the second parts are received.
  struct Pairs {
    size_t rows = 0;
    std::vector<uint64_t> row_weights;  ///< in the claim
    SharedElement claimed{};
    std::array<std::vector<Element>, 2> values;
  };

  template <class Body>
  void for_each_claims(Body body);
  auto carries_message(const KeyBytes& keys) -> std::vector<std::byte>;
  void receive_carries(std::span<const std::byte> bytes);
  void start_folding(secure_random::AesCtr& coins);
  template <class Word>
  auto pairs_of_claims(const PrimeClaims<Word>& claims) -> Pairs;
  template <class Word>
  void append_terms(const PrimeClaims<Word>& claims, const std::vector<uint64_t>& weights);
  auto pairs_of_terms(const KeyBytes& keys) -> Pairs;
  [[nodiscard]] auto sums_of_pairs(size_t rows, size_t columns) const -> std::vector<Element>;
  auto folded(Pairs& pairs, const std::vector<uint64_t>& weights) const -> SharedElement;
  void fold_claims(secure_random::AesCtr& coins);
  void fold_terms(secure_random::AesCtr& coins);
  [[nodiscard]] auto drawn(secure_random::AesCtr& coins, size_t n) const -> std::vector<uint64_t>;

  std::tuple<std::vector<PrimeClaims<uint32_t>>, std::vector<PrimeClaims<uint64_t>>> claims_;
  std::optional<PrimeField> field_;
  Stage stage_ = Stage::Carries;
  bool awaits_ = false;
  std::vector<Pairs> pairs_;
  /// Terms: the claim is that their dot product is `w_`. Both parts of u, the first one of v and
  /// the sum of both.
  std::array<SecureVector<Element>, 4> terms_;
  SharedElement w_{};
  size_t term_rows_ = 0;  ///< of the fold that was begun
  bool is_last_ = false;  ///< that fold is masked
  size_t n_folds_ = 0;
};

}  // namespace tacet::mpc
