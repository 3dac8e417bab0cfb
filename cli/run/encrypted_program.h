#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "cli/run/cggi_device.h"
#include "cli/run/compile_he.h"

namespace tacet::cli {

/// What a function is compiled to for `--device he`: for an arithmetic scheme, or bit by bit.
using EncryptedProgram = std::variant<engine::HeBundle, engine::CggiProgram>;

struct EncryptedCompilation {
  std::optional<EncryptedProgram> program{};
  std::vector<Diagnostic> diagnostics{};
  std::string problem{};                     ///< if there are neither
  bool is_usage = false;                     ///< the command line is wrong
  std::optional<double> schedule_seconds{};  ///< of an arithmetic scheme
  double optimise_seconds = 0;
};

/// Compiles for the scheme that the options request. For `auto`, that is an arithmetic one, or CGGI
/// where these do not support the item or promise to take longer than a circuit and its keys; a
/// note then says why. CGGI is no substitute if the command line is wrong, the item has public
/// faults, or options or a `schedule` are given that a circuit would ignore.
///
/// `inputs` has the values of all parameters, if there are any; `values` of the request is ignored.
auto compile_encrypted(const program::FrontendSnapshot& snapshot, HeCompileRequest request,
                       const std::vector<interpret::Value>* inputs, const RunOptions& options,
                       Invocation& invocation) -> EncryptedCompilation;

struct EncryptedRun {
  std::vector<interpret::Value> values;  ///< of the results, in order
  std::variant<HeCosts, CggiCosts> costs;
};

/// Runs what an executable was compiled to, client and server in this process. `line` shows the
/// phases.
auto run_encrypted(const EncryptedProgram& program, const interpret::Executable& executable,
                   const std::vector<interpret::Value>& inputs, const RunOptions& options,
                   PhaseLine& line) -> Result<EncryptedRun>;

}  // namespace tacet::cli
