#include "compiler/run/interpret/machine.h"

#include <gtest/gtest.h>

namespace tacet::interpret {
namespace {

auto program_of(std::string_view text) -> Program {
  Program program;
  std::string problem;
  EXPECT_TRUE(parse_program(text, program, problem)) << problem;
  return program;
}

auto run(const Program& program, std::vector<Cell> arguments, const MachineOptions& options = {})
    -> MachineResult {
  return run_program(program, 0, arguments, options);
}

/// sum(a, b) = a + … + b, by recursion.
constexpr std::string_view kSum = R"(
function sum(2) -> 1 slots 5 outgoing 4 memories 0+0
  0: gt.i64 %2, %0, %1
  1: jump_unless %2, @4
  2: const %3, 0
  3: return %3, 1
  4: const %3, 1
  5: add.i64 %7, %0, %3
  6: move %8, %1, 1
  7: call #0
  8: add.i64 %4, %7, %0
  9: return %4, 1
)";

TEST(Machine, Recursion) {
  Program program = program_of(kSum);
  MachineResult result = run(program, {1, 1'000'000});
  ASSERT_TRUE(result.is_done);
  EXPECT_EQ(result.results, std::vector<Cell>{500000500000});
  EXPECT_EQ(result.n_steps, 1'000'000U);
  EXPECT_GE(result.peak_memory_bytes, 1'000'000U * 7 * 8);
}

TEST(Machine, RecursionPastTheMemoryLimitEndsTheRun) {
  MachineOptions options;
  options.memory_limit_bytes = 1 << 20;
  MachineResult result = run(program_of(kSum), {1, 1'000'000}, options);
  ASSERT_FALSE(result.is_done);
  EXPECT_EQ(result.failure.fault, Fault::OutOfMemory);
  EXPECT_EQ(result.failure.instruction, 7U);
  EXPECT_EQ(result.failure.callers.size(), 8U);
  EXPECT_EQ(result.failure.n_inner_callers, 6U);
  EXPECT_GT(result.failure.n_calls_left_out, 10'000U);
  EXPECT_LE(result.peak_memory_bytes, options.memory_limit_bytes);
}

TEST(Machine, AFrameThatNeverFitsEndsTheRun) {
  MachineOptions options;
  options.memory_limit_bytes = 64;
  EXPECT_EQ(run(program_of(kSum), {1, 2}, options).failure.fault, Fault::OutOfMemory);
}

/// twice(x suspended) = x + x, with an argument that a call computes on demand.
TEST(Machine, SuspendedArgumentsRunOnceInTheFrameThatPassedThem) {
  Program program = program_of(R"(
function start(1) -> 1 slots 5 outgoing 5 memories 0+0
  0: suspend %1, @5
  1: move %7, %1, 2
  2: call #1
  3: move %3, %7, 1
  4: return %3, 1
  5: pass 0, %0, 1
  6: call #2
  7: take %4, 0, 1
  8: settle %4, 1
function twice(3) -> 1 slots 4 outgoing 0 memories 0+0
  9: need %0, 1
  10: need %0, 1
  11: add.i64 %3, %2, %2
  12: return %3, 1
function square(1) -> 1 slots 2 outgoing 0 memories 0+0
  13: mul.i64 %1, %0, %0
  14: return %1, 1
)");
  MachineResult result = run(program, {7});
  ASSERT_TRUE(result.is_done);
  EXPECT_EQ(result.results, std::vector<Cell>{98});
  EXPECT_EQ(result.n_steps, 3U);
  EXPECT_EQ(program_text(program_of(program_text(program))), program_text(program));
}

TEST(Machine, TailCallsKeepTheStack) {
  MachineOptions options;
  options.memory_limit_bytes = 1 << 16;
  MachineResult result = run(program_of(R"(
function count(2) -> 1 slots 3 outgoing 4 memories 0+0
  const %2, 0
  eq.i64 %2, %0, %2
  jump_unless %2, @4
  return %1, 1
  const %2, 1
  sub.i64 %5, %0, %2
  add.i64 %6, %1, %0
  tail_call #0
)"),
                             {100'000, 0}, options);
  ASSERT_TRUE(result.is_done);
  EXPECT_EQ(result.results, std::vector<Cell>{5000050000});
}

TEST(Machine, ADefinitionIsEvaluatedOnce) {
  // Slot 2 counts evaluations of the definition in slot 1, which is forced twice.
  MachineResult result = run(program_of(R"(
function f(1) -> 2 slots 5 outgoing 0 memories 3+1
  const %2, 0
  force %3, @4
  force %3, @4
  jump @8
  const %4, 1
  add.i64 %2, %2, %4
  add.i64 %1, %0, %0
  done %3
  return %1, 2
)"),
                             {21});
  ASSERT_TRUE(result.is_done);
  EXPECT_EQ(result.results, (std::vector<Cell>{42, 1}));
}

TEST(Machine, ADefinitionThatNeedsItselfEndsTheRun) {
  MachineResult result = run(program_of(R"(
function f(0) -> 1 slots 2 outgoing 0 memories 0+1
  force %0, @2
  return %1, 1
  force %0, @2
  done %0
)"),
                             {});
  EXPECT_EQ(result.failure.fault, Fault::CyclicDefinition);
}

TEST(Machine, ReferencesReachIntoCallers) {
  MachineResult result = run(program_of(R"(
function main(0) -> 1 slots 3 outgoing 3 memories 0+0
  const %0, 50
  reference %5, %0
  call #1
  load %1, %5, 1
  return %1, 1
function add_one(1) -> 1 slots 3 outgoing 0 memories 0+0
  load %1, %0, 1
  const %2, 1
  add.i64 %1, %1, %2
  store %0, %1, 1
  check_reference %0
  return %0, 1
)"),
                             {});
  ASSERT_TRUE(result.is_done);
  EXPECT_EQ(result.results, std::vector<Cell>{51});
}

TEST(Machine, AReferenceMayNotOutliveItsVariable) {
  MachineResult result = run(program_of(R"(
function f(0) -> 1 slots 2 outgoing 0 memories 0+0
  reference %1, %0
  check_reference %1
  return %1, 1
)"),
                             {});
  EXPECT_EQ(result.failure.fault, Fault::DanglingReference);
}

TEST(Machine, ElementsOutsideReadZeroAndSwallowWrites) {
  // a: %0..%1; index: %2. Writes a[index] = 9, gives a[index] and a.
  Program program = program_of(R"(
function f(3) -> 3 slots 8 outgoing 0 memories 0+0
  const %3, 0
  index %3, %2, 2
  const %4, 9
  put %0, %3, %4, 1
  fetch %5, %0, %3, 1
  move %6, %0, 2
  return %5, 3
)");
  EXPECT_EQ(run(program, {1, 2, 1}).results, (std::vector<Cell>{9, 1, 9}));
  EXPECT_EQ(run(program, {1, 2, 2}).results, (std::vector<Cell>{0, 1, 2}));
  EXPECT_EQ(run(program, {1, 2, ~Cell{0}}).results, (std::vector<Cell>{0, 1, 2}));
}

TEST(Machine, ArrayOperations) {
  MachineResult result = run(program_of(R"(
function f(6) -> 8 slots 30 outgoing 0 memories 0+0
  repeat 6, 1, 0
  mul.i64 %6, %0, %1
  sum.i64 %12, %6, 1, 2, 3
  product.i64 %15, %0, 2, 3, 1
  const %20, -1
  rotate %17, %0, %20, 3, 1
  move %21, %12, 8
  return %21, 8
)"),
                             {1, 2, 3, 4, 5, 6});
  ASSERT_TRUE(result.is_done);
  EXPECT_EQ(result.results, (std::vector<Cell>{10, 14, 18, 6, 120, 3, 1, 2}));
}

TEST(Machine, FaultsCarryTheirOperands) {
  MachineResult result = run(program_of(R"(
function f(4) -> 2 slots 6 outgoing 0 memories 0+0
  repeat 2, 1, 1
  div.i64 %4, %0, %2
  return %4, 2
)"),
                             {8, 9, 2, 0});
  ASSERT_FALSE(result.is_done);
  EXPECT_EQ(result.failure.fault, Fault::DivisionByZero);
  EXPECT_EQ(result.failure.instruction, 1U);
  EXPECT_EQ(result.failure.left, 9U);
}

TEST(Machine, ExternsComeFromTheHost) {
  Program program = program_of(R"(
extern twice(1) -> i8
function f(1) -> 1 slots 2 outgoing 3 memories 0+0
  move %4, %0, 1
  call_extern #0
  move %1, %4, 1
  return %1, 1
)");
  MachineOptions options;
  EXPECT_EQ(run(program, {5}).failure.fault, Fault::MissingExtern);
  options.externs["twice"] = [](std::span<const int64_t> inputs, std::span<int64_t> outputs) {
    outputs[0] = 2 * inputs[0];
    return inputs[0] == 13 ? 4 : 0;
  };
  EXPECT_EQ(run(program, {5}, options).results, std::vector<Cell>{10});
  EXPECT_EQ(run(program, {64}, options).results,
            std::vector<Cell>{static_cast<Cell>(int64_t{-128})});
  MachineResult failed = run(program, {13}, options);
  EXPECT_EQ(failed.failure.fault, Fault::FailedExtern);
  EXPECT_EQ(failed.failure.left, 4U);
}

TEST(Machine, AnEndlessLoopCanBeCancelled) {
  MachineOptions options;
  options.progress = [&](uint64_t n_steps) {
    if (n_steps > 1'000'000) {
      options.cancellation.cancel();
    }
  };
  MachineResult result = run(program_of(R"(
function f(0) -> 0 slots 0 outgoing 0 memories 0+0
  note 0
  loop @0
)"),
                             {}, options);
  EXPECT_EQ(result.failure.fault, Fault::Cancelled);
  EXPECT_EQ(result.notes, std::vector<uint32_t>{0});
  EXPECT_GT(result.n_steps, 1'000'000U);
}

TEST(ProgramText, ReadsBackWhatItPrints) {
  Program program = program_of(kSum);
  program.externs.push_back({"host", 3, {kBool, {ElementKind::Fxp, 20}}});
  program.messages.emplace_back("a message, with `marks`");
  Program back = program_of(program_text(program));
  EXPECT_EQ(back, program);
}

TEST(ProgramText, SaysWhatIsWrong) {
  Program program;
  std::string problem;
  EXPECT_FALSE(parse_program("  frobnicate %0\n", program, problem));
  EXPECT_EQ(problem, "line 1: unknown instruction `frobnicate`");
  EXPECT_FALSE(parse_program("\n  add %0, %1, %2\n", program, problem));
  EXPECT_EQ(problem, "line 2: `add` needs a type");
  EXPECT_FALSE(parse_program("  const %0\n", program, problem));
  EXPECT_EQ(problem, "line 1: a number is missing");
}

}  // namespace
}  // namespace tacet::interpret
