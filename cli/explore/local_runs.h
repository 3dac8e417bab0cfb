#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/explore/candidates.h"
#include "cli/run/coordinator_run.h"
#include "cli/run/extern_libraries.h"
#include "cli/run/run_seed.h"
#include "compiler/spec/program/edited_files.h"

namespace tacet::cli {

/// What candidates are run on.
struct LocalInputs {
  std::vector<std::string> values;
  std::vector<std::string> inputs;
  std::vector<std::string> ranges;
  std::string seed;  ///< may be empty
  HostFunctions externs;
};

/// One run of a candidate.
struct LocalRun {
  double milliseconds = 0;
  std::string results;  ///< as JSON, as `tacet run --format json` prints them
};

/// Candidates in plaintext, compiled once and run in this process: a run takes as long as its
/// program, so that hundreds can be compared.
class LocalRuns {
 public:
  LocalRuns(program::Frontend& frontend, const LoadedProgram& program, LocalInputs inputs,
            Invocation& invocation);

  /// Compiles the candidates in plaintext and counts the steps that the reference interpreter takes
  /// for each, by which they are sorted, in front of the others. Steps need no clock: the order is
  /// the same on every machine. If only choices in which one call differs are candidates, the best
  /// of each call are added together as one more. An error if the values do not fit. The frontend
  /// has the program's text again afterwards.
  auto rank(Candidates& found) -> Status;

  /// Whether `run` does the same as `tacet run`: not of what encodes kernels for a GPU.
  [[nodiscard]] auto runs(const Candidate& candidate) const -> bool;

  /// Runs a candidate in plaintext that was ranked, as `tacet run` does; nothing if `is_over` says
  /// that there is no more time for it, which it is asked regularly. An error says why it cannot
  /// run, or failed.
  auto run(const Candidate& candidate, const std::function<bool()>& is_over)
      -> Result<std::optional<LocalRun>>;

 private:
  struct Compiled {
    interpret::Compilation compilation;
    std::optional<CoordinatorExecutable> coordinator;
    bool uses_gpu = false;
  };
  using Key = std::pair<std::string, std::vector<std::string>>;

  static auto key_of(const Candidate& candidate) -> Key;
  auto prepare(std::vector<Candidate>& candidates) -> Status;
  auto compile(const Candidate& candidate) -> Compiled;
  auto read_values(const interpret::Executable& executable) -> Status;
  auto machine_for(const interpret::Executable& executable) -> interpret::MachineOptions;
  auto steps_of(const interpret::Executable& executable) -> std::optional<uint64_t>;

  program::Frontend& frontend_;
  const LoadedProgram& program_;
  LocalInputs inputs_;
  Invocation& invocation_;
  RunSeed seed_;
  program::EditedFiles texts_;
  std::set<std::string, std::less<>> available_;
  std::optional<std::vector<interpret::Value>> values_;
  std::map<Key, Compiled> compiled_;
};

}  // namespace tacet::cli
