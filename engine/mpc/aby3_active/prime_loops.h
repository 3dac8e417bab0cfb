#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/mpc/aby3_active/check_loops.h"
#include "engine/mpc/aby3_active/prime_field.h"

/// Private to this folder: the loops of checks of products as whole numbers (prime_check.h).
namespace tacet::mpc {

/// The coefficients 0 and 1 of each sum of carries, and so how many sums there are.
constexpr size_t kCarrySums = 48;
/// Claims whose coefficients are the bits of `kCarrySums` words, and rows that are summed at once.
constexpr size_t kCarryBlock = 64;
constexpr size_t kCarryRows = 8;
/// Carries are summed in two pieces: the low bits, and what is above them.
constexpr unsigned kLowCarryBits = 40;

/// How the parts of a claim were made, which says what its carry is.
enum class ClaimOrigin : uint8_t {
  NoBorrow,  ///< masked by F - F' with F >= F' (products.cpp)
  Borrow,    ///< masked by F - F' with F < F'
  Dealt,     ///< both parts are this party's, and all of the product
  Others,    ///< another party knows all of it
};

/// Words of claims of a row, from one on.
template <class Word>
struct ClaimWords {
  PartsOf<Word> x;
  PartsOf<Word> y;
  PartsOf<Word> z;
  const ClaimOrigin* origins = nullptr;
  size_t length = 1;  ///< of each dot product
};

/// Carries of kCarryBlock claims of kCarryRows rows, in both pieces.
struct CarryBlock {
  using Piece = std::array<std::array<int64_t, kCarryRows>, kCarryBlock>;
  alignas(64) Piece low;
  alignas(64) Piece high;
};
/// Their sums.
struct CarrySums {
  using Piece = std::array<std::array<int64_t, kCarryRows>, kCarrySums>;
  alignas(64) Piece low{};
  alignas(64) Piece high{};
};

/// What this party's summands of products have beyond the words of z, in words, rounded down:
/// `out.low[i][row]` and `out.high[i][row]` of n claims.
template <class Word>
void compute_carries(const ClaimWords<Word>& claims, size_t n, size_t row, CarryBlock& out);

/// sums_j += those carries i for which bit i of bits_j is set.
void add_carries(const CarryBlock& carries, const uint64_t* bits, CarrySums& sums);

/// out_i = the sum of those of kCarrySums weights w_j for which bit i of bits_j is set: a weight.
void weights_of_bits(const PrimeField& field, const uint64_t* bits, const uint64_t* weights,
                     uint64_t* out);

/// out_i = x_i mod p.
template <class Word>
void reduce_words(const PrimeField& field, const Word* x, size_t n, uint64_t* out);

/// x_i := weight_i x_i.
void weigh_elements(const PrimeField& field, const uint64_t* weights, size_t n, uint64_t* x);

/// out_i = x_i + y_i.
void add_elements(const PrimeField& field, const uint64_t* x, const uint64_t* y, size_t n,
                  uint64_t* out);

/// The sum of x_i y_i as a whole number, of at most `kMostColumns` words below 2^52.
constexpr size_t kMostColumns = 1024;
auto dot_of_elements(const uint64_t* x, const uint64_t* y, size_t n) -> Word128;

/// What a party has of rows of factors u and v: `stride` words from row to row.
struct TermRows {
  const uint64_t* u0 = nullptr;
  const uint64_t* u1 = nullptr;
  const uint64_t* v0 = nullptr;
  const uint64_t* vs = nullptr;  ///< v0 + v1
  size_t stride = 0;
  size_t rows = 0;
};

/// Adds to sums_ac what a party can compute of sum_b (u_ab + u_cb) (v_ab + v_cb), for all pairs
/// a < c of rows, and of sum_b u_ab v_ab, for all rows but the first: whole numbers that are right
/// modulo p, of n <= kMostColumns columns, each below 2^116.
void add_pairs(const TermRows& terms, size_t n, Word128* sums);

/// out_b = sum_a weight_a x_ab, of at most 32 rows. `out` may be the first row.
void combine_elements(const PrimeField& field, const uint64_t* x, size_t stride, size_t rows,
                      const uint64_t* weights, size_t n, uint64_t* out);

}  // namespace tacet::mpc
