#pragma once

#include "cli/command.h"
#include "cli/joint/joint_options.h"

/// What one holder of a joint key does with the others, who are elsewhere.
namespace tacet::cli {

/// Makes keys with all others of tacet.toml and writes them: the share of this holder, and the keys
/// that everybody may have.
auto make_keys_with_others(const JointOptions& options, Invocation& invocation) -> ExitCode;

/// Shows what a decryption discloses to whom, and allows it.
auto allow_decryption(const JointOptions& options, Invocation& invocation) -> ExitCode;

/// Decrypts the results with the others that take part, and prints them, if this holder learns
/// them.
auto decrypt_with_others(const JointOptions& options, Invocation& invocation) -> ExitCode;

}  // namespace tacet::cli
