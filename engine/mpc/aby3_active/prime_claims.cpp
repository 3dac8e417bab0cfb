#include "engine/mpc/aby3_active/prime_claims.h"

#include <algorithm>
#include <memory>
#include <span>

#include "base/check.h"

namespace tacet::mpc {

namespace {

/// As many claims are put in rows, each of which has sums of carries: they are more to send, and
/// less to compute.
constexpr size_t kManyClaims = 4096;
/// As many terms are folded before they are stored.
constexpr size_t kManyClaimTerms = 512;
/// Sums of carries stay in their pieces.
constexpr size_t kMostClaims = size_t{1} << 23;
constexpr size_t kMostClaimTerms = size_t{1} << 36;

template <class T>
void append_words(SecureVector<T>& to, const T* from, size_t n) {
  to.insert(to.end(), from, from + n);
}

}  // namespace

template <class Word>
void PrimeClaims<Word>::add(PartsOf<Word> x, PartsOf<Word> y, PartsOf<Word> z,
                            const ClaimOrigin* origins, size_t n) {
  if (n_ == 0) {
    x_ = x;
    y_ = y;
    z_ = z;
    origins_ = origins;
    n_ = n;
    return;
  }
  const std::array<PartsOf<Word>*, 3> known{&x_, &y_, &z_};
  const std::array<PartsOf<Word>, 3> added{x, y, z};
  for (size_t i = 0; i < known.size(); ++i) {
    const size_t of_each = i == 2 ? 1 : length_;
    for (size_t part = 0; part < 2; ++part) {
      SecureVector<Word>& own = own_[i][part];
      if (own.empty()) {
        append_words(own, part == 0 ? known[i]->first : known[i]->second, n_ * of_each);
      }
      append_words(own, part == 0 ? added[i].first : added[i].second, n * of_each);
    }
    *known[i] = {own_[i][0].data(), own_[i][1].data()};
  }
  if (own_origins_.empty()) {
    append_words(own_origins_, origins_, n_);
  }
  append_words(own_origins_, origins, n);
  origins_ = own_origins_.data();
  n_ += n;
}

template <class Word>
void PrimeClaims<Word>::arrange() {
  const size_t n_terms = n_ * length_;
  TACET_CHECK(n_ < kMostClaims && n_terms < kMostClaimTerms, "too many products for one check");
  claim_rows_ = n_ < kManyClaims ? 1 : kCarryRows;
  row_claims_ = (n_ + claim_rows_ - 1) / claim_rows_;
  rows_ = n_terms < kManyClaimTerms ? 1 : kTermRows;
  columns_ = claim_rows_ == 1 ? (n_terms + rows_ - 1) / rows_ : row_claims_ * length_;
}

template <class Word>
auto PrimeClaims<Word>::claims_of_row(size_t row) const -> size_t {
  return std::min(row_claims_, n_ - std::min(n_, row * row_claims_));
}

template <class Word>
void PrimeClaims<Word>::draw_bits(secure_random::AesCtr& coins) {
  arrange();
  bits_.resize((row_claims_ + kCarryBlock - 1) / kCarryBlock * kCarrySums);
  coins.fill(std::as_writable_bytes(std::span(bits_)));
}

template <class Word>
void PrimeClaims<Word>::sum_carries() {
  const auto block = std::make_unique<CarryBlock>();
  const ScopedWipe wiped_block(*block);
  CarrySums carry_sums;
  const ScopedWipe wiped_sums(carry_sums);
  for (size_t begin = 0; begin < row_claims_; begin += kCarryBlock) {
    for (size_t row = 0; row < claim_rows_; ++row) {
      const size_t n = claims_of_row(row) - std::min(claims_of_row(row), begin);
      const size_t first = row * row_claims_ + begin;
      const size_t n_now = std::min(n, kCarryBlock);
      for (size_t i = n_now; i < kCarryBlock; ++i) {
        block->low[i][row] = 0;
        block->high[i][row] = 0;
      }
      if (n_now == 0) {
        continue;
      }
      const size_t term = first * length_;
      compute_carries<Word>({.x = {x_.first + term, x_.second + term},
                             .y = {y_.first + term, y_.second + term},
                             .z = {z_.first + first, z_.second + first},
                             .origins = origins_ + first,
                             .length = length_},
                            n_now, row, *block);
    }
    add_carries(*block, bits_.data() + begin / kCarryBlock * kCarrySums, carry_sums);
  }
  sums[0].clear();
  for (size_t row = 0; row < claim_rows_; ++row) {
    for (size_t j = 0; j < kCarrySums; ++j) {
      sums[0].push_back(whole_of(carry_sums.low[j][row], carry_sums.high[j][row], kLowCarryBits));
    }
  }
}

template <class Word>
void PrimeClaims<Word>::draw_weights(const PrimeField& field, secure_random::AesCtr& coins) {
  const auto draw = [&](std::vector<uint64_t>& weights, size_t n) {
    weights.resize(n);
    for (uint64_t& weight : weights) {
      weight = draw_element(field, coins);
    }
  };
  draw(bit_weights_, kCarrySums);
  row_weights_.assign(rows_, field.one());
  if (claim_rows_ > 1) {
    draw(row_weights_, rows_);
    row_weights_[0] = field.one();
  }
  claim_weights_.resize(bits_.size() / kCarrySums * kCarryBlock);
  for (size_t block = 0; block * kCarrySums < bits_.size(); ++block) {
    weights_of_bits(field, bits_.data() + block * kCarrySums, bit_weights_.data(),
                    claim_weights_.data() + block * kCarryBlock);
  }
}

/// The sum of w_j C_j of a row. What is added to numbers so that they are not negative is
/// subtracted from the sum.
template <class Word>
auto PrimeClaims<Word>::claimed_sums(const PrimeField& field, size_t part, size_t row) const
    -> uint64_t {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  uint64_t total = 0;
  uint64_t weight_of_word = field.one();  // of 2^(64 word)
  const uint64_t next_word = field.weight_of(field.reduced(Word128{1} << 64));
  for (size_t word = 0; word < Whole{}.size(); ++word) {
    std::array<uint64_t, kCarrySums> words{};
    Word128 weights = 0;
    for (size_t j = 0; j < kCarrySums; ++j) {
      words[j] = sums[part][row * kCarrySums + j][word] ^ (word == 3 ? kSign : 0);
      weights += bit_weights_[j];
    }
    reduce_words<uint64_t>(field, words.data(), words.size(), words.data());
    uint64_t sum = field.times(
        1, field.reduced(dot_of_elements(bit_weights_.data(), words.data(), words.size())));
    if (word == 3) {
      const uint64_t of_signs = field.times(field.reduced(weights), field.reduced(kSign));
      sum = field.subtract(sum, of_signs);
    }
    total = field.add(total, field.times(weight_of_word, sum));
    weight_of_word = field.times(next_word, weight_of_word);
  }
  return total;
}

template <class Word>
auto PrimeClaims<Word>::claimed(const PrimeField& field) const -> std::array<uint64_t, 2> {
  const uint64_t size_of_ring = field.weight_of(field.reduced(Word128{1} << (8 * sizeof(Word))));
  std::array<uint64_t, 2> out{};
  std::array<uint64_t, kTermColumns> elements{};
  for (size_t part = 0; part < 2; ++part) {
    const Word* z = part == 0 ? z_.first : z_.second;
    for (size_t row = 0; row < claim_rows_; ++row) {
      uint64_t sum = field.times(size_of_ring, claimed_sums(field, part, row));
      for (size_t begin = 0; begin < claims_of_row(row); begin += kTermColumns) {
        const size_t n = std::min(kTermColumns, claims_of_row(row) - begin);
        reduce_words<Word>(field, z + row * row_claims_ + begin, n, elements.data());
        const Word128 weighed = dot_of_elements(claim_weights_.data() + begin, elements.data(), n);
        sum = field.add(sum, field.reduced_word(field.divided(weighed)));
      }
      out[part] = field.add(out[part], field.times(row_weights_[row], sum));
    }
  }
  return out;
}

template <class Word>
void PrimeClaims<Word>::load_weights(size_t term, size_t n, uint64_t* out) const {
  if (length_ == 1) {
    std::copy_n(claim_weights_.data() + term, n, out);
    return;
  }
  size_t claim = term / length_;
  size_t rest = length_ - term % length_;
  for (size_t i = 0; i < n; ++i) {
    out[i] = claim_weights_[claim];
    if (--rest == 0) {
      ++claim;
      rest = length_;
    }
  }
}

template <class Word>
void PrimeClaims<Word>::load_terms(const PrimeField& field, size_t begin, size_t n,
                                   TermBlock& out) const {
  std::array<uint64_t, kTermColumns> weights{};
  for (size_t row = 0; row < rows_; ++row) {
    const size_t first = row * columns_ + begin;
    const size_t rest = n_ * length_ - std::min(n_ * length_, first);
    const size_t n_now = std::min(n, rest);
    if (n_now > 0 && (row == 0 || claim_rows_ == 1)) {
      load_weights(claim_rows_ == 1 ? first : begin, n_now, weights.data());
    }
    const auto load = [&](const Word* from, std::array<uint64_t, kTermColumns>& to) {
      if (n_now > 0) {
        reduce_words<Word>(field, from + first, n_now, to.data());
      }
      std::fill(to.begin() + static_cast<ptrdiff_t>(n_now), to.begin() + static_cast<ptrdiff_t>(n),
                0);
    };
    load(x_.first, out.u0[row]);
    load(x_.second, out.u1[row]);
    load(y_.first, out.v0[row]);
    load(y_.second, out.vs[row]);
    weigh_elements(field, weights.data(), n_now, out.u0[row].data());
    weigh_elements(field, weights.data(), n_now, out.u1[row].data());
    add_elements(field, out.v0[row].data(), out.vs[row].data(), n, out.vs[row].data());
  }
}

template class PrimeClaims<uint32_t>;
template class PrimeClaims<uint64_t>;

}  // namespace tacet::mpc
