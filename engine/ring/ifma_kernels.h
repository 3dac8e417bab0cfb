#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "engine/ring/ifma_arithmetic.h"
#include "engine/ring/kernels.h"

/// Kernels for processors that multiply 52-bit words; `Vector` is as `ifma_arithmetic.h` says.
namespace tacet::ring {

/// A sum of products of words below 2^50, as multiples of 2^52 and the rest.
template <class Vector>
struct IfmaSum {
  /// Each adds less than 2^48 to the multiples, and the rest at most as many in the end as there
  /// are terms: 15 would be exact.
  static constexpr size_t kMaxTerms = 8;

  Vector high = Vector::set(0);
  Vector low = Vector::set(0);

  TACET_RING_INLINE void add_product(Vector x, Vector y) {
    high = add_high(high, x, y);
    low = add_low(low, x, y);
  }
  /// Starts anew, with the remainder of what there was, before term `k` if it is time.
  TACET_RING_INLINE void fold_before(size_t k, const IfmaDivisor<Vector>& d) {
    if (k != 0 && k % kMaxTerms == 0) {
      low = d.reduce_sum(high, low);
      high = Vector::set(0);
    }
  }
};

template <class Vector>
struct IfmaKernels {
  using Divisor = IfmaDivisor<Vector>;
  using Sum = IfmaSum<Vector>;
  static constexpr size_t kLanes = 8;
  static constexpr size_t kWordsAhead = 64;

  TACET_RING_INLINE static auto load(const uint64_t* p) -> Vector { return Vector::load(p); }

  TACET_RING_INLINE static auto product(Vector x, Vector y, const Divisor& d) -> Vector {
    const Vector zero = Vector::set(0);
    return d.reduce(add_high(zero, x, y), add_low(zero, x, y));
  }

  /// Calls `body` with the passes for a modulus of so many bits.
  template <class Body>
  static void with_passes(const NttTables& tables, const Body& body) {
    const unsigned bits = tables.modulus.bits();
    if (bits <= kWideBits) {
      body(NttPasses<IfmaArithmetic<Vector, Headroom::Wide>>(tables));
    } else if (bits <= kFairBits) {
      body(NttPasses<IfmaArithmetic<Vector, Headroom::Fair>>(tables));
    } else {
      body(NttPasses<IfmaArithmetic<Vector, Headroom::Tight>>(tables));
    }
  }
  static void forward_ntt(uint64_t* x, const NttTables& tables) {
    with_passes(tables, [&](const auto& passes) { passes.forward(x); });
  }
  static void inverse_ntt(uint64_t* x, const NttTables& tables) {
    with_passes(tables, [&](const auto& passes) { passes.inverse(x); });
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
      Vector::store(out + i, d.reduce_sum(sum.high, sum.low));
    }
  }

  static void multiply_constant(uint64_t* out, const uint64_t* a, uint64_t c, size_t n,
                                const Modulus& q) {
    const Divisor d(q);
    const Vector constant = Vector::set(c);
    const Vector quotient = Vector::set(Divisor::quotient_of(c, q));
    for (size_t i = 0; i < n; i += kLanes) {
      Vector::store(out + i, d.multiply(load(a + i), constant, quotient));
    }
  }

  static void subtract_multiply(uint64_t* out, const uint64_t* a, const uint64_t* b, uint64_t c,
                                size_t n, const Modulus& q) {
    const Divisor d(q);
    const Vector constant = Vector::set(c);
    const Vector quotient = Vector::set(Divisor::quotient_of(c, q));
    for (size_t i = 0; i < n; i += kLanes) {
      const Vector difference = load(a + i) + (d.q - load(b + i));
      Vector::store(out + i, d.multiply(difference, constant, quotient));
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
      Vector::store(out[1] + i, d.reduce_sum(middle.high, middle.low));
      Vector::store(out[2] + i, product(a1, b1, d));
    }
  }

  /// Calls `body` with the number of terms as a constant if it is small, and with 0 if not.
  template <size_t kTerms = 1, class Body>
  TACET_RING_INLINE static void with_terms(size_t n_terms, const Body& body) {
    if constexpr (kTerms > Vector::kUnrolledTerms) {
      body(std::integral_constant<size_t, 0>());
    } else if (n_terms == kTerms) {
      body(std::integral_constant<size_t, kTerms>());
    } else {
      with_terms<kTerms + 1>(n_terms, body);
    }
  }

  static void combine(uint64_t* out, const uint64_t* const* terms, const uint64_t* constants,
                      size_t n_terms, size_t n, const Modulus& q) {
    const Divisor d(q);
    with_terms(n_terms, [&](auto known) {
      constexpr size_t kKnown = decltype(known)::value;
      const uint64_t* rows[Vector::kUnrolledTerms];
      Vector factors[Vector::kUnrolledTerms];
      for (size_t k = 0; k < kKnown; ++k) {
        rows[k] = terms[k];
        factors[k] = Vector::set(constants[k]);
      }
      for (size_t i = 0; i < n; i += kLanes) {
        Sum sum;
        if constexpr (kKnown != 0) {
          TACET_RING_UNROLL
          for (size_t k = 0; k < kKnown; ++k) {
            sum.add_product(load(rows[k] + i), factors[k]);
          }
        } else {
          for (size_t k = 0; k < n_terms; ++k) {
            sum.fold_before(k, d);
            sum.add_product(load(terms[k] + i), Vector::set(constants[k]));
          }
        }
        Vector::store(out + i, d.reduce_sum(sum.high, sum.low));
      }
    });
  }

  static void inner_products(uint64_t* out0, uint64_t* out1, const uint64_t* const* a,
                             const uint64_t* const* b0, const uint64_t* const* b1, size_t n_terms,
                             size_t n, const Modulus& q) {
    const Divisor d(q);
    with_terms(n_terms, [&](auto known) {
      constexpr size_t kKnown = decltype(known)::value;
      for (size_t i = 0; i < n; i += kLanes) {
        Sum sum0;
        Sum sum1;
        const auto add_term = [&](size_t k) {
          // Keys are larger than caches, and of so many rows read side by side the processor does
          // not foresee the next lines itself.
          __builtin_prefetch(a[k] + i + kWordsAhead);
          __builtin_prefetch(b0[k] + i + kWordsAhead);
          __builtin_prefetch(b1[k] + i + kWordsAhead);
          const Vector x = load(a[k] + i);
          sum0.add_product(x, load(b0[k] + i));
          sum1.add_product(x, load(b1[k] + i));
        };
        if constexpr (kKnown != 0) {
          TACET_RING_UNROLL
          for (size_t k = 0; k < kKnown; ++k) {
            add_term(k);
          }
        } else {
          for (size_t k = 0; k < n_terms; ++k) {
            sum0.fold_before(k, d);
            sum1.fold_before(k, d);
            add_term(k);
          }
        }
        Vector::store(out0 + i, d.reduce_sum(sum0.high, sum0.low));
        Vector::store(out1 + i, d.reduce_sum(sum1.high, sum1.low));
      }
    });
  }

  static void change_modulus(uint64_t* out, const uint64_t* a, size_t n, const Modulus& p,
                             const Modulus& q) {
    const Vector zero = Vector::set(0);
    const Vector half = Vector::set(p.value / 2);
    if (p.value / 2 < q.value) {
      const Vector difference = Vector::set(q.value - p.value);
      for (size_t i = 0; i < n; i += kLanes) {
        const Vector v = load(a + i);
        const Vector above = zero - Vector::template shift_right<63>(half - v);
        Vector::store(out + i, v + (difference & above));
      }
      return;
    }
    const Divisor d(q);
    const Vector from = Vector::set(p.value);
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

  static void permute(uint64_t* out, const uint64_t* in, const BlockPermutation& permutation) {
    for (const uint32_t source : permutation.sources) {
      const Vector order = load(permutation.orders[source % 8]);
      Vector::store(out, pick(load(in + source / 8 * 8), order));
      out += kLanes;
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
      .permute = permute,
  };
};

}  // namespace tacet::ring
