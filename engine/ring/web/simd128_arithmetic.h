#pragma once

#include <wasm_simd128.h>

#include <cstddef>
#include <cstdint>

#include "engine/ring/modulus.h"
#include "engine/ring/ntt_passes.h"

/// Arithmetic on two residues a vector, as signed words, for WebAssembly's vectors of 128 bits.
/// They multiply words of 64 bits, but give only the low half of the product, and have no fused
/// multiply-add. The quotient of a product by q is rounded in doubles, and the remainder, which is
/// near zero, follows from low halves alone (as in NTL's `MulModPrecon` of old; van der Hoeven,
/// Lecerf and Quintin, "Modular SIMD arithmetic in Mathemagix", section 3, keep the remainder in
/// doubles, which takes two more exact products without fused multiply-adds).
///
/// A word v becomes a double by 1.5 * 2^52, under whose exponent it is its own mantissa: for
/// |v| < 2^51. So does a double become the word next to it.
namespace tacet::ring {
namespace {

using Words = v128_t;
using Doubles = v128_t;

constexpr size_t kLanes = 2;
constexpr double kBias = 0x1.8p52;
constexpr int64_t kBiasWord = 0x4338000000000000;

TACET_RING_INLINE auto set(int64_t v) -> Words {
  return wasm_i64x2_splat(v);
}
TACET_RING_INLINE auto set(double v) -> Doubles {
  return wasm_f64x2_splat(v);
}
TACET_RING_INLINE auto load(const uint64_t* p) -> Words {
  return wasm_v128_load(p);
}
TACET_RING_INLINE void store(uint64_t* p, Words v) {
  wasm_v128_store(p, v);
}

/// For |v| < 2^51.
TACET_RING_INLINE auto to_doubles(Words v) -> Doubles {
  return wasm_f64x2_sub(wasm_i64x2_add(v, set(kBiasWord)), set(kBias));
}
/// The nearest words, ties to even, for |v| < 2^51.
TACET_RING_INLINE auto to_words(Doubles v) -> Words {
  return wasm_i64x2_sub(wasm_f64x2_add(v, set(kBias)), set(kBiasWord));
}

/// q and 1/q in every lane.
struct Divisor {
  explicit Divisor(const Modulus& modulus)
      : q(set(static_cast<int64_t>(modulus.value))), inverse(set(modulus.inverse)) {}

  Words q;
  Doubles inverse;
};

/// x y - c q.
TACET_RING_INLINE auto remainder(Words x, Words y, Words c, Words q) -> Words {
  return wasm_i64x2_sub(wasm_i64x2_mul(x, y), wasm_i64x2_mul(c, q));
}

/// x y for |y| <= q/2 with the quotient y / q: within (1/2 + b/16) q of zero for |x| <= b q, and
/// closer for a q of fewer bits.
TACET_RING_INLINE auto product(Words x, Words y, Doubles quotient, Words q) -> Words {
  return remainder(x, y, to_words(wasm_f64x2_mul(to_doubles(x), quotient)), q);
}

/// x y for reduced residues, within 7/8 q of zero: the quotient, below 2^50, is rounded three
/// times.
TACET_RING_INLINE auto product(Words x, Words y, const Divisor& d) -> Words {
  const Doubles approximate = wasm_f64x2_mul(to_doubles(x), to_doubles(y));
  return remainder(x, y, to_words(wasm_f64x2_mul(approximate, d.inverse)), d.q);
}

/// Within a little more than q/2 of zero, for |v| < 2^51.
TACET_RING_INLINE auto near_zero(Words v, const Divisor& d) -> Words {
  const Words c = to_words(wasm_f64x2_mul(to_doubles(v), d.inverse));
  return wasm_i64x2_sub(v, wasm_i64x2_mul(c, d.q));
}

/// The reduced residue of a number that is less than q from zero.
TACET_RING_INLINE auto not_negative(Words v, Words q) -> Words {
  return wasm_i64x2_add(v, wasm_v128_and(wasm_i64x2_shr(v, 63), q));
}

/// Below q, for words below 2q.
TACET_RING_INLINE auto subtract_above(Words v, Words q) -> Words {
  return not_negative(wasm_i64x2_sub(v, q), q);
}

/// Within `half` of zero if it was within `half` + q; `half` is q/2 or more.
TACET_RING_INLINE auto fold(Words v, Words half, Words q) -> Words {
  v = wasm_i64x2_sub(v, wasm_v128_and(wasm_i64x2_gt(v, half), q));
  return wasm_i64x2_add(v, wasm_v128_and(wasm_i64x2_lt(v, wasm_i64x2_neg(half)), q));
}

/// Moduli below 2^46 leave space for the sums of all stages: 17 add 17 (1/2 + 1/8) q at most, and
/// 2^51 is 32 q.
constexpr unsigned kSmallBits = 46;

/// Residues enter within q/2 of zero. In the forward transform, those of large moduli are reduced
/// every two stages, the half that is not multiplied next: they stay within 1.8q, of the 2q that
/// there is. In the inverse transform sums are folded at once, from 1.1q to q/2; those of small
/// moduli, once in two stages, are within 4.2q.
template <bool kIsSmall>
class Simd128Arithmetic {
 public:
  static constexpr size_t kLanes = ring::kLanes;
  static constexpr size_t kTailWords = 4;
  static constexpr unsigned kMaxStages = 2;
  static constexpr unsigned kLazyStages = kIsSmall ? 17 : 2;
  static constexpr auto width(unsigned /*stages*/) -> size_t { return 1; }
  static constexpr auto n_large(unsigned /*stages*/) -> size_t { return kIsSmall ? 1 : 0; }
  using Vector = Words;
  struct Root {
    Words value;
    Doubles quotient;
  };

  explicit Simd128Arithmetic(const NttTables& tables)
      : tables_(&tables),
        d_(tables.modulus),
        half_(set(static_cast<int64_t>(tables.modulus.value / 2))) {}

  TACET_RING_INLINE auto load(const uint64_t* p) const -> Words { return ring::load(p); }
  TACET_RING_INLINE void store(uint64_t* p, Words v) const { ring::store(p, v); }
  TACET_RING_INLINE auto enter(const uint64_t* p) const -> Words { return centre(ring::load(p)); }
  TACET_RING_INLINE auto tame(Words v) const -> Words { return near_zero(v, d_); }
  TACET_RING_INLINE void leave(uint64_t* p, Words v) const {
    store(p, not_negative(near_zero(v, d_), d_.q));
  }

  TACET_RING_INLINE auto forward_root(size_t node) const -> Root {
    return root(tables_->forward, node);
  }
  TACET_RING_INLINE auto inverse_root(size_t node) const -> Root {
    return root(tables_->inverse, node);
  }

  template <size_t kPairs>
  TACET_RING_INLINE void forward(Words* const (&u)[kPairs], Words* const (&v)[kPairs],
                                 const Root* const (&roots)[kPairs]) const {
    TACET_RING_UNROLL
    for (size_t i = 0; i < kPairs; ++i) {
      const Words multiplied = product(*v[i], roots[i]->value, roots[i]->quotient, d_.q);
      *v[i] = wasm_i64x2_sub(*u[i], multiplied);
      *u[i] = wasm_i64x2_add(*u[i], multiplied);
    }
  }
  template <size_t kPairs>
  TACET_RING_INLINE void inverse(Words* const (&u)[kPairs], Words* const (&v)[kPairs],
                                 const Root* const (&roots)[kPairs]) const {
    TACET_RING_UNROLL
    for (size_t i = 0; i < kPairs; ++i) {
      const Words difference = wasm_i64x2_sub(*u[i], *v[i]);
      *u[i] = wasm_i64x2_add(*u[i], *v[i]);
      if constexpr (!kIsSmall) {
        *u[i] = fold(*u[i], half_, d_.q);
      }
      *v[i] = product(difference, roots[i]->value, roots[i]->quotient, d_.q);
    }
  }
  TACET_RING_INLINE auto scale(Words v) const -> Words {
    return product(v, wasm_v128_load64_splat(&tables_->scale),
                   wasm_v128_load64_splat(&tables_->scale_quotient), d_.q);
  }

  void forward_tails(uint64_t* x, size_t n_blocks, size_t node, Tame tame_first) const {
    const Simd128Arithmetic a = *this;  // which no store can change
    for (size_t i = 0; i < n_blocks; ++i, x += kTailWords) {
      Words first = a.load(x);
      Words second = a.load(x + 2);
      if (tame_first == Tame::Yes) {
        first = a.tame(first);
      }
      const Root pair = a.forward_root(node + i);
      a.template forward<1>({&first}, {&second}, {&pair});
      Words u = even_words(first, second);
      Words v = odd_words(first, second);
      const Root words = two_roots(a.tables_->forward, 2 * (node + i));
      a.template forward<1>({&u}, {&v}, {&words});
      a.leave(x, even_words(u, v));
      a.leave(x + 2, odd_words(u, v));
    }
  }

  void inverse_tails(uint64_t* x, size_t n_blocks, size_t node) const {
    const Simd128Arithmetic a = *this;
    for (size_t i = 0; i < n_blocks; ++i, x += kTailWords) {
      Words first = a.enter(x);
      Words second = a.enter(x + 2);
      Words u = even_words(first, second);
      Words v = odd_words(first, second);
      const Root words = two_roots(a.tables_->inverse, 2 * (node + i));
      a.template inverse<1>({&u}, {&v}, {&words});
      first = even_words(u, v);
      second = odd_words(u, v);
      const Root pair = a.inverse_root(node + i);
      a.template inverse<1>({&first}, {&second}, {&pair});
      a.store(x, kIsSmall ? a.tame(first) : first);
      a.store(x + 2, second);
    }
  }

 private:
  /// Within q/2 of zero, for reduced residues.
  [[nodiscard]] TACET_RING_INLINE auto centre(Words v) const -> Words {
    return wasm_i64x2_sub(v, wasm_v128_and(wasm_i64x2_gt(v, half_), d_.q));
  }
  /// 0 1, 2 3 to 0 2.
  TACET_RING_INLINE static auto even_words(Words a, Words b) -> Words {
    return wasm_i64x2_shuffle(a, b, 0, 2);
  }
  TACET_RING_INLINE static auto odd_words(Words a, Words b) -> Words {
    return wasm_i64x2_shuffle(a, b, 1, 3);
  }
  TACET_RING_INLINE static auto root(const RootTable& table, size_t node) -> Root {
    return {wasm_v128_load64_splat(&table.roots[node]),
            wasm_v128_load64_splat(&table.quotients[node])};
  }
  /// Of a node and the next, a lane each.
  TACET_RING_INLINE static auto two_roots(const RootTable& table, size_t node) -> Root {
    return {ring::load(&table.roots[node]), ring::load(&table.quotients[node])};
  }

  const NttTables* tables_;
  Divisor d_;
  Words half_;
};

}  // namespace
}  // namespace tacet::ring
