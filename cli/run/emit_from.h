#pragma once

#include "cli/command.h"
#include "cli/load_files.h"
#include "cli/run/run_options.h"

namespace tacet::cli {

/// The stages that `tacet emit --from` reads back between source and programs for encryption.
auto is_he_source(std::string_view from) -> bool;

/// Reads the text of the stage `from`, continues from there, and prints `stage`, which must be that
/// stage or one behind it. A text that is none is an error with its line and column.
///
/// Circuits say nothing of how large numbers are, so no program follows from them: `array` and
/// `schedule` are where ranges are known.
auto emit_from(std::string_view from, std::string_view stage, const LoadedFile& file,
               const RunOptions& options, Invocation& invocation) -> ExitCode;

}  // namespace tacet::cli
