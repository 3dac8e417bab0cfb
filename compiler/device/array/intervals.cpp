#include "compiler/device/array/intervals.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"
#include "compiler/device/array/index_formula.h"
#include "compiler/device/array/interval_arithmetic.h"
#include "compiler/device/array/operands.h"
#include "compiler/device/array/polynomial_range.h"
#include "compiler/device/array/single_source.h"
#include "compiler/device/array/width.h"

namespace tacet::array {

namespace {

/// What depends on one of so few numbers, by so few operations, is computed for all of them.
constexpr int64_t kMostNumbers = 4096;
constexpr size_t kMostSize = 4096;

class StatementRanges {
 public:
  StatementRanges(const Program& program, const Statement& statement,
                  const std::vector<Interval>& arrays)
      : program_(program), statement_(statement), arrays_(arrays) {}

  auto run() -> std::vector<Interval> {
    for (uint32_t i = 0; i < statement_.exprs.size(); ++i) {
      ExprId id{i};
      Interval range = std::visit([&](const auto& node) { return this->range(node); },
                                  statement_.exprs[id].node);
      if (std::holds_alternative<Operation>(statement_.exprs[id].node)) {
        if (std::optional<Interval> tighter = polynomial_range(statement_, id, ranges_)) {
          range = shared_part(range, *tighter);
        }
      }
      ranges_.push_back(range);
    }
    tighten_root();
    return std::move(ranges_);
  }

 private:
  /// What all that is computed from one number of a narrow interval can be is known exactly.
  void tighten_root() {
    KnownNumbers numbers;
    for (uint32_t i = 0; i < ranges_.size(); ++i) {
      const bool is_number = std::holds_alternative<Function>(statement_.exprs[ExprId{i}].node) &&
                             ranges_[i].low == ranges_[i].high && is_bounded(ranges_[i]);
      numbers.push_back(is_number ? std::optional(ranges_[i].low) : std::nullopt);
    }
    const SingleSources sources(statement_, numbers);
    std::optional<ExprId> first;
    for (std::optional<ExprId> at = sources.of(statement_.root); at; at = sources.of(*at)) {
      const Interval domain = ranges_[at->index];
      const bool is_narrow = is_bounded(domain) && domain.low < INT64_MAX - kMostNumbers &&
                             domain.high < domain.low + kMostNumbers;
      first = is_narrow ? at : first;
    }
    if (!first) {
      return;
    }
    FunctionOfSource function(statement_, statement_.root, *first, numbers);
    if (function.has_functions() && function.size() <= kMostSize) {
      Interval& root = ranges_[statement_.root.index];
      const std::optional<Interval> values = range_on(function, ranges_[first->index]);
      root = values ? shared_part(root, *values) : root;
    }
  }

  static auto range_on(FunctionOfSource& function, Interval domain) -> std::optional<Interval> {
    std::optional<Interval> result;
    for (int64_t x = domain.low; x <= domain.high; ++x) {
      const std::optional<int64_t> value = function.at(x);
      if (!value) {
        return {};
      }
      result = result ? joined(*result, {*value, *value}) : Interval{*value, *value};
    }
    return result;
  }

  [[nodiscard]] auto range(const Literal& literal) const -> Interval {
    return {literal.value, literal.value};
  }

  [[nodiscard]] auto range(const Site& site) const -> Interval {
    Interval range = arrays_.at(site.array.index);
    const std::vector<int64_t>& extents = program_.arrays[site.array].extents;
    for (size_t i = 0; i < extents.size(); ++i) {
      if (!is_within(site.indices.at(i), extents[i], statement_.dims)) {
        return joined(range, {0, 0});
      }
    }
    return range;
  }

  [[nodiscard]] auto range(const Operation& operation) const -> Interval {
    const Interval& left = ranges_.at(operation.left.index);
    const Interval& right = ranges_.at(operation.right.index);
    if (operation.op == Operator::Multiply && operation.left == operation.right) {
      return squared(left);
    }
    return combined(operation.op, left, right);
  }

  [[nodiscard]] auto range(const Function& function) const -> Interval {
    const Interval& first = ranges_.at(function.operands.at(0).index);
    if (is_real_function(function.kind)) {
      return {INT64_MIN, INT64_MAX};
    }
    const Interval& second = ranges_.at(function.operands.at(1).index);
    if (function.kind == FunctionKind::Select) {
      return range_of_select(function, first, second);
    }
    if (function.operands[0] == function.operands[1]) {
      if (function.kind == FunctionKind::Equal || function.kind == FunctionKind::Less) {
        const int64_t is_equal = function.kind == FunctionKind::Equal ? 1 : 0;
        return {is_equal, is_equal};
      }
    }
    return computed(function.kind, function.width, first, second);
  }

  /// Of what is chosen; of the larger or the smaller one it is more than of any.
  [[nodiscard]] auto range_of_select(const Function& function, const Interval& condition,
                                     const Interval& then) const -> Interval {
    const Interval& otherwise = ranges_.at(function.operands.at(2).index);
    if (condition.low > 0 || condition.high < 0) {
      return then;
    }
    if (condition == Interval{0, 0}) {
      return otherwise;
    }
    const auto* less = std::get_if<Function>(&statement_.exprs[function.operands[0]].node);
    if (less != nullptr && less->kind == FunctionKind::Less && fits(then, less->width) &&
        fits(otherwise, less->width)) {
      const std::vector<ExprId> chosen = {function.operands[1], function.operands[2]};
      if (less->operands == chosen) {
        return {std::min(then.low, otherwise.low), std::min(then.high, otherwise.high)};
      }
      if (less->operands == std::vector<ExprId>{chosen[1], chosen[0]}) {
        return {std::max(then.low, otherwise.low), std::max(then.high, otherwise.high)};
      }
    }
    return joined(then, otherwise);
  }

  [[nodiscard]] auto range(const Reduction& reduction) const -> Interval {
    return repeated(reduction.op, ranges_.at(reduction.body.index),
                    statement_.dims[reduction.dim].extent);
  }

  const Program& program_;
  const Statement& statement_;
  const std::vector<Interval>& arrays_;
  std::vector<Interval> ranges_;
};

/// The operands of an operation or reduction; of a read of a result what that is.
auto places_of_operands(const Program& program, ExprPlace place) -> std::vector<ExprPlace> {
  const Expr& expr = program.statements[place.statement].exprs[place.expr];
  std::vector<ExprPlace> operands;
  for (const ExprId operand : operands_of(expr)) {
    operands.push_back({place.statement, operand});
  }
  if (!operands.empty()) {
    return operands;
  }
  size_t n_inputs = program.arrays.size() - program.statements.size();
  const auto* site = std::get_if<Site>(&expr.node);
  if (site != nullptr && site->array.index >= n_inputs) {
    size_t statement = site->array.index - n_inputs;
    return {{statement, program.statements[statement].root}};
  }
  return {};
}

/// The bits of the largest absolute value.
auto n_bits(Interval range) -> int {
  auto bits = [](int64_t end) {
    uint64_t value = static_cast<uint64_t>(end);
    return static_cast<int>(std::bit_width(end < 0 ? 0 - value : value));
  };
  return std::max(bits(range.low), bits(range.high));
}

}  // namespace

auto find_ranges(const Program& program, const std::vector<Interval>& inputs) -> ValueRanges {
  ValueRanges result;
  result.arrays = inputs;
  for (const Array& array : program.arrays.values()) {
    if (array.owner == Owner::Constant) {
      const auto [low, high] = std::minmax_element(array.elements.begin(), array.elements.end());
      result.arrays.push_back({*low, *high});
    }
  }
  TACET_CHECK(result.arrays.size() + program.statements.size() == program.arrays.size(),
              "a range for each input");
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const Statement& statement = program.statements[i];
    result.exprs.push_back(StatementRanges(program, statement, result.arrays).run());
    const Interval root = result.exprs[i].at(statement.root.index);
    const std::optional<Interval>& known = program.arrays[statement.result].range;
    result.arrays.push_back(known ? shared_part(root, *known) : root);
    for (uint32_t k = 0; k < statement.exprs.size() && !result.unbounded_at; ++k) {
      ExprPlace place{i, ExprId{k}};
      // The caller bounds the inputs; a literal may be too large by itself.
      const bool is_read = std::holds_alternative<Site>(statement.exprs[place.expr].node);
      if (!is_read && !is_bounded(result.exprs[i][k])) {
        std::vector<ExprPlace> operands = places_of_operands(program, place);
        bool are_bounded =
            std::all_of(operands.begin(), operands.end(), [&](const ExprPlace& operand) {
              return is_bounded(result.exprs[operand.statement][operand.expr.index]);
            });
        result.unbounded_at = are_bounded ? std::optional(place) : std::nullopt;
      }
    }
  }
  return result;
}

auto find_growth(const Program& program, const ValueRanges& ranges) -> std::optional<Growth> {
  auto range_of_place = [&](const ExprPlace& place) {
    return ranges.exprs.at(place.statement).at(place.expr.index);
  };
  std::optional<Growth> best;
  int most = 0;
  ExprPlace at{program.statements.size() - 1, program.statements.back().root};
  for (;;) {
    std::vector<ExprPlace> operands = places_of_operands(program, at);
    if (operands.empty()) {
      return best;
    }
    ExprPlace largest = operands.front();
    Interval both = range_of_place(largest);
    for (const ExprPlace& operand : operands) {
      both = joined(both, range_of_place(operand));
      if (n_bits(range_of_place(operand)) > n_bits(range_of_place(largest))) {
        largest = operand;
      }
    }
    int added = n_bits(range_of_place(at)) - n_bits(both);
    if (added > most) {
      most = added;
      best = Growth{at, both, range_of_place(at)};
    }
    at = largest;
  }
}

}  // namespace tacet::array
