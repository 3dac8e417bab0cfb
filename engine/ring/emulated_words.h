#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "engine/ring/modulus.h"

namespace tacet::ring {

/// What AVX-512's instructions do to eight words, spelt out: so the 52-bit kernels run, and are
/// tested, on every machine.
struct EmulatedWords {
  /// Few: compilers take long over instructions that are spelt out.
  static constexpr size_t kUnrolledTerms = 2;

  std::array<uint64_t, 8> words{};

  [[gnu::noinline]] static auto set(uint64_t w) -> EmulatedWords {
    EmulatedWords v;
    v.words.fill(w);
    return v;
  }
  [[gnu::noinline]] static auto load(const uint64_t* p) -> EmulatedWords {
    return each([&](size_t i) { return p[i]; });
  }
  [[gnu::noinline]] static void store(uint64_t* p, const EmulatedWords& v) {
    for (size_t i = 0; i < 8; ++i) {
      p[i] = v.words[i];
    }
  }

  template <unsigned kBits>
  [[gnu::noinline]] static auto shift_right(const EmulatedWords& a) -> EmulatedWords {
    return each([&](size_t i) { return a.words[i] >> kBits; });
  }

  [[gnu::noinline]] static auto rounded_sum(const uint64_t* const* a, const double* inverses,
                                            size_t n_terms, size_t start) -> EmulatedWords {
    return each([&](size_t i) {
      double sum = 0;
      for (size_t k = 0; k < n_terms; ++k) {
        sum += static_cast<double>(a[k][start + i]) * inverses[k];
      }
      return static_cast<uint64_t>(std::nearbyint(sum));
    });
  }

  [[gnu::noinline]] friend auto operator+(const EmulatedWords& a, const EmulatedWords& b)
      -> EmulatedWords {
    return each([&](size_t i) { return a.words[i] + b.words[i]; });
  }
  [[gnu::noinline]] friend auto operator-(const EmulatedWords& a, const EmulatedWords& b)
      -> EmulatedWords {
    return each([&](size_t i) { return a.words[i] - b.words[i]; });
  }
  [[gnu::noinline]] friend auto operator&(const EmulatedWords& a, const EmulatedWords& b)
      -> EmulatedWords {
    return each([&](size_t i) { return a.words[i] & b.words[i]; });
  }
  [[gnu::noinline]] friend auto min(const EmulatedWords& a, const EmulatedWords& b)
      -> EmulatedWords {
    return each([&](size_t i) { return a.words[i] < b.words[i] ? a.words[i] : b.words[i]; });
  }
  [[gnu::noinline]] friend auto add_low(const EmulatedWords& c, const EmulatedWords& a,
                                        const EmulatedWords& b) -> EmulatedWords {
    return each(
        [&](size_t i) { return c.words[i] + (static_cast<uint64_t>(product(a, b, i)) & kMask); });
  }
  [[gnu::noinline]] friend auto add_high(const EmulatedWords& c, const EmulatedWords& a,
                                         const EmulatedWords& b) -> EmulatedWords {
    return each(
        [&](size_t i) { return c.words[i] + static_cast<uint64_t>(product(a, b, i) >> 52); });
  }
  [[gnu::noinline]] friend auto pick(const EmulatedWords& a, const EmulatedWords& index)
      -> EmulatedWords {
    return each([&](size_t i) { return a.words[index.words[i]]; });
  }
  [[gnu::noinline]] friend auto even_words(const EmulatedWords& a, const EmulatedWords& b)
      -> EmulatedWords {
    return each([&](size_t i) { return i % 2 == 0 ? a.words[i] : b.words[i - 1]; });
  }
  [[gnu::noinline]] friend auto odd_words(const EmulatedWords& a, const EmulatedWords& b)
      -> EmulatedWords {
    return each([&](size_t i) { return i % 2 == 0 ? a.words[i + 1] : b.words[i]; });
  }
  [[gnu::noinline]] friend auto even_pairs(const EmulatedWords& a, const EmulatedWords& b)
      -> EmulatedWords {
    return each([&](size_t i) { return (i < 4 ? a : b).words[i / 2 % 2 * 4 + i % 2]; });
  }
  [[gnu::noinline]] friend auto odd_pairs(const EmulatedWords& a, const EmulatedWords& b)
      -> EmulatedWords {
    return each([&](size_t i) { return (i < 4 ? a : b).words[i / 2 % 2 * 4 + 2 + i % 2]; });
  }

 private:
  static constexpr uint64_t kMask = (uint64_t{1} << 52) - 1;

  template <class F>
  static auto each(F f) -> EmulatedWords {
    EmulatedWords v;
    for (size_t i = 0; i < 8; ++i) {
      v.words[i] = f(i);
    }
    return v;
  }
  static auto product(const EmulatedWords& a, const EmulatedWords& b, size_t i) -> Uint128 {
    return static_cast<Uint128>(a.words[i] & kMask) * (b.words[i] & kMask);
  }
};

}  // namespace tacet::ring
