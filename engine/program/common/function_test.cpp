#include "engine/program/common/function.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tacet::engine {
namespace {

constexpr std::array kFixed = {
    Function::Sqrt,    Function::Rsqrt, Function::Reciprocal, Function::Exp, Function::Log,
    Function::Sigmoid, Function::Tanh,  Function::Erf,        Function::Sin, Function::Cos};

auto with_long_doubles(Function function, long double x) -> long double {
  switch (function) {
    case Function::Sqrt:
      return x < 0 ? 0 : std::sqrt(x);
    case Function::Rsqrt:
      return x <= 0 ? std::numeric_limits<long double>::infinity() : 1 / std::sqrt(x);
    case Function::Reciprocal:
      return x == 0 ? std::numeric_limits<long double>::infinity() : 1 / x;
    case Function::Exp:
      return std::exp(x);
    case Function::Log:
      return x <= 0 ? -std::numeric_limits<long double>::infinity() : std::log(x);
    case Function::Sigmoid:
      return 1 / (1 + std::exp(-x));
    case Function::Tanh:
      return std::tanh(x);
    case Function::Erf:
      return std::erf(x);
    case Function::Sin:
      return std::sin(x);
    case Function::Cos:
      return std::cos(x);
    case Function::Abs:
    case Function::Min:
    case Function::Max:
    case Function::Sort:
    case Function::SortBy:
    case Function::TopK:
      break;
  }
  return 0;
}

/// Numbers of every size.
auto some_number(std::mt19937_64& random) -> int64_t {
  return static_cast<int64_t>(random()) >> (random() % 64);
}

/// Halves of the last place, and what the C library is off by itself.
TEST(Function, FixedPointFunctionsRoundWhatTheCLibraryGives) {
  std::mt19937_64 random(1);
  constexpr std::array<uint8_t, 10> kFractionBits = {0, 1, 8, 18, 20, 26, 31, 40, 53, 62};
  for (const uint8_t bits : kFractionBits) {
    for (const Function function : kFixed) {
      for (int i = 0; i < 3000; ++i) {
        const int64_t raw = i < 200 ? i - 100 : some_number(random);
        const long double exact = std::ldexp(
            with_long_doubles(function, std::ldexp(static_cast<long double>(raw), -bits)), bits);
        const int64_t given = evaluate_fixed_function(function, bits, raw);
        const long double largest = std::ldexp(1.0L, 63);
        if (exact >= largest) {
          EXPECT_EQ(given, std::numeric_limits<int64_t>::max())
              << function_name(function) << " of " << raw << " with " << int{bits};
        } else if (exact <= -largest) {
          EXPECT_EQ(given, std::numeric_limits<int64_t>::min())
              << function_name(function) << " of " << raw << " with " << int{bits};
        } else {
          EXPECT_LE(std::fabs(static_cast<long double>(given) - exact),
                    0.5L + std::fabs(exact) * 0x1p-62L + 0x1p-40L)
              << function_name(function) << " of " << raw << " with " << int{bits};
        }
      }
    }
  }
}

/// From published tables: 40 digits of e, ln 2, tanh 1, sigmoid 1, all 62 bits of them.
TEST(Function, FixedPointFunctionsKnowSomeDigits) {
  const auto of = [](Function function, uint8_t bits, int64_t raw) {
    return evaluate_fixed_function(function, bits, raw);
  };
  EXPECT_EQ(of(Function::Exp, 60, int64_t{1} << 60), 3133965575612453543);
  EXPECT_EQ(of(Function::Log, 60, int64_t{2} << 60), 799144290325165979);
  EXPECT_EQ(of(Function::Exp, 62, 0), int64_t{1} << 62);
  EXPECT_EQ(of(Function::Sigmoid, 62, 0), int64_t{1} << 61);
  EXPECT_EQ(of(Function::Tanh, 62, 0), 0);
  EXPECT_EQ(of(Function::Sin, 60, int64_t{1} << 60), 970149993887725314);
  EXPECT_EQ(of(Function::Cos, 60, int64_t{1} << 60), 622926147424044489);
  EXPECT_EQ(of(Function::Sin, 0, -INT64_MAX), -1);
  EXPECT_EQ(of(Function::Sin, 18, INT64_MAX), 188347);
  EXPECT_EQ(of(Function::Erf, 62, int64_t{1} << 62), 3886271464563873166);
  EXPECT_EQ(of(Function::Erf, 62, 1), 1);
  EXPECT_EQ(of(Function::Cos, 62, 0), int64_t{1} << 62);
  EXPECT_EQ(of(Function::Sqrt, 60, int64_t{2} << 60), 1630477228166597777);
  EXPECT_EQ(of(Function::Rsqrt, 60, int64_t{2} << 60), 815238614083298888);
  EXPECT_EQ(of(Function::Reciprocal, 60, int64_t{3} << 60), 384307168202282325);
  EXPECT_EQ(of(Function::Reciprocal, 0, 2), 1);
  EXPECT_EQ(of(Function::Reciprocal, 0, -2), -1);
}

TEST(Function, PolesAndWhatHasNoValue) {
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();
  const auto of = [](Function function, int64_t raw) {
    return evaluate_fixed_function(function, 18, raw);
  };
  EXPECT_EQ(of(Function::Sqrt, -1), 0);
  EXPECT_EQ(of(Function::Sqrt, kSmallest), 0);
  EXPECT_EQ(of(Function::Rsqrt, 0), kLargest);
  EXPECT_EQ(of(Function::Rsqrt, -5), kLargest);
  EXPECT_EQ(of(Function::Reciprocal, 0), kLargest);
  EXPECT_EQ(of(Function::Reciprocal, kSmallest), 0);
  EXPECT_EQ(of(Function::Log, 0), kSmallest);
  EXPECT_EQ(of(Function::Log, kSmallest), kSmallest);
  EXPECT_EQ(of(Function::Exp, kLargest), kLargest);
  EXPECT_EQ(of(Function::Exp, kSmallest), 0);
  EXPECT_EQ(of(Function::Sigmoid, kSmallest), 0);
  EXPECT_EQ(of(Function::Sigmoid, kLargest), 1 << 18);
  EXPECT_EQ(of(Function::Tanh, kSmallest), -(1 << 18));
}

auto run(Function function, ElementType type, std::vector<Cell> first, std::vector<Cell> second,
         size_t n) -> std::vector<Cell> {
  std::vector<Cell> result(n);
  evaluate(function, type, first, second, result);
  return result;
}

auto signed_cells(std::vector<int64_t> values) -> std::vector<Cell> {
  return {values.begin(), values.end()};
}

constexpr ElementType kU64{ElementKind::U64, 0};
constexpr ElementType kF64{ElementKind::F64, 0};
using Cells = std::vector<Cell>;

TEST(Function, ChoosesElementByElementOrAlongADimension) {
  const Cells a = signed_cells({3, -4, 5});
  const Cells b = signed_cells({-3, 4, 5});
  EXPECT_EQ(run(Function::Min, kI64, a, b, 3), signed_cells({-3, -4, 5}));
  EXPECT_EQ(run(Function::Max, kI64, a, b, 3), signed_cells({3, 4, 5}));
  EXPECT_EQ(run(Function::Min, kU64, a, b, 3), signed_cells({3, 4, 5}));
  EXPECT_EQ(run(Function::Max, kI64, a, signed_cells({4}), 3), signed_cells({4, 4, 5}));
  EXPECT_EQ(run(Function::Max, kI64, signed_cells({4}), a, 3), signed_cells({4, 4, 5}));
  const Cells table = signed_cells({1, 9, 5, 2, -7, 3});
  EXPECT_EQ(run(Function::Max, kI64, table, {}, 2), signed_cells({5, 9}));
  EXPECT_EQ(run(Function::Min, kI64, table, {}, 3), signed_cells({1, -7, 3}));
  EXPECT_EQ(run(Function::Abs, kI64, a, {}, 3), signed_cells({3, 4, 5}));
  const ElementType i8{ElementKind::I8, 0};
  EXPECT_EQ(run(Function::Abs, i8, signed_cells({-128}), {}, 1), signed_cells({-128}));
}

TEST(Function, SortsStably) {
  const Cells keys = signed_cells({5, -1, 5, 0, -1});
  const Cells rows = signed_cells({1, 10, 2, 20, 3, 30, 4, 40, 5, 50});
  EXPECT_EQ(run(Function::Sort, kI64, keys, {}, 5), signed_cells({-1, -1, 0, 5, 5}));
  EXPECT_EQ(run(Function::Sort, kU64, keys, {}, 5), signed_cells({0, 5, 5, -1, -1}));
  EXPECT_EQ(run(Function::SortBy, kI64, keys, rows, 10),
            signed_cells({2, 20, 5, 50, 4, 40, 1, 10, 3, 30}));
  EXPECT_EQ(run(Function::SortBy, kBool, {1, 0, 1, 0}, {6, 7, 8, 9}, 4), (Cells{7, 9, 6, 8}));
  EXPECT_EQ(run(Function::TopK, kI64, keys, {}, 3), signed_cells({5, 5, 0}));
  const std::vector<double> sorted = {-INFINITY, -2.0, -0.0, 0.0, 1.5, INFINITY, NAN};
  Cells floats;
  std::transform(sorted.begin(), sorted.end(), std::back_inserter(floats), cell_of_f64);
  Cells shuffled = floats;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937_64(3));
  EXPECT_EQ(run(Function::Sort, kF64, shuffled, {}, floats.size()), floats);
}

}  // namespace
}  // namespace tacet::engine
