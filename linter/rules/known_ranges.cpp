#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/kernel/build.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

/// What the ranges of numbers say.
namespace tacet::linter {

using oblivious::Range;
using syntax::NodeKind;
using types::Operator;

static auto number(__int128 value) -> std::string {
  if (value < 0) {
    return "-" + number(-value);
  }
  std::string digits(1, static_cast<char>('0' + static_cast<int>(value % 10)));
  return value < 10 ? digits : number(value / 10) + digits;
}

static auto range_text(const Range& range) -> std::string {
  return range.lower == range.upper
             ? number(range.lower)
             : fmt::format("from {} to {}", number(range.lower), number(range.upper));
}

static auto is_point(const Range& range) -> bool {
  return range.lower == range.upper;
}

static auto is_integer(const Subject& subject, kernel::ExprId expr) -> bool {
  return engine::is_integer(subject.kernel.exprs[expr].type.element.kind);
}

/// Is `a op b` the same for all numbers of these ranges? Nothing if it is not.
static auto decided(Operator op, const Range& a, const Range& b) -> std::optional<bool> {
  const auto choice = [](bool is_true, bool is_false) -> std::optional<bool> {
    return is_true ? std::optional(true) : is_false ? std::optional(false) : std::nullopt;
  };
  const bool is_apart = a.upper < b.lower || b.upper < a.lower;
  if (op == Operator::Lt) {
    return choice(a.upper < b.lower, a.lower >= b.upper);
  }
  if (op == Operator::Leq) {
    return choice(a.upper <= b.lower, a.lower > b.upper);
  }
  if (op == Operator::Gt) {
    return choice(a.lower > b.upper, a.upper <= b.lower);
  }
  if (op == Operator::Geq) {
    return choice(a.lower >= b.upper, a.upper < b.lower);
  }
  if (op == Operator::Eq) {
    return choice(false, is_apart);
  }
  return op == Operator::Neq ? choice(is_apart, false) : std::nullopt;
}

/// Calls `visit(binary, expr)` for the operations of two operands that are reached.
template <class Visit>
static void for_each_operation(const Subject& subject, const Visit& visit) {
  for_each_reached(subject, [&](kernel::StatementId, const kernel::Statement& statement) {
    for_each_expr_of(subject, statement, [&](kernel::ExprId, const kernel::Expr& expr) {
      if (const auto* binary = std::get_if<kernel::Binary>(&expr.node)) {
        visit(*binary, expr);
      }
    });
  });
}

/// Rule: constant-comparison
///
/// What it does: finds comparisons of integers that the declared bounds, the types and the bounds
/// of loops decide. Two constants are left alone: such a comparison switches something. Why: what
/// follows the condition always runs, or never does.
/// Example: `age >= 0` with `age: secret u8`
/// Use instead: leave it out, or ask what was meant.
/// Fix safety: there is none.
static void check_known_comparison(const Subject& subject, Findings& findings) {
  for_each_operation(subject, [&](const kernel::Binary& binary, const kernel::Expr& expr) {
    if (!kernel::is_comparison(binary.op) || !is_integer(subject, binary.left)) {
      return;
    }
    const Range left = subject.ranges.of(binary.left);
    const Range right = subject.ranges.of(binary.right);
    const std::optional<bool> value = decided(binary.op, left, right);
    if (!value || (is_point(left) && is_point(right)) ||
        !node_at(subject, expr.place, {NodeKind::BinaryExpression})) {
      return;
    }
    Diagnostic* finding = findings.add(DiagnosticCode::T9103, expr.place,
                                       fmt::format("this is always {}", *value ? "true" : "false"));
    if (finding != nullptr) {
      add_note(*finding, fmt::format("the left operand is {}, the right operand {}",
                                     range_text(left), range_text(right)));
    }
  });
}

auto constant_comparison() -> Rule {
  return device_rule(DiagnosticCode::T9103, "constant-comparison", Group::Suspicious,
                     check_known_comparison);
}

/// Rule: zero-divisor
///
/// What it does: finds divisions and remainders by what is always 0.
/// Why: it fails whenever it is reached, or computes nothing if the divisor is secret.
/// Example: `let n = 0; sum / n`
/// Use instead: another divisor.
/// Fix safety: there is none.
static void check_divisor(const Subject& subject, Findings& findings) {
  for_each_operation(subject, [&](const kernel::Binary& binary, const kernel::Expr& expr) {
    const bool divides = binary.op == Operator::Div || binary.op == Operator::Mod;
    if (divides && is_integer(subject, binary.right) &&
        subject.ranges.of(binary.right) == Range{0, 0}) {
      findings.add(DiagnosticCode::T9105, expr.place,
                   !binary.is_total             ? "the divisor is always 0, so this fails"
                   : binary.op == Operator::Div ? "the divisor is always 0, so the quotient is 0"
                                                : "the divisor is always 0, so the remainder is "
                                                  "the dividend");
    }
  });
}

auto zero_divisor() -> Rule {
  return device_rule(DiagnosticCode::T9105, "zero-divisor", Group::Suspicious, check_divisor);
}

/// Rule: shift-out-of-range
///
/// What it does: finds shifts by a distance that is never from 0 to the width less one.
/// Why: it fails whenever it is reached.
/// Example: `x << 32` with `x: i32`
/// Use instead: a smaller distance, or a wider type.
/// Fix safety: there is none.
static void check_shift(const Subject& subject, Findings& findings) {
  for_each_operation(subject, [&](const kernel::Binary& binary, const kernel::Expr& expr) {
    if (binary.op != Operator::Shl && binary.op != Operator::Shr && binary.op != Operator::Ashr) {
      return;
    }
    const auto width = static_cast<__int128>(engine::bit_width(expr.type.element.kind));
    const Range distance = subject.ranges.of(binary.right);
    if (distance.upper >= 0 && distance.lower < width) {
      return;
    }
    Diagnostic* finding = findings.add(
        DiagnosticCode::T9106, expr.place,
        binary.is_total ? "shift distance is out of range and is taken modulo the width"
                        : "shift distance is out of range, so this fails");
    if (finding != nullptr) {
      add_note(*finding, fmt::format("the distance is {}, but must be from 0 to {}",
                                     range_text(distance), number(width - 1)));
    }
  });
}

auto shift_out_of_range() -> Rule {
  return device_rule(DiagnosticCode::T9106, "shift-out-of-range", Group::Suspicious, check_shift);
}

/// Rule: cast-loses-value
///
/// What it does: finds conversions of an integer to a type that none of its possible values fits.
/// Why: the number that comes out is never the one that went in.
/// Example: `300 as u8`
/// Use instead: a wider type, or the number that is meant.
/// Fix safety: there is none.
static void check_known_cast(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId, const kernel::Statement& statement) {
    for_each_expr_of(subject, statement, [&](kernel::ExprId, const kernel::Expr& expr) {
      const auto* cast = std::get_if<kernel::Cast>(&expr.node);
      if (cast == nullptr || !is_integer(subject, cast->operand) ||
          !engine::is_integer(expr.type.element.kind)) {
        return;
      }
      const Range value = subject.ranges.of(cast->operand);
      const Range fits = oblivious::range_of_type(expr.type.element);
      if (value.upper >= fits.lower && value.lower <= fits.upper) {
        return;
      }
      Diagnostic* finding = findings.add(DiagnosticCode::T9109, expr.place,
                                         "this conversion always changes the value");
      if (finding != nullptr) {
        add_note(*finding, fmt::format("the value is {}, but the type ranges {}", range_text(value),
                                       range_text(fits)));
      }
    });
  });
}

auto cast_loses_value() -> Rule {
  return device_rule(DiagnosticCode::T9109, "cast-loses-value", Group::Suspicious,
                     check_known_cast);
}

/// Rule: loop-never-runs
///
/// What it does: finds loops that count from a number to one that is never above it.
/// Why: the body never runs; a loop counts upwards, and the upper end is not part of it.
/// Example: `for i in n..0 { … }` with `n: i64 in 1..9`
/// Use instead: `for k in 0..n { let i = n - k; … }`
/// Fix safety: there is none.
static void check_loop(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId, const kernel::Statement& statement) {
    const auto* loop = std::get_if<kernel::For>(&statement.node);
    if (loop == nullptr || !is_integer(subject, loop->lower)) {
      return;
    }
    const Range lower = subject.ranges.of(loop->lower);
    const Range upper = subject.ranges.of(loop->upper);
    const syntax::Node node = node_at(subject, statement.place, {NodeKind::ForStatement});
    if (lower.lower < upper.upper || !node || !node.child(syntax::Field::Lower)) {
      return;
    }
    const TextRange ends =
        cover(node.child(syntax::Field::Lower).range(), node.child(syntax::Field::Upper).range());
    Diagnostic* finding =
        findings.add(DiagnosticCode::T9110, {subject.own, ends}, "loop body never runs");
    if (finding != nullptr) {
      add_note(*finding, fmt::format("the loop starts at {} and ends before {}",
                                     number(lower.lower), number(upper.upper)));
    }
  });
}

auto loop_never_runs() -> Rule {
  return device_rule(DiagnosticCode::T9110, "loop-never-runs", Group::Suspicious, check_loop);
}

}  // namespace tacet::linter
