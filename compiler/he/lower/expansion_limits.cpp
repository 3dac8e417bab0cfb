#include "compiler/he/lower/expansion_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/overloads.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/device/array/print.h"
#include "compiler/device/array/width.h"
#include "compiler/he/lower/table_polynomial.h"

namespace tacet::he_lower {

using array::ExprId;
using array::Function;
using array::FunctionKind;
using array::Interval;

/// Does it read no constants? Those of the compiler have names that the source does not have.
static auto is_without_constants(const array::Program& program, const array::Statement& statement,
                                 ExprId id) -> bool {
  const auto all_without = [&](ExprId operand) {
    return is_without_constants(program, statement, operand);
  };
  return std::visit(Overloads{[](const array::Literal&) { return true; },
                              [&](const array::Site& site) {
                                return program.arrays[site.array].owner != array::Owner::Constant;
                              },
                              [&](const array::Operation& node) {
                                return all_without(node.left) && all_without(node.right);
                              },
                              [&](const array::Reduction& node) { return all_without(node.body); },
                              [&](const Function& node) {
                                return std::all_of(node.operands.begin(), node.operands.end(),
                                                   all_without);
                              }},
                    statement.exprs[id].node);
}

/// What an expansion would need, and what would help.
static auto cost_note(FunctionKind kind, Interval left, Interval right) -> std::string {
  const bool is_of_difference = kind == FunctionKind::Equal || kind == FunctionKind::Less;
  if (!is_of_difference && width_of(right) > kMostDistinguished && !is_number(left)) {
    return fmt::format(
        "each value of the second operand needs a separate polynomial, and at most {} are "
        "possible: give the parameters narrower ranges, `in LO..HI`",
        kMostDistinguished);
  }
  const int64_t width = is_of_difference ? width_of(difference_of(left, right))
                                         : std::max(width_of(left), width_of(right));
  return fmt::format(
      "it is a polynomial of degree {} in {}, of multiplicative depth {}; the degree must be at "
      "most {}: give the parameters narrower ranges, `in LO..HI`",
      width - 1, is_of_difference ? "the difference" : "an operand",
      std::bit_width(static_cast<uint64_t>(width - 1)), kMostValues - 1);
}

auto too_expensive(const array::Program& program, const array::Statement& statement,
                   const std::vector<Interval>& ranges, ExprId id) -> Diagnostic {
  const auto& function = std::get<Function>(statement.exprs[id].node);
  const auto range = [&](size_t i) { return ranges[function.operands[i].index]; };
  const auto text = [&](size_t i) {
    return array::excerpt(program, statement, function.operands[i]);
  };
  // Order is compared after wrapping.
  const bool is_order = function.kind == FunctionKind::Less;
  const auto compared = [&](size_t i) {
    return is_order ? array::wrapped(function.width, range(i)) : range(i);
  };
  const Interval left = compared(0);
  const Interval right = compared(1);
  const bool are_bounded = is_bounded(left) && is_bounded(right);
  Diagnostic diagnostic =
      make_diagnostic(DiagnosticCode::T6004, statement.exprs[id].place,
                      fmt::format("{} of numbers {} is too expensive under encryption",
                                  is_order || function.kind == FunctionKind::Equal
                                      ? "comparison"
                                      : fmt::format("`{}`", array::name_of(function.kind)),
                                  are_bounded ? fmt::format("in {}..={} and {}..={}", left.low,
                                                            left.high, right.low, right.high)
                                              : "without bounds"));
  if (is_without_constants(program, statement, function.operands[0]) &&
      is_without_constants(program, statement, function.operands[1])) {
    diagnostic.notes.push_back(fmt::format("the operands are `{}` and `{}`", text(0), text(1)));
  }
  diagnostic.notes.push_back(are_bounded ? cost_note(function.kind, left, right)
                                         : "bound the parameters it is computed from, "
                                           "`in LO..HI`");
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (is_bounded(range(i)) && !array::fits(range(i), function.width)) {
      diagnostic.notes.push_back(
          fmt::format("`{}` is in {}..={} before it wraps, outside `{}`: bound the parameters "
                      "so that it cannot wrap, or compute it in a wider type, such as `i64`",
                      text(i), range(i).low, range(i).high, array::name_of(function.width)));
      break;
    }
  }
  return diagnostic;
}

auto too_wide(const array::Program& program, const array::ValueRanges& ranges, Interval wide)
    -> Diagnostic {
  const FileRange place = program.arrays[program.statements.back().result].place;
  const Interval output = ranges.output();
  const bool is_difference = wide != Interval{0, 0};
  Diagnostic diagnostic = make_diagnostic(
      DiagnosticCode::T6004, place,
      is_difference ? std::string("numbers this far apart cannot be compared under encryption")
      : needs_more_than_64_bits(output)
          ? std::string("the result may need more than 64 bits before it wraps")
          : fmt::format("results in {}..={} are too large for encryption", output.low,
                        output.high));
  if (const std::optional<array::Growth> growth = array::find_growth(program, ranges)) {
    const array::Statement& statement = program.statements[growth->at.statement];
    diagnostic.notes.push_back(fmt::format("`{}` maps numbers in {}..={} to {}..={}",
                                           array::excerpt(program, statement, growth->at.expr),
                                           growth->operands.low, growth->operands.high,
                                           growth->result.low, growth->result.high));
  }
  diagnostic.notes.emplace_back(
      "give the parameters narrower ranges, `in LO..HI` or `--range NAME=LO..HI`");
  return diagnostic;
}

}  // namespace tacet::he_lower
