#include "engine/mpc/fixed_point/functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "engine/mpc/testing/run_parties.h"

namespace tacet::mpc {
namespace {

using mpc_model::FixedBound;
using mpc_model::FixedFormat;
using mpc_model::FixedFunction;

using Real = long double;

auto exact(FixedFunction function, Real x) -> Real {
  switch (function) {
    case FixedFunction::Divide:
    case FixedFunction::Reciprocal:
      return 1 / x;
    case FixedFunction::Sqrt:
      return x > 0 ? std::sqrt(x) : 0;
    case FixedFunction::Rsqrt:
      return 1 / std::sqrt(x);
    case FixedFunction::Exp:
      return std::exp(x);
    case FixedFunction::Log:
      return std::log(x);
    case FixedFunction::Sigmoid:
      return 1 / (1 + std::exp(-x));
    case FixedFunction::Tanh:
      return std::tanh(x);
    case FixedFunction::Erf:
      return std::erf(x);
    case FixedFunction::Sin:
      return std::sin(x);
    case FixedFunction::Cos:
      return std::cos(x);
  }
  return 0;
}

auto is_signed(FixedFunction function) -> bool {
  return function != FixedFunction::Rsqrt && function != FixedFunction::Log;
}

auto ring_of(FixedFormat format) -> Ring {
  return format.ring_bits == 64 ? Ring::Z64 : Ring::Z128;
}

auto words_of(const std::vector<int64_t>& values, FixedFormat format) -> RingArray {
  RingArray words = RingArray::of(std::vector<uint64_t>(values.begin(), values.end()));
  return convert(words, ring_of(format), Extend::Sign);
}

auto signed_word(const RingArray& words, size_t i) -> Real {
  __extension__ using Signed = __int128;
  const Word128 word = words.at(i);
  return words.ring() == Ring::Z64
             ? static_cast<Real>(static_cast<int64_t>(static_cast<uint64_t>(word)))
             : static_cast<Real>(static_cast<Signed>(word));
}

/// Arguments all over the range of a function: those around every power of two, equal steps, and
/// as many of every length.
auto arguments_of(FixedFunction function, FixedFormat format, size_t n) -> std::vector<int64_t> {
  const FixedBound bound = mpc_model::bound_of(function, format);
  const Real unit = std::ldexp(1.0L, -static_cast<int>(format.fraction_bits));
  const auto least = static_cast<int64_t>(bound.least / unit);
  const auto greatest = static_cast<int64_t>(std::min<Real>(bound.greatest / unit, 0x1p63L - 1024));
  std::vector<int64_t> found;
  std::mt19937_64 random(7);
  const auto add = [&](int64_t size) {
    if (size < least || size > greatest) {
      return;
    }
    for (const int64_t x : {size, -size}) {
      const Real value = std::fabs(exact(function, static_cast<Real>(x) * unit));
      const bool is_taken = x > 0 || is_signed(function) || least == 0;
      if (is_taken && value < bound.greatest_result * 0.999L) {
        found.push_back(x);
      }
    }
  };
  for (int64_t power = 1; power > 0 && power <= greatest && power < int64_t{1} << 62; power *= 2) {
    for (int64_t near = -3; near <= 3; ++near) {
      add(power + near);
    }
  }
  for (size_t i = 0; i < n; ++i) {
    add(static_cast<int64_t>(random() >> (1 + random() % 62)));
    // Where most functions are neither flat nor steep.
    add(static_cast<int64_t>(random() % (uint64_t{16} << format.fraction_bits)));
  }
  return found;
}

struct Worst {
  Real excess = -1;
  int64_t argument = 0;
};

/// The greatest error beyond the bound, in units; negative if all hold.
auto worst_of(FixedFunction function, FixedFormat format, const std::vector<int64_t>& arguments,
              const RingArray& results) -> Worst {
  const FixedBound bound = mpc_model::bound_of(function, format);
  const auto f = static_cast<int>(format.fraction_bits);
  Worst worst{.excess = -1e30L};
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Real wanted =
        std::ldexp(exact(function, std::ldexp(static_cast<Real>(arguments[i]), -f)), f);
    const Real error = std::fabs(signed_word(results, i) - wanted);
    const Real excess = error - bound.units - bound.relative * std::fabs(wanted);
    if (excess > worst.excess) {
      worst = {excess, arguments[i]};
    }
  }
  return worst;
}

constexpr FixedFunction kUnary[] = {
    FixedFunction::Reciprocal, FixedFunction::Sqrt,    FixedFunction::Rsqrt, FixedFunction::Exp,
    FixedFunction::Log,        FixedFunction::Sigmoid, FixedFunction::Tanh,  FixedFunction::Erf,
    FixedFunction::Sin,        FixedFunction::Cos};

auto computed(const TestRun& run, FixedFunction function, FixedFormat format,
              const std::vector<int64_t>& arguments) -> RingArray {
  return run_parties(run, [&](Party& party) -> Task<RingArray> {
    const Share x = party.protocol().public_share(party, words_of(arguments, format));
    const FixedPoint fixed{.fraction_bits = format.fraction_bits};
    Share result = co_await evaluate(party, function, x, fixed);
    RingArray opened = co_await open(party, result);
    co_return opened;
  })[0];
}

void expect_within_bounds(const TestRun& run, FixedFormat format, size_t n) {
  for (const FixedFunction function : kUnary) {
    const std::vector<int64_t> arguments = arguments_of(function, format, n);
    ASSERT_GT(arguments.size(), n / 2);
    const RingArray results = computed(run, function, format, arguments);
    const Worst worst = worst_of(function, format, arguments, results);
    EXPECT_LE(worst.excess, 0) << fixed_function_name(function) << " of " << worst.argument
                               << " units, " << format.fraction_bits << " fraction bits modulo 2^"
                               << format.ring_bits;
  }
}

constexpr FixedFormat kFormats[] = {{64, 8},  {64, 13},  {64, 16},  {64, 18},  {64, 19}, {64, 20},
                                    {128, 8}, {128, 16}, {128, 18}, {128, 27}, {128, 40}};

TEST(FixedPointFunctions, AreWithinTheirBoundsInTheClear) {
  for (const FixedFormat format : kFormats) {
    expect_within_bounds({.n_parties = 1, .protocol = "ref"}, format, 20000);
  }
}

TEST(FixedPointFunctions, AreWithinTheirBoundsOnShares) {
  expect_within_bounds({.n_parties = 3, .protocol = "aby3"}, {64, 18}, 3000);
  expect_within_bounds({.n_parties = 3, .protocol = "aby3"}, {128, 18}, 1000);
  expect_within_bounds({.n_parties = 4, .protocol = "rep4"}, {64, 18}, 1000);
  expect_within_bounds({.n_parties = 3, .protocol = "aby3-active"}, {64, 18}, 200);
}

TEST(FixedPointFunctions, SquareRootOfWhatIsNotPositiveIsZero) {
  const std::vector<int64_t> arguments = {0, -1, -5, -(int64_t{1} << 40)};
  const RingArray results =
      computed({.n_parties = 3, .protocol = "aby3"}, FixedFunction::Sqrt, {64, 18}, arguments);
  for (size_t i = 0; i < arguments.size(); ++i) {
    EXPECT_EQ(results.at(i), Word128{0});
  }
}

void expect_quotients(const TestRun& run, FixedFormat format, size_t n) {
  const FixedBound bound = mpc_model::bound_of(FixedFunction::Divide, format);
  const auto f = static_cast<int>(format.fraction_bits);
  std::mt19937_64 random(9);
  std::vector<int64_t> dividends;
  std::vector<int64_t> divisors;
  while (dividends.size() < n) {
    const auto x = static_cast<int64_t>(random()) >> (2 + random() % 60);
    const auto y = static_cast<int64_t>(random()) >> (2 + random() % 60);
    const Real size = std::fabs(std::ldexp(static_cast<Real>(y), -f));
    const Real quotient = std::fabs(static_cast<Real>(x) / static_cast<Real>(y));
    if (y != 0 && size <= bound.greatest && quotient < bound.greatest_result * 0.99L) {
      dividends.push_back(x);
      divisors.push_back(y);
    }
  }
  const RingArray results = run_parties(run, [&](Party& party) -> Task<RingArray> {
    const Share x = party.protocol().public_share(party, words_of(dividends, format));
    const Share y = party.protocol().public_share(party, words_of(divisors, format));
    const FixedPoint fixed{.fraction_bits = format.fraction_bits};
    Share result = co_await divide(party, x, y, fixed);
    RingArray opened = co_await open(party, result);
    co_return opened;
  })[0];
  for (size_t i = 0; i < n; ++i) {
    const Real wanted =
        std::ldexp(static_cast<Real>(dividends[i]) / static_cast<Real>(divisors[i]), f);
    const Real error = std::fabs(signed_word(results, i) - wanted);
    ASSERT_LE(error, bound.units + bound.relative * std::fabs(wanted))
        << dividends[i] << " / " << divisors[i] << ", " << f << " fraction bits modulo 2^"
        << format.ring_bits;
  }
}

TEST(FixedPointFunctions, QuotientsAreWithinTheirBounds) {
  for (const FixedFormat format : kFormats) {
    expect_quotients({.n_parties = 1, .protocol = "ref"}, format, 20000);
  }
  expect_quotients({.n_parties = 3, .protocol = "aby3"}, {64, 18}, 2000);
  expect_quotients({.n_parties = 4, .protocol = "rep4"}, {64, 18}, 1000);
  expect_quotients({.n_parties = 3, .protocol = "aby3-active"}, {64, 18}, 300);
  expect_quotients({.n_parties = 3, .protocol = "aby3"}, {128, 30}, 1000);
}

}  // namespace
}  // namespace tacet::mpc
