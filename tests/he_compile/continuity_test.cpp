// No two results of a function differ by more than its modulus of continuity says, and for
// approximations of functions it says little more than what those and the error allow.

#include "compiler/he/lower/continuity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>

#include "base/value.h"
#include "compiler/he/approximate/approximation.h"
#include "tests/harness/rounds.h"

namespace tacet::he_lower {
namespace {

using approximate::Approximation;
using approximate::RealInterval;
using approximate::Series;
using Node = RealFunction::Node;

/// By T_k(u) = 2 u T_(k - 1)(u) - T_(k - 2)(u), which is stable inside and outside of [-1, 1].
template <class Number>
auto series_at(const Series& series, Number u) -> Number {
  Number sum = 0;
  Number now = 1;
  Number before = u;
  for (const double coefficient : series) {
    sum += coefficient * now;
    const Number next = 2.0 * u * now - before;
    before = now;
    now = next;
  }
  return sum;
}

template <class Number>
auto result_at(const RealFunction& function, Number x) -> Number {
  std::vector<Number> values;
  for (const Node& node : function.nodes) {
    const auto a = [&] { return values[node.a]; };
    const auto b = [&] { return values[node.b]; };
    const RealInterval& interval = node.interval;
    values.push_back(node.kind == Node::Kind::Operand      ? x
                     : node.kind == Node::Kind::Number     ? Number(node.number)
                     : node.kind == Node::Kind::Sum        ? a() + b()
                     : node.kind == Node::Kind::Difference ? a() - b()
                     : node.kind == Node::Kind::Product
                         ? a() * b()
                         : series_at(node.series, (2.0 * a() - interval.low - interval.high) /
                                                      (interval.high - interval.low)));
  }
  return values.back();
}

auto steepest_of(const RealFunction& function, RealInterval x) -> double {
  constexpr int kPoints = 1 << 16;
  const double step = (x.high - x.low) / kPoints;
  double most = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double at = x.low + i * step;
    most =
        std::max(most, std::abs(result_at(function, at + step) - result_at(function, at)) / step);
  }
  return most;
}

/// y = x/2 + x/2 u of the stages, or these alone.
auto function_of(const Approximation& approximation) -> RealFunction {
  RealFunction function;
  function.nodes.push_back({.kind = Node::Kind::Operand});
  RealInterval interval{(-1 - approximation.scaling.shift) / approximation.scaling.scale,
                        (1 - approximation.scaling.shift) / approximation.scaling.scale};
  for (const Series& stage : approximation.stages) {
    function.nodes.push_back({.kind = Node::Kind::Polynomial,
                              .a = static_cast<uint32_t>(function.nodes.size() - 1),
                              .series = stage,
                              .interval = interval});
    interval = {-1, 1};
  }
  if (approximation.is_sign) {
    const auto sign = static_cast<uint32_t>(function.nodes.size() - 1);
    function.nodes.push_back({.kind = Node::Kind::Number, .number = 0.5});
    function.nodes.push_back({.kind = Node::Kind::Product, .a = 0, .b = sign + 1});
    function.nodes.push_back({.kind = Node::Kind::Product, .a = sign + 2, .b = sign});
    function.nodes.push_back({.kind = Node::Kind::Sum, .a = sign + 2, .b = sign + 3});
  }
  return function;
}

/// Pairs where results differ most for their distance, as far as a search finds them.
void expect_above(const RealFunction& function, RealInterval x,
                  const std::vector<Continuity>& continuity, std::mt19937_64& random) {
  ASSERT_FALSE(continuity.empty());
  std::uniform_real_distribution<double> part(0, 1);
  for (const Continuity& of : continuity) {
    for (uint64_t round = 0; round < harness::rounds(40); ++round) {
      const double error = of.most * std::exp2(-20 * part(random)) * (1 - 1e-9);
      double worst = 0;
      const double width = x.high - x.low + 2 * error;
      double step = width / 4096;
      double around = x.low - error + width / 2;
      // A grid, and finer ones around the worst pair.
      for (int level = 0; level < 4; ++level) {
        double worst_at = around;
        for (int i = -2048; i <= 2048; ++i) {
          const double at = std::clamp(around + i * step, x.low - error, x.high);
          const double change = std::abs(result_at(function, at + error) - result_at(function, at));
          if (change > worst) {
            worst = change;
            worst_at = at;
          }
        }
        around = worst_at;
        step /= 512;
      }
      EXPECT_LE(worst, of.of_error(error) * (1 + 1e-9)) << error << " of " << of.most;
    }
  }
}

/// With imaginary parts of errors, as slots of ciphertexts have them.
void expect_above_complex(const RealFunction& function, RealInterval x,
                          const std::vector<Continuity>& continuity, std::mt19937_64& random) {
  std::uniform_real_distribution<double> part(0, 1);
  for (const Continuity& of : continuity) {
    for (uint64_t round = 0; round < harness::rounds(4000); ++round) {
      const double at =
          round % 2 == 0
              ? x.low + part(random) * (x.high - x.low)
              : std::clamp(std::exp2(-16 * part(random)) * (round % 4 == 1 ? x.low : x.high), x.low,
                           x.high);
      const double real = of.most * (2 * part(random) - 1) * std::exp2(-20 * part(random));
      const double imaginary = of.most_imaginary * std::exp2(-6 * part(random)) * (1 - 1e-9);
      const double changed = result_at(function, std::complex<double>(at + real, imaginary)).real();
      EXPECT_LE(std::abs(changed - result_at(function, at)),
                of.of_error(std::abs(real), imaginary) * (1 + 1e-9) + 1e-13)
          << at << " off by " << real << " and " << imaginary << " of " << of.most_imaginary;
    }
    EXPECT_TRUE(std::isinf(of.of_error(0, 1.01 * of.most_imaginary)));
  }
}

struct FunctionCase {
  std::string name;
  array::FunctionKind kind{};
  double low = -1;
  double high = 1;
  double error = 0.01;
  double slope = 1;  ///< of the function: by as much may results differ
  double steep = 1;  ///< of the approximation, at least: else there is nothing to find
};

class ContinuityOf : public testing::TestWithParam<FunctionCase> {};

TEST_P(ContinuityOf, IsThatOfTheFunction) {
  const FunctionCase& test = GetParam();
  const RealInterval x{test.low, test.high};
  const double beside = (x.high - x.low) / 64;
  const Approximation approximation = value(
      approximate::choose_approximation(test.kind, {x.low - beside, x.high + beside}, test.error));
  const RealFunction function = function_of(approximation);
  const double steepest = steepest_of(function, x);
  EXPECT_GE(steepest, test.steep);
  const std::vector<Continuity> continuity = find_continuity(function, x, steepest);
  std::mt19937_64 random(17);
  expect_above(function, x, continuity, random);
  expect_above_complex(function, x, continuity, random);
  for (const Continuity& of : continuity) {
    if (of.most > beside) {
      continue;  // farther than it approximates the function
    }
    const double finest = 0x1p-15 * (x.high - x.low) * test.slope;
    EXPECT_LE(of.of_error(of.most), 1.03 * test.slope * of.most + 2 * approximation.error + finest);
  }
  EXPECT_GE(continuity.front().most, beside / 2) << "nothing is known outside of the interval";
}

INSTANTIATE_TEST_SUITE_P(
    Functions, ContinuityOf,
    testing::Values(FunctionCase{"ramp", array::FunctionKind::Ramp, -1, 1, 0.01, 1, 1.2},
                    FunctionCase{"ramp_of_signs", array::FunctionKind::Ramp, -1, 1, 0.0002, 1, 1.2},
                    FunctionCase{"wide_ramp", array::FunctionKind::Ramp, -40, 50, 0.1, 1, 1.2},
                    FunctionCase{"uneven_ramp", array::FunctionKind::Ramp, -0.1, 3, 0.01, 1, 1.2},
                    FunctionCase{"sigmoid", array::FunctionKind::Sigmoid, -8, 8, 0.001, 0.25, 0.2},
                    FunctionCase{"tanh", array::FunctionKind::Tanh, -6, 6, 0.01, 1, 0.9}),
    [](const auto& given) { return given.param.name; });

/// Nodes of all kinds, of which the last is the result.
TEST(Continuity, HoldsForRandomFunctions) {
  std::mt19937_64 random(harness::number_of("TACET_SEED", 23));
  std::uniform_real_distribution<double> any(-1, 1);
  for (uint64_t round = 0; round < harness::rounds(12); ++round) {
    const RealInterval x{-1 - any(random) / 2, 1 + any(random) / 2};
    RealFunction function;
    function.nodes.push_back({.kind = Node::Kind::Operand});
    function.nodes.push_back({.kind = Node::Kind::Number, .number = any(random)});
    for (uint32_t i = 2; i < 7; ++i) {
      Node node{.kind = static_cast<Node::Kind>(2 + random() % 4),
                .a = i - 1,
                .b = static_cast<uint32_t>(random() % i)};
      if (node.kind == Node::Kind::Polynomial) {
        node.interval = {-3, 3};
        for (uint64_t k = 0; k <= 1 + random() % 12; ++k) {
          node.series.push_back(any(random) / static_cast<double>(k + 1));
        }
      }
      function.nodes.push_back(std::move(node));
    }
    const double steepest = steepest_of(function, x);
    if (steepest > 1e-6) {
      const std::vector<Continuity> continuity = find_continuity(function, x, steepest);
      expect_above(function, x, continuity, random);
      expect_above_complex(function, x, continuity, random);
    }
  }
}

}  // namespace
}  // namespace tacet::he_lower
