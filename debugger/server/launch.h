#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "debugger/session/debuggee.h"
#include "debugger/session/values.h"

namespace tacet::debugger {

/// What a client wants to debug: the arguments of `launch`, which are those of `tacet run`.
struct LaunchRequest {
  std::string program;
  std::string folder;    ///< that names of files count from; empty: the server's
  std::string function;  ///< `--fn`
  std::string pipeline;
  std::vector<std::string> values;  ///< in the order of the parameters
  std::vector<std::string> inputs;  ///< `NAME=VALUE` or `@FILE`
  std::vector<std::string> sizes;   ///< `NAME=N`
  std::vector<std::string> externs;
  std::string seed;
  bool are_others_random = false;  ///< parameters without a value
  uint64_t memory_limit_mib = 0;
  bool stops_on_entry = false;
  bool is_debugged = true;  ///< false: runs to its end
  SecretValues secrets = SecretValues::Shown;
};

/// A text for the client's console.
struct LaunchOutput {
  bool is_error = false;
  std::string text;
};

/// Makes a program ready to be debugged. `output` hears of warnings and of the seed, and of what is
/// wrong with the program; an error is one sentence.
using Launcher = std::function<Result<Debuggee>(const LaunchRequest& request,
                                                const std::function<void(LaunchOutput)>& output)>;

}  // namespace tacet::debugger
