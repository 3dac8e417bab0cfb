#pragma once

#include <optional>
#include <vector>

#include "cli/command.h"
#include "cli/explore/candidates.h"
#include "cli/explore/explore_options.h"
#include "cli/run/operation_times_file.h"
#include "cli/run/run_target.h"
#include "compiler/spec/program/edited_files.h"

namespace tacet::cli {

/// How long candidates on devices will take, before any has run: by the operations that they are
/// compiled to, and what these take on this machine (`tacet bench --calibrate`) or another one.
class Predictions {
 public:
  Predictions(program::Frontend& frontend, const LoadedProgram& program,
              const ExploreOptions& options, Invocation& invocation);

  /// Of one run from keys to results, in milliseconds, as trials measure it. Nothing for candidates
  /// in plaintext, which are ranked by steps, and for those that cannot be compiled or whose loops
  /// depend on what is only known when they run. Takes as long as compiling. The frontend has the
  /// program's text again afterwards.
  auto of(const Candidate& candidate) -> std::optional<double>;

 private:
  auto compiled_time(const Candidate& candidate) -> std::optional<double>;
  auto encrypted_time(const program::FrontendSnapshot& snapshot, names::ItemId item,
                      const Candidate& candidate) -> std::optional<double>;
  auto shared_time(const program::FrontendSnapshot& snapshot, names::ItemId item,
                   const Candidate& candidate) -> std::optional<double>;

  program::Frontend& frontend_;
  const LoadedProgram& program_;
  const ExploreOptions& options_;
  Invocation quiet_;  ///< compiling shows no progress of its own
  program::EditedFiles texts_;
  MachineTimes times_;
};

/// `bfv`, `bgv`, `ckks`, `cggi`.
auto scheme_named(const std::string& name) -> RunScheme;

}  // namespace tacet::cli
