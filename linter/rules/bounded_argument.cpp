#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/oblivious/range_reasons.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

using kernel::BoundedArgument;
using oblivious::Range;

/// What an argument may be, or nothing if too little is known of it to say anything.
static auto range_of(const Subject& subject, const BoundedArgument& argument)
    -> std::optional<Range> {
  const kernel::Expr& expr = subject.kernel.exprs[argument.value];
  if (!engine::is_fractional(expr.type.element.kind) ||
      std::holds_alternative<kernel::Literal>(expr.node)) {
    return subject.ranges.of(argument.value);
  }
  // Of computed fractions no ranges are found.
  const auto* read = std::get_if<kernel::Read>(&expr.node);
  if (read == nullptr || expr.type.element.kind != engine::ElementKind::Fxp) {
    return std::nullopt;
  }
  const kernel::Variable& variable = subject.kernel.variables[read->variable];
  if (variable.kind != kernel::VariableKind::Parameter || variable.is_mutable) {
    return std::nullopt;
  }
  return variable.bound ? Range{variable.bound->lower, variable.bound->upper - 1}
                        : subject.ranges.of(argument.value);
}

static auto is_computed_fixed_point(const Subject& subject, const BoundedArgument& argument)
    -> bool {
  return subject.kernel.exprs[argument.value].type.element.kind == engine::ElementKind::Fxp;
}

static void add_unknown(const BoundedArgument& argument, Findings& findings) {
  Diagnostic* finding = findings.add(
      DiagnosticCode::T9116, argument.place,
      fmt::format("argument of `{}` may be outside the bound {} of `{}`", argument.callee,
                  types::bound_text(argument.bound), argument.parameter));
  if (finding != nullptr) {
    add_note(*finding, "ranges of computed `fxp` are not known here");
    add_note(*finding,
             "the reference device stops at a violated bound; other devices rely on the bound");
  }
}

/// Rule: bounded-argument
///
/// What it does: finds arguments that may be outside of the bound of the parameter that they are
/// for. One that always is, is an error.
/// Why: a bound is a promise of those who call: what is computed relies on it, and the reference
/// device stops where it is broken.
/// Example: `half(2 * x)` with `x: secret i64 in 0..100` and `fn(mpc) half(y: secret i64 in
/// 0..100)`
/// Use instead: a wider bound of the parameter, or an argument that is kept inside, as by `min`.
/// Fix safety: there is none: what was meant is not known.
static void find_bounded_argument(const Subject& subject, Findings& findings) {
  for (const BoundedArgument& argument : subject.arguments) {
    const std::optional<Range> range = range_of(subject, argument);
    if (!range && is_computed_fixed_point(subject, argument)) {
      add_unknown(argument, findings);
      continue;
    }
    if (!range || (range->lower >= argument.bound.lower && range->upper < argument.bound.upper)) {
      continue;
    }
    const bool is_certain =
        range->upper < argument.bound.lower || range->lower >= argument.bound.upper;
    const std::string bound = types::bound_text(argument.bound);
    Diagnostic* finding = findings.add(
        DiagnosticCode::T9116, argument.place,
        fmt::format("argument of `{}` {} outside the bound {} of `{}`", argument.callee,
                    is_certain ? "is" : "may be", bound, argument.parameter));
    if (finding == nullptr) {
      continue;
    }
    finding->severity = is_certain ? Severity::Error : finding->severity;
    types::ValueBound found{range->lower, range->upper + 1, argument.bound.fraction_bits};
    add_note(*finding, fmt::format("its range is {}", types::bound_text(found)));
    finding->reasons = oblivious::range_reasons(
        subject.kernel, subject.ranges, argument.value, [&](FileRange place) {
          return place.file == subject.own ? std::string_view(subject.tree.text)
                                                 .substr(place.range.begin, place.range.length())
                                           : std::string_view();
        });
    add_note(*finding,
             "the reference device stops at a violated bound; other devices rely on the bound");
  }
}

auto bounded_argument() -> Rule {
  return device_rule(DiagnosticCode::T9116, "bounded-argument", Group::Suspicious,
                     find_bounded_argument);
}

}  // namespace tacet::linter
