// What the lowering makes of every program there is: it reads back, obeys the rules, and is nothing
// that could be changed without breaking them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "compiler/run/cps/assemble.h"
#include "compiler/run/cps/check.h"
#include "compiler/run/cps/lower.h"
#include "compiler/run/cps/parse.h"
#include "compiler/run/cps/print.h"
#include "tests/assembly/mutations.h"
#include "tests/assembly/programs.h"
#include "tests/assembly/random_coordinator.h"

namespace tacet::cps {
namespace {

using testing::SourceProgram;

auto faults_text(const Program& program) -> std::string {
  std::string text;
  for (const Fault& fault : check(program)) {
    text += fault_text(program, fault) + "\n";
  }
  return text;
}

/// The assemblies of all good programs of the repository, and of random ones.
auto assemblies() -> const std::vector<std::pair<std::string, Program>>& {
  static const std::vector<std::pair<std::string, Program>> kAll = [] {
    std::vector<std::pair<std::string, Program>> all;
    std::vector<SourceProgram> sources = testing::all_programs();
    for (uint64_t seed = 0; seed < 20; ++seed) {
      sources.push_back({fmt::format("random {}", seed), testing::conforming_module(seed, 12)});
    }
    for (const SourceProgram& source : sources) {
      program::Frontend frontend;
      const FileId file = frontend.set_file("a.tacet", source.text);
      const program::FrontendSnapshot snapshot = frontend.snapshot();
      if (!testing::is_good(snapshot, file, program::Until::Conformance)) {
        EXPECT_FALSE(source.path.starts_with("random")) << source.text;
        continue;
      }
      Program program = lower_file(snapshot, file).program;
      if (program.functions.size() > 0) {
        all.emplace_back(source.path, std::move(program));
      }
    }
    return all;
  }();
  return kAll;
}

TEST(Assembly, EveryProgramObeysTheRules) {
  EXPECT_GT(assemblies().size(), 40U);
  for (const auto& [path, program] : assemblies()) {
    EXPECT_EQ(faults_text(program), "") << path << "\n" << print(program);
  }
}

TEST(Assembly, EveryProgramReadsBack) {
  for (const auto& [path, program] : assemblies()) {
    const std::string text = print(program);
    Result<Program> back = parse(text);
    ASSERT_TRUE(back) << path << ": " << back.error().message << "\n" << text;
    EXPECT_EQ(print(*back), text) << path;
    EXPECT_EQ(faults_text(*back), faults_text(program)) << path;
  }
}

TEST(Assembly, EveryProgramBecomesOneThatIsSafeToRun) {
  for (const auto& [path, program] : assemblies()) {
    const Assembled assembled = assemble(program);
    const Status status = engine::validate(assembled.program);
    EXPECT_TRUE(status) << path << ": " << (status ? "" : status.error().message);
    EXPECT_EQ(assembled.sources.size(), assembled.program.instructions.size());
  }
}

// Some changes leave a right assembly behind: of two values that are both the same node either may
// be handed on, and an unused name may be anything. So not every mutant dies, but of each kind
// nearly all do.
TEST(Assembly, MutantsAreRejected) {
  std::mt19937_64 random(1);
  std::map<std::string_view, std::pair<size_t, size_t>> killed;
  std::vector<const Program*> programs;
  for (const auto& [path, program] : assemblies()) {
    if (program.funclets.size() < 400) {
      programs.push_back(&program);
    }
  }
  for (const auto& [name, mutate] : mutations()) {
    for (int attempt = 0; attempt < 20000 && killed[name].first < 200; ++attempt) {
      Program mutant = *programs[random() % programs.size()];
      if (!mutate(mutant, random)) {
        continue;
      }
      ++killed[name].first;
      killed[name].second += check(mutant).empty() ? 0 : 1;
    }
  }
  size_t n_mutants = 0;
  size_t n_killed = 0;
  for (const auto& [name, counts] : killed) {
    EXPECT_GT(counts.first, 20U) << name;
    EXPECT_GE(counts.second * 100, counts.first * 95)
        << name << ": " << counts.second << " of " << counts.first << " were rejected";
    n_mutants += counts.first;
    n_killed += counts.second;
  }
  EXPECT_GT(n_mutants, 2000U);
  RecordProperty("mutants", static_cast<int>(n_mutants));
  RecordProperty("killed", static_cast<int>(n_killed));
}

}  // namespace
}  // namespace tacet::cps
