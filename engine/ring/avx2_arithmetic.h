#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "engine/ring/modulus.h"
#include "engine/ring/ntt_passes.h"

/// Arithmetic on four residues a vector, as doubles, for the one file that is compiled for AVX2 and
/// FMA: everything is its own, so that no other file gets code for that set.
///
/// AVX2 multiplies no words of 50 bits, but doubles hold 53: for integers |x| < 2^53, |y| < 2^50,
/// h = x y rounded and fma(x, y, -h) are its exact two halves, and with c = round(x y / q) the
/// remainder fma(-c, q, h) + fma(x, y, -h) is exact too (van der Hoeven, Lecerf and Quintin,
/// "Modular SIMD arithmetic in Mathemagix"). Remainders are signed and near zero, so sums
/// of several of them need no reduction. Compiled without contraction: what is rounded is on
/// purpose.
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

/// Residues between passes are within 4.1q of zero, reduced every four stages in the forward
/// transform; roots within q/2. A product comes out within (1/2 + b/8) q of zero for an operand
/// within b q.
class Avx2Arithmetic {
 public:
  static constexpr size_t kLanes = ring::kLanes;
  static constexpr size_t kTailWords = 4;
  static constexpr unsigned kMaxStages = 2;
  static constexpr unsigned kLazyStages = 4;
  static constexpr auto width(unsigned /*stages*/) -> size_t { return 1; }
  static constexpr auto n_large(unsigned /*stages*/) -> size_t { return 1; }
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

  template <size_t kPairs>
  TACET_RING_INLINE void forward(Doubles* const (&u)[kPairs], Doubles* const (&v)[kPairs],
                                 const Root* const (&roots)[kPairs]) const {
    multiply(v, roots);
    sums_and_differences(u, v);
  }
  template <size_t kPairs>
  TACET_RING_INLINE void inverse(Doubles* const (&u)[kPairs], Doubles* const (&v)[kPairs],
                                 const Root* const (&roots)[kPairs]) const {
    sums_and_differences(u, v);
    multiply(v, roots);
  }
  auto scale(Doubles v) const -> Doubles {
    return product(v, broadcast(&tables_->scale), broadcast(&tables_->scale_quotient), d_.q);
  }

  /// Four blocks of four words at a time: a stage of pairs (0, 2) (1, 3), one of (0, 1) (2, 3).
  /// Values that were not tamed for four stages stay within 7q of zero here.
  void forward_tails(uint64_t* x, size_t n_blocks, size_t node, Tame /*tame*/) const {
    const uint64_t* pair_roots = tables_->forward.roots.data() + node;
    const uint64_t* word_roots = tables_->forward.roots.data() + 2 * node;
    for (size_t i = 0; i < 4 * n_blocks; i += 16, pair_roots += 4, word_roots += 8) {
      Two a = reorder_halves({load_doubles(x + i), load_doubles(x + i + 4)});
      Two b = reorder_halves({load_doubles(x + i + 8), load_doubles(x + i + 12)});
      forward_step(a, b, in_pairs(pair_roots), in_pairs(pair_roots + 2));
      a = reorder_words(a);
      b = reorder_words(b);
      forward_step(a, b, load_doubles(word_roots), load_doubles(word_roots + 4));
      a = reorder_halves(reorder_words(a));
      b = reorder_halves(reorder_words(b));
      leave(x + i, a.first);
      leave(x + i + 4, a.second);
      leave(x + i + 8, b.first);
      leave(x + i + 12, b.second);
    }
  }

  void inverse_tails(uint64_t* x, size_t n_blocks, size_t node) const {
    const uint64_t* pair_roots = tables_->inverse.roots.data() + node;
    const uint64_t* word_roots = tables_->inverse.roots.data() + 2 * node;
    for (size_t i = 0; i < 4 * n_blocks; i += 16, pair_roots += 4, word_roots += 8) {
      Two a = reorder_words(reorder_halves({enter(x + i), enter(x + i + 4)}));
      Two b = reorder_words(reorder_halves({enter(x + i + 8), enter(x + i + 12)}));
      inverse_step(a, b, load_doubles(word_roots), load_doubles(word_roots + 4));
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
  template <size_t kPairs>
  TACET_RING_INLINE void multiply(Doubles* const (&v)[kPairs],
                                  const Root* const (&roots)[kPairs]) const {
    Doubles c[kPairs];
    Doubles high[kPairs];
    TACET_RING_UNROLL
    for (size_t i = 0; i < kPairs; ++i) {
      c[i] = _mm256_mul_pd(*v[i], roots[i]->quotient);
      high[i] = _mm256_mul_pd(*v[i], roots[i]->value);
      *v[i] = _mm256_fmsub_pd(*v[i], roots[i]->value, high[i]);
    }
    TACET_RING_UNROLL
    for (size_t i = 0; i < kPairs; ++i) {
      c[i] = round_off(c[i]);
    }
    TACET_RING_UNROLL
    for (size_t i = 0; i < kPairs; ++i) {
      high[i] = _mm256_fnmadd_pd(c[i], d_.q, high[i]);
    }
    TACET_RING_UNROLL
    for (size_t i = 0; i < kPairs; ++i) {
      *v[i] = _mm256_add_pd(high[i], *v[i]);
    }
  }
  template <size_t kPairs>
  TACET_RING_INLINE static void sums_and_differences(Doubles* const (&u)[kPairs],
                                                     Doubles* const (&v)[kPairs]) {
    TACET_RING_UNROLL
    for (size_t i = 0; i < kPairs; ++i) {
      const Doubles sum = _mm256_add_pd(*u[i], *v[i]);
      *v[i] = _mm256_sub_pd(*u[i], *v[i]);
      *u[i] = sum;
    }
  }

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
    forward<2>({&a.first, &b.first}, {&a.second, &b.second}, {&roots[0], &roots[1]});
  }
  TACET_RING_INLINE void inverse_step(Two& a, Two& b, Doubles a_root, Doubles b_root) const {
    const Root roots[] = {with_quotient(a_root), with_quotient(b_root)};
    inverse<2>({&a.first, &b.first}, {&a.second, &b.second}, {&roots[0], &roots[1]});
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

}  // namespace
}  // namespace tacet::ring
