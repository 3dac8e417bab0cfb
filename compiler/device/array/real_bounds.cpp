#include "compiler/device/array/real_bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "compiler/device/array/index_formula.h"
#include "compiler/device/array/norm_bounds.h"
#include "compiler/device/array/real_functions.h"

namespace tacet::array {

namespace {

class StatementBounds {
 public:
  StatementBounds(const Program& program, const Statement& statement,
                  const std::vector<RealBound>& arrays, std::vector<double> errors,
                  SummedElements summed)
      : program_(program),
        statement_(statement),
        arrays_(arrays),
        errors_(std::move(errors)),
        summed_(summed),
        unit_(std::ldexp(1, -int{program.fraction_bits})),
        norms_(program, statement, [this](ExprId id) { return at(id).largest(); }) {}

  auto run() -> std::vector<RealBound> {
    for (const Expr& expr : statement_.exprs.values()) {
      const RealBound next =
          std::visit([&](const auto& node) -> RealBound { return bound(node); }, expr.node);
      bounds_.push_back(next);
    }
    return std::move(bounds_);
  }

  /// The first function whose operand may be outside of its domain, and why.
  [[nodiscard]] auto outside_at() const -> std::optional<ExprId> { return outside_at_; }
  [[nodiscard]] auto outside() const -> const std::string& { return outside_; }

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
        return narrowed(sum(left, right), extreme_of(operation));
      case Operator::Subtract:
        return narrowed(sum(left, {-right.high, -right.low, right.rounding, right.is_integer,
                                   right.approximation}),
                        extreme_of(operation));
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

  template <class Node>
  [[nodiscard]] auto as(ExprId id) const -> const Node* {
    return std::get_if<Node>(&statement_.exprs[id].node);
  }

  /// The operand of a ramp, and of the difference that it is, the operands.
  struct RampOf {
    ExprId x;
    const Operation* difference = nullptr;
  };
  [[nodiscard]] auto ramp_of(ExprId id) const -> std::optional<RampOf> {
    const auto* ramp = as<Function>(id);
    if (ramp == nullptr || ramp->kind != FunctionKind::Ramp) {
      return std::nullopt;
    }
    const auto* operation = as<Operation>(ramp->operands[0]);
    const bool is_difference = operation != nullptr && operation->op == Operator::Subtract;
    return RampOf{ramp->operands[0], is_difference ? operation : nullptr};
  }

  /// The values of what is written for an extreme or a distance, where operands are not
  /// independent: b + max(a - b, 0) is the greater one, a - max(a - b, 0) the lesser, and max(x, 0)
  /// + max(x, 0) - x the distance from 0.
  [[nodiscard]] auto extreme_of(const Operation& operation) const -> std::optional<RealInterval> {
    const auto ends = [&](ExprId a, ExprId b, const auto& choose) {
      return RealInterval{choose(at(a).low, at(b).low), choose(at(a).high, at(b).high)};
    };
    const auto greater = [](double a, double b) { return std::max(a, b); };
    const auto lesser = [](double a, double b) { return std::min(a, b); };
    if (operation.op == Operator::Add) {
      for (const auto& [b, other] : {std::pair(operation.left, operation.right),
                                     std::pair(operation.right, operation.left)}) {
        const std::optional<RampOf> ramp = ramp_of(other);
        if (ramp && ramp->difference != nullptr && ramp->difference->right == b) {
          return ends(ramp->difference->left, b, greater);
        }
      }
      return std::nullopt;
    }
    const std::optional<RampOf> ramp = ramp_of(operation.right);
    if (ramp && ramp->difference != nullptr && ramp->difference->left == operation.left) {
      return ends(operation.left, ramp->difference->right, lesser);
    }
    const auto* twice = as<Operation>(operation.left);
    if (twice == nullptr || twice->op != Operator::Add || twice->left != twice->right) {
      return std::nullopt;
    }
    const std::optional<RampOf> half = ramp_of(twice->left);
    if (!half || half->x != operation.right) {
      return std::nullopt;
    }
    const RealBound& x = at(operation.right);
    return RealInterval{std::max({0.0, x.low, -x.high}), x.largest()};
  }

  static auto narrowed(RealBound bound, const std::optional<RealInterval>& values) -> RealBound {
    if (values) {
      bound.low = std::max(bound.low, values->low);
      bound.high = std::min(bound.high, values->high);
    }
    return bound;
  }

  /// What norms say of a sum of products, or of other numbers; and how little of what factors are
  /// off counts in it.
  void narrow_by_norms(const Reduction& reduction, RealBound& sum) const {
    std::vector<DimId> dims{reduction.dim};
    ExprId body = reduction.body;
    while (const auto* inner = as<Reduction>(body)) {
      if (inner->op != Operator::Add) {
        break;
      }
      dims.push_back(inner->dim);
      body = inner->body;
    }
    const double n = norms_.n_values(dims);
    const auto* product = as<Operation>(body);
    const bool is_product = product != nullptr && product->op == Operator::Multiply;
    const double of_left = is_product ? norms_.norm(product->left, dims) : std::sqrt(n);
    const double of_right = norms_.norm(is_product ? product->right : body, dims);
    // Other slots may have parts of the sums of two neighbours along each dimension.
    const double n_parts =
        summed_ == SummedElements::WithPadding ? std::ldexp(1, static_cast<int>(dims.size())) : 1;
    const double by_norms = of_left * of_right;
    const double by_sums =
        is_product ? std::min(norms_.sum(product->left, dims) * at(product->right).largest(),
                              norms_.sum(product->right, dims) * at(product->left).largest())
                   : norms_.sum(body, dims);
    const double most = n_parts * std::min(by_norms, by_sums);
    sum.low = std::max(sum.low, -most);
    sum.high = std::min(sum.high, most);
    if (!is_product) {
      return;
    }
    const RealBound& left = at(product->left);
    const RealBound& right = at(product->right);
    const auto off = [&](double of_a, double of_b) {
      return std::sqrt(n) * (of_left * of_b + of_right * of_a) + n * of_a * of_b;
    };
    const bool is_exact = left.is_integer || right.is_integer;
    sum.approximation = std::min(sum.approximation, off(left.approximation, right.approximation));
    sum.rounding =
        std::min(sum.rounding, off(left.rounding, right.rounding) + (is_exact ? 0 : n * unit_));
  }

  [[nodiscard]] auto bound(const Reduction& reduction) const -> RealBound {
    RealBound result = bound_of_elements(reduction);
    if (reduction.op == Operator::Add) {
      narrow_by_norms(reduction, result);
    }
    return result;
  }

  [[nodiscard]] auto bound_of_elements(const Reduction& reduction) const -> RealBound {
    const RealBound& body = at(reduction.body);
    const int64_t n = statement_.dims[reduction.dim].extent;
    const bool is_padded =
        summed_ == SummedElements::WithPadding && !std::has_single_bit(static_cast<uint64_t>(n));
    if (reduction.op == Operator::Add && is_padded) {
      const auto times = static_cast<double>(std::bit_ceil(static_cast<uint64_t>(n)));
      return {times * std::min(body.low, 0.0), times * std::max(body.high, 0.0),
              times * body.rounding, body.is_integer, times * body.approximation};
    }
    if (reduction.op == Operator::Add) {
      const auto times = static_cast<double>(n);
      return {times * body.low, times * body.high, times * body.rounding, body.is_integer,
              times * body.approximation};
    }
    RealBound result = body;
    for (int64_t i = 1; i < n && std::isfinite(result.largest()); ++i) {
      result = product(result, body);
    }
    return result;
  }

  [[nodiscard]] auto bound(const Function& function) -> RealBound {
    const RealBound& x = at(function.operands.at(0));
    if (function.kind == FunctionKind::Promise) {
      RealBound kept = x;
      kept.low = std::max(x.low, at(function.operands.at(1)).low);
      kept.high = std::min(x.high, at(function.operands.at(2)).high);
      // A promise that nothing keeps is about no input.
      kept.high = std::max(kept.low, kept.high);
      return kept;
    }
    if (function.kind == FunctionKind::Masked) {
      const double most = at(function.operands.at(3)).high;
      return narrowed(sum(product(x, at(function.operands.at(1))), at(function.operands.at(2))),
                      RealInterval{-most, most});
    }
    const double off = std::max(x.rounding, x.approximation);
    const RealInterval widened{x.low - off, x.high + off};
    const std::string fault = domain_fault(function.kind, widened);
    if (!fault.empty()) {
      if (outside_.empty()) {
        outside_ = fault;
        outside_at_ = ExprId{static_cast<uint32_t>(bounds_.size())};
      }
      return {};
    }
    const RealInterval values = image(function.kind, {x.low, x.high});
    const double error = errors_.empty() ? 0 : errors_.at(bounds_.size());
    return {.low = values.low,
            .high = values.high,
            .rounding = spread(function.kind, widened, x.rounding) + unit_,
            .approximation = spread(function.kind, widened, x.approximation) + error};
  }

  static auto sum(const RealBound& a, const RealBound& b) -> RealBound {
    return {a.low + b.low, a.high + b.high, a.rounding + b.rounding, a.is_integer && b.is_integer,
            a.approximation + b.approximation};
  }

  [[nodiscard]] auto product(const RealBound& a, const RealBound& b) const -> RealBound {
    const auto [low, high] =
        std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    const bool is_exact = a.is_integer || b.is_integer;
    const auto off = [&](double of_a, double of_b) {
      return a.largest() * of_b + b.largest() * of_a + of_a * of_b;
    };
    return {.low = low,
            .high = high,
            .rounding = off(a.rounding, b.rounding) + (is_exact ? 0 : unit_),
            .is_integer = a.is_integer && b.is_integer,
            .approximation = off(a.approximation, b.approximation)};
  }

  const Program& program_;
  const Statement& statement_;
  const std::vector<RealBound>& arrays_;
  std::vector<double> errors_;  ///< by expression, or none
  SummedElements summed_;
  double unit_;
  NormBounds norms_;
  std::vector<RealBound> bounds_;
  std::optional<ExprId> outside_at_;
  std::string outside_;
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

auto find_real_bounds(const Program& program, const ApproximationErrors& errors,
                      SummedElements summed) -> RealBounds {
  RealBounds result;
  for (const Array& array : program.arrays.values()) {
    if (array.owner != Owner::Computed) {
      result.arrays.push_back(known_bound(array));
    }
  }
  const double most = std::ldexp(1, 63 - int{program.fraction_bits});
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const Statement& statement = program.statements[i];
    StatementBounds bounds(program, statement, result.arrays,
                           errors.empty() ? std::vector<double>() : errors[i], summed);
    result.exprs.push_back(bounds.run());
    if (bounds.outside_at() && !result.outside_at) {
      result.outside_at = ExprPlace{i, *bounds.outside_at()};
      result.outside = bounds.outside();
    }
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
