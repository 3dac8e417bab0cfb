// Errors in slots are complex numbers. Programs whose inputs and products are off by such errors,
// the worst that a search finds, give real parts within what the simulation says: through several
// functions, at their kinks, and where errors are as large as approximations are off.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "base/value.h"
#include "compiler/he/lower/bound_registers.h"
#include "compiler/he/lower/place_bootstraps.h"
#include "compiler/he/lower/simulation.h"
#include "tests/harness/rounds.h"
#include "tests/he_compile/scalars.h"

namespace tacet::he_lower {
namespace {

using Complex = std::complex<double>;
using engine::HeProgram;

/// Noise for `Simulation` in slots, not coefficients: inputs are off by one number, results of
/// products of ciphertexts and of bootstrapping by another. All else is exact.
class SlotNoise {
 public:
  struct State {
    he::NoiseState noise;
    size_t degree = 1;
  };

  static inline double of_input = 0;
  static inline double of_product = 0;

  SlotNoise(const Trace& /*trace*/, const Setting& /*setting*/) {}

  [[nodiscard]] auto fresh(size_t n_primes, double bound) const -> State {
    return {{.noise = log_of(of_input), .scale = 1, .magnitude = bound, .n_primes = n_primes}};
  }
  void add(State& a, const State& b) const {
    a.noise.noise = log_of(deviation(a) + deviation(b));
    a.noise.magnitude += b.noise.magnitude;
  }
  void add_plain(State& a, double bound) const { a.noise.magnitude += bound; }
  void multiply(State& a, const State& b) const {
    a.noise.noise = log_of(deviation(a) * b.noise.magnitude + deviation(b) * a.noise.magnitude +
                           deviation(a) * deviation(b) + of_product);
    a.noise.magnitude *= b.noise.magnitude;
  }
  void multiply_plain(State& a, double bound) const {
    a.noise.noise = log_of(deviation(a) * bound);
    a.noise.magnitude *= bound;
  }
  void switch_key(State& /*a*/, he::KeyOrigin /*origin*/) const {}
  void drop_prime(State& /*a*/) const {}
  void lower_to(size_t n_primes, State& a) const { a.noise.n_primes = n_primes; }
  void bootstrap(State& a, double bound) const {
    a.noise.noise = log_of(deviation(a) + of_product);
    a.noise.magnitude = bound;
  }
  static auto exact(State a) -> State {
    a.noise.noise = log_of(0);
    return a;
  }
  static auto deviation(const State& a) -> double { return std::exp2(a.noise.noise); }
  static void limit(double deviation, State& a) {
    a.noise.noise = std::min(a.noise.noise, log_of(deviation));
  }
  [[nodiscard]] auto most_in_slot() const -> double { return 1; }
  void observe(const State& /*a*/, Outcome& /*outcome*/) const {}
  void observe_output(const State& a, size_t /*n_outputs*/, Outcome& outcome) const {
    outcome.error = std::max(outcome.error, deviation(a));
  }

 private:
  static auto log_of(double deviation) -> double { return std::log2(std::max(deviation, 1e-200)); }
};

auto simulated_error(const HeProgram& program, const std::vector<NoiseStage>& stages) -> double {
  const Trace trace = trace_of(program, std::make_shared<const std::vector<NoiseStage>>(stages));
  Setting setting;
  setting.scheme = he::Scheme::Ckks;
  setting.ring_dimension = 8192;
  setting.data_prime_bits.assign(20, 50);
  setting.special_prime_bits = {50};
  const Levels levels{.of_group = std::vector<uint32_t>(trace.n_groups, 1),
                      .of_statement = std::vector<uint32_t>(program.body.size(), 1),
                      .is_rescaled = std::vector<bool>(program.body.size())};
  Simulation<SlotNoise> simulation(trace, setting, he::default_operation_times());
  return simulation
      .walk(levels, [](const Step&, uint32_t level, const SlotNoise::State&) { return level; })
      .error;
}

struct ErrorCase {
  std::string name;
  std::string expression;  ///< in x, y and z between -1 and 1
  double tolerance = 0.01;
  uint32_t n_levels = 0;          ///< from one bootstrap to the next; 0: there are none
  bool needs_continuity = false;  ///< derivatives alone say far more
};

class ComplexErrors : public testing::TestWithParam<ErrorCase> {};

TEST_P(ComplexErrors, LeaveRealPartsWithinWhatIsSimulated) {
  const ErrorCase& test = GetParam();
  std::string text = "fixed 18\n";
  InputRanges ranges;
  for (const char* name : {"x", "y", "z"}) {
    text += fmt::format("input {} fixed from client in -1.0..1.0\n", name);
    ranges[name] = {-1, 1};
  }
  HeProgram program = lowered(text + "out = " + test.expression + "\n", test.tolerance,
                              circuit::Relinearisation::Eager);
  std::vector<NoiseStage> stages = bound_registers(ranges, program);
  if (test.n_levels != 0) {
    std::optional<HeProgram> placed =
        with_bootstraps(program, Rescaling::Relinearised, test.n_levels);
    ASSERT_TRUE(placed);
    program = std::move(*placed);
    stages = bound_registers(ranges, program);
  }
  std::vector<NoiseStage> by_derivatives = stages;
  for (NoiseStage& stage : by_derivatives) {
    stage.continuity.clear();
  }
  const uint32_t out = program.outputs.front().source.reg;
  const Scalars<Complex> scalars(program);
  std::mt19937_64 random(harness::number_of("TACET_SEED", 31));
  std::uniform_real_distribution<double> part(0, 1);
  const auto error_within = [&](double most) {
    const double size = random() % 4 == 0 ? most * part(random) : most;
    const double angle =
        random() % 4 == 0 ? static_cast<double>(random() % 4) / 2 : 2 * part(random);
    return std::polar(size, angle * std::numbers::pi);
  };
  const auto number = [&](double kink) {
    const double near = std::exp2(-16 * part(random)) * (random() % 2 == 0 ? 1 : -1);
    return std::clamp(random() % 4 == 0 ? kink : kink + near, -1.0, 1.0);
  };
  size_t n_better = 0;
  for (const double of_input : {1e-7, 1e-5, 1e-4, 1e-3, 4e-3}) {
    for (const double of_product : {0.0, 1e-9, 1e-7}) {
      SlotNoise::of_input = of_input;
      SlotNoise::of_product = of_product;
      const double most = simulated_error(program, stages);
      n_better += most < simulated_error(program, by_derivatives) / 2;
      double worst = 0;
      for (uint64_t round = 0; round < harness::rounds(60); ++round) {
        const std::map<std::string, Complex> exact{
            {"x", number(0)}, {"y", number(0)}, {"z", number(0)}};
        std::map<std::string, Complex> wrong = exact;
        for (auto& [name, value] : wrong) {
          value += error_within(of_input);
        }
        const auto error_at = [&](size_t statement) {
          const engine::HeStatement& step = program.body[statement];
          const bool is_off =
              step.opcode == engine::HeOpcode::Bootstrap ||
              (step.opcode == engine::HeOpcode::Mul &&
               engine::operation_kind(program, step) == engine::HeOperationKind::Cipher);
          return is_off ? error_within(of_product) : Complex();
        };
        const Complex is = scalars.run(wrong, error_at)[out];
        worst = std::max(worst, std::abs(is.real() - scalars.run(exact)[out].real()));
      }
      EXPECT_LE(worst, most * (1 + 1e-9)) << of_input << ", " << of_product;
    }
  }
  EXPECT_EQ(n_better > 0, test.needs_continuity);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, ComplexErrors,
    testing::Values(ErrorCase{"ramp", "ramp(x)", 0.005},
                    ErrorCase{"ramps", "ramp(ramp(x) - ramp(y))", 0.01},
                    ErrorCase{"layers", "ramp(ramp(ramp(x) - ramp(y)) - ramp(z))", 0.02},
                    ErrorCase{"bootstrapped", "ramp(ramp(ramp(x) - ramp(y)) - ramp(z))", 0.02, 9,
                              true},
                    ErrorCase{"often", "ramp(ramp(ramp(x) - ramp(y)) - ramp(z))", 0.02, 5, true},
                    ErrorCase{"residual", "ramp(x + ramp(x - y) - z) + ramp(z - ramp(y))", 0.01},
                    ErrorCase{"smooth", "tanh(sigmoid(x - y) - sigmoid(z))", 0.01},
                    ErrorCase{"cubic", "x * x * x - y * y * z", 0.01}),
    [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace tacet::he_lower
