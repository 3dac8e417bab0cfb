#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/executor.h"
#include "cli/command.h"
#include "cli/load_files.h"
#include "cli/source_set.h"
#include "compiler/core/diagnostics/diagnostic.h"

namespace tacet::cli {

/// How diagnostics are printed.
enum class Format : uint8_t { Human, Short, Json, Sarif, Github };

/// Declares `--format`.
void add_format_option(CLI::App& app, Format* format);

/// Prints `diagnostics` to `out`, which `terminal` describes.
void print_diagnostics(std::span<const Diagnostic> diagnostics, SourceSet& sources, Format format,
                       Output& out, const Terminal& terminal);
/// The same, on as many cores as `executor` has.
void print_diagnostics(std::span<const Diagnostic> diagnostics, SourceSet& sources, Format format,
                       Output& out, const Terminal& terminal, Executor& executor);

/// Prints what could not be read, and what was found to be empty, to stderr.
void report_unread(const LoadedFiles& loaded, Invocation& invocation);

/// `load_file` for a command that reads one file: reports why it cannot be read.
auto load_or_report(const std::string& path, const std::string& stdin_filepath,
                    Invocation& invocation) -> std::optional<LoadedFile>;

/// How many there are of each kind.
struct Tally {
  size_t n_errors = 0;
  size_t n_warnings = 0;
  size_t n_others = 0;

  void add(std::span<const Diagnostic> diagnostics);
};

/// `2 errors, 1 warning`; `nothing wrong` if there is nothing.
auto tally_text(const Tally& tally) -> std::string;

/// `1 file`, `2 files`.
auto counted(size_t n, std::string_view noun) -> std::string;

}  // namespace tacet::cli
