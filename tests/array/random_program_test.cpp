// Random array programs: lowered with every option and evaluated, they give what the reference
// device gives.

#include "tests/array/random_program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/find_fault.h"
#include "compiler/device/array/intervals.h"
#include "compiler/device/array/lower.h"
#include "compiler/device/array/print.h"
#include "compiler/run/interpret/interpret.h"

namespace tacet::array {
namespace {

/// What the reference device gives.
auto reference_result(const program::FrontendSnapshot& snapshot, names::ItemId item,
                      const std::vector<Elements>& inputs) -> Elements {
  interpret::Compilation compilation = interpret::compile(snapshot, item, {});
  if (!compilation.executable) {
    ADD_FAILURE() << compilation.problem;
    return {};
  }
  std::vector<interpret::Value> values;
  for (const interpret::EntryParameter& parameter : compilation.executable->parameters) {
    interpret::Value value{parameter.type, parameter.shape, {}};
    for (int64_t element : inputs.at(values.size())) {
      value.cells.push_back(static_cast<interpret::Cell>(element));
    }
    values.push_back(std::move(value));
  }
  interpret::RunResult result = interpret::run(*compilation.executable, values, {});
  Elements elements;
  if (result.failure) {
    ADD_FAILURE() << result.failure->message;
    return {};
  }
  for (interpret::Cell cell : result.values.at(0).cells) {
    elements.push_back(static_cast<int64_t>(cell));
  }
  return elements;
}

auto has_call(const std::string& text) -> bool {
  const size_t main = text.find("program(");
  return main != std::string::npos && (text.find("f0(", main) != std::string::npos ||
                                       text.find("f1(", main) != std::string::npos);
}

auto without_places(Program program) -> Program {
  for (uint32_t i = 0; i < program.arrays.size(); ++i) {
    program.arrays[ArrayId{i}].place = {};
  }
  for (Statement& statement : program.statements) {
    for (uint32_t i = 0; i < statement.exprs.size(); ++i) {
      statement.exprs[ExprId{i}].place = {};
    }
  }
  return program;
}

/// The text of a program is the program, but for places.
void expect_reads_back(const Program& program) {
  const std::string text = print(program);
  Result<Program> read = parse_program(text);
  ASSERT_TRUE(read.has_value()) << read.error().message << "\n" << text;
  EXPECT_EQ(print(*read), text);
  EXPECT_EQ(without_places(*read), without_places(program)) << text;
}

/// All choices of few lets, some of many.
auto choices(size_t n_lets) -> std::vector<InliningChoice> {
  std::vector<InliningChoice> result;
  constexpr size_t kAllOf = 4;
  for (uint64_t i = 0; i < (uint64_t{1} << std::min(n_lets, kAllOf)); ++i) {
    result.push_back(
        InliningChoice::numbered(n_lets <= kAllOf ? i : i * 0x9e3779b97f4a7c15U >> 3, n_lets));
  }
  result.push_back(InliningChoice::all(n_lets));
  return result;
}

/// The program of a text, lowered with some choice of what is inlined.
auto lowered(const RandomProgram& random, uint64_t choice) -> std::optional<Program> {
  program::Frontend frontend;
  FileId file = frontend.set_file(random.path, random.text);
  program::FrontendSnapshot snapshot = frontend.snapshot();
  names::ItemId item = snapshot.items(file)->items.back().id;
  size_t n_lets = find_lets(snapshot, item).size();
  return lower(snapshot, item, InliningChoice::numbered(choice, n_lets)).program;
}

TEST(RandomArrayPrograms, GiveWhatTheirRangesSay) {
  size_t n_bounded = 0;
  size_t n_reached = 0;  // results that reach both ends
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    bool are_bits = seed % 2 == 0;
    RandomLimits limits{.max_value = are_bits ? 1 : 9, .depth = are_bits ? 5 : 3};
    RandomProgram random = random_program(seed, limits);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, random.text));
    std::optional<Program> program = lowered(random, seed);
    if (!program) {
      continue;
    }
    std::vector<Interval> inputs;
    for (Elements& input : random.inputs) {
      for (int64_t& value : input) {
        value = are_bits ? (value + 2) % 2 : value;
      }
      inputs.push_back(are_bits ? Interval{0, 1} : Interval{-9, 9});
    }
    ValueRanges ranges = find_ranges(*program, inputs);
    Evaluation evaluation = evaluate(*program, random.inputs);
    if (ranges.unbounded_at) {
      continue;
    }
    ++n_bounded;
    EXPECT_FALSE(evaluation.wrapped_at) << print(*program);
    for (size_t i = 0; i < evaluation.arrays.size(); ++i) {
      auto [least, greatest] =
          std::minmax_element(evaluation.arrays[i].begin(), evaluation.arrays[i].end());
      EXPECT_LE(ranges.arrays[i].low, *least) << print(*program);
      EXPECT_GE(ranges.arrays[i].high, *greatest) << print(*program);
      n_reached += ranges.arrays[i].low == *least && ranges.arrays[i].high == *greatest ? 1 : 0;
    }
    if (::testing::Test::HasFailure()) {
      return;
    }
  }
  EXPECT_GE(n_bounded, 700U);
  EXPECT_GE(n_reached, 500U);
}

TEST(RandomArrayPrograms, GiveWhatTheReferenceDeviceGivesHoweverLetsAreInlined) {
  size_t n_lowered = 0;
  size_t n_too_large = 0;
  size_t n_with_lets = 0;
  size_t n_not_zero = 0;
  size_t n_with_calls = 0;
  size_t n_with_constants = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    RandomProgram random = random_program(seed);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, random.text));
    program::Frontend frontend;
    FileId file = frontend.set_file(random.path, random.text);
    program::FrontendSnapshot snapshot = frontend.snapshot();
    for (const Diagnostic& diagnostic : snapshot.diagnostics(file)) {
      ADD_FAILURE() << code_name(diagnostic.code) << " " << diagnostic.message;
    }
    names::ItemId item = snapshot.items(file)->items.back().id;
    n_with_calls += has_call(random.text) ? 1 : 0;
    Elements expected = reference_result(snapshot, item, random.inputs);
    n_not_zero += std::any_of(expected.begin(), expected.end(), [](int64_t x) { return x != 0; });
    std::vector<LetArray> lets = find_lets(snapshot, item);
    n_with_lets += lets.empty() ? 0 : 1;
    for (const InliningChoice& choice : choices(lets.size())) {
      Lowering lowering = lower(snapshot, item, choice);
      if (!lowering.program) {
        bool may_be = choice.is_inlined != InliningChoice::none().is_inlined &&
                      code_name(lowering.diagnostics.at(0).code) == "T6003";
        EXPECT_TRUE(may_be) << lowering.diagnostics.at(0).message;
        ++n_too_large;
        continue;
      }
      ++n_lowered;
      const auto& arrays = lowering.program->arrays.values();
      n_with_constants += std::any_of(arrays.begin(), arrays.end(), [](const Array& array) {
        return array.owner == Owner::Constant;
      });
      EXPECT_EQ(find_fault(*lowering.program), "") << print(*lowering.program);
      expect_reads_back(*lowering.program);
      EXPECT_EQ(evaluate(*lowering.program, random.inputs).output(), expected)
          << print(*lowering.program);
    }
    if (::testing::Test::HasFailure()) {
      return;  // one program is enough to look at
    }
  }
  // The test means something only if the programs do.
  EXPECT_GE(n_with_lets, 500U);
  EXPECT_GE(n_not_zero, 400U);
  EXPECT_GE(n_with_calls, 100U);
  EXPECT_GE(n_with_constants, 300U);
  EXPECT_GE(n_lowered, 3000U);
  EXPECT_LE(n_too_large, n_lowered / 100);
  ::testing::Test::RecordProperty("lowered", static_cast<int>(n_lowered));
}

}  // namespace
}  // namespace tacet::array
