#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/wipe.h"
#include "engine/mpc/aby3_active/prime_loops.h"
#include "engine/mpc/aby3_active/whole_number.h"

/// Private to this folder.
namespace tacet::mpc {

/// Elements of both parts.
using ElementParts = std::array<SecureVector<uint64_t>, 2>;

/// Claims of dot products of one length over words of one size, as a party has them: first as whole
/// numbers with carries, then modulo a prime (prime_check.h).
///
/// Claims are in rows of equally many, with the last ones shorter. Bits b_ij are for claims i of
/// all rows alike, and W_i = sum_j w_j b_ij is the weight of claim i in each row, times a weight of
/// the row. Few claims are one row.
template <class Word>
class PrimeClaims {
 public:
  explicit PrimeClaims(size_t length) : length_(length) {}

  [[nodiscard]] auto length() const -> size_t { return length_; }
  /// n more claims. The words of the first ones outlive this; others are copied.
  void add(PartsOf<Word> x, PartsOf<Word> y, PartsOf<Word> z, const ClaimOrigin* origins, size_t n);

  /// Draws the bits of all claims.
  void draw_bits(secure_random::AesCtr& coins);
  /// This party's sums of carries for each row and j: part 0 of `sums`.
  void sum_carries();
  /// Shares of these sums. The second part is received.
  std::array<std::vector<Whole>, 2> sums;

  /// Draws weights, for sums of carries that are shared.
  void draw_weights(const PrimeField& field, secure_random::AesCtr& coins);
  /// This party's parts of sum W_i z_i + 2^k sum w_j C_j, with the weights of rows.
  [[nodiscard]] auto claimed(const PrimeField& field) const -> std::array<uint64_t, 2>;

  /// Terms of W_i x_i y_i in rows to fold, 1 if they are few, each with a weight.
  [[nodiscard]] auto rows() const -> size_t { return rows_; }
  [[nodiscard]] auto columns() const -> size_t { return columns_; }
  [[nodiscard]] auto row_weights() const -> const std::vector<uint64_t>& { return row_weights_; }

  /// Elements of `kTermColumns` columns of all rows.
  static constexpr size_t kTermRows = 8;
  static constexpr size_t kTermColumns = 128;
  struct TermBlock {
    using Rows = std::array<std::array<uint64_t, kTermColumns>, kTermRows>;
    alignas(64) Rows u0;
    alignas(64) Rows u1;
    alignas(64) Rows v0;
    alignas(64) Rows vs;
  };
  /// Columns `begin` to `begin + n` of all rows; what is behind the last claim is zero.
  void load_terms(const PrimeField& field, size_t begin, size_t n, TermBlock& out) const;

 private:
  void arrange();
  /// Claims of a row, the last of which may be fewer.
  [[nodiscard]] auto claims_of_row(size_t row) const -> size_t;
  /// The weights of `n` terms from one on.
  void load_weights(size_t term, size_t n, uint64_t* out) const;
  [[nodiscard]] auto claimed_sums(const PrimeField& field, size_t part, size_t row) const
      -> uint64_t;

  size_t length_;
  size_t n_ = 0;
  PartsOf<Word> x_;
  PartsOf<Word> y_;
  PartsOf<Word> z_;
  const ClaimOrigin* origins_ = nullptr;
  /// x, y and z, unless they are somebody else's.
  std::array<std::array<SecureVector<Word>, 2>, 3> own_;
  SecureVector<ClaimOrigin> own_origins_;

  size_t claim_rows_ = 1;
  size_t row_claims_ = 0;
  size_t rows_ = 1;
  size_t columns_ = 0;
  std::vector<uint64_t> bits_;           ///< kCarrySums for each kCarryBlock claims of a row
  std::vector<uint64_t> bit_weights_;    ///< w_j
  std::vector<uint64_t> claim_weights_;  ///< W_i, of claims of a row
  std::vector<uint64_t> row_weights_;    ///< of rows of terms
};

}  // namespace tacet::mpc
