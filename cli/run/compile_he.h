#pragma once

#include <functional>
#include <optional>

#include "cli/command.h"
#include "cli/run/he_device.h"
#include "cli/run/run_options.h"
#include "cli/run/run_report.h"
#include "cli/source_set.h"
#include "compiler/he/lower/compile.h"
#include "compiler/run/interpret/interpret.h"

namespace tacet::cli {

/// What compiling an item for `--device he` starts from.
struct HeCompileRequest {
  names::ItemId item;
  std::string name;
  const std::vector<interpret::EntryParameter>* parameters = nullptr;
  const std::vector<interpret::EntryResult>* results = nullptr;
  /// The numbers it will run on, if there are any. Under `--range-from-data` ranges that nothing
  /// declares are theirs, with a warning; else such a range is an error, since what is chosen for
  /// it would show the numbers.
  const engine::HeIntegers* values = nullptr;
  /// `--range` names its parameters: not of what a coordinator function encodes.
  bool takes_ranges = true;
  /// Where the item is reported if it cannot be encrypted; none: nowhere.
  SourceSet* sources = nullptr;
  he_lower::Stage last = he_lower::Stage::Program;
  /// `he_lower::CompileOptions::is_fast_enough`.
  std::function<bool(double)> is_fast_enough{};
  /// `he_lower::ChoiceOptions::most_moduli`.
  size_t most_moduli = 0;
  /// What is chosen must be the same on all machines: no measured times, no limits of this one.
  bool is_alike_everywhere = false;
  /// What its random draws, which become constants, are functions of.
  engine::PublicRandomKey random_key{};
};

/// What `tacet run`, `build` and `emit` get of it.
struct HeCompilation {
  std::optional<he_lower::Compiled> compiled;
  std::vector<he_lower::Compiled> others;  ///< of the results behind the first
  std::vector<Diagnostic> diagnostics;
  std::string problem;       ///< if there are neither
  bool is_declined = false;  ///< the request's `is_fast_enough` said no
  /// The command line is wrong: a range is missing or names no parameter.
  bool is_usage = false;
  double schedule_seconds = 0;
  double optimise_seconds = 0;
};

/// The parameters with the bounds that `--range` gives; each range must name one of them.
auto bounded_parameters(std::vector<interpret::EntryParameter> parameters,
                        const std::vector<std::string>& ranges)
    -> Result<std::vector<interpret::EntryParameter>>;

auto compile_for_he(const program::FrontendSnapshot& snapshot, const HeCompileRequest& request,
                    const RunOptions& options, Invocation& invocation) -> HeCompilation;

/// The same of an array program, whose parameters the request names; `schedule` is obeyed if there
/// is one.
auto compile_for_he(const array::Program& program,
                    const std::optional<schedule::Schedule>& schedule,
                    const HeCompileRequest& request, const RunOptions& options,
                    Invocation& invocation) -> HeCompilation;

/// The compiled program with what client and server must know of it.
auto bundle_of(const HeCompilation& compilation, const HeCompileRequest& request)
    -> engine::HeBundle;

}  // namespace tacet::cli
