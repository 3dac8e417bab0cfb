// Every approximation is within its certified error at the ends of its interval, near kinks and at
// random numbers, and no looser than it must be; and it takes the levels and products that it says.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "compiler/he/approximate/approximation.h"
#include "tests/harness/rounds.h"

namespace tacet::approximate {
namespace {

using array::FunctionKind;

auto erf_by_series(long double x) -> long double {
  long double sum = 0;
  long double term = x;
  for (int i = 1; i < 400; i += 2) {
    sum += term;
    term *= 2 * x * x / (i + 2);
  }
  return 2 / std::sqrt(std::numbers::pi_v<long double>) * std::exp(-x * x) * sum;
}

/// Other formulas than the compiler's.
auto oracle(FunctionKind kind, long double x) -> long double {
  const auto tanh_of = [](long double y) { return std::expm1(2 * y) / (std::expm1(2 * y) + 2); };
  if (kind == FunctionKind::Sigmoid) {
    return 0.5L + tanh_of(x / 2) / 2;
  }
  if (kind == FunctionKind::Tanh) {
    return x > 0 ? tanh_of(x) : -tanh_of(-x);
  }
  if (kind == FunctionKind::Exp) {
    const long double part = std::exp2(x * 1.4426950408889634073599L / 4);
    return part * part * part * part;
  }
  if (kind == FunctionKind::Log) {
    return std::log2(x) / 1.4426950408889634073599L;
  }
  if (kind == FunctionKind::Sqrt) {
    return x > 0 ? std::pow(x, 0.5L) : 0;
  }
  if (kind == FunctionKind::Rsqrt) {
    return std::pow(x, -0.5L);
  }
  if (kind == FunctionKind::Reciprocal) {
    return std::pow(x, -1.0L);
  }
  if (kind == FunctionKind::Sin) {
    return 2 * std::sin(x / 2) * std::cos(x / 2);
  }
  if (kind == FunctionKind::Cos) {
    return 1 - 2 * std::sin(x / 2) * std::sin(x / 2);
  }
  if (kind == FunctionKind::Erf) {
    return erf_by_series(x);
  }
  return (x + std::abs(x)) / 2;
}

/// Computes with numbers and counts.
struct Numbers {
  struct Id {
    long double value = 0;
    unsigned level = 0;
  };

  auto product(Id a, Id b) -> Id {
    ++n_products;
    return {a.value * b.value, std::max(a.level, b.level) + 1};
  }
  static auto scaled(double factor, Id a) -> Id {
    return factor == 1 ? a : Id{factor * a.value, a.level + 1};
  }
  static auto sum(Id a, Id b) -> Id { return {a.value + b.value, std::max(a.level, b.level)}; }
  static auto difference(Id a, Id b) -> Id {
    return {a.value - b.value, std::max(a.level, b.level)};
  }
  static auto constant(double number) -> Id { return {number, 0}; }

  unsigned n_products = 0;
};

struct Case {
  FunctionKind kind;
  RealInterval x;
  double error;
};

/// Where errors are largest, and anywhere.
auto points_of(RealInterval x, std::mt19937_64& random) -> std::vector<long double> {
  std::vector<long double> points{x.low, x.high, (x.low + x.high) / 2};
  for (long double part = 1; part > 1e-9L; part *= 0.9L) {
    points.push_back(x.low + (x.high - x.low) * part);
    points.push_back(x.high - (x.high - x.low) * part);
    if (x.contains(0)) {
      points.push_back(x.low * part);
      points.push_back(x.high * part);
    }
  }
  std::uniform_real_distribution<double> any(x.low, x.high);
  for (uint64_t i = 0; x.low < x.high && i < harness::rounds(1000); ++i) {
    points.push_back(any(random));
  }
  return points;
}

void expect_right(const Case& of, std::mt19937_64& random) {
  SCOPED_TRACE(testing::Message() << array::real_value(of.kind, 1) << " kind "
                                  << static_cast<int>(of.kind) << " on " << of.x.low << " to "
                                  << of.x.high << " within " << of.error);
  Result<Approximation> found = choose_approximation(of.kind, of.x, of.error);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_LE(found->error, of.error);
  long double largest = 0;
  for (const long double x : points_of(of.x, random)) {
    Numbers numbers;
    const Numbers::Id result = evaluate(*found, Numbers::Id{x, 0}, numbers);
    largest = std::max(largest, std::abs(result.value - oracle(of.kind, x)));
    EXPECT_LE(result.level, found->levels);
    EXPECT_EQ(numbers.n_products, found->n_products);
  }
  EXPECT_LE(largest, found->error);
  if (found->error > 1e-12 && found->stages.size() == 1) {
    EXPECT_GT(largest, 0.8 * found->error);  // certified, and not by being careless
  }
}

TEST(Approximate, FunctionsAreWithinTheirCertifiedErrors) {
  constexpr double kSmall = 0x1p-20;
  const Case cases[] = {
      {FunctionKind::Sigmoid, {-8, 8}, 0x1p-10},     {FunctionKind::Sigmoid, {-8, 8}, kSmall},
      {FunctionKind::Sigmoid, {0.5, 6}, 0x1p-12},    {FunctionKind::Sigmoid, {-30, 1}, 0x1p-8},
      {FunctionKind::Tanh, {-4, 4}, 0x1p-12},        {FunctionKind::Tanh, {-1, 1}, kSmall},
      {FunctionKind::Tanh, {2, 2.001}, kSmall},      {FunctionKind::Exp, {-1, 1}, kSmall},
      {FunctionKind::Exp, {-10, 2}, 0x1p-10},        {FunctionKind::Exp, {7, 7.25}, 0.5},
      {FunctionKind::Exp, {3, 3}, kSmall},           {FunctionKind::Exp, {3, 3.0000001}, kSmall},
      {FunctionKind::Log, {1, 10}, 0x1p-12},         {FunctionKind::Log, {0.01, 10}, 0x1p-8},
      {FunctionKind::Log, {1e6, 1e6 + 1}, kSmall},   {FunctionKind::Sqrt, {0, 4}, 0x1p-6},
      {FunctionKind::Sqrt, {-0.001, 4}, 0x1p-5},     {FunctionKind::Sqrt, {1, 4}, kSmall},
      {FunctionKind::Rsqrt, {0.5, 2}, 0x1p-18},      {FunctionKind::Reciprocal, {1, 8}, 0x1p-12},
      {FunctionKind::Reciprocal, {-8, -1}, 0x1p-12}, {FunctionKind::Reciprocal, {1, 300}, 0x1p-8},
      {FunctionKind::Ramp, {-1, 1}, 0x1p-6},         {FunctionKind::Ramp, {-1, 1}, 0x1p-10},
      {FunctionKind::Ramp, {-16, 4}, 0.05},          {FunctionKind::Ramp, {-1, 1}, 0x1p-14},
      {FunctionKind::Ramp, {-1, 1}, 0x1p-18},        {FunctionKind::Ramp, {0, 5}, kSmall},
      {FunctionKind::Ramp, {-5, -1}, kSmall},        {FunctionKind::Erf, {-3, 3}, 0x1p-12},
      {FunctionKind::Erf, {-1, 6}, 0x1p-10},         {FunctionKind::Erf, {0.5, 0.75}, kSmall},
      {FunctionKind::Sin, {-3.2, 3.2}, 0x1p-12},     {FunctionKind::Sin, {-20, 20}, kSmall},
      {FunctionKind::Sin, {100, 101}, 0x1p-12},      {FunctionKind::Cos, {-3.2, 3.2}, 0x1p-12},
      {FunctionKind::Cos, {-1, 12}, 0x1p-10},        {FunctionKind::Cos, {-0.001, 0.001}, kSmall},
  };
  std::mt19937_64 random(1);
  for (const Case& each : cases) {
    expect_right(each, random);
  }
}

TEST(Approximate, RandomIntervals) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> any(0, 1);
  constexpr FunctionKind kKinds[] = {
      FunctionKind::Ramp, FunctionKind::Sqrt, FunctionKind::Rsqrt,   FunctionKind::Reciprocal,
      FunctionKind::Exp,  FunctionKind::Log,  FunctionKind::Sigmoid, FunctionKind::Tanh,
      FunctionKind::Erf,  FunctionKind::Sin,  FunctionKind::Cos};
  for (uint64_t i = 0; i < harness::rounds(32); ++i) {
    const FunctionKind kind = kKinds[i % std::size(kKinds)];
    const double width = std::exp2(-8 + 11 * any(random));
    const bool is_positive = kind == FunctionKind::Rsqrt || kind == FunctionKind::Log ||
                             kind == FunctionKind::Reciprocal;
    const double below = kind == FunctionKind::Sqrt ? 0 : -width * any(random);
    const double low = is_positive ? 0.05 + 2 * any(random) : below;
    expect_right({kind, {low, low + width}, std::exp2(-4 - 6 * any(random))}, random);
  }
}

/// The aim for logistic regression: four levels and eight products, after one that scales.
TEST(Approximate, RampsWithAnyError) {
  std::mt19937_64 random(4);
  for (double error = 2; error > 0x1p-8; error /= 1.2) {
    for (const RealInterval x : {RealInterval{-0.6, 0.6}, RealInterval{-0.01, 2}}) {
      expect_right({FunctionKind::Ramp, x, error}, random);
    }
  }
}

TEST(Approximate, SigmoidTakesEightProducts) {
  const Result<Approximation> found = choose_approximation(FunctionKind::Sigmoid, {-8, 8}, 0x1p-10);
  ASSERT_TRUE(found);
  EXPECT_LE(found.value().n_products, 8U);
  EXPECT_LE(found.value().levels, 5U);
}

TEST(Approximate, WhatHasNoPolynomialIsRefused) {
  EXPECT_FALSE(choose_approximation(FunctionKind::Reciprocal, {-1, 1}, 0.1));
  EXPECT_FALSE(choose_approximation(FunctionKind::Log, {0, 1}, 0.1));
  EXPECT_FALSE(choose_approximation(FunctionKind::Rsqrt, {-1, 1}, 0.1));
  EXPECT_FALSE(choose_approximation(FunctionKind::Step, {-1, 1}, 0.1));
  EXPECT_FALSE(choose_approximation(FunctionKind::Sigmoid, {-1e6, 1e6}, 0.01));
  EXPECT_FALSE(choose_approximation(FunctionKind::Reciprocal, {1e-6, 1}, 0.01));
  EXPECT_TRUE(choose_approximation(FunctionKind::Step, {-2, -1}, 0.1));
}

TEST(Approximate, RangesHoldAllValues) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  for (uint64_t i = 0; i < harness::rounds(200); ++i) {
    Series series(1 + random() % 40);
    for (double& coefficient : series) {
      coefficient = any(random);
    }
    const double a = any(random);
    const double b = any(random);
    const RealInterval u{std::min(a, b), std::max(a, b)};
    const RealInterval range = range_of(series, u);
    for (int k = 0; k <= 300; ++k) {
      const double value = value_at(series, DoubleDouble(u.low + (u.high - u.low) * k / 300)).high;
      EXPECT_TRUE(range.contains(value)) << value << " in " << range.low << " to " << range.high;
    }
  }
}

}  // namespace
}  // namespace tacet::approximate
