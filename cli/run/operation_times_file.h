#pragma once

#include <string>

#include "engine/he_model/operation_times.h"

namespace tacet::cli {

/// Where `tacet bench --calibrate` keeps what it measured: in the user's cache folder
/// (`$XDG_CACHE_HOME/tacet`, or `~/.cache/tacet`), by version and instruction set. Empty if there
/// is no such folder to be named.
auto operation_times_path() -> std::string;

/// What was measured on this machine, or else the table that Tacet comes with.
auto operation_times() -> he::OperationTimes;

/// Keeps what was measured.
auto store_operation_times(const he::OperationTimes& times) -> Status;

}  // namespace tacet::cli
