#include "engine/masked_products/crt_base.h"

#include "base/check.h"

namespace tacet::masked_products {
namespace {

constexpr unsigned kFractionBits = 60;

}  // namespace

CrtBase::CrtBase(std::span<const uint64_t> primes) {
  for (const uint64_t p : primes) {
    TACET_CHECK(p >> 42 == 1, "the primes of a base have 43 bits");
    moduli_.emplace_back(p);
    product_ *= p;
  }
  for (const Modulus& p : moduli_) {
    uint64_t residue = 1;
    Uint128 cofactor = 1;
    for (const Modulus& other : moduli_) {
      if (!(other == p)) {
        residue = ring::multiply(residue, other.value % p.value, p);
        cofactor *= other.value;
      }
    }
    inverses_.push_back(ring::factor(ring::invert(residue, p), p));
    reciprocals_.push_back(static_cast<uint64_t>((Uint128{1} << 106) / p.value));
    cofactors_.push_back(cofactor);
  }
}

template <class Word>
void CrtBase::reduce(std::span<const Word> numbers, size_t i, uint64_t* residues) const {
  const Modulus& p = moduli_[i];
  for (size_t k = 0; k < numbers.size(); ++k) {
    residues[k] = ring::reduce(numbers[k], p);
  }
}

inline auto CrtBase::digit(const uint64_t* const* residues, size_t prime, size_t i) const
    -> uint64_t {
  return ring::multiply(residues[prime][i], inverses_[prime], moduli_[prime]);
}

inline auto CrtBase::fraction(uint64_t digit, size_t prime) const -> uint64_t {
  return static_cast<uint64_t>((static_cast<Uint128>(digit) * reciprocals_[prime]) >>
                               (106 - kFractionBits));
}

template <class Word>
void CrtBase::lift(std::span<const uint64_t* const> residues, std::span<Word> numbers) const {
  // The sum of digit_i (P / p_i) is the number and as many P as the sum of digit_i / p_i is whole.
  for (size_t i = 0; i < numbers.size(); ++i) {
    Word sum = 0;
    uint64_t fractions = 0;
    for (size_t prime = 0; prime < n_primes(); ++prime) {
      const uint64_t d = digit(residues.data(), prime, i);
      fractions += fraction(d, prime);
      sum += static_cast<Word>(cofactors_[prime]) * d;
    }
    numbers[i] = sum - static_cast<Word>(product_) * (fractions >> kFractionBits);
  }
}

template void CrtBase::reduce(std::span<const uint64_t>, size_t, uint64_t*) const;
template void CrtBase::reduce(std::span<const Uint128>, size_t, uint64_t*) const;
template void CrtBase::lift(std::span<const uint64_t* const>, std::span<uint64_t>) const;
template void CrtBase::lift(std::span<const uint64_t* const>, std::span<Uint128>) const;

}  // namespace tacet::masked_products
