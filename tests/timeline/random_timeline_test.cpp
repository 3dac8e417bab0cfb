#include "tests/timeline/random_timeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/line_index.h"
#include "compiler/frontend/frontend.h"
#include "compiler/infer/timeline.h"

namespace tacet::check {
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
    result.insert(result.end(), step.on_both_ways ? 2 : 1, expected);
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

/// One mistake: what is specified, what is done, and at which step it shows.
struct Mistake {
  std::vector<Step> specified;
  std::vector<Step> done;
  size_t shows_at = 0;
};

using Mutate = std::optional<Mistake> (*)(const std::vector<Step>&, size_t);

/// The first step from `i` on that takes the coordinator's event, or the end.
auto next_in_chain(const std::vector<Step>& steps, size_t i) -> size_t {
  while (i < steps.size() && steps[i].kind == StepKind::Submit) {
    ++i;
  }
  return i;
}

auto swap_waits(const std::vector<Step>& steps, size_t i) -> std::optional<Mistake> {
  if (i + 1 >= steps.size() || steps[i].kind != StepKind::Wait ||
      steps[i + 1].kind != StepKind::Wait) {
    return std::nullopt;
  }
  Mistake mistake{steps, steps, i};
  std::swap(mistake.done[i], mistake.done[i + 1]);
  return mistake;
}

auto drop_wait(const std::vector<Step>& steps, size_t i) -> std::optional<Mistake> {
  if (steps[i].kind != StepKind::Wait) {
    return std::nullopt;
  }
  Mistake mistake{steps, steps, 0};
  mistake.done.erase(mistake.done.begin() + static_cast<ptrdiff_t>(i));
  mistake.shows_at = next_in_chain(mistake.done, i);
  return mistake;
}

auto forget_future(const std::vector<Step>& steps, size_t i) -> std::optional<Mistake> {
  if (steps[i].listed.empty()) {
    return std::nullopt;
  }
  Mistake mistake{steps, steps, i};
  const uint32_t forgotten = mistake.specified[i].listed.back();
  mistake.specified[i].listed.pop_back();
  // What two ways submit may be listed or not.
  const bool is_clear = std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    return step.kind == StepKind::Submit && step.which == forgotten && !step.on_both_ways;
  });
  return is_clear ? std::optional(mistake) : std::nullopt;
}

auto submit_late(const std::vector<Step>& steps, size_t i) -> std::optional<Mistake> {
  if (steps[i].kind != StepKind::Submit || i + 1 == steps.size() ||
      steps[i + 1].kind != StepKind::Encode) {
    return std::nullopt;
  }
  Mistake mistake{steps, steps, i};
  std::swap(mistake.done[i], mistake.done[i + 1]);
  return mistake;
}

auto encode_once_more(const std::vector<Step>& steps, size_t i) -> std::optional<Mistake> {
  if (steps[i].kind != StepKind::Wait) {
    return std::nullopt;
  }
  Mistake mistake{steps, steps, i};
  const std::vector<Step> surplus = {{.kind = StepKind::Encode, .which = 99},
                                     {.kind = StepKind::Submit, .which = 99}};
  mistake.done.insert(mistake.done.begin() + static_cast<ptrdiff_t>(i), surplus.begin(),
                      surplus.end());
  return mistake;
}

auto wait_early(const std::vector<Step>& steps, size_t i) -> std::optional<Mistake> {
  if (i + 1 >= steps.size() || steps[i].kind != StepKind::Encode ||
      steps[i + 1].kind != StepKind::Wait) {
    return std::nullopt;
  }
  Mistake mistake{steps, steps, i};
  std::swap(mistake.done[i], mistake.done[i + 1]);
  return mistake;
}

void each_is_told(Mutate mutate) {
  size_t n_mistakes = 0;
  for (uint32_t seed = 0; seed < kPrograms; ++seed) {
    std::mt19937 random(seed);
    const std::vector<Step> steps = random_steps(random);
    for (size_t i = 0; i < steps.size(); ++i) {
      const std::optional<Mistake> mistake = mutate(steps, i);
      if (!mistake) {
        continue;
      }
      ++n_mistakes;
      const PrintedTimeline program = print(mistake->specified, mistake->done, random);
      const auto errors = Checked(program.text).errors(program.text);
      ASSERT_EQ(errors.size(), 1U) << program.text;
      ASSERT_EQ(errors[0].second, program.lines[mistake->shows_at]) << errors[0].first << "\n"
                                                                    << program.text;
      ASSERT_EQ(errors[0].first.substr(0, 3), "T40") << errors[0].first;
    }
  }
  EXPECT_GE(n_mistakes, kPrograms / 5);
}

TEST(RandomTimeline, WaitsInAnotherOrderAreTold) {
  each_is_told(swap_waits);
}
TEST(RandomTimeline, AMissingWaitIsTold) {
  each_is_told(drop_wait);
}
TEST(RandomTimeline, AForgottenFutureIsTold) {
  each_is_told(forget_future);
}
TEST(RandomTimeline, ASubmissionAfterTheNextEncodingIsTold) {
  each_is_told(submit_late);
}
TEST(RandomTimeline, ASurplusEncodingIsTold) {
  each_is_told(encode_once_more);
}
TEST(RandomTimeline, AWaitBeforeAnEncodingIsTold) {
  each_is_told(wait_early);
}

}  // namespace
}  // namespace tacet::check
