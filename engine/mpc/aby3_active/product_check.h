#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/mpc/aby3_active/check_loops.h"
#include "engine/mpc/ring_arithmetic.h"
#include "engine/secure_random/aes_ctr.h"

namespace tacet::mpc {

/// What all parties toss when everything that a challenge is for has been received.
using Coin = secure_random::AesKey;

/// Fills memory with the next bytes of a party's key streams: of its first part, of its second one.
using KeyBytes = std::function<void(size_t part, std::span<std::byte>)>;

/// The check that many products of replicated secrets are right, as one of three parties runs it.
/// One party may lie. If a claim is false, that party is caught but for a probability of
/// `error_bound()`. It learns nothing that it did not choose itself: every message is masked by
/// common keys, and the two factors that are opened in the end are uniform.
///
/// The protocol, for claims sum_k x_jk y_jk = z_j over words:
///
///   1. Products are put in rows, x_ab y_ab. Random weights of rows and columns make one claim of
///      all: sum_ab s_a t_b x_ab y_ab = w.
///   2. For all pairs of rows a, c the parties compute shares of
///      M_ac = sum_b t_b (x_ab y_cb + x_cb y_ab), and M_aa = sum_b t_b x_ab y_ab, each by one
///      product of replicated shares; M_00 is taken from w and the others, by the claim. (What is
///      sent for M_ac is sum_b t_b (x_ab + x_cb) (y_ab + y_cb) = M_aa + M_ac + M_cc.)
///   3. Random weights r_a make one row of all, u_b = t_b sum_a r_a x_ab and v_b = sum_a r_a y_ab,
///      with the claim sum_b u_b v_b = sum_{a<=c} r_a r_c M_ac. If the claim before was false, some
///      M_ac is not what it should be, whatever the liar sent, and so the new claim is false unless
///      a quadratic form that is not zero is zero at random weights.
///   4. The same again, with rows of these elements, until one product is left. The last time, one
///      row more is random: so that both factors can be opened, multiplied and compared.
///
/// After "Zero-Knowledge Proofs on Secret-Shared Data via Fully Linear PCPs" (Boneh, Boyle,
/// Corrigan-Gibbs, Gilboa, Ishai) and "Malicious Security Comes Free in Honest-Majority MPC" (Goyal
/// and Song), whose products of shares compress claims of all parties at once. Deviations: the
/// products of all pairs of rows are sent, instead of a polynomial's values, so that weights are
/// sums of powers of X and rows need no interpolation; the first step multiplies words, and weighs
/// them afterwards.
///
/// Use: `add_…`, then `weigh` with a coin, then, until `is_done`: what `message` gives goes to the
/// previous party, `receive` takes the next one's, and `fold` takes a coin. Coins are tossed when
/// everything before has been received by all. In the end `opening` gives the parts of three
/// elements, and `holds` says whether their sums are as they should be.
template <class A>
class ProductCheck {
 public:
  using Word = typename A::Word;
  using Weight = typename A::Weight;
  using Element = typename A::Element;

  /// n dot products of `length` words each. The words outlive the check.
  void add_dots(PartsOf<Word> x, PartsOf<Word> y, PartsOf<Word> z, size_t n, size_t length);
  /// A product of matrices stored by rows: not of bits.
  void add_matrix_product(PartsOf<Word> x, PartsOf<Word> y, PartsOf<Word> z, MatrixShape shape);
  [[nodiscard]] auto is_empty() const -> bool { return !has_claims_; }

  void weigh(const Coin& coin);
  [[nodiscard]] auto is_done() const -> bool { return is_masked_ && pairs_.empty(); }
  /// A message was made, and the next party's is missing.
  [[nodiscard]] auto awaits() const -> bool { return !pairs_.empty(); }
  [[nodiscard]] auto message(const KeyBytes& keys) -> std::vector<std::byte>;
  void receive(std::span<const std::byte> bytes);
  void fold(const Coin& coin);

  /// The first or second parts of both factors and of their product.
  [[nodiscard]] auto opening(size_t part) const -> std::array<Element, 3>;
  /// Of the sums of all three parts.
  [[nodiscard]] static auto holds(const std::array<Element, 3>& sums) -> bool;
  static void add(Element& x, const Element& y) { A::add(x, y); }

  /// log2 of the greatest probability with which a false claim is not found, after that many folds.
  [[nodiscard]] static auto log_error(size_t n_folds) -> double;
  [[nodiscard]] auto n_folds() const -> size_t { return n_folds_; }

 private:
  struct Parts {
    std::array<std::vector<Element>, 2> parts;
    [[nodiscard]] auto of() const -> PartsOf<Element> { return from(0); }
    [[nodiscard]] auto from(size_t i) const -> PartsOf<Element> {
      return {parts[0].data() + i, parts[1].data() + i};
    }
  };
  using SharedElement = std::array<Element, 2>;
  /// Dot products of one length.
  struct Group {
    size_t length = 1;
    size_t n = 0;
    PartsOf<Word> x;
    PartsOf<Word> y;
    PartsOf<Word> z;
    /// x, y and z, unless they are somebody else's.
    std::array<std::array<std::vector<Word>, 2>, 3> own;
    // Once weighed:
    size_t rows = 1;
    size_t columns = 0;
    size_t n_claims = 0;
    std::vector<Weight> row_weights;
    std::vector<Weight> column_weights;
    SharedElement claimed{};
  };
  struct Matrices {
    MatrixShape shape;
    std::array<std::vector<Word>, 2> x;
    std::array<std::vector<Word>, 2> y;
    std::array<std::vector<Word>, 2> z;
  };
  /// Products of pairs of rows: shares, of which the second parts are received.
  struct Pairs {
    size_t rows = 0;
    std::vector<Weight> row_weights;  ///< in the claim
    SharedElement claimed{};
    Parts values;
  };

  /// Makes the words the group's own, if they are not, and gives x, y and z these sizes.
  static void own(Group& group, size_t n_terms, size_t n_claims);
  void arrange(Group& group);
  void weigh_group(Group& group, secure_random::AesCtr& coins);
  void weigh_matrices(const Matrices& matrices, secure_random::AesCtr& coins);
  void combine_group(const Group& group, const std::vector<Weight>& weights);
  void add_terms(Parts u, Parts v);
  auto pairs_of(const Group& group) -> Pairs;
  /// What a party can compute of the dot product of sums: of `n` terms from `first` and as many
  /// from `second`.
  [[nodiscard]] auto local_dot_of_sums(size_t first, size_t second, size_t n) const -> Element;
  auto pairs_of_terms(const KeyBytes& keys) -> Pairs;
  static auto folded(Pairs& pairs, const std::vector<Weight>& weights) -> SharedElement;
  void fold_terms(Pairs& pairs, secure_random::AesCtr& coins);

  std::vector<Group> groups_;
  std::vector<Matrices> matrices_;
  bool has_claims_ = false;
  bool is_grouped_ = false;  ///< the next fold is that of groups
  bool is_masked_ = false;   ///< the last fold was done
  std::vector<Pairs> pairs_;
  Parts u_;  ///< terms: the claim is that their dot product is `w_`
  Parts v_;
  SharedElement w_{};
  size_t term_rows_ = 0;  ///< of the fold that was begun
  size_t n_folds_ = 0;
};

}  // namespace tacet::mpc
