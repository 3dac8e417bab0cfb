#include <fmt/format.h>

#include "compiler/core/diagnostics/render.h"

namespace tacet {

static auto escaped(std::string_view text, std::string_view special) -> std::string {
  std::string out;
  for (char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || special.find(c) != std::string_view::npos) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out.push_back(c);
    }
  }
  return out;
}

static auto command_name(Severity severity) -> std::string_view {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Information:
    case Severity::Hint:
      return "notice";
  }
  return "error";
}

auto render_github(const Diagnostic& diagnostic, const SourceLookup& sources) -> std::string {
  std::string properties;
  SourceView source = sources(diagnostic.place.file);
  if (source.is_known()) {
    HumanPosition begin = human_position(source, diagnostic.place.range.begin);
    HumanPosition end = human_position(source, diagnostic.place.range.end);
    properties = fmt::format("file={},line={},endLine={},", escaped(source.path, ":,"), begin.line,
                             end.line);
    // GitHub draws columns only within one line.
    if (begin.line == end.line) {
      properties += fmt::format("col={},endColumn={},", begin.column, end.column);
    }
  }
  std::string message = diagnostic.message;
  for (const std::string& note : diagnostic.notes) {
    message += "\nnote: " + note;
  }
  return fmt::format("::{} {}title={}::{}\n", command_name(diagnostic.severity), properties,
                     code_name(diagnostic.code), escaped(message, ""));
}

}  // namespace tacet
