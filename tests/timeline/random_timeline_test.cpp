#include "tests/timeline/random_timeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/line_index.h"
#include "compiler/spec/infer/timeline.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::program {
namespace {

constexpr uint32_t kPrograms = 120;

struct Checked {
  Frontend frontend;
  FileId file;

  explicit Checked(const std::string& text) { file = frontend.set_file("main.tacet", text); }

  /// `T4040 in line 7`, for each error.
  auto errors(const std::string& text) -> std::vector<std::pair<std::string, uint32_t>> {
    const LineIndex lines(text);
    std::vector<std::pair<std::string, uint32_t>> result;
    for (const Diagnostic& diagnostic : frontend.snapshot().diagnostics(file, Until::Conformance)) {
      if (diagnostic.severity == Severity::Error) {
        const uint32_t line =
            lines.position(text, diagnostic.place.range.begin, PositionEncoding::Utf8).line;
        result.emplace_back(std::string(code_name(diagnostic.code)) + " " + diagnostic.message,
                            line);
      }
    }
    return result;
  }

  /// What was deduced of each step, in the order of the function.
  auto quotients() -> std::vector<std::string> {
    const FrontendSnapshot snapshot = frontend.snapshot();
    std::vector<std::string> result;
    for (const names::FileItem& item : snapshot.items(file)->items) {
      const auto found = snapshot.query().get<infer::TimelineQuotientsOf>(item.id);
      if (!found) {
        continue;
      }
      const hir::FunctionPtr function = snapshot.query().get<hir::SsaOf>(item.id);
      const auto graph = snapshot.query().get<infer::SpecificationOf>(found->tmln)->graph;
      auto name = [&](infer::SpecNodeId node) {
        return node.has_value() ? std::string(snapshot.interner().text(graph->nodes[node].name))
                                : std::string("?");
      };
      for (const hir::Block& block : function->blocks.values()) {
        for (hir::InstructionId id : block.instructions) {
          const hir::Instruction& instruction = function->instructions[id];
          const std::string event = name(found->event_after[id.index]);
          if (instruction.opcode == hir::Opcode::EncodeBegin) {
            result.push_back(name(found->of_value[function->result_of(instruction).index]) + " " +
                             event);
          } else if (instruction.opcode == hir::Opcode::Submit) {
            result.push_back(name(found->of_value[function->result_of(instruction).index]));
          } else if (instruction.opcode == hir::Opcode::Await) {
            result.push_back(event);
          }
        }
      }
    }
    return result;
  }
};

auto expected_quotients(const std::vector<Step>& steps) -> std::vector<std::string> {
  std::vector<std::string> result;
  for (const Step& step : steps) {
    const uint32_t i = step.which;
    const std::string expected = step.kind == StepKind::Encode   ? fmt::format("rem{} loc{}", i, i)
                                 : step.kind == StepKind::Submit ? fmt::format("sub{}", i)
                                                                 : fmt::format("done{}", i);
    result.insert(result.end(), step.on_both_branches ? 2 : 1, expected);
  }
  return result;
}

TEST(RandomTimeline, IsDeducedAsItWasMade) {
  for (uint32_t seed = 0; seed < kPrograms; ++seed) {
    std::mt19937 random(seed);
    const std::vector<Step> steps = random_steps(random);
    const PrintedTimeline program = print(steps, steps, random);
    Checked checked(program.text);
    ASSERT_TRUE(checked.errors(program.text).empty())
        << checked.errors(program.text)[0].first << "\n"
        << program.text;
    ASSERT_EQ(checked.quotients(), expected_quotients(steps)) << program.text;
  }
}

/// What is specified, what is done, and at which steps of that mistakes show. A change at step `i`
/// leaves the steps in front of it as they are, so that a second one can be made there.
struct Program {
  std::vector<Step> specified;
  std::vector<Step> done;
  std::vector<size_t> shows_at = {};
  /// The encoders that mistakes are about.
  std::vector<uint32_t> touched = {};
};

/// Makes a mistake at step `i`. False where it cannot be made; the program may be spoilt then.
using Mutate = bool (*)(Program&, size_t);

/// Encoders from here on are those that the timeline does not have.
constexpr uint32_t kSurplus = 100;

/// The first step from `i` on that takes the coordinator's event and is in the timeline, or the
/// end.
auto next_in_chain(const std::vector<Step>& steps, size_t i) -> size_t {
  while (i < steps.size() && (steps[i].kind == StepKind::Submit || steps[i].which >= kSurplus)) {
    ++i;
  }
  return i;
}

auto is(const Program& program, size_t i, StepKind kind) -> bool {
  return i < program.done.size() && program.done[i].kind == kind;
}

auto swap_steps(Program& program, size_t i) -> bool {
  program.touched.push_back(program.done[i].which);
  program.touched.push_back(program.done[i + 1].which);
  std::swap(program.done[i], program.done[i + 1]);
  program.shows_at.push_back(i);
  return true;
}

auto swap_waits(Program& program, size_t i) -> bool {
  return is(program, i, StepKind::Wait) && is(program, i + 1, StepKind::Wait) &&
         swap_steps(program, i);
}

auto drop_wait(Program& program, size_t i) -> bool {
  if (!is(program, i, StepKind::Wait)) {
    return false;
  }
  program.touched.push_back(program.done[i].which);
  program.done.erase(program.done.begin() + static_cast<ptrdiff_t>(i));
  for (size_t& other : program.shows_at) {
    --other;
  }
  program.shows_at.push_back(next_in_chain(program.done, i));
  return true;
}

auto forget_future(Program& program, size_t i) -> bool {
  if (!is(program, i, StepKind::Encode) || program.specified[i].listed.empty()) {
    return false;
  }
  const uint32_t forgotten = program.specified[i].listed.back();
  program.specified[i].listed.pop_back();
  program.touched.push_back(forgotten);
  program.shows_at.push_back(i);
  // What two branches submit may be listed or not.
  return std::any_of(program.done.begin(), program.done.end(), [&](const Step& step) {
    return step.kind == StepKind::Submit && step.which == forgotten && !step.on_both_branches;
  });
}

auto submit_late(Program& program, size_t i) -> bool {
  return is(program, i, StepKind::Submit) && is(program, i + 1, StepKind::Encode) &&
         swap_steps(program, i);
}

auto encode_once_more(Program& program, size_t i) -> bool {
  if (!is(program, i, StepKind::Wait)) {
    return false;
  }
  const auto which = kSurplus + static_cast<uint32_t>(i);
  const std::vector<Step> surplus = {{.kind = StepKind::Encode, .which = which},
                                     {.kind = StepKind::Submit, .which = which}};
  program.done.insert(program.done.begin() + static_cast<ptrdiff_t>(i), surplus.begin(),
                      surplus.end());
  for (size_t& other : program.shows_at) {
    other += surplus.size();
  }
  program.shows_at.push_back(i);
  return true;
}

auto wait_early(Program& program, size_t i) -> bool {
  return is(program, i, StepKind::Encode) && is(program, i + 1, StepKind::Wait) &&
         swap_steps(program, i);
}

constexpr std::array<Mutate, 6> kMutations = {swap_waits,  drop_wait,        forget_future,
                                              submit_late, encode_once_more, wait_early};

/// Every error of the program is reported on its line, and nothing else.
void expect_reported(const Program& program, std::mt19937& random) {
  const PrintedTimeline printed = print(program.specified, program.done, random);
  const auto errors = Checked(printed.text).errors(printed.text);
  std::vector<uint32_t> lines;
  std::string list;
  for (const auto& [message, line] : errors) {
    ASSERT_EQ(message.substr(0, 3), "T40") << message;
    lines.push_back(line);
    list += fmt::format("{}: {}\n", line + 1, message);
  }
  std::vector<uint32_t> expected;
  for (size_t step : program.shows_at) {
    expected.push_back(printed.lines[step]);
  }
  std::sort(lines.begin(), lines.end());
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(lines, expected) << list << printed.text;
}

void each_is_reported(Mutate mutate) {
  size_t n_mistakes = 0;
  for (uint32_t seed = 0; seed < kPrograms; ++seed) {
    std::mt19937 random(seed);
    const std::vector<Step> steps = random_steps(random);
    for (size_t i = 0; i < steps.size(); ++i) {
      Program program{steps, steps};
      if (mutate(program, i)) {
        ++n_mistakes;
        ASSERT_NO_FATAL_FAILURE(expect_reported(program, random));
      }
    }
  }
  EXPECT_GE(n_mistakes, kPrograms / 5);
}

TEST(RandomTimeline, WaitsInAnotherOrderAreReported) {
  each_is_reported(swap_waits);
}
TEST(RandomTimeline, AMissingWaitIsReported) {
  each_is_reported(drop_wait);
}
TEST(RandomTimeline, AForgottenFutureIsReported) {
  each_is_reported(forget_future);
}
TEST(RandomTimeline, ASubmissionAfterTheNextEncodingIsReported) {
  each_is_reported(submit_late);
}
TEST(RandomTimeline, ASurplusEncodingIsReported) {
  each_is_reported(encode_once_more);
}
TEST(RandomTimeline, AWaitBeforeAnEncodingIsReported) {
  each_is_reported(wait_early);
}

auto are_independent(std::vector<uint32_t> touched) -> bool {
  std::sort(touched.begin(), touched.end());
  return std::adjacent_find(touched.begin(), touched.end()) == touched.end();
}

/// Of any two kinds, at any two places that have nothing to do with one another.
TEST(RandomTimeline, TwoErrorsAreReported) {
  size_t n_programs = 0;
  for (uint32_t seed = 0; seed < 6 * kPrograms; ++seed) {
    std::mt19937 random(seed);
    const std::vector<Step> steps = random_steps(random);
    auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
    for (int attempt = 0; attempt < 60; ++attempt) {
      const size_t first = below(steps.size());
      const size_t second = first + 2 + below(steps.size());
      Program program{steps, steps};
      if (second < steps.size() && kMutations[below(6)](program, second) &&
          kMutations[below(6)](program, first) && are_independent(program.touched)) {
        ++n_programs;
        ASSERT_NO_FATAL_FAILURE(expect_reported(program, random));
      }
    }
  }
  EXPECT_GE(n_programs, kPrograms);
}

}  // namespace
}  // namespace tacet::program
