// Kernels for every processor, and what the others are tested against.

#include <bit>

#include "engine/cggi/kernels.h"
#include "engine/cggi/rotation_kernels.h"

namespace tacet::cggi {
namespace {

/// A word as a vector of one.
struct ScalarWords {
  uint64_t word;

  static auto set(uint64_t w) -> ScalarWords { return {w}; }
  static auto load(const uint64_t* p) -> ScalarWords { return {*p}; }
  static auto load_unaligned(const uint64_t* p) -> ScalarWords { return {*p}; }
  static void store(uint64_t* p, ScalarWords v) { *p = v.word; }
  static void store_unaligned(uint64_t* p, ScalarWords v) { *p = v.word; }

  friend auto operator+(ScalarWords a, ScalarWords b) -> ScalarWords { return {a.word + b.word}; }
  friend auto operator-(ScalarWords a, ScalarWords b) -> ScalarWords { return {a.word - b.word}; }
  friend auto operator&(ScalarWords a, ScalarWords b) -> ScalarWords { return {a.word & b.word}; }
  friend auto operator|(ScalarWords a, ScalarWords b) -> ScalarWords { return {a.word | b.word}; }
  friend auto operator^(ScalarWords a, ScalarWords b) -> ScalarWords { return {a.word ^ b.word}; }
  friend auto shift_right(ScalarWords a, unsigned n_bits) -> ScalarWords {
    return {a.word >> n_bits};
  }
};

struct ScalarReals {
  static constexpr size_t kLanes = 1;
  using Words = ScalarWords;

  double real;

  static auto zero() -> ScalarReals { return {0}; }
  static auto set(double x) -> ScalarReals { return {x}; }
  static auto load(const double* p) -> ScalarReals { return {*p}; }
  static void store(double* p, ScalarReals v) { *p = v.real; }
  static auto from_bits(ScalarWords w) -> ScalarReals { return {std::bit_cast<double>(w.word)}; }

  /// The fraction of a torus element that is less than 2^50 turns, in two halves: doubles have not
  /// enough digits for one conversion.
  static auto to_torus(ScalarReals v) -> ScalarWords {
    constexpr double kRounding = 0x1.8p52;  // its last bit is worth one
    const double fraction = v.real - ((v.real + kRounding) - kRounding);
    const double scaled = fraction * 0x1p32;
    const double high = scaled + kRounding;
    const double low = (scaled - (high - kRounding)) * 0x1p32 + kRounding;
    return {(std::bit_cast<uint64_t>(high) << 32) +
            (std::bit_cast<uint64_t>(low) - std::bit_cast<uint64_t>(kRounding))};
  }

  friend auto operator+(ScalarReals a, ScalarReals b) -> ScalarReals { return {a.real + b.real}; }
  friend auto operator-(ScalarReals a, ScalarReals b) -> ScalarReals { return {a.real - b.real}; }
  friend auto operator*(ScalarReals a, ScalarReals b) -> ScalarReals { return {a.real * b.real}; }
  friend auto multiply_add(ScalarReals a, ScalarReals b, ScalarReals c) -> ScalarReals {
    return {a.real * b.real + c.real};
  }
  friend auto multiply_subtract(ScalarReals a, ScalarReals b, ScalarReals c) -> ScalarReals {
    return {a.real * b.real - c.real};
  }
  /// a - b c
  friend auto subtract_product(ScalarReals a, ScalarReals b, ScalarReals c) -> ScalarReals {
    return {a.real - b.real * c.real};
  }
};

}  // namespace

auto scalar_kernels() -> const Kernels& {
  static constexpr Kernels kTable = kernels_over<ScalarReals>(Isa::Scalar);
  return kTable;
}

}  // namespace tacet::cggi
