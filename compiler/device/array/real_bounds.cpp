#include "compiler/device/array/real_bounds.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "compiler/device/array/index_formula.h"

namespace tacet::array {

namespace {

class StatementBounds {
 public:
  StatementBounds(const Program& program, const Statement& statement,
                  const std::vector<RealBound>& arrays)
      : program_(program),
        statement_(statement),
        arrays_(arrays),
        unit_(std::ldexp(1, -int{program.fraction_bits})) {}

  auto run() -> std::vector<RealBound> {
    for (const Expr& expr : statement_.exprs.values()) {
      bounds_.push_back(std::visit([&](const auto& node) { return bound(node); }, expr.node));
    }
    return std::move(bounds_);
  }

 private:
  [[nodiscard]] auto at(ExprId id) const -> const RealBound& { return bounds_.at(id.index); }

  [[nodiscard]] auto bound(const Literal& literal) const -> RealBound {
    const auto value = static_cast<double>(literal.value);
    return {.low = value, .high = value, .is_integer = true};
  }

  [[nodiscard]] auto bound(const Site& site) const -> RealBound {
    RealBound bound = arrays_.at(site.array.index);
    const std::vector<int64_t>& extents = program_.arrays[site.array].extents;
    for (size_t i = 0; i < extents.size(); ++i) {
      if (!is_within(site.indices.at(i), extents[i], statement_.dims)) {
        bound.low = std::min(bound.low, 0.0);
        bound.high = std::max(bound.high, 0.0);
      }
    }
    return bound;
  }

  [[nodiscard]] auto bound(const Operation& operation) const -> RealBound {
    const RealBound& left = at(operation.left);
    const RealBound& right = at(operation.right);
    switch (operation.op) {
      case Operator::Add:
        return sum(left, right);
      case Operator::Subtract:
        return sum(left, {-right.high, -right.low, right.rounding, right.is_integer});
      case Operator::Multiply:
        break;
    }
    RealBound result = product(left, right);
    if (operation.left == operation.right) {
      result.low = left.low <= 0 && left.high >= 0
                       ? 0
                       : std::min(left.low * left.low, left.high * left.high);
    }
    return result;
  }

  [[nodiscard]] auto bound(const Reduction& reduction) const -> RealBound {
    const RealBound& body = at(reduction.body);
    const int64_t n = statement_.dims[reduction.dim].extent;
    if (reduction.op == Operator::Add) {
      const auto times = static_cast<double>(n);
      return {times * body.low, times * body.high, times * body.rounding, body.is_integer};
    }
    RealBound result = body;
    for (int64_t i = 1; i < n && std::isfinite(result.largest()); ++i) {
      result = product(result, body);
    }
    return result;
  }

  /// They are expanded to arithmetic, or rejected, earlier.
  [[nodiscard]] auto bound(const Function& /*function*/) const -> RealBound {
    TACET_CHECK(false, "a function of fixed-point numbers");
    return {};
  }

  static auto sum(const RealBound& a, const RealBound& b) -> RealBound {
    return {a.low + b.low, a.high + b.high, a.rounding + b.rounding, a.is_integer && b.is_integer};
  }

  [[nodiscard]] auto product(const RealBound& a, const RealBound& b) const -> RealBound {
    const auto [low, high] =
        std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    const bool is_exact = a.is_integer || b.is_integer;
    return {.low = low,
            .high = high,
            .rounding = a.largest() * b.rounding + b.largest() * a.rounding +
                        a.rounding * b.rounding + (is_exact ? 0 : unit_),
            .is_integer = a.is_integer && b.is_integer};
  }

  const Program& program_;
  const Statement& statement_;
  const std::vector<RealBound>& arrays_;
  double unit_;
  std::vector<RealBound> bounds_;
};

auto known_bound(const Array& array) -> RealBound {
  Interval range = array.range.value_or(Interval{});
  double rounding = 0;
  if (array.owner == Owner::Constant) {
    const auto [low, high] = std::minmax_element(array.elements.begin(), array.elements.end());
    range = {*low, *high};
    // What is written may be up to half a unit from what the type has of it.
    const int64_t one = int64_t{1} << array.fraction_bits;
    const bool is_whole = std::all_of(array.elements.begin(), array.elements.end(),
                                      [&](int64_t element) { return element % one == 0; });
    rounding = is_whole ? 0 : std::ldexp(0.5, -int{array.fraction_bits});
  }
  return {.low = real_of(range.low, array.fraction_bits),
          .high = real_of(range.high, array.fraction_bits),
          .rounding = rounding,
          .is_integer = array.fraction_bits == 0};
}

}  // namespace

auto find_real_bounds(const Program& program) -> RealBounds {
  RealBounds result;
  for (const Array& array : program.arrays.values()) {
    if (array.owner != Owner::Computed) {
      result.arrays.push_back(known_bound(array));
    }
  }
  const double most = std::ldexp(1, 63 - int{program.fraction_bits});
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const Statement& statement = program.statements[i];
    result.exprs.push_back(StatementBounds(program, statement, result.arrays).run());
    result.arrays.push_back(result.exprs[i].at(statement.root.index));
    for (uint32_t k = 0; k < statement.exprs.size() && !result.too_large_at; ++k) {
      const RealBound& bound = result.exprs[i][k];
      if (!(bound.largest() + bound.rounding < most)) {
        result.too_large_at = ExprPlace{i, ExprId{k}};
      }
    }
  }
  return result;
}

}  // namespace tacet::array
