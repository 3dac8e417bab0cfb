#include "compiler/core/diagnostics/diagnostic.h"

#include <algorithm>
#include <numeric>
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
  for (Reason& reason : diagnostic.reasons) {
    if (reason.place.file == file) {
      reason.place.range = reason.place.range.shifted(by);
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
  const auto key = [](const Diagnostic& diagnostic) {
    return std::tie(diagnostic.place.file, diagnostic.place.range, diagnostic.code,
                    diagnostic.message);
  };
  const auto is_before = [&](uint32_t a, uint32_t b) {
    return key(diagnostics[a]) < key(diagnostics[b]);
  };
  // Numbers move more easily than diagnostics, of which most are in order already.
  std::vector<uint32_t> order(diagnostics.size());
  std::iota(order.begin(), order.end(), 0U);
  if (std::is_sorted(order.begin(), order.end(), is_before)) {
    return;
  }
  std::stable_sort(order.begin(), order.end(), is_before);
  std::vector<Diagnostic> sorted;
  sorted.reserve(diagnostics.size());
  for (const uint32_t at : order) {
    sorted.push_back(std::move(diagnostics[at]));
  }
  diagnostics = std::move(sorted);
}

}  // namespace tacet
