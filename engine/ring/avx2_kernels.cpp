// Kernels for AVX2 and FMA: four residues a vector, as doubles.
//
// AVX2 multiplies no words of 50 bits, but doubles hold 53: for integers |x| < 2^53, |y| < 2^50,
// h = x y rounded and fma(x, y, -h) are its exact two halves, and with c = round(x y / q) the
// remainder fma(-c, q, h) + fma(x, y, -h) is exact too (van der Hoeven, Lecerf and Quintin,
// "Modular SIMD arithmetic in Mathemagix", section 3). Remainders are signed and near zero, so sums
// of several of them need no reduction. Compiled without contraction: what is rounded is on
// purpose.

#include "engine/ring/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "engine/ring/ntt_passes.h"

namespace tacet::ring {
namespace {

using Doubles = __m256d;
using Words = __m256i;

constexpr size_t kLanes = 4;

TACET_RING_INLINE auto set(double x) -> Doubles {
  return _mm256_set1_pd(x);
}

TACET_RING_INLINE auto load_doubles(const uint64_t* p) -> Doubles {
  return _mm256_load_pd(reinterpret_cast<const double*>(p));
}
TACET_RING_INLINE auto load_words(const uint64_t* p) -> Words {
  return _mm256_load_si256(reinterpret_cast<const Words*>(p));
}
TACET_RING_INLINE void store_words(uint64_t* p, Words v) {
  _mm256_store_si256(reinterpret_cast<Words*>(p), v);
}

/// Words below 2^52 as doubles: under the exponent of 2^52 a word is its own mantissa.
TACET_RING_INLINE auto to_doubles(Words v) -> Doubles {
  const Doubles bias = set(0x1p52);
  return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(v, _mm256_castpd_si256(bias))), bias);
}
TACET_RING_INLINE auto to_words(Doubles v) -> Words {
  const Doubles bias = set(0x1p52);
  return _mm256_xor_si256(_mm256_castpd_si256(_mm256_add_pd(v, bias)), _mm256_castpd_si256(bias));
}

TACET_RING_INLINE auto enter(const uint64_t* p) -> Doubles {
  return to_doubles(load_words(p));
}

TACET_RING_INLINE auto round_off(Doubles v) -> Doubles {
  return _mm256_round_pd(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/// q and 1/q in every lane.
struct Divisor {
  explicit Divisor(const Modulus& modulus)
      : q(set(modulus.as_double)), inverse(set(modulus.inverse)) {}

  Doubles q, inverse;
};

/// Within a little more than q/2 of zero, for |v| < 2^53.
TACET_RING_INLINE auto near_zero(Doubles v, const Divisor& d) -> Doubles {
  return _mm256_fnmadd_pd(round_off(_mm256_mul_pd(v, d.inverse)), d.q, v);
}

/// The reduced residue of a remainder that is less than q from zero. There is no negative zero: a
/// difference of equal doubles is the positive one.
TACET_RING_INLINE auto not_negative(Doubles v, const Divisor& d) -> Doubles {
  // The sign bit chooses.
  return _mm256_blendv_pd(v, _mm256_add_pd(v, d.q), v);
}

TACET_RING_INLINE void leave(uint64_t* p, Doubles v, const Divisor& d) {
  store_words(p, to_words(not_negative(v, d)));
}

/// x y, with the quotient of y: y / q.
TACET_RING_INLINE auto multiply(Doubles x, Doubles y, Doubles quotient, Doubles q) -> Doubles {
  const Doubles high = _mm256_mul_pd(x, y);
  const Doubles c = round_off(_mm256_mul_pd(x, quotient));
  const Doubles low = _mm256_fmsub_pd(x, y, high);
  return _mm256_add_pd(_mm256_fnmadd_pd(c, q, high), low);
}

/// x y + z for |z| < 2^51, within a little more than q/2 of zero.
TACET_RING_INLINE auto multiply_add(Doubles x, Doubles y, Doubles z, const Divisor& d) -> Doubles {
  const Doubles high = _mm256_mul_pd(x, y);
  const Doubles low = _mm256_add_pd(_mm256_fmsub_pd(x, y, high), z);
  const Doubles c = round_off(_mm256_mul_pd(_mm256_add_pd(high, low), d.inverse));
  return _mm256_add_pd(_mm256_fnmadd_pd(c, d.q, high), low);
}

/// Residues between passes are within 4q of zero; roots within q/2. A product comes out within
/// (1/2 + b/8) q of zero for an operand within b q.
class Avx2Arithmetic {
 public:
  static constexpr size_t kLanes = ring::kLanes;
  using Vector = Doubles;
  struct Root {
    Doubles value, quotient;
  };

  explicit Avx2Arithmetic(const NttTables& tables) : tables_(&tables), d_(tables.modulus) {}

  auto load(const uint64_t* p) const -> Doubles { return load_doubles(p); }
  void store(uint64_t* p, Doubles v) const { _mm256_store_pd(reinterpret_cast<double*>(p), v); }
  auto enter(const uint64_t* p) const -> Doubles { return ring::enter(p); }
  auto tame(Doubles v) const -> Doubles { return near_zero(v, d_); }
  void leave(uint64_t* p, Doubles v) const { ring::leave(p, near_zero(v, d_), d_); }

  auto forward_root(size_t node) const -> Root { return root(tables_->forward, node); }
  auto inverse_root(size_t node) const -> Root { return root(tables_->inverse, node); }

  void forward(Doubles& u, Doubles& v, const Root& root) const {
    const Doubles product = multiply(v, root.value, root.quotient, d_.q);
    v = _mm256_sub_pd(u, product);
    u = _mm256_add_pd(u, product);
  }
  void inverse(Doubles& u, Doubles& v, const Root& root) const {
    const Doubles difference = _mm256_sub_pd(u, v);
    u = _mm256_add_pd(u, v);
    v = multiply(difference, root.value, root.quotient, d_.q);
  }
  auto scale(Doubles v) const -> Doubles {
    return multiply(v, broadcast(&tables_->scale), broadcast(&tables_->scale_quotient), d_.q);
  }

  /// Two blocks of four words at a time: a stage of pairs (0, 2) (1, 3), one of (0, 1) (2, 3).
  void forward_inside(uint64_t* x, size_t n, size_t node) const {
    const uint64_t* pair_roots = tables_->forward.roots.data() + node;
    const uint64_t* word_roots = tables_->forward.roots.data() + 2 * node;
    for (size_t i = 0; i < n; i += 8, pair_roots += 2, word_roots += 4) {
      const Doubles a = load_doubles(x + i);
      const Doubles b = load_doubles(x + i + 4);
      Doubles u = _mm256_permute2f128_pd(a, b, 0x20);
      Doubles v = _mm256_permute2f128_pd(a, b, 0x31);
      forward(u, v, with_quotient(in_pairs(pair_roots)));
      Doubles even = _mm256_unpacklo_pd(u, v);
      Doubles odd = _mm256_unpackhi_pd(u, v);
      forward(even, odd, with_quotient(_mm256_loadu_pd(as_doubles(word_roots))));
      u = _mm256_unpacklo_pd(even, odd);
      v = _mm256_unpackhi_pd(even, odd);
      leave(x + i, _mm256_permute2f128_pd(u, v, 0x20));
      leave(x + i + 4, _mm256_permute2f128_pd(u, v, 0x31));
    }
  }

  void inverse_inside(uint64_t* x, size_t n, size_t node) const {
    const uint64_t* pair_roots = tables_->inverse.roots.data() + node;
    const uint64_t* word_roots = tables_->inverse.roots.data() + 2 * node;
    for (size_t i = 0; i < n; i += 8, pair_roots += 2, word_roots += 4) {
      const Doubles a = enter(x + i);
      const Doubles b = enter(x + i + 4);
      Doubles u = _mm256_permute2f128_pd(a, b, 0x20);
      Doubles v = _mm256_permute2f128_pd(a, b, 0x31);
      Doubles even = _mm256_unpacklo_pd(u, v);
      Doubles odd = _mm256_unpackhi_pd(u, v);
      inverse(even, odd, with_quotient(_mm256_loadu_pd(as_doubles(word_roots))));
      u = _mm256_unpacklo_pd(even, odd);
      v = _mm256_unpackhi_pd(even, odd);
      inverse(u, v, with_quotient(in_pairs(pair_roots)));
      u = tame(u);
      store(x + i, _mm256_permute2f128_pd(u, v, 0x20));
      store(x + i + 4, _mm256_permute2f128_pd(u, v, 0x31));
    }
  }

 private:
  static auto as_doubles(const uint64_t* p) -> const double* {
    return reinterpret_cast<const double*>(p);
  }
  static auto broadcast(const uint64_t* p) -> Doubles { return _mm256_broadcast_sd(as_doubles(p)); }
  static auto root(const RootTable& table, size_t node) -> Root {
    return {broadcast(&table.roots[node]), broadcast(&table.quotients[node])};
  }
  /// Two roots, each in two lanes.
  static auto in_pairs(const uint64_t* roots) -> Doubles {
    const Doubles two = _mm256_castpd128_pd256(_mm_loadu_pd(as_doubles(roots)));
    return _mm256_permute4x64_pd(two, 0x50);
  }
  /// One product is cheaper here than the bandwidth of a second table.
  auto with_quotient(Doubles root) const -> Root { return {root, _mm256_mul_pd(root, d_.inverse)}; }

  const NttTables* tables_;
  Divisor d_;
};

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
    leave(out + i, multiply(enter(a + i), factor, quotient, d.q), d);
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
    leave(out + i, multiply(difference, factor, quotient, d.q), d);
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

/// A sum of up to four products of words below 2^50, exact in two doubles: `high` is 1.5 * 2^103
/// and a sum of multiples of 2^51, `low` what the products are beyond their multiples.
struct Sum {
  static constexpr size_t kMaxTerms = 4;

  Doubles high = set(0x1.8p103);
  Doubles low = set(0);

  TACET_RING_INLINE void add_product(Doubles x, Doubles y) {
    const Doubles next = _mm256_fmadd_pd(x, y, high);
    low = _mm256_add_pd(low, _mm256_fmsub_pd(x, y, _mm256_sub_pd(next, high)));
    high = next;
  }
  /// Starts anew, with the remainder of what there was.
  TACET_RING_INLINE void fold(const Divisor& d) {
    low = remainder(d);
    high = set(0x1.8p103);
  }
  /// Within a little more than q/2 of zero.
  TACET_RING_INLINE auto remainder(const Divisor& d) const -> Doubles {
    const Doubles multiples = _mm256_sub_pd(high, set(0x1.8p103));
    const Doubles c = round_off(_mm256_mul_pd(_mm256_add_pd(multiples, low), d.inverse));
    // The quotient of four products has 52 bits, so it may be off by two.
    return near_zero(_mm256_add_pd(_mm256_fnmadd_pd(c, d.q, multiples), low), d);
  }
};

void combine(uint64_t* out, const uint64_t* const* terms, const uint64_t* constants, size_t n_terms,
             size_t n, const Modulus& q) {
  const Divisor d(q);
  for (size_t i = 0; i < n; i += kLanes) {
    Sum sum;
    for (size_t k = 0; k < n_terms; ++k) {
      if (k != 0 && k % Sum::kMaxTerms == 0) {
        sum.fold(d);
      }
      sum.add_product(enter(terms[k] + i), set(static_cast<double>(constants[k])));
    }
    leave(out + i, sum.remainder(d), d);
  }
}

void inner_products(uint64_t* out0, uint64_t* out1, const uint64_t* const* a,
                    const uint64_t* const* b0, const uint64_t* const* b1, size_t n_terms, size_t n,
                    const Modulus& q) {
  const Divisor d(q);
  for (size_t i = 0; i < n; i += kLanes) {
    Sum sum0;
    Sum sum1;
    for (size_t k = 0; k < n_terms; ++k) {
      if (k != 0 && k % Sum::kMaxTerms == 0) {
        sum0.fold(d);
        sum1.fold(d);
      }
      const Doubles x = enter(a[k] + i);
      sum0.add_product(x, enter(b0[k] + i));
      sum1.add_product(x, enter(b1[k] + i));
    }
    leave(out0 + i, sum0.remainder(d), d);
    leave(out1 + i, sum1.remainder(d), d);
  }
}

void change_modulus(uint64_t* out, const uint64_t* a, size_t n, const Modulus& p,
                    const Modulus& q) {
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
};

}  // namespace

auto avx2_kernels() -> const Kernels& {
  return kKernels;
}

}  // namespace tacet::ring

#endif
