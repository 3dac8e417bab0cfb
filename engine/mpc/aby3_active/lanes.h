#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/mpc/aby3_active/check_loops.h"

/// Private to this folder: words and elements of Galois rings in vectors of 64 bytes. Everything is
/// inlined, as in check_kernels.h.
namespace tacet::mpc {

#define TACET_INLINE [[gnu::always_inline]] inline

/// Words that vectors are made of.
template <class A>
constexpr bool kHasLanes = A::kWordElements == 1 && sizeof(typename A::Word) <= 8;

template <class T>
struct LanesOf {
  using Type [[gnu::vector_size(64)]] = T;
  static constexpr size_t kCount = 64 / sizeof(T);
  TACET_INLINE static auto load(const T* from) -> Type {
    Type lanes;
    std::memcpy(&lanes, from, sizeof(lanes));
    return lanes;
  }
  TACET_INLINE static void store(T* to, const Type& lanes) {
    std::memcpy(to, &lanes, sizeof(lanes));
  }
  TACET_INLINE static auto fill(T word) -> Type { return Type{} + word; }
};

/// Products of polynomials by vectors: eight coefficients of one factor at a time reach as many
/// vectors of the product as the other one has, and one more.
template <class A>
struct WideLanes {
  using T = typename A::Word;
  using L = LanesOf<T>;
  using Lanes = typename L::Type;
  static constexpr size_t kCount = L::kCount;
  static constexpr size_t kVectors = (A::kDegree + kCount - 1) / kCount;
  static constexpr size_t kReach = kVectors + 1;

  /// A factor, with zeros on both sides.
  struct Factor {
    T words[kCount + (kReach + 1) * kCount];
    TACET_INLINE Factor() { std::memset(words, 0, sizeof(words)); }
    TACET_INLINE void set(const typename A::Element& x) {
      std::memcpy(words + kCount, x.data(), sizeof(x));
    }
    /// Vector v of X^i times it, i below the lanes' count.
    TACET_INLINE auto moved(size_t v, size_t i) const -> Lanes {
      return L::load(words + kCount + v * kCount - i);
    }
  };

  T sum[(2 * kVectors + 1) * kCount];

  TACET_INLINE WideLanes() { std::memset(sum, 0, sizeof(sum)); }
  TACET_INLINE auto reduced() const -> typename A::Element {
    typename A::Wide wide;
    std::memcpy(wide.data(), sum, sizeof(wide));
    return A::reduced(wide);
  }
};

template <class A>
TACET_INLINE auto local_dot_in_lanes(PartsOf<typename A::Element> x, PartsOf<typename A::Element> y,
                                     size_t n) -> typename A::Element {
  using W = WideLanes<A>;
  using L = typename W::L;
  using Lanes = typename W::Lanes;
  W wide;
  typename W::Factor first;
  typename W::Factor both;
  for (size_t e = 0; e < n; ++e) {
    typename A::Element sum;
    for (size_t j = 0; j < A::kDegree; ++j) {
      sum[j] = y.first[e][j] + y.second[e][j];
    }
    first.set(y.first[e]);
    both.set(sum);
    const auto& x0 = x.first[e];
    const auto& x1 = x.second[e];
    for (size_t begin = 0; begin < A::kDegree; begin += W::kCount) {
      Lanes sums[W::kReach];
      for (size_t v = 0; v < W::kReach; ++v) {
        sums[v] = L::load(wide.sum + begin + v * W::kCount);
      }
      const size_t count = A::kDegree - begin < W::kCount ? A::kDegree - begin : W::kCount;
      for (size_t i = 0; i < count; ++i) {
        const Lanes a = L::fill(x0[begin + i]);
        const Lanes b = L::fill(x1[begin + i]);
        for (size_t v = 0; v < W::kReach; ++v) {
          sums[v] += a * both.moved(v, i) + b * first.moved(v, i);
        }
      }
      for (size_t v = 0; v < W::kReach; ++v) {
        L::store(wide.sum + begin + v * W::kCount, sums[v]);
      }
    }
  }
  return wide.reduced();
}

}  // namespace tacet::mpc
