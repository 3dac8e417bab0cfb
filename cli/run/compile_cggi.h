#pragma once

#include "cli/run/compile_he.h"
#include "compiler/he/gates/compile.h"

namespace tacet::cli {

/// What `tacet run`, `build` and `emit` get of compiling for CGGI.
struct CggiCompilation {
  std::optional<gates::Compiled> compiled;
  std::vector<Diagnostic> diagnostics{};
  std::string problem{};  ///< if there are neither
  /// The command line is wrong: a range names no parameter, or a level of security has no
  /// parameters.
  bool is_usage = false;
  double optimise_seconds = 0;
};

/// The item as a circuit of bits, with parameters for the failure probability of the options.
/// `values` of the request do not matter: circuits need no ranges. An error if there are more than
/// `most_gates` before optimisation.
auto compile_for_cggi(const program::FrontendSnapshot& snapshot, const HeCompileRequest& request,
                      const RunOptions& options,
                      size_t most_gates = gates::CompileOptions().most_gates) -> CggiCompilation;

}  // namespace tacet::cli
