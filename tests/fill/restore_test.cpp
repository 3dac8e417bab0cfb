// Each statement of each coordinator function that the repository accepts is removed and requested
// again: what is filled in conforms, and where it runs it computes what the specification says.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "compiler/core/diagnostics/code.h"
#include "compiler/run/oracle/deep_check.h"
#include "compiler/views/emit/fill.h"
#include "tests/fill/removals.h"

namespace tacet::emit {
namespace {

struct Share {
  size_t n_asked = 0;
  size_t n_restored = 0;
};

auto errors_of(const std::vector<Diagnostic>& diagnostics) -> std::string {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    text += fmt::format("    {} {}\n", code_name(diagnostic.code), diagnostic.message);
  }
  return text;
}

/// What the filled program computes otherwise than its specifications; empty if nothing.
auto wrong_results(program::Frontend& frontend, FileId file) -> std::string {
  SequentialExecutor executor;
  oracle::RunOptions options;
  options.n_runs = 6;
  options.max_steps = 20'000;
  std::vector<Diagnostic> found =
      oracle::deep_check(frontend.snapshot(), {file}, options, executor).diagnostics;
  std::erase_if(
      found, [](const Diagnostic& diagnostic) { return diagnostic.severity != Severity::Error; });
  return errors_of(found);
}

TEST(Restore, EveryStatementOfTheAcceptedPrograms) {
  const char* verbose = std::getenv("TACET_RESTORE_SHOW");
  std::map<std::string, Share> by_kind;
  Share all;
  for (const testing::AcceptedProgram& program : testing::accepted_programs()) {
    program::Frontend frontend;
    const FileId file = frontend.set_file("program.tacet", program.text);
    const std::vector<testing::Removal> removals =
        testing::removals(frontend.snapshot(), file, program.text);
    const bool was_right = wrong_results(frontend, file).empty();
    for (const testing::Removal& removal : removals) {
      frontend.set_file("program.tacet", removal.text);
      const Filled filled = fill_holes(frontend, file);
      Share& share = by_kind[removal.kind];
      ++share.n_asked;
      ++all.n_asked;
      if (!filled.left.empty()) {
        if (verbose != nullptr) {
          fmt::print("{} {}: {}: {}\n{}", program.path, removal.function, removal.kind,
                     removal.removed, errors_of(filled.left));
        }
        continue;
      }
      ++share.n_restored;
      ++all.n_restored;
      if (was_right) {
        EXPECT_EQ(wrong_results(frontend, file), "")
            << program.path << ": " << removal.removed << "\n"
            << filled.text;
      }
    }
  }
  for (const auto& [kind, share] : by_kind) {
    fmt::print("{:<24} {:>5} of {:>5}\n", kind, share.n_restored, share.n_asked);
  }
  fmt::print("{:<24} {:>5} of {:>5}, {:.1f} %\n", "all", all.n_restored, all.n_asked,
             100.0 * static_cast<double>(all.n_restored) / static_cast<double>(all.n_asked));
  EXPECT_GE(all.n_asked, 500U);
  EXPECT_GE(all.n_restored * 100, all.n_asked * 95);
}

}  // namespace
}  // namespace tacet::emit
