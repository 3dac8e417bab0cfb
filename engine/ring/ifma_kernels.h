#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/ring/kernels.h"
#include "engine/ring/ntt_passes.h"

/// Kernels for processors that multiply 52-bit words, over vectors of eight words. `Vector` is the
/// processor's, or eight words and the instructions spelt out, by which these kernels are tested
/// where the processor has no such instructions:
///
///   set(w), load(p), store(p, v)
///   a + b, a - b, a & b, min(a, b)    of unsigned words
///   shift_right<k>(a)
///   add_low(c, a, b)                  c + the low 52 bits of the product of the low 52 bits
///   add_high(c, a, b)                 c + the high 52 bits of that product
///   pick(a, index, b)                 the words a[i], or b[i - 8] for i >= 8
///   pick(a, index)
///   load_anywhere(p)
///   rounded_sum(a, inverses, n, i)    words i to i + 7 of what `Kernels::round_sum` computes
namespace tacet::ring {

template <class Vector>
class IfmaDivisor {
 public:
  explicit IfmaDivisor(const Modulus& modulus)
      : q(Vector::set(modulus.value)),
        two_q(Vector::set(2 * modulus.value)),
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

  /// x y modulo q, below 2q, for words x below 2^52 and y's quotient (Shoup, with 52-bit words).
  TACET_RING_INLINE auto multiply_lazily(Vector x, Vector y, Vector quotient) const -> Vector {
    const Vector zero = Vector::set(0);
    const Vector c = add_high(zero, x, quotient);
    return (add_low(zero, x, y) - add_low(zero, c, q)) & mask;
  }
  /// 2^52 high + low modulo q, for words high below 2^52 and low of up to 64 bits, as long as
  /// high + low / 2^52 is below 2^52 too.
  TACET_RING_INLINE auto reduce(Vector high, Vector low) const -> Vector {
    const Vector upper = high + Vector::template shift_right<52>(low);
    const Vector lower = low & mask;
    const Vector from_upper = multiply_lazily(upper, high_unit, high_quotient);
    const Vector c = add_high(Vector::set(0), lower, inverse);
    const Vector from_lower = (lower - add_low(Vector::set(0), c, q)) & mask;
    return below_q(below_two_q(from_upper + from_lower));
  }
  TACET_RING_INLINE auto below_two_q(Vector x) const -> Vector { return min(x, x - two_q); }
  TACET_RING_INLINE auto below_q(Vector x) const -> Vector { return min(x, x - q); }

  Vector q, two_q, mask;
  Vector inverse;                   ///< floor(2^52 / q)
  Vector high_unit, high_quotient;  ///< 2^52 mod q
};

/// Values stay below 4q on the way there and below 2q on the way back.
template <class V>
class IfmaArithmetic {
 public:
  static constexpr size_t kLanes = 8;
  static constexpr size_t kUnrolled = 2;
  using Vector = V;
  struct Root {
    Vector value, quotient;
  };

  explicit IfmaArithmetic(const NttTables& tables) : tables_(&tables), d_(tables.modulus) {}

  auto load(const uint64_t* p) const -> Vector { return Vector::load(p); }
  void store(uint64_t* p, Vector v) const { Vector::store(p, v); }
  auto enter(const uint64_t* p) const -> Vector { return Vector::load(p); }
  auto tame(Vector v) const -> Vector { return v; }
  auto tame_sum(Vector v) const -> Vector { return v; }
  void leave(uint64_t* p, Vector v) const { Vector::store(p, d_.below_q(d_.below_two_q(v))); }

  auto forward_root(size_t node) const -> Root { return root(tables_->forward, node); }
  auto inverse_root(size_t node) const -> Root { return root(tables_->inverse, node); }

  template <size_t kCount>
  TACET_RING_INLINE void multiply(Vector* const (&v)[kCount],
                                  const Root* const (&roots)[kCount]) const {
    TACET_RING_UNROLL
    for (size_t i = 0; i < kCount; ++i) {
      *v[i] = d_.multiply_lazily(*v[i], roots[i]->value, roots[i]->quotient);
    }
  }
  TACET_RING_INLINE void spread(Vector& u, Vector& v) const {
    const Vector base = d_.below_two_q(u);
    const Vector product = v;
    u = base + product;
    v = base + (d_.two_q - product);
  }
  TACET_RING_INLINE void gather(Vector& u, Vector& v) const {
    const Vector difference = u + (d_.two_q - v);
    u = d_.below_two_q(u + v);
    v = difference;
  }
  TACET_RING_INLINE void forward(Vector& u, Vector& v, const Root& root) const {
    multiply<1>({&v}, {&root});
    spread(u, v);
  }
  TACET_RING_INLINE void inverse(Vector& u, Vector& v, const Root& root) const {
    gather(u, v);
    multiply<1>({&v}, {&root});
  }
  auto scale(Vector v) const -> Vector {
    return d_.multiply_lazily(v, Vector::set(tables_->scale), Vector::set(tables_->scale_quotient));
  }

  /// Two blocks of eight words at a time, three stages. All orders but the weaving are
  /// their own way back.
  void forward_inside(uint64_t* x, size_t n, size_t node) const {
    for (size_t i = 0; i < n; i += 16, node += 2) {
      Two v{Vector::load(x + i), Vector::load(x + i + 8)};
      v = reorder(v, kHalves);
      forward(v.first, v.second, spread(tables_->forward, node, kByFour));
      v = reorder(v, kPairs);
      forward(v.first, v.second, spread(tables_->forward, 2 * node, kByTwo));
      v = reorder(v, kWords);
      forward(v.first, v.second, spread(tables_->forward, 4 * node, kByOne));
      v = reorder(v, kWoven);
      leave(x + i, v.first);
      leave(x + i + 8, v.second);
    }
  }

  void inverse_inside(uint64_t* x, size_t n, size_t node) const {
    for (size_t i = 0; i < n; i += 16, node += 2) {
      Two v{Vector::load(x + i), Vector::load(x + i + 8)};
      v = reorder(v, kUnwoven);
      inverse(v.first, v.second, spread(tables_->inverse, 4 * node, kByOne));
      v = reorder(v, kWords);
      inverse(v.first, v.second, spread(tables_->inverse, 2 * node, kByTwo));
      v = reorder(v, kPairs);
      inverse(v.first, v.second, spread(tables_->inverse, node, kByFour));
      v = reorder(v, kHalves);
      store(x + i, v.first);
      store(x + i + 8, v.second);
    }
  }

 private:
  struct Two {
    Vector first, second;
  };
  /// Where the words of the first vector come from, and those of the second.
  using Order = uint64_t[2][8];

  alignas(64) static constexpr Order kHalves = {{0, 1, 2, 3, 8, 9, 10, 11},
                                                {4, 5, 6, 7, 12, 13, 14, 15}};
  alignas(64) static constexpr Order kPairs = {{0, 1, 8, 9, 4, 5, 12, 13},
                                               {2, 3, 10, 11, 6, 7, 14, 15}};
  alignas(64) static constexpr Order kWords = {{0, 8, 2, 10, 4, 12, 6, 14},
                                               {1, 9, 3, 11, 5, 13, 7, 15}};
  alignas(64) static constexpr Order kWoven = {{0, 8, 1, 9, 2, 10, 3, 11},
                                               {4, 12, 5, 13, 6, 14, 7, 15}};
  alignas(64) static constexpr Order kUnwoven = {{0, 2, 4, 6, 8, 10, 12, 14},
                                                 {1, 3, 5, 7, 9, 11, 13, 15}};
  alignas(64) static constexpr uint64_t kByFour[8] = {0, 0, 0, 0, 1, 1, 1, 1};
  alignas(64) static constexpr uint64_t kByTwo[8] = {0, 0, 1, 1, 2, 2, 3, 3};
  alignas(64) static constexpr uint64_t kByOne[8] = {0, 1, 2, 3, 4, 5, 6, 7};

  TACET_RING_INLINE static auto reorder(Two v, const Order& order) -> Two {
    return {pick(v.first, Vector::load(order[0]), v.second),
            pick(v.first, Vector::load(order[1]), v.second)};
  }
  static auto root(const RootTable& table, size_t node) -> Root {
    return {Vector::set(table.roots[node]), Vector::set(table.quotients[node])};
  }
  static auto spread(const RootTable& table, size_t node, const uint64_t* index) -> Root {
    const Vector lanes = Vector::load(index);
    return {pick(Vector::load_anywhere(&table.roots[node]), lanes),
            pick(Vector::load_anywhere(&table.quotients[node]), lanes)};
  }

  const NttTables* tables_;
  IfmaDivisor<Vector> d_;
};

/// A sum of products of words below 2^50, as multiples of 2^52 and the rest.
template <class Vector>
struct IfmaSum {
  static constexpr size_t kMaxTerms = 8;

  Vector high = Vector::set(0);
  Vector low = Vector::set(0);

  TACET_RING_INLINE void add_product(Vector x, Vector y) {
    high = add_high(high, x, y);
    low = add_low(low, x, y);
  }
  /// Starts anew, with the remainder of what there was.
  TACET_RING_INLINE void fold(const IfmaDivisor<Vector>& d) {
    low = d.reduce(high, low);
    high = Vector::set(0);
  }
};

template <class Vector>
struct IfmaKernels {
  using Divisor = IfmaDivisor<Vector>;
  using Sum = IfmaSum<Vector>;
  static constexpr size_t kLanes = 8;

  TACET_RING_INLINE static auto load(const uint64_t* p) -> Vector { return Vector::load(p); }

  TACET_RING_INLINE static auto product(Vector x, Vector y, const Divisor& d) -> Vector {
    const Vector zero = Vector::set(0);
    return d.reduce(add_high(zero, x, y), add_low(zero, x, y));
  }

  static void forward_ntt(uint64_t* x, const NttTables& tables) {
    NttPasses<IfmaArithmetic<Vector>>(tables).forward(x);
  }
  static void inverse_ntt(uint64_t* x, const NttTables& tables) {
    NttPasses<IfmaArithmetic<Vector>>(tables).inverse(x);
  }

  static void add(uint64_t* out, const uint64_t* a, const uint64_t* b, size_t n, const Modulus& q) {
    const Divisor d(q);
    for (size_t i = 0; i < n; i += kLanes) {
      Vector::store(out + i, d.below_q(load(a + i) + load(b + i)));
    }
  }

  static void subtract(uint64_t* out, const uint64_t* a, const uint64_t* b, size_t n,
                       const Modulus& q) {
    const Vector modulus = Vector::set(q.value);
    for (size_t i = 0; i < n; i += kLanes) {
      const Vector difference = load(a + i) - load(b + i);
      Vector::store(out + i, min(difference, difference + modulus));
    }
  }

  static void negate(uint64_t* out, const uint64_t* a, size_t n, const Modulus& q) {
    const Divisor d(q);
    for (size_t i = 0; i < n; i += kLanes) {
      Vector::store(out + i, d.below_q(d.q - load(a + i)));
    }
  }

  static void multiply(uint64_t* out, const uint64_t* a, const uint64_t* b, size_t n,
                       const Modulus& q) {
    const Divisor d(q);
    for (size_t i = 0; i < n; i += kLanes) {
      Vector::store(out + i, product(load(a + i), load(b + i), d));
    }
  }

  static void multiply_add(uint64_t* out, const uint64_t* a, const uint64_t* b, const uint64_t* c,
                           size_t n, const Modulus& q) {
    const Divisor d(q);
    for (size_t i = 0; i < n; i += kLanes) {
      Sum sum{.high = Vector::set(0), .low = load(c + i)};
      sum.add_product(load(a + i), load(b + i));
      Vector::store(out + i, d.reduce(sum.high, sum.low));
    }
  }

  static void multiply_constant(uint64_t* out, const uint64_t* a, uint64_t c, size_t n,
                                const Modulus& q) {
    const Divisor d(q);
    const Vector constant = Vector::set(c);
    const Vector quotient = Vector::set(Divisor::quotient_of(c, q));
    for (size_t i = 0; i < n; i += kLanes) {
      Vector::store(out + i, d.below_q(d.multiply_lazily(load(a + i), constant, quotient)));
    }
  }

  static void subtract_multiply(uint64_t* out, const uint64_t* a, const uint64_t* b, uint64_t c,
                                size_t n, const Modulus& q) {
    const Divisor d(q);
    const Vector constant = Vector::set(c);
    const Vector quotient = Vector::set(Divisor::quotient_of(c, q));
    for (size_t i = 0; i < n; i += kLanes) {
      const Vector difference = load(a + i) + (d.q - load(b + i));
      Vector::store(out + i, d.below_q(d.multiply_lazily(difference, constant, quotient)));
    }
  }

  static void tensor(uint64_t* const* out, const uint64_t* const* a, const uint64_t* const* b,
                     size_t n, const Modulus& q) {
    const Divisor d(q);
    for (size_t i = 0; i < n; i += kLanes) {
      const Vector a0 = load(a[0] + i), a1 = load(a[1] + i);
      const Vector b0 = load(b[0] + i), b1 = load(b[1] + i);
      Sum middle;
      middle.add_product(a0, b1);
      middle.add_product(a1, b0);
      Vector::store(out[0] + i, product(a0, b0, d));
      Vector::store(out[1] + i, d.reduce(middle.high, middle.low));
      Vector::store(out[2] + i, product(a1, b1, d));
    }
  }

  static void combine(uint64_t* out, const uint64_t* const* terms, const uint64_t* constants,
                      size_t n_terms, size_t n, const Modulus& q) {
    const Divisor d(q);
    for (size_t i = 0; i < n; i += kLanes) {
      Sum sum;
      for (size_t k = 0; k < n_terms; ++k) {
        if (k != 0 && k % Sum::kMaxTerms == 0) {
          sum.fold(d);
        }
        sum.add_product(load(terms[k] + i), Vector::set(constants[k]));
      }
      Vector::store(out + i, d.reduce(sum.high, sum.low));
    }
  }

  static void inner_products(uint64_t* out0, uint64_t* out1, const uint64_t* const* a,
                             const uint64_t* const* b0, const uint64_t* const* b1, size_t n_terms,
                             size_t n, const Modulus& q) {
    const Divisor d(q);
    for (size_t i = 0; i < n; i += kLanes) {
      Sum sum0;
      Sum sum1;
      for (size_t k = 0; k < n_terms; ++k) {
        if (k != 0 && k % Sum::kMaxTerms == 0) {
          sum0.fold(d);
          sum1.fold(d);
        }
        const Vector x = load(a[k] + i);
        sum0.add_product(x, load(b0[k] + i));
        sum1.add_product(x, load(b1[k] + i));
      }
      Vector::store(out0 + i, d.reduce(sum0.high, sum0.low));
      Vector::store(out1 + i, d.reduce(sum1.high, sum1.low));
    }
  }

  static void change_modulus(uint64_t* out, const uint64_t* a, size_t n, const Modulus& p,
                             const Modulus& q) {
    const Divisor d(q);
    const Vector zero = Vector::set(0);
    const Vector from = Vector::set(p.value);
    const Vector half = Vector::set(p.value / 2);
    const Vector multiple = Vector::set((p.value / q.value + 1) * q.value);
    for (size_t i = 0; i < n; i += kLanes) {
      const Vector v = load(a + i);
      const Vector above = zero - Vector::template shift_right<63>(half - v);
      Vector::store(out + i, d.reduce(zero, v + multiple - (from & above)));
    }
  }

  static void round_sum(uint64_t* out, const uint64_t* const* a, const double* inverses,
                        size_t n_terms, size_t n) {
    for (size_t i = 0; i < n; i += kLanes) {
      Vector::store(out + i, Vector::rounded_sum(a, inverses, n_terms, i));
    }
  }

  static constexpr Kernels kTable = {
      .isa = Isa::Avx512Ifma,
      .forward_ntt = forward_ntt,
      .inverse_ntt = inverse_ntt,
      .add = add,
      .subtract = subtract,
      .negate = negate,
      .multiply = multiply,
      .multiply_add = multiply_add,
      .multiply_constant = multiply_constant,
      .subtract_multiply = subtract_multiply,
      .tensor = tensor,
      .combine = combine,
      .inner_products = inner_products,
      .change_modulus = change_modulus,
      .round_sum = round_sum,
  };
};

}  // namespace tacet::ring
