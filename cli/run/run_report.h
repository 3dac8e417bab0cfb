#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/run/cggi_device.h"
#include "cli/run/gpu_kernels.h"
#include "cli/run/he_device.h"
#include "cli/run/mpc_device.h"
#include "cli/run/run_options.h"
#include "cli/source_set.h"
#include "compiler/run/interpret/interpret.h"

namespace tacet::cli {

/// Where the time of a run went; what did not happen is nothing.
struct RunSeconds {
  std::optional<double> parse, check, schedule, optimise, keygen, prepare, encrypt;
  std::optional<double> evaluate, hide, decrypt;
  double total = 0;
};

/// That results were compared with those of the same function in plaintext.
struct CheckedResults {
  bool is_done = false;
  std::optional<double> error{};  ///< of reals: the largest one
};

/// What a run cost.
struct RunStatistics {
  std::string device = "ref";
  uint64_t peak_memory_bytes = 0;
  std::optional<uint64_t> instructions;
  unsigned n_threads = 1;
  std::string seed;                 ///< empty if nothing was random
  std::optional<HeCosts> he{};      ///< if it ran under an arithmetic scheme
  std::optional<CggiCosts> cggi{};  ///< if it ran under CGGI
  std::optional<MpcCosts> mpc{};    ///< if several parties computed
  std::optional<GpuCosts> gpu{};    ///< if kernels of a GPU were encoded
  RunSeconds seconds{};
  CheckedResults check{};
  bool has_details = false;  ///< each instruction of the parties is reported, not only operations
};

/// In the format that the options request.
void print_run_diagnostics(std::span<const Diagnostic> diagnostics, SourceSet& sources,
                           const RunOptions& options, Invocation& invocation);

/// Puts the times of a run under encryption where they belong; those under CGGI are added.
void set_encrypted_costs(const HeCosts& costs, RunStatistics& statistics);
void set_encrypted_costs(const CggiCosts& costs, RunStatistics& statistics);

/// `name = value`, a line each, and the statistics as a table if there are any.
auto results_for_people(const std::vector<interpret::EntryResult>& results,
                        const std::vector<interpret::Value>& values,
                        const RunStatistics* statistics) -> std::string;

/// One JSON object and a line end. Numbers that JSON lacks are strings: `"nan"`, `"inf"`.
auto results_as_json(const std::vector<interpret::EntryResult>& results,
                     const std::vector<interpret::Value>& values, const RunStatistics* statistics)
    -> std::string;

/// Prints the results and, if requested, the statistics; with `--output` the results go to
/// that file.
auto deliver_results(const std::vector<interpret::EntryResult>& results,
                     const std::vector<interpret::Value>& values, const RunOptions& options,
                     const RunStatistics& statistics, Invocation& invocation) -> ExitCode;

}  // namespace tacet::cli
