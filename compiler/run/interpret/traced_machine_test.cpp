#include "compiler/run/interpret/traced_machine.h"

#include <gtest/gtest.h>

namespace tacet::interpret {
namespace {

auto traced_program(std::string_view text) -> Program {
  Program program;
  std::string problem;
  EXPECT_TRUE(parse_program(text, program, problem)) << problem;
  return program;
}

/// What a debugger would know of the marks in a program.
auto traced_marks(const Program& program) -> DebugInfo {
  DebugInfo debug;
  for (uint32_t i = 0; i < program.instructions.size(); ++i) {
    if (program.instructions[i].opcode == Opcode::Mark) {
      debug.marks.push_back({.place = {}, .function = 1, .instruction = i});
    }
  }
  debug.functions.resize(program.functions.size());
  return debug;
}

/// The host calls a function of two arguments with one result.
constexpr std::string_view kHost = R"(
function host(2) -> 1 slots 3 outgoing 4 memories 0+0
  0: move %5, %0, 1
  1: move %6, %1, 1
  2: call #1
  3: move %2, %5, 1
  4: return %2, 1
)";

/// The sets of the results of a function of two inputs, `1` and `2`.
auto origins_of(const std::string& function, std::vector<Cell> arguments) -> OriginSet {
  const Program program = traced_program(std::string(kHost) + function);
  const DebugInfo debug = traced_marks(program);
  const std::vector<OriginSet> sets = {1, 2};
  TracedMachine machine(program, debug, arguments, sets, {});
  EXPECT_EQ(machine.run({}), TracedStop::Ended);
  return machine.result_origins()[0];
}

TEST(Origins, OfOperandsAreUnited) {
  EXPECT_EQ(origins_of(R"(
function f(2) -> 1 slots 3 outgoing 0 memories 0+0
  5: add.i64 %2, %0, %1
  6: return %2, 1
)",
                       {3, 4}),
            3U);
}

/// A variable that is assigned under a branch on the second input, and one behind it.
constexpr std::string_view kBranch = R"(
function f(2) -> 1 slots 4 outgoing 0 memories 0+0
  5: const %2, 0
  6: const %3, 0
  7: jump_unless %1, @9
  8: const %2, 5
  9: move %3, %0, 1
  10: return %R, 1
)";

auto returning(std::string slot) -> std::string {
  std::string text(kBranch);
  return text.replace(text.find("%R"), 2, slot);
}

TEST(Origins, OfABranchReachWhatItWritesUntilItsPathsMeet) {
  EXPECT_EQ(origins_of(returning("%2"), {3, 1}), 2U);
  EXPECT_EQ(origins_of(returning("%3"), {3, 1}), 1U);
  EXPECT_EQ(origins_of(returning("%2"), {3, 0}), 0U) << "what was not written is not seen";
}

TEST(Origins, MoveToTheUpperHalfByReveal) {
  EXPECT_EQ(origins_of(R"(
function f(2) -> 1 slots 3 outgoing 0 memories 0+0
  5: move %2, %1, 1
  6: reveal %2, 1
  7: add.i64 %2, %2, %0
  8: return %2, 1
)",
                       {3, 4}),
            1U | OriginSet{2} << 32);
}

/// total = the sum of the numbers below n, with a mark for each of them.
constexpr std::string_view kLoop = R"(
function f(2) -> 1 slots 5 outgoing 0 memories 0+0
  5: const %2, 0
  6: const %3, 0
  7: mark 0
  8: lt.i64 %4, %2, %0
  9: jump_unless %4, @14
  10: add.i64 %3, %3, %2
  11: const %4, 1
  12: add.i64 %2, %2, %4
  13: loop @7
  14: return %3, 1
)";

TEST(TracedMachine, IsSetBackToAnImage) {
  const std::string text(kLoop);
  const Program program = traced_program(std::string(kHost) + text);
  const DebugInfo debug = traced_marks(program);
  const std::vector<Cell> arguments = {1000, 0};
  TracedMachine machine(program, debug, arguments, {}, {});
  const std::vector<uint8_t> all = {1};
  std::vector<MachineImage> images;
  while (machine.run({.marks = all}) == TracedStop::Mark) {
    EXPECT_EQ(machine.visits(0), images.size());
    images.push_back(machine.image(images.empty() ? nullptr : &images.back()));
  }
  ASSERT_TRUE(machine.is_ended());
  EXPECT_EQ(machine.results()[0], 499500U);
  ASSERT_EQ(images.size(), 1001U);
  for (const size_t at : {700U, 3U, 999U, 0U}) {
    machine.restore(images[at]);
    EXPECT_EQ(machine.clock(), images[at].clock());
    EXPECT_FALSE(machine.is_ended());
    EXPECT_EQ(machine.run({.marks = all}), TracedStop::Mark);
    EXPECT_TRUE(machine.image(nullptr).is_same_state(images[at + 1]));
    EXPECT_FALSE(machine.image(nullptr).is_same_state(images[at]));
  }
  EXPECT_EQ(machine.run({}), TracedStop::Ended);
  EXPECT_EQ(machine.results()[0], 499500U);
}

TEST(TracedMachine, PausesAtATime) {
  const std::string text(kLoop);
  const Program program = traced_program(std::string(kHost) + text);
  const DebugInfo debug = traced_marks(program);
  const std::vector<Cell> arguments = {1000, 0};
  TracedMachine machine(program, debug, arguments, {}, {});
  for (uint64_t clock = 1; clock < 100; ++clock) {
    EXPECT_EQ(machine.run({.clock = clock}), TracedStop::Clock);
    EXPECT_EQ(machine.clock(), clock);
  }
}

TEST(TracedMachine, CallsFunctionsOfTheHostOnce) {
  const Program program = traced_program(R"(
extern now(0) -> i64
function host(0) -> 1 slots 1 outgoing 3 memories 0+0
  0: call_extern #0
  1: take %0, 0, 1
  2: return %0, 1
)");
  const DebugInfo debug = traced_marks(program);
  MachineOptions options;
  int n_calls = 0;
  options.externs["now"] = [&](std::span<const int64_t>, std::span<int64_t> outputs) {
    outputs[0] = 100 + ++n_calls;
    return 0;
  };
  TracedMachine machine(program, debug, {}, {}, std::move(options));
  const MachineImage start = machine.image(nullptr);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(machine.run({}), TracedStop::Ended);
    EXPECT_EQ(machine.results()[0], 101U);
    machine.restore(start);
  }
  EXPECT_EQ(n_calls, 1);
}

}  // namespace
}  // namespace tacet::interpret
