// Random walks through time: a state that is reached backwards is the state that was there
// forwards, and what comes out at the end is what the interpreter gives without a debugger. The
// programs are the fixtures of tests/run.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>

#include "compiler/run/interpret/value.h"
#include "debugger/session/debug_run.h"
#include "tests/dap/dap_client.h"
#include "tests/harness/files.h"
#include "tests/harness/golden.h"

namespace tacet::debugger {
namespace {

constexpr size_t kRecorded = 250;
constexpr int kWalks = 60;

/// A small past, so that images are made and dropped all the time.
constexpr HistoryLimits kLimits{.bytes = 1 << 20, .images = 6, .interval = 40};

auto pause_of(DebugRun& run, Motion motion) -> Pause {
  run.begin(motion);
  for (;;) {
    if (std::optional<Pause> pause = run.advance()) {
      return *pause;
    }
  }
}

auto outcome(const std::vector<interpret::Value>& values) -> std::string {
  std::string text;
  for (const interpret::Value& value : values) {
    text += interpret::value_text(value) + "\n";
  }
  return text;
}

auto expected(const Debuggee& debuggee) -> std::string {
  const interpret::Compilation plain =
      interpret::compile(debuggee.frontend->snapshot(), debuggee.entry, {});
  const interpret::RunResult result =
      interpret::run(*plain.executable, debuggee.inputs, debuggee.options);
  return result.failure ? result.failure->message + "\n" : outcome(result.values);
}

/// All that a paused run shows: the stack, the variables of its inner frames, and their secrets.
auto shown_state(const DebugRun& run) -> std::string {
  uint64_t n_frames = 0;
  std::string text;
  for (const ShownFrame& frame : run.frames(0, 5, n_frames)) {
    text += fmt::format("{} {}\n", frame.name, frame.place.range.begin);
    for (const ShownVariable& variable : run.variables(frame.frame)) {
      text += fmt::format("  {}: {}\n", variable.name, variable.missing);
      if (variable.is_available) {
        text += fmt::format("    {} {}\n", run.values().text(variable.value),
                            run.secrets_of(frame.frame, variable.value).summary);
      }
    }
  }
  return fmt::format("{} frames\n{}", n_frames, text);
}

/// Whether it was run.
auto walk(const LaunchRequest& request, unsigned seed) -> bool {
  Result<Debuggee> debuggee = test_launcher()(request, [](const LaunchOutput&) {});
  if (!debuggee) {
    return false;
  }
  const std::string wanted = expected(*debuggee);
  DebugRun run(
      std::move(*debuggee), SecretValues::Shown, [](auto&&...) {}, kLimits);
  std::map<uint64_t, std::string> recorded;
  Pause pause = pause_of(run, Motion::Start);
  while (pause.reason != PauseReason::Ended && pause.reason != PauseReason::Failed &&
         recorded.size() < kRecorded) {
    recorded.emplace(run.clock(), shown_state(run));
    pause = pause_of(run, Motion::Into);
  }
  std::mt19937 random(seed);
  for (int i = 0; i < kWalks; ++i) {
    const bool is_back = run.is_ended() || run.is_failed() || random() % 5 < 3;
    static constexpr Motion kForward[] = {Motion::Into, Motion::Over, Motion::Out};
    pause_of(run, is_back ? Motion::Back : kForward[random() % 3]);
    const auto before = recorded.find(run.clock());
    if (before != recorded.end()) {
      EXPECT_EQ(shown_state(run), before->second)
          << request.program << " " << request.function << " at " << run.clock();
    }
  }
  // To the start, and from there to the end.
  pause = pause_of(run, Motion::BackToBreakpoint);
  EXPECT_EQ(pause.reason, PauseReason::Entry) << request.program;
  while (!run.is_ended() && !run.is_failed()) {
    pause_of(run, Motion::Continue);
  }
  EXPECT_EQ(run.is_failed() ? run.failure().message + "\n" : outcome(run.results()), wanted)
      << request.program << " " << request.function;
  return true;
}

/// The words of a command line in a comment; only quotes, as the fixtures use them.
auto words_of(const std::string& line) -> std::vector<std::string> {
  std::vector<std::string> words;
  bool is_quoted = false;
  bool has_word = false;
  for (const char c : line) {
    if (c == '\'') {
      is_quoted = !is_quoted;
      has_word = has_word || is_quoted;
      if (is_quoted) {
        words.emplace_back();
      }
    } else if (c == ' ' && !is_quoted) {
      has_word = false;
    } else {
      if (!has_word) {
        words.emplace_back();
        has_word = true;
      }
      words.back() += c;
    }
  }
  return words;
}

class Walk : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Walk, StatesAreTheSameInBothDirections) {
  std::istringstream lines(harness::read_file(GetParam()));
  unsigned n_runs = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("// run: ") || line.find(" @") != std::string::npos) {
      continue;
    }
    LaunchRequest request;
    request.program = GetParam().string();
    bool is_plain = true;
    const std::vector<std::string> words = words_of(line.substr(8));
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i] == "--fn" && i + 1 < words.size()) {
        request.function = words[++i];
      } else if (words[i].starts_with("--") && words[i].size() > 2) {
        is_plain = false;
      } else if (words[i] != "--") {
        request.values.push_back(words[i]);
      }
    }
    if (is_plain && n_runs < 25) {
      n_runs += walk(request, n_runs) ? 1 : 0;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, Walk,
                         ::testing::ValuesIn(harness::find_files(
                             {.folder = "tests/run", .endings = {".tacet"}, .least = 15})),
                         harness::name_of_file);

}  // namespace
}  // namespace tacet::debugger
