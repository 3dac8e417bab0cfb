#pragma once

#include <cstring>

#include "engine/mpc/aby3_active/prime_lanes.h"
#include "engine/mpc/aby3_active/prime_loops.h"

/// Private to this folder: the loops of prime_loops.h for one instruction set, as check_kernels.h.
namespace tacet::mpc {

template <int kIsa>
struct PrimeKernels {
  template <class Word>
  static void compute_carries(const ClaimWords<Word>& claims, size_t n, size_t row,
                              CarryBlock& out);
  static void add_carries(const CarryBlock& carries, const uint64_t* bits, CarrySums& sums);
  static void weights_of_bits(const PrimeField& field, const uint64_t* bits,
                              const uint64_t* weights, uint64_t* out);
  template <class Word>
  static void reduce_words(const PrimeField& field, const Word* x, size_t n, uint64_t* out);
  static void weigh_elements(const PrimeField& field, const uint64_t* weights, size_t n,
                             uint64_t* x);
  static void add_elements(const PrimeField& field, const uint64_t* x, const uint64_t* y, size_t n,
                           uint64_t* out);
  static auto dot_of_elements(const uint64_t* x, const uint64_t* y, size_t n) -> Word128;
  static void add_pairs(const TermRows& terms, size_t n, Word128* sums);
  static void combine_elements(const PrimeField& field, const uint64_t* x, size_t stride,
                               size_t rows, const uint64_t* weights, size_t n, uint64_t* out);
};

/// Words of a line of the cache.
template <class Word>
constexpr size_t kLineWords = 64 / sizeof(Word);

/// Loads what the next block of a row will read, `distance` words behind x, if there is such
/// memory: rows are far from each other, so that processors do not foresee it.
template <class Word>
[[gnu::always_inline]] inline void prefetch_behind(const Word* x, size_t distance) {
  __builtin_prefetch(
      reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(x) + distance * sizeof(Word)), 0,
      2);
}

/// A whole number, low + 2^64 high.
struct CarryParts {
  uint64_t low = 0;
  Word128 high = 0;

  [[gnu::always_inline]] void add(uint64_t x, uint64_t y) {
    const Word128 sum = Word128{x} * y + low;
    low = static_cast<uint64_t>(sum);
    high += static_cast<uint64_t>(sum >> 64);
  }
};

/// The summand of a claim over the ring's size, rounded down.
template <class Word>
[[gnu::always_inline]] inline auto quotient_of_summand(const ClaimWords<Word>& claims, size_t claim,
                                                       Word* low) -> Word128 {
  CarryParts sum;
  const size_t begin = claim * claims.length;
  for (size_t i = begin; i < begin + claims.length; ++i) {
    sum.add(claims.x.first[i], claims.y.first[i]);
    sum.add(claims.x.first[i], claims.y.second[i]);
    sum.add(claims.x.second[i], claims.y.first[i]);
  }
  *low = static_cast<Word>(sum.low);
  if constexpr (sizeof(Word) == 8) {
    return sum.high;
  } else {
    return sum.high << 32 | sum.low >> 32;
  }
}

// Of a masked one: z = sum + F - F' + 2^k (borrow) modulo 2^k, where the last three are a word d.
// The carry of sum + d is one more than the sum's own if z is below its low word.
template <int kIsa>
template <class Word>
void PrimeKernels<kIsa>::compute_carries(const ClaimWords<Word>& claims, size_t n, size_t row,
                                         CarryBlock& out) {
  constexpr uint64_t kLowMask = (uint64_t{1} << kLowCarryBits) - 1;
  for (size_t i = 0; i < n; ++i) {
    if (i % kLineWords<Word> == 0 && claims.length == 1) {
      for (const PartsOf<Word>& words : {claims.x, claims.y}) {
        prefetch_behind(words.first + i, n);
        prefetch_behind(words.second + i, n);
      }
      prefetch_behind(claims.z.first + i, n);
    }
    Word low = 0;
    Word128 quotient = quotient_of_summand(claims, i, &low);
    const Word first = claims.z.first[i];
    const ClaimOrigin origin = claims.origins[i];
    if (origin == ClaimOrigin::Others) {
      quotient = 0;
    } else if (origin == ClaimOrigin::Dealt) {
      const Word sum = static_cast<Word>(first + claims.z.second[i]);
      quotient -= sum < first ? 1 : 0;
    } else {
      quotient += static_cast<Word128>(first < low ? 1 : 0) - static_cast<Word128>(origin);
    }
    out.low[i][row] = static_cast<int64_t>(static_cast<uint64_t>(quotient) & kLowMask);
    out.high[i][row] = static_cast<int64_t>(static_cast<uint64_t>(quotient >> kLowCarryBits));
  }
}

/// Eight words: one of each row.
using CarryLanes [[gnu::vector_size(64)]] = int64_t;

/// All sums of four: element m has those whose bit in m is set.
[[gnu::always_inline]] inline void subset_sums_of_carries(const std::array<int64_t, 8>* from,
                                                          CarryLanes* sums) {
  CarryLanes four[4];
  std::memcpy(four, from, sizeof(four));
  sums[0] = CarryLanes{};
  for (size_t i = 0; i < 4; ++i) {
    for (size_t m = 0; m < (size_t{1} << i); ++m) {
      sums[(size_t{1} << i) + m] = sums[m] + four[i];
    }
  }
}

// By sums of all subsets of four claims (Arlazarov and others, 1970).
template <int kIsa>
void PrimeKernels<kIsa>::add_carries(const CarryBlock& carries, const uint64_t* bits,
                                     CarrySums& sums) {
  constexpr size_t kGroups = 4;
  alignas(64) CarryLanes low[kGroups][16];
  alignas(64) CarryLanes high[kGroups][16];
  for (size_t begin = 0; begin < kCarryBlock; begin += 4 * kGroups) {
    for (size_t g = 0; g < kGroups; ++g) {
      subset_sums_of_carries(&carries.low[begin + 4 * g], low[g]);
      subset_sums_of_carries(&carries.high[begin + 4 * g], high[g]);
    }
    for (size_t j = 0; j < kCarrySums; ++j) {
      const uint64_t chosen = bits[j] >> begin;
      CarryLanes sum_low;
      CarryLanes sum_high;
      std::memcpy(&sum_low, &sums.low[j], sizeof(sum_low));
      std::memcpy(&sum_high, &sums.high[j], sizeof(sum_high));
      for (size_t g = 0; g < kGroups; ++g) {
        sum_low += low[g][chosen >> (4 * g) & 15];
        sum_high += high[g][chosen >> (4 * g) & 15];
      }
      std::memcpy(&sums.low[j], &sum_low, sizeof(sum_low));
      std::memcpy(&sums.high[j], &sum_high, sizeof(sum_high));
    }
  }
}

// Sums of 48 weights are below 2^57.
template <int kIsa>
void PrimeKernels<kIsa>::weights_of_bits(const PrimeField& field, const uint64_t* bits,
                                         const uint64_t* weights, uint64_t* out) {
  uint64_t sums[kCarryBlock] = {};
  for (size_t j = 0; j < kCarrySums; ++j) {
    for (size_t i = 0; i < kCarryBlock; ++i) {
      sums[i] += weights[j] & (0 - (bits[j] >> i & 1));
    }
  }
  reduce_words<uint64_t>(field, sums, kCarryBlock, out);
}

template <int kIsa>
template <class Word>
void PrimeKernels<kIsa>::reduce_words(const PrimeField& field, const Word* x, size_t n,
                                      uint64_t* out) {
  for (size_t i = 0; i < n; i += kLineWords<Word>) {
    prefetch_behind(x + i, n);
  }
  if constexpr (sizeof(Word) == 4) {
    for (size_t i = 0; i < n; ++i) {
      out[i] = x[i];
    }
    return;
  } else {
#if defined(TACET_PRIME_LANES)
    const LaneField lanes(field);
    for (size_t i = 0; i < n; i += PrimeLanes::kCount) {
      const __mmask8 mask = PrimeLanes::mask_of(n - i);
      PrimeLanes::store(out + i, mask, lanes.reduced(PrimeLanes::load(x + i, mask)));
    }
#else
    for (size_t i = 0; i < n; ++i) {
      out[i] = field.reduced_word(x[i]);
    }
#endif
  }
}

template <int kIsa>
void PrimeKernels<kIsa>::weigh_elements(const PrimeField& field, const uint64_t* weights, size_t n,
                                        uint64_t* x) {
#if defined(TACET_PRIME_LANES)
  const LaneField lanes(field);
  for (size_t i = 0; i < n; i += PrimeLanes::kCount) {
    const __mmask8 mask = PrimeLanes::mask_of(n - i);
    const __m512i product =
        lanes.times(PrimeLanes::load(weights + i, mask), PrimeLanes::load(x + i, mask));
    PrimeLanes::store(x + i, mask, product);
  }
#else
  for (size_t i = 0; i < n; ++i) {
    x[i] = field.times(weights[i], x[i]);
  }
#endif
}

template <int kIsa>
void PrimeKernels<kIsa>::add_elements(const PrimeField& field, const uint64_t* x, const uint64_t* y,
                                      size_t n, uint64_t* out) {
  for (size_t i = 0; i < n; ++i) {
    out[i] = field.add(x[i], y[i]);
  }
}

template <int kIsa>
auto PrimeKernels<kIsa>::dot_of_elements(const uint64_t* x, const uint64_t* y, size_t n)
    -> Word128 {
#if defined(TACET_PRIME_LANES)
  PrimeLanes sum;
  for (size_t i = 0; i < n; i += PrimeLanes::kCount) {
    const __mmask8 mask = PrimeLanes::mask_of(n - i);
    sum.multiply_add(PrimeLanes::load(x + i, mask), PrimeLanes::load(y + i, mask));
  }
  return sum.sum();
#else
  Word128 sum = 0;
  for (size_t i = 0; i < n; ++i) {
    sum += Word128{x[i]} * y[i];
  }
  return sum;
#endif
}

/// Rows a and, unless it is the same, c.
struct RowPair {
  size_t first;
  size_t second;
  [[gnu::always_inline]] auto of(const uint64_t* x) const -> std::array<const uint64_t*, 2> {
    return {x + first, x + second};
  }
};

#if defined(TACET_PRIME_LANES)
/// A vector of a row, or the sum of those of two.
template <bool kIsSum>
[[gnu::always_inline]] inline auto lanes_of_pair(const uint64_t* x, const RowPair& pair, size_t b,
                                                 __mmask8 mask) -> __m512i {
  const __m512i first = PrimeLanes::load(x + pair.first + b, mask);
  if constexpr (kIsSum) {
    return _mm512_add_epi64(first, PrimeLanes::load(x + pair.second + b, mask));
  } else {
    return first;
  }
}
#endif

/// Sums of two elements are below 2^52.
template <bool kIsSum>
[[gnu::always_inline]] inline auto local_dot_of_pair(const TermRows& terms, const RowPair& pair,
                                                     size_t n) -> Word128 {
#if defined(TACET_PRIME_LANES)
  PrimeLanes sum;
  PrimeLanes other;
  for (size_t b = 0; b < n; b += PrimeLanes::kCount) {
    const __mmask8 mask = PrimeLanes::mask_of(n - b);
    sum.multiply_add(lanes_of_pair<kIsSum>(terms.u0, pair, b, mask),
                     lanes_of_pair<kIsSum>(terms.vs, pair, b, mask));
    other.multiply_add(lanes_of_pair<kIsSum>(terms.u1, pair, b, mask),
                       lanes_of_pair<kIsSum>(terms.v0, pair, b, mask));
  }
  return sum.sum() + other.sum();
#else
  const auto at = [&](const uint64_t* x, size_t b) {
    return x[pair.first + b] + (kIsSum ? x[pair.second + b] : 0);
  };
  Word128 sum = 0;
  for (size_t b = 0; b < n; ++b) {
    sum += Word128{at(terms.u0, b)} * at(terms.vs, b);
    sum += Word128{at(terms.u1, b)} * at(terms.v0, b);
  }
  return sum;
#endif
}

template <int kIsa>
void PrimeKernels<kIsa>::add_pairs(const TermRows& terms, size_t n, Word128* sums) {
  for (size_t c = 1; c < terms.rows; ++c) {
    for (size_t a = 0; a < c; ++a) {
      sums[pair_index(a, c)] +=
          local_dot_of_pair<true>(terms, {a * terms.stride, c * terms.stride}, n);
    }
    sums[pair_index(c, c)] += local_dot_of_pair<false>(terms, {c * terms.stride, 0}, n);
  }
}

template <int kIsa>
void PrimeKernels<kIsa>::combine_elements(const PrimeField& field, const uint64_t* x, size_t stride,
                                          size_t rows, const uint64_t* weights, size_t n,
                                          uint64_t* out) {
#if defined(TACET_PRIME_LANES)
  const LaneField lanes(field);
  for (size_t b = 0; b < n; b += PrimeLanes::kCount) {
    const __mmask8 mask = PrimeLanes::mask_of(n - b);
    PrimeLanes sum;
    for (size_t a = 0; a < rows; ++a) {
      sum.multiply_add(PrimeLanes::fill(weights[a]), PrimeLanes::load(x + a * stride + b, mask));
    }
    // Below 32 p / 2 + p.
    PrimeLanes::store(out + b, mask, lanes.below_p<5>(lanes.divided(sum)));
  }
#else
  for (size_t b = 0; b < n; ++b) {
    Word128 sum = 0;
    for (size_t a = 0; a < rows; ++a) {
      sum += Word128{weights[a]} * x[a * stride + b];
    }
    out[b] = field.reduced_word(field.divided(sum));
  }
#endif
}

/// Instances of the functions that are templates themselves.
#define TACET_PRIME_KERNELS_OF_WORD(PREFIX, ISA, WORD)                                           \
  PREFIX template void PrimeKernels<ISA>::compute_carries<WORD>(const ClaimWords<WORD>&, size_t, \
                                                                size_t, CarryBlock&);            \
  PREFIX template void PrimeKernels<ISA>::reduce_words<WORD>(const PrimeField&, const WORD*,     \
                                                             size_t, uint64_t*);

}  // namespace tacet::mpc
