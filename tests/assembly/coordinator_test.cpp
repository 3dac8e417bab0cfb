// The coordinator machine gives what the reference interpreter gives: results, and failures with
// their places.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "cli/run/coordinator_run.h"
#include "compiler/run/cps/check.h"
#include "compiler/run/cps/print.h"
#include "tests/assembly/programs.h"
#include "tests/assembly/random_coordinator.h"

namespace tacet {
namespace {

using interpret::Value;

/// Everything that a run reports, as text.
auto outcome_text(const interpret::RunResult& result) -> std::string {
  std::string text;
  for (const Value& value : result.values) {
    text += value_text(value) + "\n";
  }
  if (result.failure) {
    const Diagnostic& failure = *result.failure;
    text += fmt::format("{} at {}..{}\n", failure.message, failure.place.range.begin,
                        failure.place.range.end);
  }
  for (const Diagnostic& warning : result.warnings) {
    text += fmt::format("{} at {}\n", warning.message, warning.place.range.begin);
  }
  return text;
}

auto calls_text(const interpret::RunResult& result) -> std::string {
  std::string text;
  if (result.failure) {
    for (const Label& label : result.failure->labels) {
      text += fmt::format("{} at {}..{}\n", label.message, label.place.range.begin,
                          label.place.range.end);
    }
    for (const std::string& note : result.failure->notes) {
      text += note + "\n";
    }
  }
  return text;
}

auto random_inputs(const std::vector<interpret::EntryParameter>& parameters,
                   std::mt19937_64& random) -> std::vector<Value> {
  std::vector<Value> inputs;
  for (const interpret::EntryParameter& parameter : parameters) {
    Value value{parameter.type, parameter.shape, {}};
    for (uint64_t i = 0; i < interpret::n_elements(parameter.shape); ++i) {
      const auto number = static_cast<interpret::Cell>(static_cast<int64_t>(random() % 24) - 8);
      value.cells.push_back(interpret::cast(interpret::kI64, parameter.type, number));
    }
    inputs.push_back(std::move(value));
  }
  return inputs;
}

struct Tally {
  size_t n_runs = 0;
  size_t n_failures = 0;
  size_t n_functions = 0;
  size_t n_left_out = 0;
  size_t n_formulas = 0;  ///< array expressions and assignments to elements
  size_t n_choices = 0;   ///< branches that return a reference to one of several variables
};

enum class Calls : uint8_t { AreCompared, MayDiffer };

/// Runs every coordinator function of a file on some inputs, by both evaluators.
void compare_file(const program::FrontendSnapshot& snapshot, FileId file, std::mt19937_64& random,
                  Calls calls, Tally& tally) {
  for (const names::FileItem& item : snapshot.items(file)->items) {
    const auto signature = snapshot.signature(item.id);
    if (!signature || signature->kind != names::ItemKind::Fn || signature->is_device_function) {
      continue;
    }
    const interpret::Compilation compilation = interpret::compile(snapshot, item.id, {});
    if (!compilation.executable) {
      continue;
    }
    const auto [coordinator, obstacle] = cli::prepare_coordinator(snapshot, item.id, {});
    ++tally.n_functions;
    if (!coordinator) {
      ++tally.n_left_out;
      ADD_FAILURE() << snapshot.describe(item.id) << " does not run on the machine because of "
                    << (obstacle ? obstacle->what : "nothing");
      continue;
    }
    const auto& program = coordinator->lowered.program;
    tally.n_formulas += program.formulas.size();
    for (const cps::Funclet& funclet : program.funclets.values()) {
      const bool gives_reference =
          funclet.tail.kind == cps::TailKind::Return &&
          std::any_of(funclet.results.begin(), funclet.results.end(), [&](const cps::Port& port) {
            return cps::has_content(program.types[port.type].kind);
          });
      tally.n_choices += gives_reference ? 1 : 0;
    }
    const Status is_safe = engine::validate(coordinator->assembled.program);
    ASSERT_TRUE(is_safe) << is_safe.error().message;
    for (int run = 0; run < 6; ++run) {
      const std::vector<Value> inputs = random_inputs(compilation.executable->parameters, random);
      interpret::MachineOptions options;
      options.memory_limit_bytes = uint64_t{16} << 20;
      const auto cancelled_after = [&options](uint64_t n_steps) {
        if (n_steps > 200'000) {
          options.cancellation.cancel();
        }
      };
      options.progress = cancelled_after;
      const interpret::RunResult wanted = interpret::run(*compilation.executable, inputs, options);
      const bool is_endless =
          wanted.is_cancelled ||
          (wanted.failure && wanted.failure->message.find("memory") != std::string::npos);
      if (is_endless) {
        continue;
      }
      options.cancellation = {};
      options.progress = {};
      const interpret::RunResult got =
          cli::run_coordinator(*coordinator, *compilation.executable, inputs, options);
      ++tally.n_runs;
      tally.n_failures += wanted.failure ? 1 : 0;
      ASSERT_EQ(outcome_text(got), outcome_text(wanted))
          << snapshot.describe(item.id) << "\n"
          << cps::print(coordinator->lowered.program);
      if (calls == Calls::AreCompared) {
        ASSERT_EQ(calls_text(got), calls_text(wanted)) << snapshot.describe(item.id);
      }
    }
  }
}

TEST(Coordinator, RunsEveryProgramAsTheInterpreterDoes) {
  std::mt19937_64 random(7);
  Tally tally;
  for (const testing::SourceProgram& program : testing::all_programs()) {
    program::Frontend frontend;
    const FileId file = frontend.set_file("a.tacet", program.text);
    const program::FrontendSnapshot snapshot = frontend.snapshot();
    if (testing::is_good(snapshot, file, program::Until::Conformance)) {
      SCOPED_TRACE(program.path);
      compare_file(snapshot, file, random, Calls::AreCompared, tally);
    }
  }
  EXPECT_GT(tally.n_functions, 100U);
  EXPECT_EQ(tally.n_left_out, 0U);
  EXPECT_GT(tally.n_runs, 500U);
}

TEST(Coordinator, RunsRandomFunctionsAsTheInterpreterDoes) {
  Tally tally;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    std::mt19937_64 random(seed);
    const std::string text = testing::FreeModule(seed).write(6);
    program::Frontend frontend;
    const FileId file = frontend.set_file("a.tacet", text);
    const program::FrontendSnapshot snapshot = frontend.snapshot();
    if (!testing::is_good(snapshot, file, program::Until::Types)) {
      for (const Diagnostic& diagnostic : snapshot.diagnostics(file, program::Until::Types)) {
        ADD_FAILURE() << diagnostic.message << "\n"
                      << text.substr(diagnostic.place.range.begin, 100);
      }
      return;
    }
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    // Fewer calls wait here than there: more of them are in the tail.
    compare_file(snapshot, file, random, Calls::MayDiffer, tally);
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
  EXPECT_EQ(tally.n_left_out, 0U);
  EXPECT_GT(tally.n_runs, 3000U);
  EXPECT_GT(tally.n_formulas, 1000U);
  EXPECT_GT(tally.n_choices, 1000U);
  EXPECT_GT(tally.n_failures * 20, tally.n_runs);
  EXPECT_LT(tally.n_failures * 3, tally.n_runs * 2);
}

constexpr const char* kTrivial =
    "#version 0.1.0\ntmln time(e: Event) -> Event { returns e }\n"
    "sptl space(s: BufferSpace) -> BufferSpace { returns s }\n";

/// One function of a text, ready to run.
struct Prepared {
  program::Frontend frontend;
  std::optional<interpret::Executable> entry;
  std::optional<cli::CoordinatorExecutable> coordinator;

  Prepared(const std::string& text, const std::string& function) {
    const FileId file = frontend.set_file("a.tacet", kTrivial + text);
    const program::FrontendSnapshot snapshot = frontend.snapshot();
    EXPECT_TRUE(testing::is_good(snapshot, file, program::Until::Conformance));
    const names::ItemId item = snapshot.find(file, names::Namespace::Callable, function);
    entry = interpret::compile(snapshot, item, {}).executable;
    coordinator = cli::prepare_coordinator(snapshot, item, {}).executable;
  }

  auto run(const std::vector<int64_t>& numbers, uint64_t memory_limit = uint64_t{1} << 32)
      -> interpret::RunResult {
    std::vector<Value> inputs;
    for (int64_t number : numbers) {
      inputs.push_back({interpret::kI64, {}, {static_cast<interpret::Cell>(number)}});
    }
    interpret::MachineOptions options;
    options.memory_limit_bytes = memory_limit;
    return cli::run_coordinator(*coordinator, *entry, inputs, options);
  }
};

constexpr const char* kTotal = R"(
val total(n: i64, sum: i64) -> i64 { returns sum if n == 0 else total(n - 1, sum + n) }
fn in_the_tail(n: i64, sum: i64) -> i64 impls total, time, space {
    if n == 0 { sum } else { in_the_tail(n - 1, sum + n) }
}
fn by_a_name(n: i64, sum: i64) -> i64 impls total, time, space {
    let r = if n == 0 { sum } else { let t = by_a_name(n - 1, sum + n); t };
    r
}
val deep(n: i64) -> i64 { returns 0 if n == 0 else deep(n - 1) + n }
fn in_the_middle(n: i64) -> i64 impls deep, time, space {
    if n == 0 { 0 } else { in_the_middle(n - 1) + n }
}
)";

TEST(Coordinator, RecursionInTheTailTakesNoSpace) {
  for (const char* function : {"in_the_tail", "by_a_name"}) {
    Prepared prepared(kTotal, function);
    const interpret::RunResult result = prepared.run({1'000'000, 0}, 4096 * 16);
    ASSERT_TRUE(result.is_done()) << function << ": " << result.failure->message;
    EXPECT_EQ(result.values[0].cells[0], 500'000'500'000U);
    EXPECT_LT(result.peak_memory_bytes, 1000U) << function;
  }
}

TEST(Coordinator, NonTailRecursionIsLimitedByMemory) {
  Prepared prepared(kTotal, "in_the_middle");
  const interpret::RunResult result = prepared.run({1'000'000});
  ASSERT_TRUE(result.is_done());
  EXPECT_EQ(result.values[0].cells[0], 500'000'500'000U);
  const interpret::RunResult failed = prepared.run({1'000'000}, 1 << 20);
  ASSERT_TRUE(failed.failure);
  EXPECT_NE(failed.failure->message.find("needs more than its 1 MiB of memory"), std::string::npos);
}

}  // namespace
}  // namespace tacet
