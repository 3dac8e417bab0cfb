#include "compiler/device/oblivious/problems.h"

#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"

namespace tacet::oblivious {

using namespace kernel;

namespace {

auto step_text(const Kernel& kernel, const Cause& step) -> std::string {
  const auto name = [&] { return kernel.variables[step.variable].name; };
  switch (step.kind) {
    case Cause::Kind::Parameter:
      return fmt::format("secret here: parameter `{}`", name());
    case Cause::Kind::Declared:
      return fmt::format("`{}` is declared secret", name());
    case Cause::Kind::Called:
      return fmt::format("a call gives `{}` a secret", name());
    case Cause::Kind::Assigned:
      return fmt::format("makes `{}` secret", name());
    case Cause::Kind::Stored:
      return fmt::format("makes the elements of `{}` secret", name());
    case Cause::Kind::Decided:
      return fmt::format("a secret decides what `{}` holds", name());
    case Cause::Kind::Counted:
      return fmt::format("`{}` counts from a secret", name());
    case Cause::Kind::Branch:
      return "this condition is secret";
    case Cause::Kind::Loop:
      return "how often this runs is secret";
    case Cause::Kind::Exit:
      return "whether this is met is secret";
  }
  return {};
}

auto problem(DiagnosticCode code, FileRange place, std::string message, const Kernel& kernel,
             const Secrecy& secrecy, CauseId cause) -> Diagnostic {
  Diagnostic diagnostic = make_diagnostic(code, place, std::move(message));
  add_path(diagnostic, kernel, secrecy, cause);
  return diagnostic;
}

}  // namespace

void add_path(Diagnostic& diagnostic, const Kernel& kernel, const Secrecy& secrecy, CauseId cause) {
  if (!cause.has_value()) {
    return;
  }
  for (const Cause& step : secrecy.path(cause)) {
    diagnostic.labels.push_back({step.place, step_text(kernel, step)});
  }
}

auto no_bound_of_for(const Kernel& kernel, const Secrecy& secrecy, StatementId id, const For& loop)
    -> Diagnostic {
  CauseId cause = secrecy.cause(id, loop.upper);
  std::string_view bound = "upper bound";
  if (const CauseId lower = secrecy.cause(id, loop.lower); lower.has_value()) {
    cause = lower;
    bound = "lower bound";
  } else if (loop.step && secrecy.is_secret(id, *loop.step)) {
    cause = secrecy.cause(id, *loop.step);
    bound = "step";
  }
  Diagnostic diagnostic = problem(
      DiagnosticCode::T5030, kernel.statements[id].place,
      fmt::format("the {} of this loop is secret, and nothing says how often it turns", bound),
      kernel, secrecy, cause);
  diagnostic.notes.push_back(
      "a loop is padded to a public number of turns: write `max n` behind its bounds, or declare "
      "what the bounds can be, as in `n: secret i64 in 0..100`");
  return diagnostic;
}

auto no_bound_of_while(const Kernel& kernel, const Secrecy& secrecy, StatementId id,
                       const While& loop) -> Diagnostic {
  Diagnostic diagnostic =
      problem(DiagnosticCode::T5030, kernel.statements[id].place,
              "the condition of this loop is secret, and nothing says how often it turns", kernel,
              secrecy, secrecy.cause(id, loop.condition));
  diagnostic.notes.push_back(
      "a loop is padded to a public number of turns: write `max n` behind its condition");
  return diagnostic;
}

auto secret_max(const Kernel& kernel, const Secrecy& secrecy, CauseId cause, FileRange place)
    -> Diagnostic {
  Diagnostic diagnostic = problem(DiagnosticCode::T5031, place, "the `max` of this loop is secret",
                                  kernel, secrecy, cause);
  diagnostic.notes.push_back(
      "`max` is how often the loop turns whatever the secrets are, so everybody sees it: write the "
      "greatest number that is needed, and leave by `break`");
  return diagnostic;
}

auto secret_reveal(const Kernel& kernel, const Secrecy& secrecy, CauseId cause, FileRange place)
    -> Diagnostic {
  Diagnostic diagnostic =
      problem(DiagnosticCode::T5032, place, "a secret decides whether this is revealed", kernel,
              secrecy, cause);
  diagnostic.notes.push_back(
      "whoever sees that something is revealed learns the condition: choose the value first, and "
      "reveal it in every case");
  return diagnostic;
}

auto secret_call(const Kernel& kernel, const Secrecy& secrecy, CauseId cause, FileRange place,
                 const std::string& callee) -> Diagnostic {
  const bool is_recursion = callee == kernel.name;
  const std::string_view what =
      is_recursion ? "calls itself again" : "is called, which may do more than compute";
  Diagnostic diagnostic = problem(DiagnosticCode::T5033, place,
                                  fmt::format("a secret decides whether `{}` {}", callee, what),
                                  kernel, secrecy, cause);
  diagnostic.notes.push_back(
      is_recursion
          ? "both arms of a secret `if` are computed in every case, so this would never end: write "
            "a "
            "loop with `max`"
          : "the call would have to happen in every case: call it outside of the condition and "
            "choose what becomes of its result, or declare it pure");
  return diagnostic;
}

auto endless_arm(const Kernel& kernel, const Secrecy& secrecy, CauseId cause, FileRange place)
    -> Diagnostic {
  Diagnostic diagnostic = problem(
      DiagnosticCode::T5034, place,
      "a secret decides whether this loop runs, and it may not end where it would not have run",
      kernel, secrecy, cause);
  diagnostic.notes.push_back(
      "both arms of a secret `if` are computed in every case: write `max n` behind the condition "
      "of the loop");
  return diagnostic;
}

}  // namespace tacet::oblivious
