// Loops that become trees of their iterations: random ones beside the reference device, and what
// they take.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/device/kernel/print.h"
#include "compiler/device/kernel/verify.h"
#include "compiler/device/loops/combine_iterations.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/mpc/lower/lower.h"
#include "engine/mpc_model/programs/program_costs.h"
#include "engine/program/mpc/clear.h"
#include "engine/program/mpc/text.h"
#include "tests/harness/rounds.h"
#include "tests/mpc_lower/loop_nests.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::mpc_lower {
namespace {

auto rounds_of(const kernel::Kernel& kernel, LowerIterations iterations) -> uint64_t {
  const Lowering lowering = lower(kernel, {.iterations = iterations});
  return lowering.program
             ? cost_of_program(*mpc_model::aby3_costs(), *lowering.program).total.cost.rounds
             : 0;
}

void expect_equal_results(const kernel::Kernel& source, const engine::MpcProgram& program) {
  for (uint64_t inputs = 0; inputs < 4; ++inputs) {
    const std::vector<kernel::Value> values = oblivious::random_inputs(source, inputs, inputs);
    const kernel::Evaluation expected = kernel::evaluate(source, values, {});
    std::vector<engine::MpcCells> given;
    for (const kernel::Value& value : values) {
      given.push_back(value.cells);
    }
    const engine::MpcClearRun found = engine::run_in_the_clear(program, given);
    ASSERT_EQ(found.fault, engine::MpcRunFault::None);
    for (size_t i = 0; i < found.outputs.size(); ++i) {
      EXPECT_EQ(found.outputs[i], expected.results[i].cells) << "result " << i << "\n"
                                                             << engine::to_text(program);
    }
  }
}

/// Everything that may be combined is, as kernels and as programs; and only what that makes faster.
TEST(CombinedLoops, ComputeWhatTheFunctionsCompute) {
  uint64_t n_combined = 0;
  uint64_t n_faster = 0;
  const uint64_t n = harness::rounds(500);
  const uint64_t first = harness::number_of("TACET_MPC_SEED", 1);
  for (uint64_t seed = first; seed < first + n; ++seed) {
    const std::string text = loop_nest_text(seed);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    const kernel::Kernel source = oblivious::kernel_of(text);
    const oblivious::ObliviousForm form = oblivious::make_oblivious(source);
    ASSERT_TRUE(form.is_oblivious);
    const loops::Combined combined = loops::combine_iterations(
        form.kernel, [](const kernel::Kernel&, kernel::StatementId) { return false; });
    ASSERT_TRUE(kernel::verify(combined.kernel).empty())
        << kernel::verify(combined.kernel).front() << "\n"
        << kernel::print(combined.kernel);
    n_combined += combined.loops.empty() ? 0 : 1;
    uint64_t n_compared = 0;
    ASSERT_EQ(oblivious::meaning_difference(source, combined.kernel, 4, n_compared), "")
        << kernel::print(combined.kernel);
    const Lowering lowering = lower(form.kernel);
    ASSERT_TRUE(lowering.program);
    expect_equal_results(source, *lowering.program);
    const uint64_t as_written = rounds_of(form.kernel, LowerIterations::AsWritten);
    const uint64_t rounds = rounds_of(form.kernel, LowerIterations::Combined);
    EXPECT_LE(rounds, as_written);
    n_faster += rounds < as_written ? 1 : 0;
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(2 * n_combined, n);
  EXPECT_GT(4 * n_faster, n);
}

/// Where a limit holds in some iterations only, the others keep what is beyond it.
TEST(CombinedLoops, LimitWhereTheTextDoes) {
  const std::string text =
      "#version 0.1.0\n\nfn(mpc) f(x: secret [i32; 9] in -9..9, c: secret [bool; 9]) -> secret i32 "
      "{\n    var s: secret i32 = -7;\n    for i in 0..9 {\n        if c[i] { s = min(max(s + "
      "x[i], 0), 100); }\n    }\n    return s;\n}\n";
  const kernel::Kernel source = oblivious::kernel_of(text);
  const Lowering lowering = lower(oblivious::make_oblivious(source).kernel);
  ASSERT_TRUE(lowering.program);
  std::vector<engine::MpcCells> given{engine::MpcCells(9, 1), engine::MpcCells(9, 0)};
  EXPECT_EQ(engine::run_in_the_clear(*lowering.program, given).outputs[0][0],
            engine::wrapped(engine::ElementKind::I32, static_cast<uint64_t>(-7)));
  given[1][4] = 1;
  EXPECT_EQ(engine::run_in_the_clear(*lowering.program, given).outputs[0][0], 0U);
}

auto kernel_with(const std::string& body, int n) -> kernel::Kernel {
  const std::string text = fmt::format(
      "#version 0.1.0\n\nfn(mpc) f(x: secret [i32; {0}] in -99..99, y: secret [i32; {0}], "
      "m: secret [[i32; 4]; {0}], c: secret [bool; {0}]) -> "
      "(secret i32, secret i32, secret bool, secret [i32; {0}], secret [i32; 4]) {{\n"
      "    var all: secret [i32; {0}] = for k: {0} {{ 1 }};\n"
      "    var h: secret [i32; 4] = for k: 4 {{ 1 }};\n"
      "    var s: secret i32 = 0;\n    var t: secret i32 = 1;\n    var b: secret bool = false;\n"
      "    var d: secret bool = false;\n    for i in 3..{0} {{\n{1}\n    }}\n"
      "    return (s, t, b, all, h);\n}}\n",
      n, body);
  const oblivious::ObliviousForm form = oblivious::make_oblivious(oblivious::kernel_of(text));
  EXPECT_TRUE(form.is_oblivious) << text;
  return form.kernel;
}

struct Case {
  const char* body;
  uint64_t step;  ///< rounds of twice as many iterations
};

TEST(CombinedLoops, TakeLogarithmicRounds) {
  const Case cases[] = {
      {"let old = t; t = s; s = x[i] * old + y[i] * s;", 1},
      {"let old = t; t = s; s = x[i] * old + y[i] * s; all[i] = t;", 1},
      {"let was = d; d = b != c[i]; b = (was && c[i]) != (b && x[i] < 0);", 1},
      {"s = min(max(s + x[i], 0), 1000);", 22},
      {"s = min(max(s + x[i], 0), 1000); all[i] = s;", 22},
      {"s = max(s + x[i], 0); t = max(t, s);", 22},
      {"all[i] = all[i - 1] * y[i] + x[i];", 1},
      {"all[i] = all[i - 1] * y[i] + all[i - 3] * x[i];", 1},
      {"all[i] = min(max(all[i - 1] + x[i], 0), 1000);", 22},
      {"for j in 0..4 { h[j] = h[j] * m[i][j] + x[i]; }", 1},
  };
  for (const auto& [body, step] : cases) {
    SCOPED_TRACE(body);
    const uint64_t shorter = rounds_of(kernel_with(body, 64), LowerIterations::Combined);
    EXPECT_EQ(rounds_of(kernel_with(body, 128), LowerIterations::Combined) - shorter, step);
  }
}

/// What might overflow, and what has no form, stays as it is written; so does what is free.
TEST(CombinedLoops, LeaveWhatIsNotEqualOrNotFaster) {
  static constexpr const char* kBodies[] = {
      "s = min(max(s + y[i], 0), 1000);",
      "s = max(s * 2 + x[i], 0);",
      "s = s * s + x[i];",
      "let old = t; t = s; s = old + s;",
      "let old = t; t = s; s = x[i] * old + y[i] * s * t;",
      "all[i] = all[i / 2] * y[i] + x[i];",
      "for j in 1..4 { h[j] = h[j - 1] * m[i][j] + h[j]; }",
  };
  for (const char* body : kBodies) {
    SCOPED_TRACE(body);
    const loops::Combined combined = loops::combine_iterations(
        kernel_with(body, 64), [](const kernel::Kernel&, kernel::StatementId) { return false; });
    EXPECT_TRUE(combined.loops.empty()) << kernel::print(combined.kernel);
  }
}

}  // namespace
}  // namespace tacet::mpc_lower
