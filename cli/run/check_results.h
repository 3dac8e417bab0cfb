#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/run/encrypted_program.h"

namespace tacet::cli {

/// What `--check` found.
struct ResultCheck {
  /// Of reals: how far the worst result is from what the function is in real numbers, on the given
  /// inputs.
  std::optional<double> error;
  /// The first result that is wrong: a sentence about it, without a final period. Empty if there is
  /// none.
  std::string fault;
};

/// Compares the results of an encrypted run with the same function in plaintext. Integers, and
/// whatever runs under CGGI, must be what `reference` gives, a run on the reference device. Reals
/// must be within the bound of the run of what exact arithmetic and the functions of mathematics
/// give: it is computed in real numbers, from the array program before anything was
/// approximated.
///
/// An error says why there is nothing to compare with.
auto check_results(const program::FrontendSnapshot& snapshot, HeCompileRequest request,
                   const EncryptedProgram& program, const std::vector<interpret::Value>& inputs,
                   const std::vector<interpret::Value>& results,
                   const std::function<interpret::RunResult()>& reference,
                   const RunOptions& options, Invocation& invocation) -> Result<ResultCheck>;

}  // namespace tacet::cli
