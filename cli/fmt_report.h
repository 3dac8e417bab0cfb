#pragma once

#include <string>
#include <vector>

#include "cli/load_files.h"
#include "cli/report.h"
#include "formatter/format.h"

namespace tacet::cli {

/// One file, before and after formatting.
struct Formatted {
  LoadedFile file;
  formatter::FormatResult result;

  [[nodiscard]] auto is_changed() const -> bool { return result.text != file.text; }
};

/// That a file is not formatted, as `fmt --check` says it. Not for SARIF, which is one log.
auto unformatted_text(const Formatted& formatted, Format format) -> std::string;

/// The syntax errors of `files`, and those that are not formatted, as one SARIF log.
auto unformatted_sarif(const std::vector<Formatted>& files) -> std::string;

/// Prints the syntax errors of a file.
void print_syntax_errors(const Formatted& formatted, Format format, Output& out,
                         const Terminal& terminal);

}  // namespace tacet::cli
