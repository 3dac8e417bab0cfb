#include "compiler/he/schedule/padding.h"

#include <algorithm>

#include "compiler/he/schedule/scope.h"

namespace tacet::schedule {

using array::DimId;
using array::ExprId;
using array::Operator;

static auto apply(Operator op, int64_t a, int64_t b) -> std::optional<int64_t> {
  int64_t result = 0;
  bool overflows = op == Operator::Add        ? __builtin_add_overflow(a, b, &result)
                   : op == Operator::Subtract ? __builtin_sub_overflow(a, b, &result)
                                              : __builtin_mul_overflow(a, b, &result);
  return overflows ? std::nullopt : std::optional(result);
}

auto padding_of_operation(Operator op, const Padding& left, const Padding& right) -> Padding {
  Padding result(left.size());
  for (size_t dim = 0; dim < left.size(); ++dim) {
    if (left[dim] && right[dim]) {
      result[dim] = apply(op, *left[dim], *right[dim]);
    } else if (op == Operator::Multiply && (left[dim] == 0 || right[dim] == 0)) {
      result[dim] = 0;
    }
  }
  return result;
}

auto padding_of_many(Operator op, const Padding& body, int64_t count) -> Padding {
  Padding result(body.size());
  for (size_t dim = 0; dim < body.size(); ++dim) {
    if (!body[dim]) {
      continue;
    }
    if (op == Operator::Add) {
      result[dim] = apply(Operator::Multiply, *body[dim], count);
    } else if (*body[dim] == 0 || *body[dim] == 1 || count == 1) {
      result[dim] = body[dim];
    }
  }
  return result;
}

namespace {

/// Follows what is in padding through the expressions.
class Choice {
 public:
  Choice(const Frame& frame, const std::function<std::optional<Padding>(ExprId)>& known)
      : frame_(frame), n_dims_(frame.statement.dims.size()) {
    const Store<ExprId, array::Expr>& exprs = frame.statement.exprs;
    for (uint32_t dim = 0; dim < n_dims_; ++dim) {
      padded_ |= is_padded(frame, DimId{dim}) ? DimSet{1} << dim : 0;
    }
    for (uint32_t i = 0; i < exprs.size() && padded_ != 0; ++i) {
      known_.emplace_back();
      if (std::holds_alternative<array::Site>(exprs[ExprId{i}].node)) {
        known_.back() = known(ExprId{i});
        if (!known_.back() && (frame.free[i] & padded_) != 0) {
          chosen_.push_back(i);
        }
      }
    }
  }

  auto best() -> std::vector<int64_t> {
    std::vector<int64_t> fill(frame_.statement.exprs.size(), 0);
    if (chosen_.empty()) {
      return fill;
    }
    bool tries_all = chosen_.size() <= 6;
    uint64_t n_choices = tries_all ? uint64_t{1} << chosen_.size() : 2;
    std::vector<int64_t> best = fill;
    size_t fewest = SIZE_MAX;
    for (uint64_t choice = 0; choice < n_choices && fewest > 0; ++choice) {
      for (size_t i = 0; i < chosen_.size(); ++i) {
        fill[chosen_[i]] = static_cast<int64_t>(tries_all ? choice >> i & 1 : choice);
      }
      if (size_t n = masks(fill); n < fewest) {
        fewest = n;
        best = fill;
      }
    }
    return best;
  }

 private:
  auto of_site(uint32_t expr, int64_t fill) const -> Padding {
    if (known_[expr]) {
      return *known_[expr];
    }
    Padding padding(n_dims_);
    for (uint32_t dim = 0; dim < n_dims_; ++dim) {
      if (contains(frame_.free[expr], DimId{dim})) {
        padding[dim] = fill;
      }
    }
    return padding;
  }

  /// How many reductions need a mask.
  auto masks(const std::vector<int64_t>& fill) const -> size_t {
    size_t count = 0;
    std::vector<Padding> paddings;
    for (uint32_t i = 0; i < frame_.statement.exprs.size(); ++i) {
      const auto& node = frame_.statement.exprs[ExprId{i}].node;
      if (const auto* literal = std::get_if<array::Literal>(&node)) {
        paddings.emplace_back(n_dims_, literal->value);
      } else if (std::holds_alternative<array::Site>(node)) {
        paddings.push_back(of_site(i, fill[i]));
      } else if (const auto* operation = std::get_if<array::Operation>(&node)) {
        paddings.push_back(padding_of_operation(operation->op, paddings[operation->left.index],
                                                paddings[operation->right.index]));
      } else if (std::holds_alternative<array::Function>(node)) {
        paddings.emplace_back(n_dims_, 0);
      } else {
        const auto& reduction = std::get<array::Reduction>(node);
        const Padding& body = paddings[reduction.body.index];
        bool is_there = contains(frame_.free[reduction.body.index], reduction.dim);
        bool needs = is_there && contains(padded_, reduction.dim) &&
                     body[reduction.dim.index] != neutral(reduction.op);
        count += needs ? 1 : 0;
        Padding result = padding_of_many(reduction.op, body, frame_.extent(reduction.dim));
        result[reduction.dim.index].reset();
        paddings.push_back(std::move(result));
      }
    }
    return count;
  }

  const Frame& frame_;
  size_t n_dims_;
  DimSet padded_ = 0;
  std::vector<std::optional<Padding>> known_;
  std::vector<uint32_t> chosen_;
};

}  // namespace

auto choose_fill(const Frame& frame, const std::function<std::optional<Padding>(ExprId)>& known)
    -> std::vector<int64_t> {
  return Choice(frame, known).best();
}

}  // namespace tacet::schedule
