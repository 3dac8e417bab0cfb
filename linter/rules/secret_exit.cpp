#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/cost.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

using oblivious::Cause;

/// The word of a statement that leaves, and whether a loop around it counts: a `return` in a loop
/// that a secret ends is decided by it, a `break` only says so once more.
struct Exit {
  std::string_view word;
  bool is_decided_by_loops = false;
};

static auto exit_of(const kernel::Statement& statement) -> Exit {
  if (std::holds_alternative<kernel::Break>(statement.node)) {
    return {"break", false};
  }
  if (std::holds_alternative<kernel::Continue>(statement.node)) {
    return {"continue", false};
  }
  if (std::holds_alternative<kernel::Return>(statement.node)) {
    return {"return", true};
  }
  return {};
}

/// Rule: secret-exit
///
/// What it does: finds a `break`, `continue` or early `return` that a secret decides.
/// Why: what is skipped shows in the time.
/// Example: `if t[i] == s { break; }`
/// Use instead: a flag that everything behind it is predicated by.
/// Fix safety: safe; nothing is skipped, and what would have been changes nothing.
static void find_secret_exit(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId id, const kernel::Statement& statement) {
    const Exit exit = exit_of(statement);
    const oblivious::CauseId control = subject.secrecy.control(id);
    if (exit.word.empty() || !control.has_value()) {
      return;
    }
    const Cause::Kind kind = subject.secrecy[control].kind;
    if (kind != Cause::Kind::Branch && !(kind == Cause::Kind::Loop && exit.is_decided_by_loops)) {
      return;  // the last `return`, behind an earlier one
    }
    Diagnostic* finding =
        findings.add_channel(DiagnosticCode::T5005, statement.place,
                             fmt::format("`{}` depends on a secret", exit.word), {control});
    if (finding != nullptr) {
      add_note(*finding,
               "in the oblivious form, the code after it always runs, and a flag selects each "
               "value that it changes");
    }
  });
}

auto secret_exit() -> Rule {
  return {DiagnosticCode::T5005, "secret-exit", RuleKind::Channel, find_secret_exit};
}

}  // namespace tacet::linter
