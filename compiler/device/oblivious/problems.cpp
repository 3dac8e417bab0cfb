#include "compiler/device/oblivious/problems.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/diagnostics/reasons.h"

namespace tacet::oblivious {

using namespace kernel;

namespace {

auto name_of(const Kernel& kernel, VariableId id) -> std::string {
  const Variable& variable = kernel.variables[id];
  return variable.path.empty() ? variable.name : variable.path;
}

auto step_text(const Kernel& kernel, const Cause& step) -> std::string {
  const auto name = [&] { return name_of(kernel, step.variable); };
  switch (step.kind) {
    case Cause::Kind::Parameter:
      return fmt::format("parameter `{}` is secret here", name());
    case Cause::Kind::Declared:
      return fmt::format("`{}` is declared secret", name());
    case Cause::Kind::Called:
      return fmt::format("a call passes a secret to `{}`", name());
    case Cause::Kind::Assigned:
      return fmt::format("makes `{}` secret", name());
    case Cause::Kind::Stored:
      return fmt::format("makes the elements of `{}` secret", name());
    case Cause::Kind::Decided:
      return fmt::format("the value of `{}` depends on a secret", name());
    case Cause::Kind::Counted:
      return fmt::format("`{}` counts from a secret bound", name());
    case Cause::Kind::Branch:
      return "this condition is secret";
    case Cause::Kind::Loop:
      return "the number of iterations is secret";
    case Cause::Kind::Exit:
      return "whether this is reached is secret";
  }
  return {};
}

/// The tree of what secrets follow from.
class ReasonTree {
 public:
  ReasonTree(const Kernel& kernel, const Secrecy& secrecy) : kernel_(kernel), secrecy_(secrecy) {}

  auto of(const std::vector<CauseId>& causes) -> std::vector<Reason> {
    for (const CauseId cause : causes) {
      add(cause, 0);
    }
    limit_reasons(reasons_);
    return std::move(reasons_);
  }

 private:
  void add(CauseId id, uint32_t depth) {
    if (depth > kMostReasonDepth || reasons_.size() > 2 * kMostReasons) {
      return;  // the tree is cut there
    }
    const Cause& step = secrecy_[id];
    const bool is_new = std::find(shown_.begin(), shown_.end(), id) == shown_.end();
    const std::vector<CauseId> origins = secrecy_.origins(id);
    reasons_.push_back({depth, text_of(step, origins.size(), is_new), step.place});
    if (is_new) {
      shown_.push_back(id);
      for (const CauseId origin : origins) {
        add(origin, depth + 1);
      }
    }
  }

  [[nodiscard]] auto text_of(const Cause& step, size_t n_origins, bool is_new) const
      -> std::string {
    const std::string_view secrets = n_origins > 1 ? "secrets" : "a secret";
    const std::string name = step.variable.has_value() ? name_of(kernel_, step.variable) : "";
    std::string text;
    switch (step.kind) {
      case Cause::Kind::Parameter:
        text = fmt::format("parameter `{}` is secret", name);
        break;
      case Cause::Kind::Declared:
        text = fmt::format("`{}` is declared secret", name);
        break;
      case Cause::Kind::Called:
        text = fmt::format("a call gives `{}` a secret", name);
        break;
      case Cause::Kind::Assigned:
        text = fmt::format("`{}` is computed from {}", name, secrets);
        break;
      case Cause::Kind::Stored:
        text = fmt::format("an element of `{}` is computed from {}", name, secrets);
        break;
      case Cause::Kind::Decided:
        text = fmt::format("a secret decides whether `{}` gets this value", name);
        break;
      case Cause::Kind::Counted:
        text = fmt::format("`{}` counts from a secret bound", name);
        break;
      case Cause::Kind::Branch:
        text = fmt::format("this condition is computed from {}", secrets);
        break;
      case Cause::Kind::Loop:
        text = "the number of iterations is secret";
        break;
      case Cause::Kind::Exit:
        text = "a secret decides whether this is reached";
        break;
    }
    return is_new ? text : text + ", as above";
  }

  const Kernel& kernel_;
  const Secrecy& secrecy_;
  std::vector<Reason> reasons_;
  std::vector<CauseId> shown_;
};

auto problem(DiagnosticCode code, FileRange place, std::string message, const Kernel& kernel,
             const Secrecy& secrecy, const std::vector<CauseId>& causes) -> Diagnostic {
  Diagnostic diagnostic = make_diagnostic(code, place, std::move(message));
  add_path(diagnostic, kernel, secrecy, causes);
  return diagnostic;
}

}  // namespace

void add_path(Diagnostic& diagnostic, const Kernel& kernel, const Secrecy& secrecy,
              const std::vector<CauseId>& causes) {
  if (causes.empty()) {
    return;
  }
  for (const Cause& step : secrecy.path(causes.front())) {
    diagnostic.labels.push_back({step.place, step_text(kernel, step)});
  }
  diagnostic.reasons = ReasonTree(kernel, secrecy).of(causes);
}

void add_path(Diagnostic& diagnostic, const Kernel& kernel, const Secrecy& secrecy, CauseId cause) {
  if (cause.has_value()) {
    add_path(diagnostic, kernel, secrecy, std::vector<CauseId>{cause});
  }
}

auto no_bound_of_for(const Kernel& kernel, const Secrecy& secrecy, StatementId id, const For& loop)
    -> Diagnostic {
  ExprId secret = loop.upper;
  std::string_view bound = "upper bound";
  if (secrecy.is_secret(id, loop.lower)) {
    secret = loop.lower;
    bound = "lower bound";
  } else if (loop.step && secrecy.is_secret(id, *loop.step)) {
    secret = *loop.step;
    bound = "step";
  }
  Diagnostic diagnostic = problem(
      DiagnosticCode::T5030, kernel.statements[id].place,
      fmt::format("the {} of this loop is secret, and its number of iterations has no bound",
                  bound),
      kernel, secrecy, secrecy.causes(id, secret));
  diagnostic.notes.push_back(
      "a loop is padded to a public number of iterations: write `max n` after its bounds, or "
      "declare the range of the bounds, as in `n: secret i64 in 0..100`");
  return diagnostic;
}

auto no_bound_of_while(const Kernel& kernel, const Secrecy& secrecy, StatementId id,
                       const While& loop) -> Diagnostic {
  Diagnostic diagnostic =
      problem(DiagnosticCode::T5030, kernel.statements[id].place,
              "the condition of this loop is secret, and its number of iterations has no bound",
              kernel, secrecy, secrecy.causes(id, loop.condition));
  diagnostic.notes.push_back(
      "a loop is padded to a public number of iterations: write `max n` after its condition");
  return diagnostic;
}

auto secret_max(const Kernel& kernel, const Secrecy& secrecy, CauseId cause, FileRange place)
    -> Diagnostic {
  Diagnostic diagnostic = problem(DiagnosticCode::T5031, place, "the `max` of this loop is secret",
                                  kernel, secrecy, {cause});
  diagnostic.notes.push_back(
      "the loop always runs `max` iterations, so `max` is public: write the largest number that is "
      "needed, and leave the loop with `break`");
  return diagnostic;
}

auto secret_reveal(const Kernel& kernel, const Secrecy& secrecy, CauseId cause, FileRange place)
    -> Diagnostic {
  Diagnostic diagnostic =
      problem(DiagnosticCode::T5032, place, "this `reveal` is under a secret condition", kernel,
              secrecy, {cause});
  diagnostic.notes.push_back(
      "a conditional `reveal` leaks its condition: select the value first, then reveal it "
      "unconditionally");
  return diagnostic;
}

auto secret_call(const Kernel& kernel, const Secrecy& secrecy, CauseId cause, FileRange place,
                 const std::string& callee) -> Diagnostic {
  const bool is_recursion = callee == kernel.name;
  const std::string_view what =
      is_recursion ? "calls itself under a secret condition"
                   : "is called under a secret condition, and may have side effects";
  Diagnostic diagnostic = problem(DiagnosticCode::T5033, place,
                                  fmt::format("`{}` {}", callee, what), kernel, secrecy, {cause});
  diagnostic.notes.push_back(
      is_recursion
          ? "both arms of a secret `if` are always computed, so the recursion would never end: "
            "write a loop with `max`"
          : "the call would always happen: call it outside the condition and select its result, "
            "or declare it pure");
  return diagnostic;
}

auto endless_arm(const Kernel& kernel, const Secrecy& secrecy, CauseId cause, FileRange place)
    -> Diagnostic {
  Diagnostic diagnostic = problem(
      DiagnosticCode::T5034, place,
      "this loop is under a secret condition, and may not end if the condition does not hold",
      kernel, secrecy, {cause});
  diagnostic.notes.push_back(
      "both arms of a secret `if` are always computed: write `max n` after the condition of the "
      "loop");
  return diagnostic;
}

}  // namespace tacet::oblivious
