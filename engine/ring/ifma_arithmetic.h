#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/ring/ntt_passes.h"

/// Arithmetic on vectors of eight words by the multiply-add of 52-bit words. `Vector` is the
/// processor's, or eight words and the instructions spelt out, by which the kernels are tested
/// where the processor has no such instructions:
///
/// | name | what it is |
/// |---|---|
/// | `set(w)`, `load(p)`, `store(p, v)` | all words the same; 64-byte aligned |
/// | `a + b`, `a - b`, `a & b`, `min(a, b)` | of unsigned words |
/// | `shift_right<k>(a)` | of every word |
/// | `add_low(c, a, b)` | c + the low 52 bits of the product of the low 52 bits |
/// | `add_high(c, a, b)` | c + the high 52 bits of that product |
/// | `pick(a, index)` | the words a[i] for each word i of `index` |
/// | `even_words(a, b)` | a0 b0 a2 b2 a4 b4 a6 b6 |
/// | `odd_words(a, b)` | a1 b1 a3 b3 a5 b5 a7 b7 |
/// | `even_pairs(a, b)` | a0 a1 a4 a5 b0 b1 b4 b5 |
/// | `odd_pairs(a, b)` | a2 a3 a6 a7 b2 b3 b6 b7 |
/// | `kUnrolledTerms` | the most terms that sums of products are unrolled for |
/// | `rounded_sum(a, inverses, n, i)` | words i to i + 7 of what `Kernels::round_sum` computes |
namespace tacet::ring {

template <class Vector>
class IfmaDivisor {
 public:
  explicit IfmaDivisor(const Modulus& modulus)
      : q(Vector::set(modulus.value)),
        two_q(Vector::set(2 * modulus.value)),
        minus_q(Vector::set((uint64_t{1} << 52) - modulus.value)),
        mask(Vector::set((uint64_t{1} << 52) - 1)),
        inverse(Vector::set((uint64_t{1} << 52) / modulus.value)) {
    const uint64_t unit = (uint64_t{1} << 52) % modulus.value;
    high_unit = Vector::set(unit);
    high_quotient = Vector::set(quotient_of(unit, modulus));
  }

  /// floor(x 2^52 / q)
  static auto quotient_of(uint64_t x, const Modulus& modulus) -> uint64_t {
    return static_cast<uint64_t>((static_cast<Uint128>(x) << 52) / modulus.value);
  }

  /// x y modulo q, below 2q but for multiples of 2^52, for any x, of which the low 52 bits count,
  /// and y's quotient (Shoup, with 52-bit words).
  TACET_RING_INLINE auto multiply_lazily(Vector x, Vector y, Vector quotient) const -> Vector {
    const Vector zero = Vector::set(0);
    const Vector c = add_high(zero, x, quotient);
    return add_low(add_low(zero, x, y), c, minus_q);
  }
  /// The same product, added to `sum`.
  TACET_RING_INLINE auto multiply_add_lazily(Vector x, Vector y, Vector quotient, Vector sum) const
      -> Vector {
    const Vector c = add_high(Vector::set(0), x, quotient);
    return add_low(add_low(sum, x, y), c, minus_q);
  }
  /// The low 52 bits of x modulo q, below 2q but for multiples of 2^52 (Barrett).
  TACET_RING_INLINE auto reduce_lazily(Vector x) const -> Vector {
    return add_low(x, add_high(Vector::set(0), x, inverse), minus_q);
  }
  /// 2^52 high + low modulo q, for words high and low below 2^52.
  TACET_RING_INLINE auto reduce(Vector high, Vector low) const -> Vector {
    // Two quotients, each less than two too small, in one sum.
    const Vector c = add_high(add_high(Vector::set(0), high, high_quotient), low, inverse);
    const Vector below_four_q = add_low(add_low(low, high, high_unit), c, minus_q) & mask;
    return below_q(below_two_q(below_four_q));
  }
  /// The same for words low of up to 64 bits, if high + low / 2^52 is below 2^52.
  TACET_RING_INLINE auto reduce_sum(Vector high, Vector low) const -> Vector {
    return reduce(high + Vector::template shift_right<52>(low), low);
  }
  /// c x modulo q, for words x below 2^52 and the quotient of c.
  TACET_RING_INLINE auto multiply(Vector x, Vector c, Vector quotient) const -> Vector {
    return below_q(multiply_lazily(x, c, quotient) & mask);
  }
  TACET_RING_INLINE auto below_two_q(Vector x) const -> Vector { return min(x, x - two_q); }
  TACET_RING_INLINE auto below_q(Vector x) const -> Vector { return min(x, x - q); }

  Vector q, two_q, minus_q, mask;
  Vector inverse;                   ///< floor(2^52 / q)
  Vector high_unit, high_quotient;  ///< 2^52 mod q
};

/// What 52 bits leave free above a modulus: the fewer its bits, the fewer reductions.
enum class Headroom { Tight, Fair, Wide };

/// The most bits of a modulus that leaves as much.
inline constexpr unsigned kFairBits = 48;
inline constexpr unsigned kWideBits = 46;

/// Values may have a multiple of 2^52 too much: products drop it, because they read 52 bits. But
/// for it they are below
///
/// | headroom | forward | inverse, between passes and within |
/// |---|---|---|
/// | tight | 4q, sums tamed at every stage, by a comparison | 2q and 4q, likewise |
/// | fair | 16q, tamed every seven stages | 2q and 16q |
/// | wide | 35q, never tamed | 4q and 32q |
///
/// Comparisons need whole words: with tight headroom there is no multiple of 2^52.
template <class V, Headroom kHeadroom>
class IfmaArithmetic {
 public:
  static constexpr size_t kLanes = 8;
  static constexpr size_t kTailWords = 64;
  static constexpr unsigned kMaxStages = 3;
  static constexpr unsigned kLazyStages = kHeadroom == Headroom::Fair ? 7 : 17;
  static constexpr auto width(unsigned /*stages*/) -> size_t { return 2; }
  static constexpr auto n_large(unsigned stages) -> size_t {
    const size_t n_sums = size_t{1} << (stages - 1);
    switch (kHeadroom) {
      case Headroom::Tight:
        return 0;
      case Headroom::Fair:
        return n_sums;
      case Headroom::Wide:
        return (n_sums + 1) / 2;  // those of two sums in succession
    }
  }
  using Vector = V;
  struct Root {
    Vector value, quotient;
  };

  explicit IfmaArithmetic(const NttTables& tables)
      : tables_(&tables),
        d_(tables.modulus),
        above_(Vector::set(largest_subtrahend() * tables.modulus.value)) {}

  TACET_RING_INLINE auto load(const uint64_t* p) const -> Vector { return Vector::load(p); }
  TACET_RING_INLINE void store(uint64_t* p, Vector v) const { Vector::store(p, v); }
  TACET_RING_INLINE auto enter(const uint64_t* p) const -> Vector { return Vector::load(p); }
  TACET_RING_INLINE auto tame(Vector v) const -> Vector { return d_.reduce_lazily(v); }
  TACET_RING_INLINE void leave(uint64_t* p, Vector v) const {
    Vector::store(p, d_.below_q(v & d_.mask));
  }
  TACET_RING_INLINE auto forward_root(size_t node) const -> Root {
    return root(tables_->forward, node);
  }
  TACET_RING_INLINE auto inverse_root(size_t node) const -> Root {
    return root(tables_->inverse, node);
  }

  template <size_t kPairs>
  TACET_RING_INLINE void forward(Vector* const (&u)[kPairs], Vector* const (&v)[kPairs],
                                 const Root* const (&roots)[kPairs]) const {
    TACET_RING_UNROLL
    for (size_t i = 0; i < kPairs; ++i) {
      const Vector base = kHeadroom == Headroom::Tight ? d_.below_two_q(*u[i]) : *u[i];
      // The product is added to the base at once, and subtracted from it through their sum.
      const Vector twice = base + d_.two_q + base;
      const Vector sum =
          masked(d_.multiply_add_lazily(*v[i], roots[i]->value, roots[i]->quotient, base));
      *u[i] = sum;
      *v[i] = twice - sum;
    }
  }
  template <size_t kPairs>
  TACET_RING_INLINE void inverse(Vector* const (&u)[kPairs], Vector* const (&v)[kPairs],
                                 const Root* const (&roots)[kPairs]) const {
    TACET_RING_UNROLL
    for (size_t i = 0; i < kPairs; ++i) {
      const Vector difference = *u[i] + above_ - *v[i];
      const Vector sum = *u[i] + *v[i];
      *u[i] = kHeadroom == Headroom::Tight ? d_.below_two_q(sum) : sum;
      *v[i] = masked(d_.multiply_lazily(difference, roots[i]->value, roots[i]->quotient));
    }
  }
  TACET_RING_INLINE auto scale(Vector v) const -> Vector {
    return d_.multiply_lazily(v, Vector::set(tables_->scale), Vector::set(tables_->scale_quotient));
  }

  void forward_tails(uint64_t* x, size_t n_blocks, size_t node, Tame tame) const {
    const IfmaArithmetic a = *this;  // which no store can change
    if (tame == Tame::Yes) {
      a.template forward_tails<Tame::Yes>(x, n_blocks, node);
    } else {
      a.template forward_tails<Tame::No>(x, n_blocks, node);
    }
  }
  void inverse_tails(uint64_t* x, size_t n_blocks, size_t node) const {
    const IfmaArithmetic a = *this;
    size_t i = 0;
    for (; i + kTailsInStep <= n_blocks; i += kTailsInStep) {
      a.template inverse_tail<kTailsInStep>(x + i * kTailWords, node + i);
    }
    for (; i < n_blocks; ++i) {
      a.template inverse_tail<1>(x + i * kTailWords, node + i);
    }
  }

 private:
  /// One alone would wait for its products half of the time.
  static constexpr size_t kTailsInStep = 2;

  /// The roots of a node and of those up to two rows below, each for all lanes.
  struct RootsBelow {
    TACET_RING_INLINE auto operator[](size_t below) const -> Root {
      return root(*table, node_below(node, below));
    }
    const RootTable* table;
    size_t node;
  };
  /// The roots of eight nodes, a lane each, that are three rows below a node, and of those below
  /// them; see `RootTable::inside`.
  struct RootsInside {
    TACET_RING_INLINE auto operator[](size_t below) const -> Root {
      const uint64_t* p = roots + (below - 1) * 2 * kLanes;
      return {Vector::load(p), Vector::load(p + kLanes)};
    }
    const uint64_t* roots;
  };

  /// In the inverse transform, in multiples of q.
  static constexpr auto largest_subtrahend() -> uint64_t {
    switch (kHeadroom) {
      case Headroom::Tight:
        return 2;
      case Headroom::Fair:
        return 8;
      case Headroom::Wide:
        return 16;
    }
  }
  TACET_RING_INLINE auto masked(Vector v) const -> Vector {
    return kHeadroom == Headroom::Tight ? v & d_.mask : v;
  }

  template <Tame kTame>
  TACET_RING_INLINE void forward_tails(uint64_t* x, size_t n_blocks, size_t node) const {
    size_t i = 0;
    for (; i + kTailsInStep <= n_blocks; i += kTailsInStep) {
      forward_tail<kTame, kTailsInStep>(x + i * kTailWords, node + i);
    }
    for (; i < n_blocks; ++i) {
      forward_tail<kTame, 1>(x + i * kTailWords, node + i);
    }
  }

  /// Blocks of eight vectors: three stages between these, and, transposed, three between what were
  /// lanes.
  template <Tame kTame, size_t kCount>
  TACET_RING_INLINE void forward_tail(uint64_t* x, size_t node) const {
    Vector v[kCount][8];
    load_all(v, x);
    if constexpr (kTame == Tame::Yes) {
      tame_first<4>(v);
    }
    RootsBelow below[kCount];
    RootsInside inside[kCount];
    find_roots(tables_->forward, node, below, inside);
    forward_stages<3>(*this, v, below);
    transpose(v);
    forward_stages<3>(*this, v, inside);
    transpose(v);
    TACET_RING_UNROLL
    for (size_t i = 0; i < 8 * kCount; ++i) {
      const Vector w = v[i / 8][i % 8];
      leave(x + kLanes * i, kHeadroom == Headroom::Tight ? d_.below_two_q(w) : tame(w));
    }
  }

  template <size_t kCount>
  TACET_RING_INLINE void inverse_tail(uint64_t* x, size_t node) const {
    Vector v[kCount][8];
    load_all(v, x);
    transpose(v);
    RootsBelow below[kCount];
    RootsInside inside[kCount];
    find_roots(tables_->inverse, node, below, inside);
    inverse_stages<3>(*this, v, inside);
    tame_first<n_large(3)>(v);
    transpose(v);
    inverse_stages<3>(*this, v, below);
    tame_first<n_large(3)>(v);
    TACET_RING_UNROLL
    for (size_t i = 0; i < 8 * kCount; ++i) {
      Vector::store(x + kLanes * i, v[i / 8][i % 8]);
    }
  }

  template <size_t kCount>
  TACET_RING_INLINE void find_roots(const RootTable& table, size_t node,
                                    RootsBelow (&below)[kCount],
                                    RootsInside (&inside)[kCount]) const {
    constexpr size_t kRootsInside = kLanes * 2 * 7;
    const size_t first = tables_->dimension / kTailWords;
    TACET_RING_UNROLL
    for (size_t i = 0; i < kCount; ++i) {
      below[i] = {&table, node + i};
      inside[i] = {table.inside.data() + (node + i - first) * kRootsInside};
    }
  }

  template <size_t kCount>
  TACET_RING_INLINE static void load_all(Vector (&v)[kCount][8], const uint64_t* x) {
    TACET_RING_UNROLL
    for (size_t i = 0; i < 8 * kCount; ++i) {
      v[i / 8][i % 8] = Vector::load(x + kLanes * i);
    }
  }
  template <size_t kFirst, size_t kCount>
  TACET_RING_INLINE void tame_first(Vector (&v)[kCount][8]) const {
    TACET_RING_UNROLL
    for (size_t i = 0; i < kCount; ++i) {
      TACET_RING_UNROLL
      for (size_t j = 0; j < kFirst; ++j) {
        v[i][j] = tame(v[i][j]);
      }
    }
  }
  /// Word i of vector j and word j of vector i change places.
  template <size_t kCount>
  TACET_RING_INLINE static void transpose(Vector (&v)[kCount][8]) {
    TACET_RING_UNROLL
    for (size_t i = 0; i < kCount; ++i) {
      exchange<1>(
          v[i], [](Vector a, Vector b) { return even_words(a, b); },
          [](Vector a, Vector b) { return odd_words(a, b); });
      const auto even = [](Vector a, Vector b) { return even_pairs(a, b); };
      const auto odd = [](Vector a, Vector b) { return odd_pairs(a, b); };
      exchange<2>(v[i], even, odd);
      exchange<4>(v[i], even, odd);
    }
  }
  template <size_t kDistance, class Even, class Odd>
  TACET_RING_INLINE static void exchange(Vector (&v)[8], const Even& even, const Odd& odd) {
    TACET_RING_UNROLL
    for (size_t i = 0; i < 8; ++i) {
      if ((i & kDistance) == 0) {
        const Vector a = v[i], b = v[i + kDistance];
        v[i] = even(a, b);
        v[i + kDistance] = odd(a, b);
      }
    }
  }
  TACET_RING_INLINE static auto root(const RootTable& table, size_t node) -> Root {
    return {Vector::set(table.roots[node]), Vector::set(table.quotients[node])};
  }

  const NttTables* tables_;
  IfmaDivisor<Vector> d_;
  Vector above_;  ///< the largest subtrahend
};

}  // namespace tacet::ring
