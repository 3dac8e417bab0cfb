#pragma once

#include <cstdint>

namespace tacet::cli {

/// The exit codes of the program.
enum class ExitCode : uint8_t {
  Done = 0,      ///< done, and nothing is wrong
  Failed = 1,    ///< the program or the check failed
  Usage = 2,     ///< the command line is wrong
  Internal = 3,  ///< a bug in Tacet
};

/// The worse of two results.
constexpr auto worse(ExitCode a, ExitCode b) -> ExitCode {
  return a < b ? b : a;
}

}  // namespace tacet::cli
