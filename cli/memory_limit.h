#pragma once

#include <cstdint>
#include <functional>

#include "cli/command.h"

namespace tacet::cli {

/// How much memory a run may take if nobody says: three quarters of what the machine, or the
/// container that the process is in, has.
auto default_memory_limit() -> uint64_t;

/// Lets the process allocate this much more and then fail. Nothing if the system has no such limit.
void limit_memory(uint64_t bytes);

/// Calls `body`, with `limit_mib` of memory if that is not 0. That it was not enough is an error of
/// the run.
auto within_memory(uint64_t limit_mib, Invocation& invocation,
                   const std::function<ExitCode()>& body) -> ExitCode;

/// A quarter of a limit in MiB, for one of the things that a run holds; no more than `most` bytes,
/// which is the answer if there is no limit.
auto quarter_of_limit(uint64_t limit_mib, uint64_t most) -> uint64_t;

/// The most memory that the process has held so far.
auto peak_memory_bytes() -> uint64_t;

}  // namespace tacet::cli
