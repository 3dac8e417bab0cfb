#include "compiler/he/lower/plan_expansion.h"

#include "compiler/he/lower/table_polynomial.h"

namespace tacet::he_lower {
namespace {

using array::ExprId;
using array::Interval;

auto is_narrow(Interval range) -> bool {
  return range.low > INT64_MIN / 4 && range.high < INT64_MAX / 4 &&
         range.high - range.low < kMostValues;
}

class Planner {
 public:
  Planner(const array::Statement& statement, const std::vector<Interval>& ranges)
      : statement_(statement), ranges_(ranges) {
    for (uint32_t i = 0; i < statement.exprs.size(); ++i) {
      const bool is_function =
          std::holds_alternative<array::Function>(statement.exprs[ExprId{i}].node);
      const bool is_number = is_function && ranges[i].low == ranges[i].high && is_narrow(ranges[i]);
      plan_.numbers.push_back(is_number ? std::optional(ranges[i].low) : std::nullopt);
    }
  }

  auto run() -> ExpansionPlan {
    const size_t n = statement_.exprs.size();
    const array::SingleSources sources(statement_, plan_.numbers);
    plan_.is_needed.assign(n, false);
    plan_.source.assign(n, std::nullopt);
    plan_.is_needed[statement_.root.index] = true;
    for (size_t i = n; i-- > 0;) {
      const ExprId id{static_cast<uint32_t>(i)};
      if (!plan_.is_needed[i] || plan_.numbers[i]) {
        continue;
      }
      plan_.source[i] = chosen(sources, id);
      if (plan_.source[i]) {
        plan_.is_needed[plan_.source[i]->index] = true;
      } else {
        need_operands(statement_.exprs[id]);
      }
    }
    return std::move(plan_);
  }

 private:
  void need_operands(const array::Expr& expr) {
    if (const auto* operation = std::get_if<array::Operation>(&expr.node)) {
      plan_.is_needed[operation->left.index] = true;
      plan_.is_needed[operation->right.index] = true;
    } else if (const auto* reduction = std::get_if<array::Reduction>(&expr.node)) {
      plan_.is_needed[reduction->body.index] = true;
    } else if (const auto* function = std::get_if<array::Function>(&expr.node)) {
      for (const ExprId operand : function->operands) {
        plan_.is_needed[operand.index] = true;
      }
    }
  }

  [[nodiscard]] auto chosen(const array::SingleSources& sources, ExprId id) const
      -> std::optional<ExprId> {
    std::optional<ExprId> first;
    for (std::optional<ExprId> at = sources.of(id); at; at = sources.of(*at)) {
      first = is_narrow(ranges_[at->index]) ? at : first;
    }
    if (!first) {
      return {};
    }
    array::FunctionOfSource function(statement_, id, *first, plan_.numbers);
    return function.has_functions() && is_defined(function, ranges_[first->index]) ? first
                                                                                   : std::nullopt;
  }

  static auto is_defined(array::FunctionOfSource& function, Interval domain) -> bool {
    constexpr int64_t kLargest = int64_t{1} << 46;  // so that differences can be compared
    for (int64_t x = domain.low; x <= domain.high; ++x) {
      const std::optional<int64_t> value = function.at(x);
      if (!value || *value < -kLargest || *value > kLargest) {
        return false;
      }
    }
    return true;
  }

  const array::Statement& statement_;
  const std::vector<Interval>& ranges_;
  ExpansionPlan plan_;
};

}  // namespace

auto plan_expansion(const array::Statement& statement, const std::vector<Interval>& ranges)
    -> ExpansionPlan {
  return Planner(statement, ranges).run();
}

}  // namespace tacet::he_lower
