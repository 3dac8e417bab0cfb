// Draws that no party knows: what all parties get when they are revealed.

#include "engine/mpc/dispatch/secret_draws.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numeric>
#include <set>

#include "engine/mpc/machine/machine.h"
#include "engine/mpc/testing/run_parties.h"
#include "engine/program/mpc/text.h"
#include "engine/program/mpc/validate.h"

namespace tacet::mpc {
namespace {

using engine::MpcCells;

const TestRun kRuns[] = {
    {3, "aby3", 5}, {4, "rep4", 5}, {2, "semi2k", 5}, {3, "semi2k", 5}, {2, "ref", 5}};

/// The outputs, which must be equal at all parties.
auto outputs_of(const std::string& text, const TestRun& run) -> std::vector<MpcCells> {
  Result<engine::MpcProgram> program = engine::parse_mpc_program("mpc_program 1\n" + text);
  EXPECT_TRUE(program) << (program ? "" : program.error().message);
  const auto fault = engine::find_fault(*program);
  EXPECT_FALSE(fault) << fault->message;
  const auto results = run_parties(
      run, [&](Party& party) -> Task<MachineResult> { return run_program(party, *program, {}); });
  std::vector<MpcCells> outputs;
  EXPECT_EQ(results[0].fault, engine::MpcRunFault::None);
  for (const auto& output : results[0].outputs) {
    outputs.push_back(output.value_or(MpcCells{}));
  }
  for (const MachineResult& result : results) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_EQ(result.outputs[i], outputs[i]);
    }
  }
  return outputs;
}

/// The only one.
auto output_of(const std::string& text, const TestRun& run) -> MpcCells {
  return outputs_of(text, run).at(0);
}

/// `n` draws in a row, at words 0, 1, …; `arguments` are constants of their types.
auto draws(std::string_view type, int function, int64_t n,
           const std::vector<std::pair<std::string, int64_t>>& arguments) -> std::string {
  std::string text = fmt::format("w: public i64[{}] = iota [0, 1]\n", n);
  std::string operands = "w";
  for (size_t i = 0; i < arguments.size(); ++i) {
    text +=
        fmt::format("a{}: public {} = constant [{}]\n", i, arguments[i].first, arguments[i].second);
    operands += fmt::format(", a{}", i);
  }
  return text + fmt::format("x: secret {}[{}] = draw_secret {} [{}, 1, 0, 1]\noutput x = x\n", type,
                            n, operands, function);
}

TEST(SecretDraws, OfOnePlaceAreOneDraw) {
  const std::string text = R"(
w: public i64 = constant [7]
n: public i64 = constant [1000]
x: secret u64 = draw_secret w [3, 1, 0, 1]
y: secret u64 = draw_secret w [3, 1, 0, 1]
z: secret u64 = draw_secret w [3, 1, 0, 1, 0]
i: secret i64 = draw_secret w, n [4, 1, 1]
j: secret i64 = draw_secret w, n [4, 1, 1]
v: secret u64 = draw_secret [3, 0]
d: secret u64 = sub x, y
e: secret i64 = sub i, j
output d = d
output e = e
output x = x
output z = z
output v = v
)";
  for (const TestRun& run : kRuns) {
    SCOPED_TRACE(fmt::format("{} {}", run.protocol, run.n_parties));
    const std::vector<MpcCells> outputs = outputs_of(text, run);
    EXPECT_EQ(outputs[0], MpcCells{0});
    EXPECT_EQ(outputs[1], MpcCells{0});
    EXPECT_NE(outputs[2], outputs[3]);
    EXPECT_NE(outputs[2], outputs[4]);
    // Keys are those of the run.
    TestRun another = run;
    another.seed = 6;
    EXPECT_NE(outputs_of(text, another)[2], outputs[2]);
  }
}

/// Of `counts` with equal expectations; for 9 degrees of freedom it is above 30 once in 2,000.
auto chi_squared(const std::vector<uint64_t>& counts, double expected) -> double {
  double sum = 0;
  for (const uint64_t count : counts) {
    const double difference = static_cast<double>(count) - expected;
    sum += difference * difference / expected;
  }
  return sum;
}

TEST(SecretDraws, OfIntegersAreUniform) {
  for (const TestRun& run : kRuns) {
    SCOPED_TRACE(fmt::format("{} {}", run.protocol, run.n_parties));
    for (const char* type : {"i64", "u8"}) {
      std::vector<uint64_t> counts(10);
      for (const uint64_t cell : output_of(draws(type, 4, 2000, {{type, 10}}), run)) {
        ASSERT_LT(cell, 10U);
        ++counts[cell];
      }
      EXPECT_LT(chi_squared(counts, 200), 30);
    }
    std::vector<uint64_t> bits(64);
    for (const uint64_t cell : output_of(draws("u64", 3, 2000, {}), run)) {
      for (size_t i = 0; i < 64; ++i) {
        bits[i] += cell >> i & 1;
      }
    }
    for (const uint64_t count : bits) {
      EXPECT_NEAR(static_cast<double>(count), 1000, 100);  // 4.5 deviations
    }
  }
}

TEST(SecretDraws, OfFractionsHaveTheirDistributions) {
  constexpr int64_t kOne = int64_t{1} << 18;
  for (const TestRun& run : kRuns) {
    SCOPED_TRACE(fmt::format("{} {}", run.protocol, run.n_parties));
    const MpcCells uniform =
        output_of(draws("fxp", 0, 2000, {{"fxp", -kOne}, {"fxp", 4 * kOne}}), run);
    std::vector<uint64_t> fifths(5);
    for (const uint64_t cell : uniform) {
      const auto value = static_cast<int64_t>(cell);
      ASSERT_TRUE(-kOne <= value && value < 4 * kOne);
      ++fifths[static_cast<size_t>((value + kOne) / kOne)];
    }
    EXPECT_LT(chi_squared(fifths, 400), 20);
    // Downwards, and nothing to choose from.
    for (const uint64_t cell :
         output_of(draws("fxp", 0, 50, {{"fxp", kOne}, {"fxp", -kOne}}), run)) {
      const auto value = static_cast<int64_t>(cell);
      EXPECT_TRUE(-kOne < value && value <= kOne);
    }
    EXPECT_EQ(output_of(draws("fxp", 0, 1, {{"fxp", 77}, {"fxp", 77}}), run), MpcCells{77});

    const MpcCells normal =
        output_of(draws("fxp", 2, 2000, {{"fxp", 10 * kOne}, {"fxp", 3 * kOne}}), run);
    double sum = 0;
    double squares = 0;
    for (const uint64_t cell : normal) {
      const double value = static_cast<double>(static_cast<int64_t>(cell)) / kOne - 10;
      sum += value;
      squares += value * value;
    }
    EXPECT_NEAR(sum / 2000, 0, 0.3);      // 4.5 deviations
    EXPECT_NEAR(squares / 2000, 9, 1.3);  // 4.6 deviations
    const MpcCells truths = output_of(draws("bool", 1, 2000, {{"fxp", kOne / 4}}), run);
    uint64_t n_true = 0;
    for (const uint64_t cell : truths) {
      n_true += cell;
    }
    EXPECT_NEAR(static_cast<double>(n_true), 500, 90);  // 4.6 deviations
    for (const auto& [p, expected] : {std::pair{int64_t{0}, 0U}, {kOne, 1U}, {-5 * kOne, 0U}}) {
      for (const uint64_t cell : output_of(draws("bool", 1, 20, {{"fxp", p}}), run)) {
        EXPECT_EQ(cell, expected);
      }
    }
  }
}

/// The deviation of what each party of `aby3` does not know of normal draws of that deviation, in
/// units of 2^-18.
auto unknown_deviations(double deviation, size_t n) -> std::vector<double> {
  constexpr double kOne = 1 << 18;
  const auto shares = run_parties({3, "aby3", 5}, [&](Party& party) -> Task<Share> {
    const engine::MpcType fixed{engine::MpcVisibility::Public, {engine::ElementKind::Fxp, 18}, {}};
    engine::MpcType places{engine::MpcVisibility::Public, {engine::ElementKind::I64, 0}, {}};
    places.extents = {static_cast<int64_t>(n)};
    MpcCells numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    engine::MpcInstruction instruction;
    instruction.numbers = {2, 1, 0, 1};
    Operation operation{.instruction = &instruction};
    operation.operands = {
        public_value(places, std::move(numbers)), public_value(fixed, MpcCells{0}),
        public_value(fixed, MpcCells{static_cast<uint64_t>(std::lround(deviation * kOne))})};
    operation.type = {engine::MpcVisibility::Secret, fixed.element, places.extents};
    const DrawKeys keys = co_await make_draw_keys(party);
    Context context{.party = party, .draw_keys = &keys};
    const Value drawn = co_await draw_secretly(context, std::move(operation));
    co_return *drawn.secret->share;
  });
  std::vector<double> deviations;
  for (size_t rank = 0; rank < 3; ++rank) {
    // Party i holds parts i and i + 1.
    double squares = 0;
    for (const uint64_t word : shares[(rank + 1) % 3].parts[1].words<uint64_t>()) {
      const double value = static_cast<double>(static_cast<int64_t>(word)) / kOne;
      squares += value * value;
    }
    deviations.push_back(std::sqrt(squares / static_cast<double>(n)));
  }
  return deviations;
}

/// The example promises that what a party does not know has a deviation of 4 by itself.
TEST(SecretDraws, OfTheExampleHideFromEachParty) {
  std::ifstream file(std::string(TACET_SOURCE_DIR) + "/examples/random/noisy_sum.tacet");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const size_t function = text.find("fn(mpc) secretly_noisy_count");
  const std::string_view call = "rand_normal(0.0, ";
  const size_t at = text.find(call, function);
  ASSERT_NE(at, std::string::npos);
  const double deviation = std::stod(text.substr(at + call.size()));
  for (const double unknown : unknown_deviations(deviation, 40'000)) {
    EXPECT_GT(unknown, 4 * (1 - 3.5 / std::sqrt(2 * 40'000.0)));  // of a sample, 3.5 deviations
    EXPECT_LT(unknown, 4.1);
  }
}

TEST(SecretDraws, OfPermutationsArePermutations) {
  for (const TestRun& run : kRuns) {
    SCOPED_TRACE(fmt::format("{} {}", run.protocol, run.n_parties));
    const MpcCells all = output_of(R"(
w: public i64[20] = iota [0, 1]
x: secret i64[20, 5] = draw_secret w [5, 1]
output x = x
)",
                                   run);
    std::set<std::vector<uint64_t>> different;
    for (size_t i = 0; i < 20; ++i) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(5 * i);
      EXPECT_EQ(std::set<uint64_t>(first, first + 5), (std::set<uint64_t>{0, 1, 2, 3, 4}));
      different.emplace(first, first + 5);
    }
    EXPECT_GT(different.size(), 10U);
  }
}

TEST(SecretDraws, FailAlikeForAll) {
  for (const auto& [n, fault] : {std::pair{int64_t{0}, engine::MpcRunFault::EmptyDraw},
                                 {(int64_t{1} << 56) + 1, engine::MpcRunFault::WideDraw}}) {
    Result<engine::MpcProgram> program =
        engine::parse_mpc_program("mpc_program 1\n" + draws("i64", 4, 3, {{"i64", n}}));
    ASSERT_TRUE(program);
    for (const MachineResult& result :
         run_parties({3, "aby3"}, [&](Party& party) -> Task<MachineResult> {
           return run_program(party, *program, {});
         })) {
      EXPECT_EQ(result.fault, fault);
    }
  }
}

}  // namespace
}  // namespace tacet::mpc
