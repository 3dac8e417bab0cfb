#include "compiler/he/lower/expand_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/array/checked.h"
#include "compiler/device/array/print.h"
#include "compiler/device/array/width.h"
#include "compiler/he/lower/choose_encryption.h"
#include "compiler/he/lower/expansion_limits.h"
#include "compiler/he/lower/function_tables.h"
#include "compiler/he/lower/plan_expansion.h"
#include "compiler/he/lower/statement_writer.h"

namespace tacet::he_lower {
namespace {

using array::ExprId;
using array::Function;
using array::FunctionKind;
using array::Interval;
using array::Width;

/// Wide numbers that may have wrapped are equal where their difference is one of so many multiples.
constexpr int64_t kMostMultiples = 5;

/// The multiples of 2^bits in an interval that is none of `u64` or `i64`, as the least and the
/// greatest factor; 0 alone where nothing wraps.
auto multiples_in(Interval domain, Width width, bool may_wrap) -> Interval {
  if (!may_wrap || width.bits == 64) {
    return {0, 0};
  }
  const int64_t size = int64_t{1} << width.bits;
  const auto floor = [&](int64_t x) { return x / size - (x % size < 0 ? 1 : 0); };
  return {-floor(-domain.low), floor(domain.high)};
}

/// The statement of a program, written anew.
class StatementExpansion {
 public:
  StatementExpansion(const array::Program& program, size_t number, const array::ValueRanges& ranges,
                     Tables& tables, std::vector<Diagnostic>& diagnostics)
      : program_(program),
        statement_(program.statements[number]),
        ranges_(ranges.exprs.at(number)),
        plan_(plan_expansion(statement_, ranges_)),
        tables_(tables),
        diagnostics_(diagnostics) {}

  auto run() -> array::Statement {
    for (uint32_t i = 0; i < statement_.exprs.size(); ++i) {
      const array::Expr& expr = statement_.exprs[ExprId{i}];
      writer_.set_place(expr.place);
      if (!plan_.is_needed[i]) {
        made_.emplace_back();
      } else if (plan_.numbers[i]) {
        made_.push_back(writer_.literal(*plan_.numbers[i]));
      } else {
        made_.push_back(plan_.source[i] ? of_source(ExprId{i}, *plan_.source[i])
                                        : rewritten(expr, ExprId{i}));
      }
    }
    return writer_.finish(statement_, made_[statement_.root.index]);
  }

 private:
  [[nodiscard]] auto range(ExprId id) const -> Interval { return ranges_[id.index]; }
  [[nodiscard]] auto made(ExprId id) const -> ExprId { return made_[id.index]; }

  auto rewritten(array::Expr expr, ExprId id) -> ExprId {
    if (const auto* operation = std::get_if<array::Operation>(&expr.node)) {
      return writer_.operation(operation->op, made(operation->left), made(operation->right));
    }
    if (auto* reduction = std::get_if<array::Reduction>(&expr.node)) {
      reduction->body = made(reduction->body);
      return writer_.reduction(*reduction, statement_.dims[reduction->dim].extent, expr.place);
    }
    if (const auto* function = std::get_if<Function>(&expr.node)) {
      const std::optional<ExprId> result = expanded(*function);
      if (!result) {
        diagnostics_.push_back(too_expensive(program_, statement_, ranges_, id));
      }
      return result ? *result : writer_.literal(0);
    }
    return writer_.add(expr);
  }

  /// All that is computed from another expression, as one polynomial.
  auto of_source(ExprId id, ExprId source) -> ExprId {
    array::FunctionOfSource function(statement_, id, source, plan_.numbers);
    // Numbers around the interval need not have a value: one that fits no symmetry will do.
    const auto value = [&](int64_t x) { return function.at(x).value_or(INT32_MAX); };
    return writer_.polynomial(*polynomial_of(value, range(source), tables_.modulus()),
                              made(source));
  }

  auto expanded(const Function& function) -> std::optional<ExprId> {
    if (function.kind == FunctionKind::Select) {
      return select(function);
    }
    const ExprId left = function.operands[0];
    const ExprId right = function.operands[1];
    if (!is_bounded(range(left)) || !is_bounded(range(right))) {
      return {};
    }
    switch (function.kind) {
      case FunctionKind::Equal:
        return equal(left, right, function.width);
      case FunctionKind::Less: {
        const std::optional<ExprId> result = less(left, right, function.width);
        return result ? result : of_few_values(function);
      }
      case FunctionKind::BitAnd:
      case FunctionKind::BitOr:
      case FunctionKind::BitXor:
        if (!is_number(range(left)) && !is_number(range(right))) {
          return bitwise(function);
        }
        break;
      case FunctionKind::Divide:
      case FunctionKind::Remainder:
      case FunctionKind::FloorDivide:
      case FunctionKind::Modulo:
      case FunctionKind::Select:
      case FunctionKind::Ramp:
      case FunctionKind::Step:
      case FunctionKind::Sqrt:
      case FunctionKind::Rsqrt:
      case FunctionKind::Reciprocal:
      case FunctionKind::Exp:
      case FunctionKind::Log:
      case FunctionKind::Sigmoid:
      case FunctionKind::Tanh:
      case FunctionKind::Erf:
      case FunctionKind::Sin:
      case FunctionKind::Cos:
      case FunctionKind::Promise:
      case FunctionKind::Masked:
        break;
    }
    return by_second(function);
  }

  /// The larger and the smaller of two numbers share a polynomial, which saves a level.
  auto select(const Function& function) -> std::optional<ExprId> {
    const ExprId condition = function.operands[0];
    const ExprId then = function.operands[1];
    const ExprId otherwise = function.operands[2];
    const auto* less = std::get_if<Function>(&statement_.exprs[condition].node);
    if (less != nullptr && less->kind == FunctionKind::Less && then != otherwise) {
      const ExprId a = less->operands[0];
      const ExprId b = less->operands[1];
      if ((then == a && otherwise == b) || (then == b && otherwise == a)) {
        const ExprId first = std::min(a, b);
        const ExprId second = std::max(a, b);
        const bool is_bound = is_bounded(range(a)) && is_bounded(range(b)) &&
                              array::fits(range(a), less->width) &&
                              array::fits(range(b), less->width);
        const std::optional<ExprId> excess =
            is_bound ? of_difference({made(first), range(first)}, {made(second), range(second)},
                                     TableKind::Excess,
                                     [](int64_t d) { return std::max<int64_t>(d, 0); })
                     : std::nullopt;
        if (excess) {
          return then == a ? writer_.difference(made(first), *excess)
                           : writer_.sum(made(second), *excess);
        }
      }
    }
    return writer_.sum(
        made(otherwise),
        writer_.product(made(condition), writer_.difference(made(then), made(otherwise))));
  }

  /// What an operand is where it is wrapped to a type, and the numbers that it may be then.
  struct Operand {
    ExprId made;
    Interval range;
  };

  auto of_type(ExprId id, Width width) -> std::optional<Operand> {
    if (array::fits(range(id), width)) {
      return Operand{made(id), range(id)};
    }
    if (width.bits == 64) {
      return {};  // beyond what is computed with here
    }
    const TablePolynomial* polynomial =
        tables_.of({.kind = TableKind::Wrap, .width = width, .domain = range(id)},
                   [=](int64_t x) { return array::wrapped(width, x); });
    if (polynomial == nullptr) {
      return {};
    }
    return Operand{writer_.polynomial(*polynomial, made(id)), array::range_of(width)};
  }

  auto less(ExprId left, ExprId right, Width width) -> std::optional<ExprId> {
    const std::optional<Operand> a = of_type(left, width);
    const std::optional<Operand> b = a ? of_type(right, width) : std::nullopt;
    return b ? of_difference(*a, *b, TableKind::IsNegative, [](int64_t d) { return d < 0 ? 1 : 0; })
             : std::nullopt;
  }

  /// Equal modulo 2^bits are those whose difference is a multiple of that.
  auto equal(ExprId left, ExprId right, Width width) -> std::optional<ExprId> {
    const bool may_wrap = !array::fits(range(left), width) || !array::fits(range(right), width);
    const Interval domain = difference_of(range(left), range(right));
    const Width compared = may_wrap ? width : Width{};
    const TablePolynomial* polynomial =
        tables_.of({.kind = TableKind::IsZero, .width = compared, .domain = domain},
                   [=](int64_t d) { return array::wrapped(compared, d) == 0 ? 1 : 0; });
    const ExprId difference = writer_.difference(made(left), made(right));
    if (polynomial != nullptr) {
      return writer_.polynomial(*polynomial, difference);
    }
    const auto t = static_cast<int64_t>(tables_.modulus());
    const Interval multiples = multiples_in(domain, width, may_wrap);
    const bool is_too_wide = may_wrap
                                 ? width_of(domain) >= t || width_of(multiples) > kMostMultiples
                                 : domain.low <= -t || domain.high >= t;
    if (is_too_wide) {
      return {};
    }
    ExprId total = writer_.literal(0);
    for (int64_t k = multiples.low; k <= multiples.high; ++k) {
      const ExprId apart = writer_.difference(
          difference, writer_.literal(k == 0 ? 0 : k * (int64_t{1} << width.bits)));
      const ExprId is_apart = writer_.power(apart, tables_.modulus() - 1);
      total = writer_.sum(total, writer_.difference(writer_.literal(1), is_apart));
    }
    return total;
  }

  template <class F>
  auto of_difference(Operand left, Operand right, TableKind kind, const F& function)
      -> std::optional<ExprId> {
    const TablePolynomial* polynomial =
        tables_.of({.kind = kind, .domain = difference_of(left.range, right.range)}, function);
    if (polynomial == nullptr) {
      return {};
    }
    return writer_.polynomial(*polynomial, writer_.difference(left.made, right.made));
  }

  /// The second operand's values one by one, or the first one's if that is known.
  auto by_second(const Function& function) -> std::optional<ExprId> {
    const bool is_first_known =
        is_number(range(function.operands[0])) && !is_number(range(function.operands[1]));
    return by_values(function, is_first_known ? 0 : 1);
  }

  /// Where the numbers of a comparison are few, though what they wrap to is far apart.
  auto of_few_values(const Function& function) -> std::optional<ExprId> {
    const int64_t n_left = width_of(range(function.operands[0]));
    const int64_t n_right = width_of(range(function.operands[1]));
    return by_values(function, n_right <= n_left ? 1 : 0);
  }

  /// One operand's values one by one, each with a polynomial in the other.
  auto by_values(const Function& function, size_t which) -> std::optional<ExprId> {
    const FunctionKind kind = function.kind;
    const Width width = function.width;
    const ExprId distinguished = function.operands[which];
    const ExprId other = function.operands[1 - which];
    const bool is_first = which == 0;
    if (width_of(range(distinguished)) > kMostDistinguished) {
      return {};
    }
    ExprId total = writer_.literal(0);
    for (int64_t value = range(distinguished).low; value <= range(distinguished).high; ++value) {
      const std::optional<ExprId> result =
          of_one(other,
                 {.kind = is_first ? TableKind::WithFirst : TableKind::WithSecond,
                  .of_two = kind,
                  .parameter = value,
                  .width = width},
                 [=](int64_t x) {
                   return is_first ? array::apply(kind, width, value, x).number
                                   : array::apply(kind, width, x, value).number;
                 });
      if (!result || is_number(range(distinguished))) {
        return result;
      }
      const std::optional<ExprId> is_value =
          of_one(distinguished, {.kind = TableKind::IsNumber, .parameter = value},
                 [=](int64_t x) { return x == value ? 1 : 0; });
      if (!is_value) {
        return {};
      }
      total = writer_.sum(total, writer_.product(*is_value, *result));
    }
    return total;
  }

  /// Of all numbers that an operand may be.
  template <class F>
  auto of_one(ExprId operand, TableKey key, const F& function) -> std::optional<ExprId> {
    key.domain = range(operand);
    const TablePolynomial* polynomial = tables_.of(key, function);
    return polynomial == nullptr ? std::nullopt
                                 : std::optional(writer_.polynomial(*polynomial, made(operand)));
  }

  /// Bit by bit, where bits are the same of all numbers that are equal modulo 2^bits of the type.
  auto bitwise(const Function& function) -> std::optional<ExprId> {
    const ExprId left = function.operands[0];
    const ExprId right = function.operands[1];
    const Width width = function.width;
    const bool may_wrap = !array::fits(range(left), width) || !array::fits(range(right), width);
    if (may_wrap && width.bits == 64) {
      return {};
    }
    const auto magnitude = [](int64_t end) { return static_cast<uint64_t>(end < 0 ? ~end : end); };
    const uint64_t all = magnitude(range(left).low) | magnitude(range(left).high) |
                         magnitude(range(right).low) | magnitude(range(right).high);
    const bool has_sign = may_wrap ? width.is_signed : range(left).low < 0 || range(right).low < 0;
    const int n_bits =
        may_wrap ? width.bits : static_cast<int>(std::bit_width(all)) + (has_sign ? 1 : 0);
    ExprId both = writer_.literal(0);
    ExprId either = writer_.literal(0);
    for (int i = 0; i < n_bits; ++i) {
      const auto bit = [=](int64_t x) { return x >> i & 1; };
      const std::optional<ExprId> a = of_one(left, {.kind = TableKind::Bit, .parameter = i}, bit);
      const std::optional<ExprId> b = of_one(right, {.kind = TableKind::Bit, .parameter = i}, bit);
      if (!a || !b) {
        return {};
      }
      const ExprId weight =
          writer_.literal(has_sign && i == n_bits - 1 ? -(int64_t{1} << i) : int64_t{1} << i);
      both = writer_.sum(both, writer_.product(weight, writer_.product(*a, *b)));
      either =
          may_wrap ? writer_.sum(either, writer_.product(weight, writer_.sum(*a, *b))) : either;
    }
    if (function.kind == FunctionKind::BitAnd) {
      return both;
    }
    // x or y is x + y - (x and y), and one of both without those twice.
    const int64_t times = function.kind == FunctionKind::BitOr ? 1 : 2;
    const ExprId excess = writer_.product(writer_.literal(times), both);
    const ExprId total = may_wrap ? either : writer_.sum(made(left), made(right));
    return writer_.difference(total, excess);
  }

  const array::Program& program_;
  const array::Statement& statement_;
  const std::vector<Interval>& ranges_;
  ExpansionPlan plan_;
  Tables& tables_;
  std::vector<Diagnostic>& diagnostics_;
  StatementWriter writer_;
  std::vector<ExprId> made_;  ///< by expression of the statement
};

}  // namespace

auto has_functions(const array::Program& program) -> bool {
  return std::any_of(program.statements.begin(), program.statements.end(),
                     [](const array::Statement& statement) {
                       const auto exprs = statement.exprs.values();
                       return std::any_of(exprs.begin(), exprs.end(), [](const array::Expr& expr) {
                         return std::holds_alternative<Function>(expr.node);
                       });
                     });
}

auto wide_differences(const array::Program& program, const array::ValueRanges& ranges) -> Interval {
  Interval result{0, 0};
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const array::Statement& statement = program.statements[i];
    const ExpansionPlan plan = plan_expansion(statement, ranges.exprs[i]);
    for (uint32_t k = 0; k < statement.exprs.size(); ++k) {
      const auto* function = std::get_if<Function>(&statement.exprs[ExprId{k}].node);
      const bool is_expanded = plan.is_needed[k] && !plan.numbers[k] && !plan.source[k];
      if (function == nullptr || function->kind != FunctionKind::Equal || !is_expanded) {
        continue;
      }
      const Interval left = ranges.exprs[i][function->operands[0].index];
      const Interval right = ranges.exprs[i][function->operands[1].index];
      if (is_bounded(left) && is_bounded(right)) {
        const Interval domain = difference_of(left, right);
        if (width_of(domain) > kMostValues) {
          // Differences have the size of a modulus at most, results half of that. What may have
          // wrapped is held against multiples of 2^bits, which are within the interval.
          const bool may_wrap =
              !array::fits(left, function->width) || !array::fits(right, function->width);
          const int64_t size = may_wrap ? width_of(domain) : std::max(domain.high, -domain.low) + 1;
          const int64_t half = (size + 1) / 2;
          result = {std::min(result.low, -half), std::max(result.high, half)};
        }
      }
    }
  }
  return result;
}

auto expand_functions(const array::Program& program, const array::ValueRanges& ranges, uint64_t t)
    -> Expansion {
  Expansion expansion;
  array::Program result{.arrays = program.arrays, .statements = {}};
  Tables tables(t);
  for (size_t i = 0; i < program.statements.size(); ++i) {
    result.statements.push_back(
        StatementExpansion(program, i, ranges, tables, expansion.diagnostics).run());
  }
  expansion.modulus = t;
  expansion.result = ranges.output();
  if (expansion.diagnostics.empty()) {
    expansion.program = std::move(result);
  }
  return expansion;
}

auto expand_functions(const array::Program& program, unsigned max_bits) -> std::vector<Expansion> {
  constexpr size_t kLargestRing = 32768;
  std::vector<Interval> inputs;
  for (const array::Array& array : program.arrays.values()) {
    if (array::is_input(array.owner)) {
      inputs.push_back(array.range.value_or(Interval{INT64_MIN, INT64_MAX}));
    }
  }
  const array::ValueRanges ranges = array::find_ranges(program, inputs);
  const Interval wide = wide_differences(program, ranges);
  const Interval output = ranges.output();
  if (needs_more_than_64_bits(output)) {
    return {{.program = {}, .diagnostics = {too_wide(program, ranges, {0, 0})}}};
  }
  Result<std::vector<uint64_t>> moduli =
      wide == Interval{0, 0} ? plain_moduli_for(kLargestRing, output.low, output.high, max_bits)
                             : plain_moduli_for(kLargestRing, std::min(wide.low, output.low),
                                                std::max(wide.high, output.high));
  if (!moduli || (moduli->size() > 1 && wide != Interval{0, 0})) {
    return {{.program = {}, .diagnostics = {too_wide(program, ranges, wide)}}};
  }
  std::vector<Expansion> expansions;
  for (const uint64_t modulus : *moduli) {
    expansions.push_back(expand_functions(program, ranges, modulus));
  }
  return expansions;
}

}  // namespace tacet::he_lower
