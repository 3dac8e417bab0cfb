// Errors anywhere on the way to a result change it by no more than the gains of its stage say, and
// the gains are not far above what some inputs show: programs are run in doubles, each instruction
// in turn with an error.

#include "compiler/he/lower/noise_stages.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "compiler/he/lower/bound_registers.h"
#include "tests/he_compile/scalars.h"

namespace tacet::he_lower {
namespace {

using engine::HeProgram;

auto inputs(double low, double high) -> std::vector<double> {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> any(low, high);
  std::vector<double> xs{low, high, 0};
  for (int i = 0; i < 20; ++i) {
    xs.push_back(any(random));
    xs.push_back(any(random) / 64);
    xs.push_back(any(random) / 4096);
  }
  for (double& x : xs) {
    x = std::clamp(x, low, high);
  }
  return xs;
}

struct Case {
  std::string name;
  std::string expression;
  double low = -1;
  double high = 1;
  double tolerance = 0.01;
  bool is_of_input = true;  ///< not of what is masked first
};

class NoiseStages : public testing::TestWithParam<Case> {
 protected:
  NoiseStages()
      : program(lowered(fmt::format("fixed 18\ninput x fixed from client in {:f}..{:f}\nout = {}\n",
                                    GetParam().low, GetParam().high, GetParam().expression),
                        GetParam().tolerance)),
        stages(bound_registers({{"x", {GetParam().low, GetParam().high}}}, program)) {}

  HeProgram program;
  std::vector<NoiseStage> stages;
};

TEST_P(NoiseStages, BoundWhatErrorsBecome) {
  const Case& test = GetParam();
  const uint32_t result = program.outputs.front().source.reg;
  const auto last = std::find_if(stages.begin(), stages.end(), [&](const NoiseStage& stage) {
    return std::find(stage.results.begin(), stage.results.end(), result) != stage.results.end();
  });
  ASSERT_TRUE(last != stages.end()) << "nothing is known of the result";

  const Scalars<double> scalars(program);
  constexpr double kError = 1e-8;
  double most_slope = 0;
  std::vector<double> most(program.registers.size());
  std::vector<double> most_of_base(program.registers.size());  // what becomes of the base
  for (const double x : inputs(test.low, test.high)) {
    const std::vector<double> exact = scalars.run({{"x", x}});
    const auto change = [&](std::optional<size_t> at, uint32_t reg) {
      const auto error_at = [&](size_t statement) { return at == statement ? kError : 0; };
      const double wrong = scalars.run({{"x", at ? x : x + kError}}, error_at)[reg];
      return std::abs(wrong - exact[reg]) / kError;
    };
    most_slope = std::max(most_slope, change({}, result));
    for (size_t at = 0; at < program.body.size(); ++at) {
      const uint32_t reg = program.body[at].result.reg;
      if (program.registers[reg].kind == engine::HeKind::Cipher) {
        most[reg] = std::max(most[reg], change(at, result));
        for (const auto& [base, slope_of_base] : last->bases) {
          most_of_base[reg] = std::max(most_of_base[reg], change(at, base));
        }
      }
    }
  }
  constexpr double kSlack = 1.01;  // for what is not of first order, and for rounding
  constexpr double kLeast = 1e-4;
  const bool is_of_input =
      std::any_of(last->bases.begin(), last->bases.end(),
                  [&](const auto& base) { return !program.registers[base.first].gathers.empty(); });
  const double slope = last->bases.begin()->second;
  if (is_of_input) {
    EXPECT_LE(most_slope, slope * kSlack + kLeast);
    EXPECT_GE(most_slope, slope / 8) << "far above what inputs show";
  }
  double sum = 0;
  double shown = 0;
  for (uint32_t reg = 0; reg < most.size(); ++reg) {
    const auto gain = last->gains.find(reg);
    const double known = (gain == last->gains.end() ? 0 : gain->second) + slope * most_of_base[reg];
    EXPECT_LE(most[reg], known * kSlack + kLeast) << program.registers[reg].name;
    sum += known;
    shown += most[reg];
  }
  EXPECT_GE(shown, sum / 8) << "far above what inputs show";
}

/// Errors of the input that are far from being of first order.
TEST_P(NoiseStages, BoundLargeErrorsOfTheInput) {
  const Case& test = GetParam();
  const Scalars<double> scalars(program);
  size_t n_known = 0;
  for (const NoiseStage& stage : stages) {
    const bool is_of_input = std::all_of(
        stage.bases.begin(), stage.bases.end(),
        [&](const auto& base) { return !program.registers[base.first].gathers.empty(); });
    if (!is_of_input || stage.continuity.empty()) {
      continue;
    }
    n_known += 1;
    const double most = stage.continuity.front().most;
    for (const double x : inputs(test.low, test.high)) {
      const std::vector<double> exact = scalars.run({{"x", x}});
      for (const double error : {most, -most / 2, most / 16, -most / 256, most / 65536}) {
        const std::vector<double> wrong = scalars.run({{"x", x + error}});
        for (const Continuity& continuity : stage.continuity) {
          for (const uint32_t result : stage.results) {
            EXPECT_LE(std::abs(wrong[result] - exact[result]),
                      continuity.of_error(std::abs(error)) + 1e-12)
                << x << " with " << error;
          }
        }
      }
    }
  }
  EXPECT_EQ(n_known > 0, test.is_of_input);
}

INSTANTIATE_TEST_SUITE_P(Functions, NoiseStages,
                         testing::Values(Case{"sigmoid", "sigmoid(x)", -20, 20, 0.001},
                                         Case{"exp", "exp(x)", -3, 2, 0.001},
                                         Case{"log", "log(x)", 0.25, 3, 0.0001, false},
                                         Case{"ramp", "ramp(x)", -8, 8, 0.05},
                                         Case{"ramp_of_signs", "ramp(x)", -8, 8, 0.003},
                                         Case{"distance", "ramp(x) + ramp(x) - x", -2, 2, 0.001},
                                         Case{"polynomial", "x * x * x - 3 * x", -2, 2, 0.01},
                                         Case{"nested", "sigmoid(4 * tanh(x) - 1)", -3, 3, 0.001},
                                         Case{"product", "sigmoid(x) * tanh(x)", -6, 6, 0.001}),
                         [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace tacet::he_lower
