#include <fmt/format.h>

#include "compiler/core/diagnostics/printable.h"
#include "compiler/core/diagnostics/render.h"

namespace tacet {

auto severity_name(Severity severity) -> std::string_view {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Information:
      return "information";
    case Severity::Hint:
      return "hint";
  }
  return "error";
}

auto applicability_name(Applicability applicability) -> std::string_view {
  switch (applicability) {
    case Applicability::Safe:
      return "safe";
    case Applicability::Unsafe:
      return "unsafe";
    case Applicability::DisplayOnly:
      return "display-only";
  }
  return "display-only";
}

auto render_short(const Diagnostic& diagnostic, const SourceLookup& sources) -> std::string {
  std::string place;
  SourceView source = sources(diagnostic.place.file);
  if (source.is_known()) {
    HumanPosition at = human_position(source, diagnostic.place.range.begin);
    place = fmt::format("{}:{}:{}: ", one_line(source.path), at.line, at.column);
  }
  return fmt::format("{}{}[{}]: {}\n", place, severity_name(diagnostic.severity),
                     code_name(diagnostic.code), one_line(diagnostic.message));
}

}  // namespace tacet
