#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tacet::mpc {

/// The Galois ring Z_{2^k}[X] / (X^D + X^kTap + 1), where T is a word of k bits and the polynomial
/// is irreducible modulo 2: what random challenges for claims modulo 2^k are drawn from, as Z_{2^k}
/// itself has zero divisors everywhere. A *weight* is a sum of some of 1, X … X^(D-1), given by its
/// bits. The difference of two weights is a unit, so a polynomial of degree d in random weights
/// that is not zero is zero with a probability of d / 2^D at most.
template <class T, unsigned D, unsigned kTap>
struct GaloisRing {
  static_assert(2 * kTap < D && D < 64, "two steps reduce a product");
  using Word = T;
  using Weight = uint64_t;
  using Element = std::array<T, D>;
  /// A product that is not reduced, or a sum of such.
  using Wide = std::array<T, 2 * D - 1>;

  static constexpr unsigned kDegree = D;
  /// Elements that stand for the numbers in one word.
  static constexpr size_t kWordElements = 1;

  /// A weight from uniform bits.
  [[gnu::always_inline]] static constexpr auto weight(uint64_t bits) -> Weight {
    return bits & ((uint64_t{1} << D) - 1);
  }

  [[gnu::always_inline]] static constexpr auto plus(T x, T y) -> T { return static_cast<T>(x + y); }
  /// Makes an element of uniform bytes.
  [[gnu::always_inline]] static constexpr void clean(Element& /*x*/) {}
  [[gnu::always_inline]] static constexpr void add(Element& x, const Element& y) {
    for (size_t i = 0; i < D; ++i) {
      x[i] += y[i];
    }
  }
  [[gnu::always_inline]] static constexpr void subtract(Element& x, const Element& y) {
    for (size_t i = 0; i < D; ++i) {
      x[i] -= y[i];
    }
  }
  [[gnu::always_inline]] static constexpr void multiply_add(Wide& sum, const Element& x,
                                                            const Element& y) {
    for (size_t i = 0; i < D; ++i) {
      const T factor = x[i];
      for (size_t j = 0; j < D; ++j) {
        sum[i + j] += static_cast<T>(factor * y[j]);
      }
    }
  }
  [[gnu::always_inline]] static constexpr void weigh_add(Wide& sum, const Element& x,
                                                         Weight weight) {
    for (size_t i = 0; i < D; ++i) {
      if ((weight >> i & 1) != 0) {
        for (size_t j = 0; j < D; ++j) {
          sum[i + j] += x[j];
        }
      }
    }
  }
  /// X^D = -X^kTap - 1: first for what would have to be reduced again.
  [[gnu::always_inline]] static constexpr auto reduced(Wide sum) -> Element {
    for (size_t i = 2 * D - 2; i >= 2 * D - kTap; --i) {
      sum[i - D + kTap] -= sum[i];
    }
    Element out{};
    for (size_t i = 0; i < D; ++i) {
      out[i] = sum[i];
    }
    for (size_t i = 0; i < D - 1; ++i) {
      out[i] -= sum[D + i];
    }
    for (size_t i = 0; i < D - kTap; ++i) {
      out[i + kTap] -= sum[D + i];
    }
    return out;
  }
  /// The summand of a product that a party computes from its parts of the words.
  [[gnu::always_inline]] static constexpr auto local_product(T x0, T x1, T y0, T y1) -> T {
    return static_cast<T>(x0 * static_cast<T>(y0 + y1) + x1 * y0);
  }
  /// sum += word · weight.
  [[gnu::always_inline]] static constexpr void add_word(Element& sum, T word, Weight weight) {
    for (size_t i = 0; i < D; ++i) {
      sum[i] += static_cast<T>(word & static_cast<T>(0 - static_cast<T>(weight >> i & 1)));
    }
  }
};

}  // namespace tacet::mpc
