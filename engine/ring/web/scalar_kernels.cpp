// The kernels of the module for browsers: two words at a time.

#include <algorithm>
#include <bit>
#include <vector>

#include "engine/ring/kernels.h"
#include "engine/ring/web/simd128_arithmetic.h"

namespace tacet::ring {
namespace {

auto is_small(const NttTables& tables) -> bool {
  return tables.modulus.bits() <= kSmallBits;
}

void forward_ntt(uint64_t* x, const NttTables& tables) {
  if (is_small(tables)) {
    NttPasses<Simd128Arithmetic<true>>(tables).forward(x);
  } else {
    NttPasses<Simd128Arithmetic<false>>(tables).forward(x);
  }
}

void inverse_ntt(uint64_t* x, const NttTables& tables) {
  if (is_small(tables)) {
    NttPasses<Simd128Arithmetic<true>>(tables).inverse(x);
  } else {
    NttPasses<Simd128Arithmetic<false>>(tables).inverse(x);
  }
}

auto set(const Modulus& q) -> Words {
  return set(static_cast<int64_t>(q.value));
}

void add_rows(uint64_t* out, const uint64_t* a, const uint64_t* b, size_t n, const Modulus& q) {
  const Words modulus = set(q);
  for (size_t i = 0; i < n; i += kLanes) {
    store(out + i, subtract_above(wasm_i64x2_add(load(a + i), load(b + i)), modulus));
  }
}

void subtract_rows(uint64_t* out, const uint64_t* a, const uint64_t* b, size_t n,
                   const Modulus& q) {
  const Words modulus = set(q);
  for (size_t i = 0; i < n; i += kLanes) {
    store(out + i, not_negative(wasm_i64x2_sub(load(a + i), load(b + i)), modulus));
  }
}

void negate_row(uint64_t* out, const uint64_t* a, size_t n, const Modulus& q) {
  const Words modulus = set(q);
  for (size_t i = 0; i < n; i += kLanes) {
    store(out + i, not_negative(wasm_i64x2_neg(load(a + i)), modulus));
  }
}

void multiply_rows(uint64_t* out, const uint64_t* a, const uint64_t* b, size_t n,
                   const Modulus& q) {
  const Divisor d(q);
  for (size_t i = 0; i < n; i += kLanes) {
    store(out + i, not_negative(product(load(a + i), load(b + i), d), d.q));
  }
}

void multiply_add_rows(uint64_t* out, const uint64_t* a, const uint64_t* b, const uint64_t* c,
                       size_t n, const Modulus& q) {
  const Divisor d(q);
  for (size_t i = 0; i < n; i += kLanes) {
    const Words multiplied = not_negative(product(load(a + i), load(b + i), d), d.q);
    store(out + i, subtract_above(wasm_i64x2_add(multiplied, load(c + i)), d.q));
  }
}

/// A constant as its representative near zero, and its quotient.
struct Constant {
  Constant(uint64_t c, const Modulus& q) {
    const int64_t near = centred(c, q);
    value = set(near);
    quotient = set(static_cast<double>(near) / q.as_double);
  }

  Words value;
  Doubles quotient;
};

void multiply_constant(uint64_t* out, const uint64_t* a, uint64_t c, size_t n, const Modulus& q) {
  const Divisor d(q);
  const Constant factor(c, q);
  for (size_t i = 0; i < n; i += kLanes) {
    store(out + i, not_negative(product(load(a + i), factor.value, factor.quotient, d.q), d.q));
  }
}

void subtract_multiply(uint64_t* out, const uint64_t* a, const uint64_t* b, uint64_t c, size_t n,
                       const Modulus& q) {
  const Divisor d(q);
  const Constant factor(c, q);
  for (size_t i = 0; i < n; i += kLanes) {
    const Words difference = wasm_i64x2_sub(load(a + i), load(b + i));
    store(out + i, not_negative(product(difference, factor.value, factor.quotient, d.q), d.q));
  }
}

void tensor(uint64_t* const* out, const uint64_t* const* a, const uint64_t* const* b, size_t n,
            const Modulus& q) {
  const Divisor d(q);
  for (size_t i = 0; i < n; i += kLanes) {
    const Words a0 = load(a[0] + i), a1 = load(a[1] + i);
    const Words b0 = load(b[0] + i), b1 = load(b[1] + i);
    const Words first = not_negative(product(a0, b1, d), d.q);
    const Words second = not_negative(product(a1, b0, d), d.q);
    store(out[0] + i, not_negative(product(a0, b0, d), d.q));
    store(out[1] + i, subtract_above(wasm_i64x2_add(first, second), d.q));
    store(out[2] + i, not_negative(product(a1, b1, d), d.q));
  }
}

/// A sum of remainders of products: within q of zero after each.
class Sum {
 public:
  TACET_RING_INLINE void add(Words remainder, Words q) {
    sum_ = fold(wasm_i64x2_add(sum_, remainder), q, q);
  }
  /// The reduced residue.
  TACET_RING_INLINE auto residue(Words q) const -> Words {
    return subtract_above(not_negative(sum_, q), q);
  }

 private:
  Words sum_ = set(int64_t{0});
};

/// Two terms at a time: the sum of both, divided by q, is below 2^50, and its quotient is off by
/// less than 3/4 when it is a word.
void combine(uint64_t* out, const uint64_t* const* terms, const uint64_t* constants, size_t n_terms,
             size_t n, const Modulus& q) {
  const Divisor d(q);
  std::vector<Constant> factors;
  factors.reserve(n_terms);
  for (size_t k = 0; k < n_terms; ++k) {
    factors.emplace_back(constants[k], q);
  }
  for (size_t i = 0; i < n; i += kLanes) {
    Sum sum;
    for (size_t k = 0; k + 1 < n_terms; k += 2) {
      const Words x = load(terms[k] + i), y = load(terms[k + 1] + i);
      const Constant &a = factors[k], &b = factors[k + 1];
      const Words low = wasm_i64x2_add(wasm_i64x2_mul(x, a.value), wasm_i64x2_mul(y, b.value));
      const Words c = to_words(wasm_f64x2_add(wasm_f64x2_mul(to_doubles(x), a.quotient),
                                              wasm_f64x2_mul(to_doubles(y), b.quotient)));
      sum.add(wasm_i64x2_sub(low, wasm_i64x2_mul(c, d.q)), d.q);
    }
    if (n_terms % 2 != 0) {
      const Constant& last = factors.back();
      sum.add(product(load(terms[n_terms - 1] + i), last.value, last.quotient, d.q), d.q);
    }
    store(out + i, sum.residue(d.q));
  }
}

/// How many products are summed before the quotient is taken: the sum, divided by q, stays below
/// 2^49, or is that of one product. Sum and quotient are rounded n + 2 times, each time by 2^-53 of
/// a number that is no larger, so that the quotient is off by less than 3/8, and by less than 7/8
/// when it is a word.
auto products_at_once(const Modulus& q) -> size_t {
  return size_t{1} << std::clamp<int>(
             static_cast<int>(kMaxModulusBits) - 1 - static_cast<int>(q.bits()), 0, 3);
}

void inner_products(uint64_t* out0, uint64_t* out1, const uint64_t* const* a,
                    const uint64_t* const* b0, const uint64_t* const* b1, size_t n_terms, size_t n,
                    const Modulus& q) {
  const Divisor d(q);
  const size_t n_at_once = products_at_once(q);
  const Words zero = set(int64_t{0});
  for (size_t i = 0; i < n; i += kLanes) {
    Sum sum0;
    Sum sum1;
    for (size_t first = 0; first < n_terms; first += n_at_once) {
      Words low0 = zero, low1 = zero;
      Doubles approximate0 = zero, approximate1 = zero;
      for (size_t k = first; k < std::min(first + n_at_once, n_terms); ++k) {
        const Words x = load(a[k] + i), y0 = load(b0[k] + i), y1 = load(b1[k] + i);
        const Doubles as_double = to_doubles(x);
        low0 = wasm_i64x2_add(low0, wasm_i64x2_mul(x, y0));
        low1 = wasm_i64x2_add(low1, wasm_i64x2_mul(x, y1));
        approximate0 = wasm_f64x2_add(approximate0, wasm_f64x2_mul(as_double, to_doubles(y0)));
        approximate1 = wasm_f64x2_add(approximate1, wasm_f64x2_mul(as_double, to_doubles(y1)));
      }
      const Words c0 = to_words(wasm_f64x2_mul(approximate0, d.inverse));
      const Words c1 = to_words(wasm_f64x2_mul(approximate1, d.inverse));
      sum0.add(wasm_i64x2_sub(low0, wasm_i64x2_mul(c0, d.q)), d.q);
      sum1.add(wasm_i64x2_sub(low1, wasm_i64x2_mul(c1, d.q)), d.q);
    }
    store(out0 + i, sum0.residue(d.q));
    store(out1 + i, sum1.residue(d.q));
  }
}

void change_modulus(uint64_t* out, const uint64_t* a, size_t n, const Modulus& p,
                    const Modulus& q) {
  const Words half = set(static_cast<int64_t>(p.value / 2));
  if (p.value / 2 < q.value) {
    const auto difference = set(static_cast<int64_t>(q.value - p.value));
    for (size_t i = 0; i < n; i += kLanes) {
      const Words v = load(a + i);
      store(out + i, wasm_i64x2_add(v, wasm_v128_and(wasm_i64x2_gt(v, half), difference)));
    }
    return;
  }
  const Divisor d(q);
  const Words from = set(p);
  for (size_t i = 0; i < n; i += kLanes) {
    const Words v = load(a + i);
    const Words centred_word = wasm_i64x2_sub(v, wasm_v128_and(wasm_i64x2_gt(v, half), from));
    store(out + i, not_negative(near_zero(centred_word, d), d.q));
  }
}

void round_sum(uint64_t* out, const uint64_t* const* a, const double* inverses, size_t n_terms,
               size_t n) {
  for (size_t i = 0; i < n; i += kLanes) {
    Doubles sum = set(0.0);
    for (size_t k = 0; k < n_terms; ++k) {
      sum = wasm_f64x2_add(sum, wasm_f64x2_mul(to_doubles(load(a[k] + i)), set(inverses[k])));
    }
    store(out + i, to_words(sum));
  }
}

constexpr Kernels kKernels = {
    .isa = Isa::Scalar,
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

auto scalar_kernels() -> const Kernels& {
  return kKernels;
}

auto scalar_root(uint64_t root, const Modulus& q) -> RootWords {
  const int64_t near = centred(root, q);
  return {static_cast<uint64_t>(near),
          std::bit_cast<uint64_t>(static_cast<double>(near) / q.as_double)};
}

}  // namespace tacet::ring
