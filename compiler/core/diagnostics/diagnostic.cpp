#include "compiler/core/diagnostics/diagnostic.h"

#include <algorithm>
#include <tuple>

namespace tacet {

namespace {

struct CodeInfo {
  std::string_view name;
  Severity severity;
  std::string_view title;
};

constexpr CodeInfo kCodes[] = {
#define TACET_DIAGNOSTIC(Code, Level, Title) {#Code, Severity::Level, Title},
#include "compiler/core/diagnostics/codes.def"
};

}  // namespace

static auto info(DiagnosticCode code) -> const CodeInfo& {
  return kCodes[static_cast<size_t>(code)];
}

auto code_name(DiagnosticCode code) -> std::string_view {
  return info(code).name;
}

auto code_title(DiagnosticCode code) -> std::string_view {
  return info(code).title;
}

auto default_severity(DiagnosticCode code) -> Severity {
  return info(code).severity;
}

auto find_code(std::string_view name, DiagnosticCode& code) -> bool {
  if (name.empty() || (name.front() != 'T' && name.front() != 't')) {
    return false;
  }
  for (size_t i = 0; i < std::size(kCodes); ++i) {
    if (kCodes[i].name.substr(1) == name.substr(1)) {
      code = static_cast<DiagnosticCode>(i);
      return true;
    }
  }
  return false;
}

auto all_codes() -> const std::vector<DiagnosticCode>& {
  static const std::vector<DiagnosticCode> codes = [] {
    std::vector<DiagnosticCode> all;
    for (size_t i = 0; i < std::size(kCodes); ++i) {
      all.push_back(static_cast<DiagnosticCode>(i));
    }
    return all;
  }();
  return codes;
}

auto make_diagnostic(DiagnosticCode code, FileRange place, std::string message) -> Diagnostic {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.severity = default_severity(code);
  diagnostic.place = place;
  diagnostic.message = std::move(message);
  return diagnostic;
}

auto shifted(Diagnostic diagnostic, uint32_t by) -> Diagnostic {
  FileId file = diagnostic.place.file;
  diagnostic.place.range = diagnostic.place.range.shifted(by);
  for (Label& label : diagnostic.labels) {
    if (label.place.file == file) {
      label.place.range = label.place.range.shifted(by);
    }
  }
  for (Fix& fix : diagnostic.fixes) {
    for (TextEdit& edit : fix.edits) {
      edit.range = edit.range.shifted(by);
    }
  }
  return diagnostic;
}

void sort_diagnostics(std::vector<Diagnostic>& diagnostics) {
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [](const Diagnostic& a, const Diagnostic& b) {
                     return std::tie(a.place.file, a.place.range, a.code, a.message) <
                            std::tie(b.place.file, b.place.range, b.code, b.message);
                   });
}

}  // namespace tacet
