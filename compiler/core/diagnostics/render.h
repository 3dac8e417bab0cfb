#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/core/diagnostics/source_view.h"

namespace tacet {

/// The forms in which diagnostics are reported. Every renderer is a pure function
/// of the diagnostics and the sources; output is UTF-8 whatever the sources hold.

enum class Colour : uint8_t { Never, Always };

struct HumanOptions {
  Colour colour = Colour::Never;
  uint32_t width = 100;  ///< columns of the terminal; 0: wrap nothing, cut only endless lines
};

/// `error`, `warning`, `information` or `hint`.
auto severity_name(Severity severity) -> std::string_view;

/// `safe`, `unsafe` or `display-only`.
auto applicability_name(Applicability applicability) -> std::string_view;

/// For people: the message, the code with its marks and labels, notes, and each fix
/// as a small diff. Several lines, each with its line end.
auto render_human(const Diagnostic& diagnostic, const SourceLookup& sources,
                  const HumanOptions& options) -> std::string;

/// `file:line:column: error[T0001]: message` and a line end.
auto render_short(const Diagnostic& diagnostic, const SourceLookup& sources) -> std::string;

/// One JSON object and a line end: zero-based lines, UTF-16 characters, as in LSP.
auto render_json(const Diagnostic& diagnostic, const SourceLookup& sources) -> std::string;

/// A workflow command that GitHub shows beside the changed lines, and a line end.
auto render_github(const Diagnostic& diagnostic, const SourceLookup& sources) -> std::string;

/// The tool that a SARIF log names.
struct SarifTool {
  std::string_view name = "tacet";
  std::string_view version;
};

/// A path as a URI reference: what RFC 3986 does not let stand is percent-encoded.
auto sarif_uri(std::string_view path) -> std::string;

/// A whole SARIF 2.1.0 log with one run. Results carry fixes and a fingerprint that
/// survives the insertion of lines above.
auto render_sarif(std::span<const Diagnostic> diagnostics, const SourceLookup& sources,
                  const SarifTool& tool) -> std::string;

}  // namespace tacet
