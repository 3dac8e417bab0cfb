// Elementary functions are as near as they say to those of the C library, in its widest numbers,
// and give the bits that they gave elsewhere; double-doubles have the bits that they promise.

#include "base/elementary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "base/double_double.h"

namespace tacet {
namespace {

using Wide = long double;

struct Function {
  double (*own)(double);
  Wide (*exact)(Wide);
  double low;
  double high;
};

const Function kFunctions[] = {
    {elementary::exp, std::exp, -700, 700},   {elementary::exp, std::exp, -1, 1},
    {elementary::log, std::log, 1e-300, 1e9}, {elementary::log, std::log, 0.9, 1.1},
    {elementary::tanh, std::tanh, -20, 20},   {elementary::tanh, std::tanh, -0.6, 0.6},
    {elementary::erf, std::erf, -7, 7},       {elementary::erf, std::erf, -1e-3, 1e-3},
    {elementary::erf, std::erf, 1.9, 2.1},
};

TEST(Elementary, FunctionsAreNearThoseOfTheLibrary) {
  std::mt19937_64 random(1);
  for (const Function& function : kFunctions) {
    std::uniform_real_distribution<double> any(function.low, function.high);
    for (int i = 0; i < 20000; ++i) {
      const double x = any(random);
      const Wide exact = function.exact(x);
      EXPECT_LE(std::abs(function.own(x) - exact), 0x1p-50L * std::abs(exact)) << x;
    }
  }
}

TEST(Elementary, AnglesOfAnySize) {
  std::mt19937_64 random(2);
  for (const double most : {1.0, 100.0, 0x1p20, 0x1p40}) {
    std::uniform_real_distribution<double> any(-most, most);
    for (int i = 0; i < 20000; ++i) {
      const double x = any(random);
      EXPECT_NEAR(elementary::sin(x), static_cast<double>(std::sin(Wide{x})), 0x1p-50) << x;
      EXPECT_NEAR(elementary::cos(x), static_cast<double>(std::cos(Wide{x})), 0x1p-50) << x;
    }
  }
  EXPECT_NEAR(elementary::sin(0x1.23456789p55),
              static_cast<double>(std::sin(Wide{0x1.23456789p55})), 0x1p-45);
}

TEST(Elementary, Ends) {
  EXPECT_EQ(elementary::exp(0), 1);
  EXPECT_EQ(elementary::exp(-INFINITY), 0);
  EXPECT_EQ(elementary::exp(1000), INFINITY);
  EXPECT_EQ(elementary::exp(-1000), 0);
  EXPECT_EQ(elementary::log(1), 0);
  EXPECT_EQ(elementary::log(0), -INFINITY);
  EXPECT_TRUE(std::isnan(elementary::log(-1)));
  EXPECT_EQ(elementary::tanh(0), 0);
  EXPECT_EQ(elementary::tanh(-1000), -1);
  EXPECT_EQ(elementary::erf(0), 0);
  EXPECT_EQ(elementary::erf(-40), -1);
  EXPECT_EQ(elementary::sin(0), 0);
  EXPECT_EQ(elementary::cos(0), 1);
  EXPECT_TRUE(std::isnan(elementary::cos(INFINITY)));
}

/// All bits of many results, in one number: it differs if one of them does on some platform.
TEST(Elementary, BitsAreThoseOfOtherMachines) {
  uint64_t all = 0;
  for (const Function& function : kFunctions) {
    for (int i = 0; i <= 1000; ++i) {
      const double x = function.low + (function.high - function.low) * i / 1000;
      all = std::rotl(all, 7) * 0x9e3779b97f4a7c15 + std::bit_cast<uint64_t>(function.own(x));
    }
  }
  for (int i = 0; i <= 1000; ++i) {
    all =
        std::rotl(all, 7) * 0x9e3779b97f4a7c15 + std::bit_cast<uint64_t>(elementary::sin(i * 0.7));
    all =
        std::rotl(all, 7) * 0x9e3779b97f4a7c15 + std::bit_cast<uint64_t>(elementary::cos(i * 0.7));
  }
  EXPECT_EQ(all, 0xdfd8f7b1568a534eU);
}

TEST(DoubleDouble, ProductsOfIntegersAreExact) {
  std::mt19937_64 random(3);
  __extension__ using Integer = __int128;
  const auto integer_of = [](DoubleDouble a) {
    return static_cast<Integer>(a.high) + static_cast<Integer>(a.low);
  };
  for (int i = 0; i < 20000; ++i) {
    const auto a = static_cast<int64_t>(random());
    const auto b = static_cast<int64_t>(random() >> 24) - (int64_t{1} << 39);
    const DoubleDouble x = DoubleDouble::of_integer(a);
    const DoubleDouble y = DoubleDouble::of_integer(b);
    EXPECT_EQ(integer_of(x), a);
    EXPECT_TRUE(integer_of(x * y) == Integer{a} * b);
    EXPECT_TRUE(integer_of(x + y) == Integer{a} + b);
    const DoubleDouble back = x / y * y - x;
    EXPECT_LE(std::abs(back.high), std::abs(x.high) * 0x1p-100);
    // The rest of a double's product, by one step.
    const DoubleDouble product = DoubleDouble::exact_product(x.high, y.high);
    EXPECT_EQ(product.low, std::fma(x.high, y.high, -product.high));
  }
}

}  // namespace
}  // namespace tacet
