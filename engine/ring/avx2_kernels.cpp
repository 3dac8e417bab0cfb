// Kernels for AVX2 and FMA: four residues a vector, as doubles.
//
// AVX2 multiplies no words of 50 bits, but doubles hold 53: for integers |x| < 2^53, |y| < 2^50,
// h = x y rounded and fma(x, y, -h) are its exact two halves, and with c = round(x y / q) the
// remainder fma(-c, q, h) + fma(x, y, -h) is exact too (van der Hoeven, Lecerf and Quintin,
// "Modular SIMD arithmetic in Mathemagix"). Remainders are signed and near zero, so sums
// of several of them need no reduction. Compiled without contraction: what is rounded is on
// purpose.

#include "engine/ring/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <type_traits>

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
TACET_RING_INLINE auto product(Doubles x, Doubles y, Doubles quotient, Doubles q) -> Doubles {
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
  static constexpr size_t kUnrolled = 1;
  using Vector = Doubles;
  struct Root {
    Doubles value, quotient;
  };

  explicit Avx2Arithmetic(const NttTables& tables) : tables_(&tables), d_(tables.modulus) {}

  auto load(const uint64_t* p) const -> Doubles { return load_doubles(p); }
  void store(uint64_t* p, Doubles v) const { _mm256_store_pd(reinterpret_cast<double*>(p), v); }
  auto enter(const uint64_t* p) const -> Doubles { return ring::enter(p); }
  auto tame(Doubles v) const -> Doubles { return near_zero(v, d_); }
  auto tame_sum(Doubles v) const -> Doubles { return near_zero(v, d_); }
  void leave(uint64_t* p, Doubles v) const { ring::leave(p, near_zero(v, d_), d_); }

  auto forward_root(size_t node) const -> Root { return root(tables_->forward, node); }
  auto inverse_root(size_t node) const -> Root { return root(tables_->inverse, node); }

  template <size_t kCount>
  TACET_RING_INLINE void multiply(Doubles* const (&v)[kCount],
                                  const Root* const (&roots)[kCount]) const {
    Doubles c[kCount];
    Doubles high[kCount];
    TACET_RING_UNROLL
    for (size_t i = 0; i < kCount; ++i) {
      c[i] = _mm256_mul_pd(*v[i], roots[i]->quotient);
      high[i] = _mm256_mul_pd(*v[i], roots[i]->value);
      *v[i] = _mm256_fmsub_pd(*v[i], roots[i]->value, high[i]);
    }
    TACET_RING_UNROLL
    for (size_t i = 0; i < kCount; ++i) {
      c[i] = round_off(c[i]);
    }
    TACET_RING_UNROLL
    for (size_t i = 0; i < kCount; ++i) {
      high[i] = _mm256_fnmadd_pd(c[i], d_.q, high[i]);
    }
    TACET_RING_UNROLL
    for (size_t i = 0; i < kCount; ++i) {
      *v[i] = _mm256_add_pd(high[i], *v[i]);
    }
  }
  TACET_RING_INLINE void spread(Doubles& u, Doubles& v) const {
    const Doubles sum = _mm256_add_pd(u, v);
    v = _mm256_sub_pd(u, v);
    u = sum;
  }
  TACET_RING_INLINE void gather(Doubles& u, Doubles& v) const { spread(u, v); }
  auto scale(Doubles v) const -> Doubles {
    return product(v, broadcast(&tables_->scale), broadcast(&tables_->scale_quotient), d_.q);
  }

  /// Four blocks of four words at a time: a stage of pairs (0, 2) (1, 3), one of (0, 1) (2, 3).
  void forward_inside(uint64_t* x, size_t n, size_t node) const {
    const uint64_t* pair_roots = tables_->forward.roots.data() + node;
    const uint64_t* word_roots = tables_->forward.roots.data() + 2 * node;
    for (size_t i = 0; i < n; i += 16, pair_roots += 4, word_roots += 8) {
      Two a = reorder_halves({load_doubles(x + i), load_doubles(x + i + 4)});
      Two b = reorder_halves({load_doubles(x + i + 8), load_doubles(x + i + 12)});
      forward_step(a, b, in_pairs(pair_roots), in_pairs(pair_roots + 2));
      a = reorder_words(a);
      b = reorder_words(b);
      forward_step(a, b, _mm256_loadu_pd(as_doubles(word_roots)),
                   _mm256_loadu_pd(as_doubles(word_roots + 4)));
      a = reorder_halves(reorder_words(a));
      b = reorder_halves(reorder_words(b));
      leave(x + i, a.first);
      leave(x + i + 4, a.second);
      leave(x + i + 8, b.first);
      leave(x + i + 12, b.second);
    }
  }

  void inverse_inside(uint64_t* x, size_t n, size_t node) const {
    const uint64_t* pair_roots = tables_->inverse.roots.data() + node;
    const uint64_t* word_roots = tables_->inverse.roots.data() + 2 * node;
    for (size_t i = 0; i < n; i += 16, pair_roots += 4, word_roots += 8) {
      Two a = reorder_words(reorder_halves({enter(x + i), enter(x + i + 4)}));
      Two b = reorder_words(reorder_halves({enter(x + i + 8), enter(x + i + 12)}));
      inverse_step(a, b, _mm256_loadu_pd(as_doubles(word_roots)),
                   _mm256_loadu_pd(as_doubles(word_roots + 4)));
      a = reorder_words(a);
      b = reorder_words(b);
      inverse_step(a, b, in_pairs(pair_roots), in_pairs(pair_roots + 2));
      a = reorder_halves({tame(a.first), a.second});
      b = reorder_halves({tame(b.first), b.second});
      store(x + i, a.first);
      store(x + i + 4, a.second);
      store(x + i + 8, b.first);
      store(x + i + 12, b.second);
    }
  }

 private:
  struct Two {
    Doubles first, second;
  };
  /// 0 1 2 3, 4 5 6 7 to 0 1 4 5, 2 3 6 7, and back.
  TACET_RING_INLINE static auto reorder_halves(const Two& v) -> Two {
    return {_mm256_permute2f128_pd(v.first, v.second, 0x20),
            _mm256_permute2f128_pd(v.first, v.second, 0x31)};
  }
  /// 0 1 2 3, 4 5 6 7 to 0 4 2 6, 1 5 3 7, and back.
  TACET_RING_INLINE static auto reorder_words(const Two& v) -> Two {
    return {_mm256_unpacklo_pd(v.first, v.second), _mm256_unpackhi_pd(v.first, v.second)};
  }
  TACET_RING_INLINE void forward_step(Two& a, Two& b, Doubles a_root, Doubles b_root) const {
    const Root roots[] = {with_quotient(a_root), with_quotient(b_root)};
    multiply<2>({&a.second, &b.second}, {&roots[0], &roots[1]});
    spread(a.first, a.second);
    spread(b.first, b.second);
  }
  TACET_RING_INLINE void inverse_step(Two& a, Two& b, Doubles a_root, Doubles b_root) const {
    const Root roots[] = {with_quotient(a_root), with_quotient(b_root)};
    gather(a.first, a.second);
    gather(b.first, b.second);
    multiply<2>({&a.second, &b.second}, {&roots[0], &roots[1]});
  }
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
