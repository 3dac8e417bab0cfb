// Fixed point in the ring that it needs: results are those of `ref`, also where products and
// quotients need more than 63 bits inside, and where they leave their type.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/device/kernel/evaluate.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/mpc/lower/lower.h"
#include "engine/mpc/machine/machine.h"
#include "engine/mpc/testing/run_parties.h"
#include "engine/program/mpc/clear.h"
#include "engine/program/mpc/text.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::mpc_lower {
namespace {

using Cells = std::vector<int64_t>;

constexpr int64_t kOne = int64_t{1} << 18;
constexpr int64_t kLeast = INT64_MIN;
constexpr int64_t kGreatest = INT64_MAX;

auto lowered(const std::string& text, const LowerOptions& options = {}) -> Lowering {
  return lower(oblivious::make_oblivious(oblivious::kernel_of(text)).kernel, options);
}

auto run_machine(const engine::MpcProgram& program, const std::vector<Cells>& inputs,
                 const mpc::TestRun& run, mpc::Truncation truncation) -> mpc::MachineResult {
  return mpc::run_parties(run, [&](mpc::Party& party) -> mpc::Task<mpc::MachineResult> {
    mpc::MachineRun work;
    work.truncation = truncation;
    for (const Cells& cells : inputs) {
      const engine::MpcCells words(cells.begin(), cells.end());
      work.inputs.push_back(party.rank() == 0 ? std::optional(words) : std::nullopt);
    }
    return mpc::run_program(party, program, std::move(work));
  })[0];
}

struct Case {
  std::string parameters;
  std::string body;
  std::vector<std::vector<Cells>> inputs;
  unsigned ring = 128;
  int64_t units = 1;  ///< that results may be off by, modulo 2^64
};

auto text_of(const Case& tried) -> std::string {
  return fmt::format("#version 0.1.0\nfn(mpc) f({}) -> secret fxp {{\n{}\n}}\n", tried.parameters,
                     tried.body);
}

void expect_as_on_ref(const Case& tried) {
  const std::string text = text_of(tried);
  SCOPED_TRACE(text);
  const kernel::Kernel kernel = oblivious::kernel_of(text);
  const Lowering lowering = lower(oblivious::make_oblivious(kernel).kernel);
  ASSERT_TRUE(lowering.program) << lowering.diagnostics.front().message;
  EXPECT_EQ(lowering.program->fixed_ring_bits, tried.ring);
  for (const std::vector<Cells>& given : tried.inputs) {
    std::vector<kernel::Value> values;
    std::vector<engine::MpcCells> cells;
    for (size_t i = 0; i < given.size(); ++i) {
      cells.emplace_back(given[i].begin(), given[i].end());
      values.push_back({kernel.variables[kernel.parameters[i]].type, cells.back()});
    }
    const kernel::Evaluation wanted = kernel::evaluate(kernel, values);
    const auto expect_close = [&](const engine::MpcCells& found, std::string_view where) {
      const auto difference = static_cast<int64_t>(found[0] - wanted.results[0].cells[0]);
      EXPECT_LE(std::abs(difference), tried.units)
          << where << " gives " << static_cast<int64_t>(found[0]) << " and not "
          << static_cast<int64_t>(wanted.results[0].cells[0]) << " for "
          << fmt::format("{}", given[0][0]) << "\n"
          << engine::to_text(*lowering.program);
    };
    expect_close(engine::run_in_the_clear(*lowering.program, cells).outputs[0], "in the clear");
    for (const mpc::TestRun& run : {mpc::TestRun{.n_parties = 2, .protocol = "ref"},
                                    mpc::TestRun{.n_parties = 3, .protocol = "aby3"},
                                    mpc::TestRun{.n_parties = 4, .protocol = "rep4"},
                                    mpc::TestRun{.n_parties = 2, .protocol = "semi2k_dealer"}}) {
      const mpc::MachineResult found =
          run_machine(*lowering.program, given, run, mpc::Truncation::Exact);
      ASSERT_EQ(found.fault, engine::MpcRunFault::None);
      expect_close(*found.outputs[0], run.protocol);
    }
  }
}

constexpr int64_t kLarge = 20000 * kOne + kOne / 2;

TEST(FixedRing, IsWideWhereBoundsAskForIt) {
  expect_as_on_ref({.parameters = "a: secret fxp in -30000..30000, b: secret fxp in -30000..30000",
                    .body = "a * b",
                    .inputs = {{{kLarge}, {kLarge}}, {{-kLarge}, {kLarge}}, {{-1}, {1}}}});
  expect_as_on_ref({.parameters = "a: secret fxp in 0..1000000000",
                    .body = "a / 3",
                    .inputs = {{{999999999 * kOne + 1}}, {{1}}, {{0}}},
                    .units = 4000});
  expect_as_on_ref(
      {.parameters = "x: secret [fxp; 4] in -20000..20000",
       .body = "sum(for i: 4 { x[i] * x[i] }) / 3",
       .inputs = {{{kLarge - kOne, kLarge - kOne, -kLarge + kOne, kLarge - kOne}}, {{1, 2, 3, 4}}},
       .units = 10});
}

TEST(FixedRing, IsNarrowWhereBoundsAllowIt) {
  expect_as_on_ref({.parameters = "a: secret fxp in -4000..4000, b: secret fxp in -4000..4000",
                    .body = "a * b",
                    .inputs = {{{3999 * kOne + 5}, {-3999 * kOne - 77}}},
                    .ring = 64});
  expect_as_on_ref({.parameters = "x: secret [fxp; 3] in -2000..2000",
                    .body = "sum(for i: 3 { x[i] * x[i] }) + x[0] * x[1] - x[1] * x[2]",
                    .inputs = {{{1999 * kOne, -1999 * kOne, 5}}},
                    .ring = 64,
                    .units = 4});
  expect_as_on_ref({.parameters = "a: secret fxp in -100..100, b: secret fxp in 1..50",
                    .body = "a / b + sigmoid(a) + tanh(b)",
                    .inputs = {{{99 * kOne + 3}, {kOne}}, {{-100 * kOne}, {49 * kOne + 5}}},
                    .ring = 64,
                    .units = 70});
  // Whole numbers multiply without a truncation.
  expect_as_on_ref({.parameters = "a: secret fxp, b: secret i32",
                    .body = "a * 12345 - a * b",
                    .inputs = {{{kGreatest}, {1}}, {{20000 * kOne + 1}, {INT32_MIN}}},
                    .ring = 64,
                    .units = 0});
  // What is only added, compared or shown needs no room.
  expect_as_on_ref({.parameters = "a: secret fxp, b: secret fxp",
                    .body = "a + b if a < b else a - b",
                    .inputs = {{{kGreatest}, {kGreatest}}, {{kLeast}, {kGreatest}}},
                    .ring = 64,
                    .units = 0});
  // A sigmoid is within its bound for all numbers.
  expect_as_on_ref({.parameters = "a: secret fxp",
                    .body = "sigmoid(a) * tanh(a)",
                    .inputs = {{{30000 * kOne}},
                               {{-30000 * kOne}},
                               {{100000 * kOne}},
                               {{kGreatest}},
                               {{kLeast}},
                               {{kOne / 3}}},
                    .ring = 64,
                    .units = 4});
}

const std::vector<std::vector<Cells>> kPairs = {
    {{kLarge}, {kLarge}},      {{kLeast}, {kLeast}},
    {{kLeast}, {kGreatest}},   {{kGreatest}, {kGreatest}},
    {{kLeast}, {-1}},          {{kGreatest}, {1}},
    {{-kLarge}, {kLarge}},     {{kLeast + 1}, {kOne}},
    {{1}, {kLeast}},           {{-1}, {-1}},
    {{kOne}, {kGreatest - 5}}, {{0}, {kLeast}}};

TEST(FixedRing, HoldsProductsOfAnyNumbers) {
  expect_as_on_ref(
      {.parameters = "a: secret fxp, b: secret fxp", .body = "a * b", .inputs = kPairs});
  // The first product wraps as on `ref` before it is multiplied again.
  expect_as_on_ref({.parameters = "a: secret fxp, b: secret fxp",
                    .body = "a * b * 3.5 - (a * b + a) * 0.25",
                    .inputs = kPairs,
                    .units = 16});
  expect_as_on_ref({.parameters = "a: secret fxp, b: secret fxp",
                    .body = "max(min(a + b, 7), -7) * 2.5 + abs(a - b) * 0.5",
                    .inputs = kPairs,
                    .units = 8});
  expect_as_on_ref({.parameters = "a: secret fxp, b: secret fxp",
                    .body = "(a * 12345 + b * 98765) * 0.5",
                    .inputs = kPairs});
  expect_as_on_ref({.parameters = "a: secret fxp, b: secret i64",
                    .body = "(a * b + (b as fxp)) * 0.75",
                    .inputs = kPairs});
}

TEST(FixedRing, HoldsSumsOfProducts) {
  const Cells x = {kGreatest, kLeast, kLarge, -kLarge, 5};
  const Cells y = {kLeast, kLeast, kLarge, kGreatest, -3 * kOne};
  expect_as_on_ref({.parameters = "x: secret [fxp; 5], y: secret [fxp; 5]",
                    .body = "sum(for i: 5 { x[i] * y[i] })",
                    .inputs = {{x, y}, {y, x}, {x, x}},
                    .units = 5});
  expect_as_on_ref(
      {.parameters = "x: secret [fxp; 5] in 0..100000, y: secret [fxp; 5] in 0..100000",
       .body = "sum(for i: 5 { x[i] * y[i] })",
       .inputs = {{{99999 * kOne, 99999 * kOne, 7, 99999 * kOne, 99999 * kOne},
                   {99999 * kOne, 99999 * kOne, 9, 99999 * kOne, 99999 * kOne}}},
       .units = 5});
}

TEST(FixedRing, HoldsProductsInLoops) {
  expect_as_on_ref({.parameters = "a: secret fxp, b: secret fxp",
                    .body = "    var w: secret fxp = a;\n    for i in 0..4 {\n"
                            "        w = w * 1.5 + b * a;\n    }\n    w",
                    .inputs = kPairs,
                    .units = 40});
  expect_as_on_ref({.parameters = "x: secret [fxp; 4]",
                    .body = "    var p: secret fxp = 1.0;\n    for i in 0..4 {\n"
                            "        p = p * x[i];\n    }\n    p",
                    .inputs = {{{kLarge, 2 * kOne, kOne, -kOne / 2}}, {{kLeast, kOne, kOne, kOne}}},
                    .units = 8});
}

TEST(FixedRing, HoldsQuotientsOfAnyNumbers) {
  std::vector<std::vector<Cells>> pairs = kPairs;
  pairs.push_back({{kLeast}, {0}});
  pairs.push_back({{kLarge}, {0}});
  expect_as_on_ref(
      {.parameters = "a: secret fxp, b: secret fxp", .body = "a / b", .inputs = pairs, .units = 0});
}

auto severity_of(const std::string& parameters, const std::string& body,
                 const LowerOptions& options = {}) -> std::optional<Severity> {
  const Lowering lowering =
      lowered(text_of({.parameters = parameters, .body = body, .inputs = {}}), options);
  std::optional<Severity> found;
  for (const Diagnostic& diagnostic : lowering.diagnostics) {
    found = !found || diagnostic.severity == Severity::Error ? diagnostic.severity : found;
  }
  EXPECT_EQ(lowering.program.has_value(), found != Severity::Error);
  return found;
}

TEST(FixedRing, ReportsValuesOutOfRange) {
  const auto expect = [](std::optional<Severity> wanted, const std::string& parameters,
                         const std::string& body) {
    EXPECT_EQ(severity_of(parameters, body), wanted) << parameters << ": " << body;
  };
  expect(std::nullopt, "a: secret fxp in -100..100", "a * a");
  expect(std::nullopt, "a: secret fxp in -30000..30000", "a * a * a");
  expect(Severity::Warning, "a: secret fxp", "a * a");
  expect(Severity::Warning, "a: secret fxp in 0..100000000", "a * a");
  expect(Severity::Error, "a: secret fxp in 10000000..100000000", "a * a");
  expect(Severity::Warning, "a: secret fxp, b: secret fxp", "a / b");
  expect(std::nullopt, "a: secret fxp in -100..100, b: secret fxp in -9..9", "a / b");
  expect(std::nullopt, "a: secret fxp", "min(max(a, -9), 9) * min(max(a, -9), 9)");
  expect(std::nullopt, "a: secret fxp in 1..100", "log(a)");
  expect(Severity::Warning, "a: secret fxp in -1..100", "log(a)");
  expect(Severity::Error, "a: secret fxp in -5..0", "log(a)");
  expect(Severity::Error, "a: secret fxp in -5..0", "rsqrt(a)");
  expect(Severity::Error, "a: secret fxp in -5..0", "sqrt(a)");
  expect(Severity::Warning, "a: secret fxp in -5..5", "reciprocal(a)");
  expect(Severity::Error, "b: secret fxp<40> in -5..5, a: secret fxp",
         "a + (reciprocal(b) as fxp)");
  expect(std::nullopt, "b: secret fxp<40> in 1..5, a: secret fxp", "a + (reciprocal(b) as fxp)");
  expect(std::nullopt, "a: secret fxp in -1000..31", "exp(a)");
  expect(Severity::Warning, "a: secret fxp in -1000..32", "exp(a)");
  expect(Severity::Error, "a: secret fxp in 1000..1001", "exp(a)");
  expect(std::nullopt, "a: secret fxp", "sigmoid(a) + tanh(a)");
}

/// Its ring is the one in which failures are negligible; where there is none it is rejected.
TEST(FixedRing, TruncatesProbabilisticallyWhereThatIsSafe) {
  const LowerOptions options{.truncation = LowerTruncation::Probabilistic};
  const auto ring_of = [&](const std::string& parameters, const std::string& body) -> unsigned {
    const Lowering lowering =
        lowered(text_of({.parameters = parameters, .body = body, .inputs = {}}), options);
    return lowering.program ? lowering.program->fixed_ring_bits : 0;
  };
  EXPECT_EQ(ring_of("a: secret fxp in -100..100", "a * a"), 128U);
  EXPECT_EQ(ring_of("a: secret fxp in -1000000..1000000", "a * a"), 128U);
  EXPECT_EQ(ring_of("a: secret fxp", "a * a"), 0U);
  EXPECT_EQ(ring_of("a: secret fxp", "a + a"), 64U);

  const Lowering lowering = lowered(
      text_of(
          {.parameters = "a: secret fxp in -1000000..1000000", .body = "a * 0.75", .inputs = {}}),
      options);
  ASSERT_TRUE(lowering.program);
  for (const mpc::TestRun& run : {mpc::TestRun{.n_parties = 3, .protocol = "aby3"},
                                  mpc::TestRun{.n_parties = 2, .protocol = "semi2k_dealer"}}) {
    for (const int64_t x : {-kOne, -999999 * kOne, int64_t{-1}, kOne, 999999 * kOne}) {
      const mpc::MachineResult found =
          run_machine(*lowering.program, {{x}}, run, mpc::Truncation::Probabilistic);
      const auto result = static_cast<int64_t>((*found.outputs[0])[0]);
      EXPECT_LE(std::abs(result - x / 4 * 3), 3) << x << " on " << run.protocol;
    }
  }
}

}  // namespace
}  // namespace tacet::mpc_lower
