#pragma once

#include <cstddef>

#include "engine/cggi/fourier_tables.h"

/// The transform of `FourierTables` over vectors `V`, which kernels for each instruction set
/// define. A polynomial is N/2 real parts and then as many imaginary ones.
namespace tacet::cggi {

template <class V>
struct Complex {
  V re;
  V im;

  friend auto operator+(Complex a, Complex b) -> Complex { return {a.re + b.re, a.im + b.im}; }
  friend auto operator-(Complex a, Complex b) -> Complex { return {a.re - b.re, a.im - b.im}; }
  friend auto operator*(Complex a, Complex b) -> Complex {
    return {multiply_subtract(a.re, b.re, a.im * b.im), multiply_add(a.re, b.im, a.im * b.re)};
  }
  /// a times the conjugate of b.
  friend auto times_conjugate(Complex a, Complex b) -> Complex {
    return {multiply_add(a.re, b.re, a.im * b.im), multiply_subtract(a.im, b.re, a.re * b.im)};
  }
};

/// u, u^2 and u^3 of a block.
template <class V>
struct Powers {
  Complex<V> first;
  Complex<V> second;
  Complex<V> third;
};

/// Splits X^(4 L) - u^4 into X^L - u, X^L + u, X^L - i u, X^L + i u.
template <class V>
[[gnu::always_inline]] inline void split_by_four(Complex<V>& a, Complex<V>& b, Complex<V>& c,
                                                 Complex<V>& d, const Powers<V>& u) {
  const Complex<V> cu = c * u.second;
  const Complex<V> bu = b * u.first;
  const Complex<V> du = d * u.third;
  const Complex<V> even_sum = a + cu;
  const Complex<V> even_difference = a - cu;
  const Complex<V> odd_sum = bu + du;
  const Complex<V> odd_difference = bu - du;
  a = even_sum + odd_sum;
  b = even_sum - odd_sum;
  c = {even_difference.re - odd_difference.im, even_difference.im + odd_difference.re};
  d = {even_difference.re + odd_difference.im, even_difference.im - odd_difference.re};
}

/// Undoes it, times four.
template <class V>
[[gnu::always_inline]] inline void join_by_four(Complex<V>& a, Complex<V>& b, Complex<V>& c,
                                                Complex<V>& d, const Powers<V>& u) {
  const Complex<V> even_sum = a + b;
  const Complex<V> odd_sum = a - b;
  const Complex<V> even_difference = c + d;
  const Complex<V> rotated = c - d;  // i times the odd difference
  const Complex<V> odd_difference = {rotated.im, V::zero() - rotated.re};
  a = even_sum + even_difference;
  b = times_conjugate(odd_sum + odd_difference, u.first);
  c = times_conjugate(even_sum - even_difference, u.second);
  d = times_conjugate(odd_sum - odd_difference, u.third);
}

/// Splits X^(2 L) - t^2 into X^L - t and X^L + t.
template <class V>
[[gnu::always_inline]] inline void split_by_two(Complex<V>& a, Complex<V>& b, Complex<V> t) {
  const Complex<V> bt = b * t;
  b = a - bt;
  a = a + bt;
}

template <class V>
[[gnu::always_inline]] inline void join_by_two(Complex<V>& a, Complex<V>& b, Complex<V> t) {
  const Complex<V> sum = a + b;
  b = times_conjugate(a - b, t);
  a = sum;
}

/// Passes over a polynomial in memory. Loops over polynomials whose size is known when they are
/// compiled, `kSize` if that is not zero, are faster.
template <class V, size_t kSize = 0>
class Transform {
 public:
  static constexpr size_t kLanes = V::kLanes;

  Transform(double* polynomial, const FourierTables& tables)
      : re_(polynomial), im_(polynomial + tables.polynomial_size / 2), tables_(tables) {}

  void forward() {
    const size_t n_rows = rows();
    const double* constants = tables_.passes.data();
    size_t length = n_rows;
    if (is_odd_power()) {
      length /= 2;
      const Complex<V> t = broadcast(constants);
      constants += 2;
      for (size_t j = 0; j < length; ++j) {
        change_two(j, length, [&](auto&... x) { split_by_two(x..., t); });
      }
    }
    for (; length >= 4; length /= 4) {
      for (size_t block = 0; block < n_rows; block += length) {
        const Powers<V> u = broadcast_powers(constants);
        constants += 6;
        for (size_t j = block; j < block + length / 4; ++j) {
          change_four(j, length / 4, [&](auto&... x) { split_by_four(x..., u); });
        }
      }
    }
    if constexpr (kLanes > 1) {
      for (size_t group = 0; group < n_rows; group += kLanes) {
        split_leaves(group);
      }
    }
  }

  /// Times N/2.
  void inverse() {
    const size_t n_rows = rows();
    if constexpr (kLanes > 1) {
      for (size_t group = 0; group < n_rows; group += kLanes) {
        join_leaves(group);
      }
    }
    const double* constants = tables_.passes.data() + tables_.passes.size();
    const size_t whole = is_odd_power() ? n_rows / 2 : n_rows;
    for (size_t length = 4; length <= whole; length *= 4) {
      constants -= 6 * (n_rows / length);
      const double* next = constants;
      for (size_t block = 0; block < n_rows; block += length) {
        const Powers<V> u = broadcast_powers(next);
        next += 6;
        for (size_t j = block; j < block + length / 4; ++j) {
          change_four(j, length / 4, [&](auto&... x) { join_by_four(x..., u); });
        }
      }
    }
    if (is_odd_power()) {
      const Complex<V> t = broadcast(constants - 2);
      for (size_t j = 0; j < n_rows / 2; ++j) {
        change_two(j, n_rows / 2, [&](auto&... x) { join_by_two(x..., t); });
      }
    }
  }

 private:
  /// Vectors of a polynomial's real parts.
  [[nodiscard]] auto rows() const -> size_t {
    return (kSize == 0 ? tables_.polynomial_size : kSize) / 2 / kLanes;
  }
  [[nodiscard]] auto is_odd_power() const -> bool { return (rows() & 0xAAAAAAAAAAAAAAAA) != 0; }
  [[nodiscard]] auto load(size_t row) const -> Complex<V> {
    return {V::load(re_ + row * kLanes), V::load(im_ + row * kLanes)};
  }
  void store(size_t row, Complex<V> x) {
    V::store(re_ + row * kLanes, x.re);
    V::store(im_ + row * kLanes, x.im);
  }
  static auto broadcast(const double* p) -> Complex<V> { return {V::set(p[0]), V::set(p[1])}; }
  static auto broadcast_powers(const double* p) -> Powers<V> {
    return {broadcast(p), broadcast(p + 2), broadcast(p + 4)};
  }
  static auto vector_at(const double* p) -> Complex<V> { return {V::load(p), V::load(p + kLanes)}; }
  static auto powers_at(const double* p) -> Powers<V> {
    return {vector_at(p), vector_at(p + 2 * kLanes), vector_at(p + 4 * kLanes)};
  }

  template <class Change>
  [[gnu::always_inline]] void change_two(size_t j, size_t step, Change change) {
    Complex<V> a = load(j);
    Complex<V> b = load(j + step);
    change(a, b);
    store(j, a);
    store(j + step, b);
  }
  template <class Change>
  [[gnu::always_inline]] void change_four(size_t j, size_t step, Change change) {
    Complex<V> a = load(j);
    Complex<V> b = load(j + step);
    Complex<V> c = load(j + 2 * step);
    Complex<V> d = load(j + 3 * step);
    change(a, b, c, d);
    store(j, a);
    store(j + step, b);
    store(j + 2 * step, c);
    store(j + 3 * step, d);
  }

  /// Constants of a group: one complex vector and twice three, or three.
  static constexpr size_t kLeafSize = (kLanes == 8 ? 14 : 6) * kLanes;

  void split_leaves(size_t group) {
    const double* constants = tables_.leaves.data() + group / kLanes * kLeafSize;
    V re[kLanes];
    V im[kLanes];
    load_group(group, re, im);
    V::transpose(re);
    V::transpose(im);
    Complex<V> x[kLanes];
    zip(re, im, x);
    if constexpr (kLanes == 8) {
      const Complex<V> t = vector_at(constants);
      for (size_t j = 0; j < 4; ++j) {
        split_by_two(x[j], x[j + 4], t);
      }
      split_by_four(x[0], x[1], x[2], x[3], powers_at(constants + 2 * kLanes));
      split_by_four(x[4], x[5], x[6], x[7], powers_at(constants + 8 * kLanes));
    } else {
      split_by_four(x[0], x[1], x[2], x[3], powers_at(constants));
    }
    for (size_t j = 0; j < kLanes; ++j) {
      store(group + j, x[j]);
    }
  }

  void join_leaves(size_t group) {
    const double* constants = tables_.leaves.data() + group / kLanes * kLeafSize;
    V re[kLanes];
    V im[kLanes];
    load_group(group, re, im);
    Complex<V> x[kLanes];
    zip(re, im, x);
    if constexpr (kLanes == 8) {
      join_by_four(x[0], x[1], x[2], x[3], powers_at(constants + 2 * kLanes));
      join_by_four(x[4], x[5], x[6], x[7], powers_at(constants + 8 * kLanes));
      const Complex<V> t = vector_at(constants);
      for (size_t j = 0; j < 4; ++j) {
        join_by_two(x[j], x[j + 4], t);
      }
    } else {
      join_by_four(x[0], x[1], x[2], x[3], powers_at(constants));
    }
    for (size_t j = 0; j < kLanes; ++j) {
      re[j] = x[j].re;
      im[j] = x[j].im;
    }
    V::transpose(re);
    V::transpose(im);
    for (size_t j = 0; j < kLanes; ++j) {
      store(group + j, {re[j], im[j]});
    }
  }

  void load_group(size_t group, V (&re)[kLanes], V (&im)[kLanes]) const {
    for (size_t j = 0; j < kLanes; ++j) {
      re[j] = load(group + j).re;
      im[j] = load(group + j).im;
    }
  }
  static void zip(const V (&re)[kLanes], const V (&im)[kLanes], Complex<V> (&x)[kLanes]) {
    for (size_t j = 0; j < kLanes; ++j) {
      x[j] = {re[j], im[j]};
    }
  }

  double* re_;
  double* im_;
  const FourierTables& tables_;
};

}  // namespace tacet::cggi
