#include "compiler/core/diagnostics/painter.h"

namespace tacet {

static auto escape_code(Ink ink) -> std::string_view {
  switch (ink) {
    case Ink::Plain:
      return "";
    case Ink::Strong:
      return "\x1b[1m";
    case Ink::Error:
      return "\x1b[1;31m";
    case Ink::Warning:
      return "\x1b[1;33m";
    case Ink::Information:
      return "\x1b[1;36m";
    case Ink::Hint:
      return "\x1b[1;32m";
    case Ink::Label:
    case Ink::Gutter:
      return "\x1b[1;34m";
    case Ink::Removed:
      return "\x1b[31m";
    case Ink::Added:
      return "\x1b[32m";
  }
  return "";
}

void Painter::put(Ink ink, std::string_view text) {
  std::string_view code = colour_ == Colour::Always ? escape_code(ink) : "";
  out_.append(code);
  out_.append(text);
  if (!code.empty()) {
    out_.append("\x1b[0m");
  }
}

void Painter::end_line() {
  while (!out_.empty() && out_.back() == ' ') {
    out_.pop_back();
  }
  out_.push_back('\n');
}

auto ink_of(Severity severity) -> Ink {
  switch (severity) {
    case Severity::Error:
      return Ink::Error;
    case Severity::Warning:
      return Ink::Warning;
    case Severity::Information:
      return Ink::Information;
    case Severity::Hint:
      return Ink::Hint;
  }
  return Ink::Error;
}

}  // namespace tacet
