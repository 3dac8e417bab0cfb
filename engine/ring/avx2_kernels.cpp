// Kernels for AVX2 and FMA.

#include "engine/ring/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <type_traits>

#include "engine/ring/avx2_arithmetic.h"
#include "engine/ring/ntt_passes.h"

namespace tacet::ring {
namespace {

void forward_ntt(uint64_t* x, const NttTables& tables) {
  NttPasses<Avx2Arithmetic>(tables).forward(x);
}

void inverse_ntt(uint64_t* x, const NttTables& tables) {
  NttPasses<Avx2Arithmetic>(tables).inverse(x);
}

/// Below q, for words below 2q.
TACET_RING_INLINE auto subtract_above(Words v, Words q) -> Words {
  const Words d = _mm256_sub_epi64(v, q);
  // The sign bit of the difference chooses.
  return _mm256_castpd_si256(
      _mm256_blendv_pd(_mm256_castsi256_pd(d), _mm256_castsi256_pd(v), _mm256_castsi256_pd(d)));
}

TACET_RING_INLINE auto set(const Modulus& q) -> Words {
  return _mm256_set1_epi64x(static_cast<long long>(q.value));
}

void add_rows(uint64_t* out, const uint64_t* a, const uint64_t* b, size_t n, const Modulus& q) {
  const Words modulus = set(q);
  for (size_t i = 0; i < n; i += kLanes) {
    const Words sum = _mm256_add_epi64(load_words(a + i), load_words(b + i));
    store_words(out + i, subtract_above(sum, modulus));
  }
}

void subtract_rows(uint64_t* out, const uint64_t* a, const uint64_t* b, size_t n,
                   const Modulus& q) {
  const Words modulus = set(q);
  for (size_t i = 0; i < n; i += kLanes) {
    const Words d = _mm256_sub_epi64(load_words(a + i), load_words(b + i));
    const Words raised = _mm256_add_epi64(d, modulus);
    store_words(out + i,
                _mm256_castpd_si256(_mm256_blendv_pd(
                    _mm256_castsi256_pd(d), _mm256_castsi256_pd(raised), _mm256_castsi256_pd(d))));
  }
}

void negate_row(uint64_t* out, const uint64_t* a, size_t n, const Modulus& q) {
  const Words modulus = set(q);
  for (size_t i = 0; i < n; i += kLanes) {
    const Words v = load_words(a + i);
    const Words is_zero = _mm256_cmpeq_epi64(v, _mm256_setzero_si256());
    store_words(out + i, _mm256_andnot_si256(is_zero, _mm256_sub_epi64(modulus, v)));
  }
}

void multiply_rows(uint64_t* out, const uint64_t* a, const uint64_t* b, size_t n,
                   const Modulus& q) {
  const Divisor d(q);
  for (size_t i = 0; i < n; i += kLanes) {
    leave(out + i, multiply_add(enter(a + i), enter(b + i), set(0), d), d);
  }
}

void multiply_add_rows(uint64_t* out, const uint64_t* a, const uint64_t* b, const uint64_t* c,
                       size_t n, const Modulus& q) {
  const Divisor d(q);
  for (size_t i = 0; i < n; i += kLanes) {
    leave(out + i, multiply_add(enter(a + i), enter(b + i), enter(c + i), d), d);
  }
}

void multiply_constant(uint64_t* out, const uint64_t* a, uint64_t c, size_t n, const Modulus& q) {
  const Divisor d(q);
  const auto constant = static_cast<double>(centred(c, q));
  const Doubles factor = set(constant);
  const Doubles quotient = set(constant / q.as_double);
  for (size_t i = 0; i < n; i += kLanes) {
    leave(out + i, product(enter(a + i), factor, quotient, d.q), d);
  }
}

void subtract_multiply(uint64_t* out, const uint64_t* a, const uint64_t* b, uint64_t c, size_t n,
                       const Modulus& q) {
  const Divisor d(q);
  const auto constant = static_cast<double>(centred(c, q));
  const Doubles factor = set(constant);
  const Doubles quotient = set(constant / q.as_double);
  for (size_t i = 0; i < n; i += kLanes) {
    const Doubles difference = _mm256_sub_pd(enter(a + i), enter(b + i));
    leave(out + i, product(difference, factor, quotient, d.q), d);
  }
}

void tensor(uint64_t* const* out, const uint64_t* const* a, const uint64_t* const* b, size_t n,
            const Modulus& q) {
  const Divisor d(q);
  for (size_t i = 0; i < n; i += kLanes) {
    const Doubles a0 = enter(a[0] + i), a1 = enter(a[1] + i);
    const Doubles b0 = enter(b[0] + i), b1 = enter(b[1] + i);
    const Doubles first = multiply_add(a0, b1, set(0), d);
    leave(out[0] + i, multiply_add(a0, b0, set(0), d), d);
    leave(out[1] + i, multiply_add(a1, b0, first, d), d);
    leave(out[2] + i, multiply_add(a1, b1, set(0), d), d);
  }
}

/// How many products of words of so many bits can be summed exactly, and in what units.
///
/// The sum is kept in two doubles: a multiple of 2^(e - 52) that is added to 1.5 * 2^e, and what
/// the products are beyond their multiples, up to half a unit each. The first must not leave [2^e,
/// 2^(e + 1)], and the second stay below 2^52.
struct SumPlan {
  explicit SumPlan(unsigned product_bits, size_t n_terms) {
    unsigned log_terms = 0;
    // Both bounds meet at 2^((104 - bits) / 2) terms.
    const unsigned log_most = (104 - product_bits) / 2;
    while ((size_t{1} << log_terms) < n_terms && log_terms < log_most) {
      ++log_terms;
    }
    max_terms = size_t{1} << log_terms;
    fold_mask = max_terms - 1;
    bias = 0x1.8p0 * static_cast<double>(uint64_t{1} << 50);
    for (unsigned e = 50; e < product_bits + 1 + log_terms; ++e) {
      bias *= 2;
    }
  }

  size_t max_terms;
  size_t fold_mask;  ///< zero in the number of a term before which the sum is folded
  double bias;
};

/// The sum, up to `max_terms` products after each `fold`.
class Sum {
 public:
  TACET_RING_INLINE explicit Sum(Doubles bias) : bias_(bias), high_(bias), low_(set(0)) {}

  TACET_RING_INLINE void add_product(Doubles x, Doubles y) {
    const Doubles next = _mm256_fmadd_pd(x, y, high_);
    low_ = _mm256_add_pd(low_, _mm256_fmsub_pd(x, y, _mm256_sub_pd(next, high_)));
    high_ = next;
  }
  /// Starts anew, with the remainder of what there was.
  TACET_RING_INLINE void fold(const Divisor& d) {
    low_ = remainder(d);
    high_ = bias_;
  }
  /// Within a little more than q/2 of zero.
  TACET_RING_INLINE auto remainder(const Divisor& d) const -> Doubles {
    const Doubles multiples = _mm256_sub_pd(high_, bias_);
    const Doubles c = round_off(_mm256_mul_pd(_mm256_add_pd(multiples, low_), d.inverse));
    // The quotient has up to 52 bits, so it may be off by two.
    return near_zero(_mm256_add_pd(_mm256_fnmadd_pd(c, d.q, multiples), low_), d);
  }

 private:
  Doubles bias_, high_, low_;
};

/// The most terms that loops are unrolled for. Longer sums are rare.
constexpr size_t kUnrolledTerms = 9;

constexpr size_t kWordsAhead = 64;

/// A number of terms that the compiler knows; or 0, for `n`.
template <size_t kTerms>
TACET_RING_INLINE auto n_terms_of(size_t n) -> size_t {
  return kTerms == 0 ? n : kTerms;
}

/// Calls `body` with the number of terms as a constant, if it is small and needs no folding.
template <size_t kTerms = 1, class Body>
TACET_RING_INLINE void with_terms(size_t n_terms, const SumPlan& plan, const Body& body) {
  if constexpr (kTerms > kUnrolledTerms) {
    body(std::integral_constant<size_t, 0>());
  } else if (n_terms == kTerms && kTerms <= plan.max_terms) {
    body(std::integral_constant<size_t, kTerms>());
  } else {
    with_terms<kTerms + 1>(n_terms, plan, body);
  }
}

void combine(uint64_t* out, const uint64_t* const* terms, const uint64_t* constants, size_t n_terms,
             size_t n, const Modulus& q) {
  const Divisor d(q);
  const SumPlan plan(kMaxModulusBits + q.bits(), n_terms);
  const Doubles bias = set(plan.bias);
  const auto as_double = [&](size_t k) {
    return set(static_cast<double>(static_cast<int64_t>(constants[k])));
  };
  with_terms(n_terms, plan, [&](auto known) {
    constexpr size_t kKnown = decltype(known)::value;
    const uint64_t* rows[kUnrolledTerms];
    Doubles factors[kUnrolledTerms];
    for (size_t k = 0; k < kKnown; ++k) {
      rows[k] = terms[k];
      factors[k] = as_double(k);
    }
    for (size_t i = 0; i < n; i += kLanes) {
      Sum sum(bias);
      for (size_t k = 0; k < n_terms_of<kKnown>(n_terms); ++k) {
        if constexpr (kKnown != 0) {
          sum.add_product(enter(rows[k] + i), factors[k]);
        } else {
          if (k != 0 && (k & plan.fold_mask) == 0) {
            sum.fold(d);
          }
          sum.add_product(enter(terms[k] + i), as_double(k));
        }
      }
      leave(out + i, sum.remainder(d), d);
    }
  });
}

void inner_products(uint64_t* out0, uint64_t* out1, const uint64_t* const* a,
                    const uint64_t* const* b0, const uint64_t* const* b1, size_t n_terms, size_t n,
                    const Modulus& q) {
  const Divisor d(q);
  const SumPlan plan(2 * q.bits(), n_terms);
  const Doubles bias = set(plan.bias);
  with_terms(n_terms, plan, [&](auto known) {
    constexpr size_t kKnown = decltype(known)::value;
    for (size_t i = 0; i < n; i += kLanes) {
      Sum sum0(bias);
      Sum sum1(bias);
      for (size_t k = 0; k < n_terms_of<kKnown>(n_terms); ++k) {
        if (kKnown == 0 && k != 0 && (k & plan.fold_mask) == 0) {
          sum0.fold(d);
          sum1.fold(d);
        }
        // Of so many rows read side by side the processor does not foresee the next lines itself.
        __builtin_prefetch(b0[k] + i + kWordsAhead);
        __builtin_prefetch(b1[k] + i + kWordsAhead);
        const Doubles x = enter(a[k] + i);
        sum0.add_product(x, enter(b0[k] + i));
        sum1.add_product(x, enter(b1[k] + i));
      }
      leave(out0 + i, sum0.remainder(d), d);
      leave(out1 + i, sum1.remainder(d), d);
    }
  });
}

void change_modulus(uint64_t* out, const uint64_t* a, size_t n, const Modulus& p,
                    const Modulus& q) {
  if (p.value / 2 < q.value) {
    const __m256i half_word = _mm256_set1_epi64x(static_cast<int64_t>(p.value / 2));
    const __m256i difference = _mm256_set1_epi64x(static_cast<int64_t>(q.value - p.value));
    for (size_t i = 0; i < n; i += kLanes) {
      const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(a + i));
      const __m256i above = _mm256_cmpgt_epi64(v, half_word);
      _mm256_store_si256(reinterpret_cast<__m256i*>(out + i),
                         _mm256_add_epi64(v, _mm256_and_si256(difference, above)));
    }
    return;
  }
  const Divisor d(q);
  const Doubles from = set(p.as_double);
  const Doubles half = set(static_cast<double>(p.value / 2));
  for (size_t i = 0; i < n; i += kLanes) {
    const Doubles v = enter(a + i);
    const Doubles above = _mm256_and_pd(_mm256_cmp_pd(v, half, _CMP_GT_OQ), from);
    leave(out + i, near_zero(_mm256_sub_pd(v, above), d), d);
  }
}

void round_sum(uint64_t* out, const uint64_t* const* a, const double* inverses, size_t n_terms,
               size_t n) {
  for (size_t i = 0; i < n; i += kLanes) {
    Doubles sum = set(0);
    for (size_t k = 0; k < n_terms; ++k) {
      sum = _mm256_add_pd(sum, _mm256_mul_pd(enter(a[k] + i), set(inverses[k])));
    }
    store_words(out + i, to_words(round_off(sum)));
  }
}

constexpr Kernels kKernels = {
    .isa = Isa::Avx2,
    .forward_ntt = forward_ntt,
    .inverse_ntt = inverse_ntt,
    .add = add_rows,
    .subtract = subtract_rows,
    .negate = negate_row,
    .multiply = multiply_rows,
    .multiply_add = multiply_add_rows,
    .multiply_constant = multiply_constant,
    .subtract_multiply = subtract_multiply,
    .tensor = tensor,
    .combine = combine,
    .inner_products = inner_products,
    .change_modulus = change_modulus,
    .round_sum = round_sum,
    .permute = permute_words,
};

}  // namespace

auto avx2_kernels() -> const Kernels& {
  return kKernels;
}

}  // namespace tacet::ring

#endif
