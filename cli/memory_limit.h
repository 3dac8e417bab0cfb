#pragma once

#include <cstdint>

namespace tacet::cli {

/// How much memory a run may take if nobody says: three quarters of what the machine, or the
/// container that the process is in, has.
auto default_memory_limit() -> uint64_t;

/// The most memory that the process has held so far.
auto peak_memory_bytes() -> uint64_t;

}  // namespace tacet::cli
