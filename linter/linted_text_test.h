#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/spec/program/frontend.h"
#include "linter/apply_fixes.h"
#include "linter/lint_file.h"

/// For tests of fixes.
namespace tacet::linter {

/// A module without imports.
class LintedText {
 public:
  explicit LintedText(const std::string& text) : file_(frontend_.set_file("main.tacet", text)) {}

  /// Those of all rules, also of those that are off by default.
  auto findings() -> std::vector<Diagnostic> {
    Settings settings;
    settings.others = Level::Warn;
    return frontend_.snapshot().query().run([&](query::Context& context) {
      std::vector<Diagnostic> found =
          lint_file(context, file_, {.settings = settings, .fixes = Fixes::All});
      sort_diagnostics(found);
      return found;
    });
  }
  /// The messages, a line each.
  auto errors(program::Until until = program::Until::Conformance) -> std::string {
    std::string all;
    for (const Diagnostic& diagnostic : frontend_.snapshot().diagnostics(file_, until)) {
      all += diagnostic.severity == Severity::Error ? diagnostic.message + "\n" : "";
    }
    return all;
  }

 protected:
  program::Frontend frontend_;
  FileId file_;
};

/// Applies fixes until none is left; nothing if they do not come to an end.
inline auto fixed(const std::string& text, Applicability most = Applicability::Safe)
    -> std::optional<std::string> {
  std::string now = text;
  for (int round = 0; round < 64; ++round) {
    const FixedText next = apply_fixes(now, LintedText(now).findings(), most);
    if (next.n_applied == 0) {
      return now;
    }
    now = next.text;
  }
  return std::nullopt;
}

}  // namespace tacet::linter
