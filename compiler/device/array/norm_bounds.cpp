#include "compiler/device/array/norm_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tacet::array {

/// Of a constant: the norm, or the sum of magnitudes, of all elements and of the largest item.
struct ConstantSize {
  double of_item = 0;
  double of_all = 0;
};

template <class Count>
static auto size_of(const Array& array, const Count& count) -> ConstantSize {
  const size_t n_items = array.extents.size() > 1 ? static_cast<size_t>(array.extents[0]) : 1;
  const size_t width = array.elements.size() / std::max<size_t>(n_items, 1);
  ConstantSize size;
  for (size_t item = 0; item < n_items; ++item) {
    double counted = 0;
    for (size_t i = item * width; i < (item + 1) * width; ++i) {
      counted += count(real_of(array.elements[i], array.fraction_bits));
    }
    size.of_item = std::max(size.of_item, counted);
    size.of_all += counted;
  }
  return size;
}

/// For what doubles round.
static constexpr double kSlack = 1 + 0x1p-30;

auto NormBounds::n_values(const std::vector<DimId>& dims) const -> double {
  double n = 1;
  for (const DimId dim : dims) {
    n *= static_cast<double>(statement_.dims[dim].extent);
  }
  return n;
}

/// Nothing if an element is read for two values of the dimensions that the site depends on.
auto NormBounds::reading_of(const Site& site, const std::vector<DimId>& dims) const
    -> std::optional<Reading> {
  std::vector<DimId> rest = dims;
  double n_items = 1;
  for (size_t i = 0; i < site.indices.size(); ++i) {
    std::vector<std::pair<double, double>> terms;  // strides and extents of what is summed over
    for (const IndexTerm& term : site.indices[i].terms) {
      if (std::find(dims.begin(), dims.end(), term.dim) != dims.end()) {
        const auto extent = static_cast<double>(statement_.dims[term.dim].extent);
        terms.emplace_back(std::abs(static_cast<double>(term.stride)), extent);
        std::erase(rest, term.dim);
        n_items *= i == 0 ? extent : 1;
      }
    }
    std::sort(terms.begin(), terms.end());
    double reach = 0;
    for (const auto& [stride, extent] : terms) {
      if (!(stride > reach)) {
        return std::nullopt;
      }
      reach += stride * (extent - 1);
    }
  }
  const std::vector<int64_t>& extents = program_.arrays[site.array].extents;
  return Reading{extents.size() > 1 ? std::min(n_items, static_cast<double>(extents[0])) : 1,
                 n_values(rest)};
}

auto NormBounds::sum(ExprId expr, const std::vector<DimId>& dims) const -> double {
  const double of_largest = largest_(expr) * n_values(dims);
  const auto* site = std::get_if<Site>(&statement_.exprs[expr].node);
  if (site == nullptr || program_.arrays[site->array].owner != Owner::Constant) {
    return of_largest;
  }
  const std::optional<Reading> reading = reading_of(*site, dims);
  if (!reading) {
    return of_largest;
  }
  const ConstantSize size =
      size_of(program_.arrays[site->array], [](double number) { return std::abs(number); });
  return std::min(of_largest, std::min(size.of_item * reading->n_items, size.of_all) *
                                  reading->n_times * kSlack);
}

auto NormBounds::norm_of_site(const Site& site, const std::vector<DimId>& dims) const -> double {
  const Array& array = program_.arrays[site.array];
  const std::optional<Reading> reading = reading_of(site, dims);
  if (!reading || (array.owner != Owner::Constant && !array.norm)) {
    return std::numeric_limits<double>::infinity();
  }
  double squared = 0;
  if (array.owner == Owner::Constant) {
    const ConstantSize size = size_of(array, [](double number) { return number * number; });
    squared = std::min(size.of_item * reading->n_items, size.of_all);
  } else {
    const double norm = real_of(static_cast<int64_t>(*array.norm), array.fraction_bits);
    squared = norm * norm * reading->n_items;
  }
  return std::sqrt(squared * reading->n_times) * kSlack;
}

auto NormBounds::norm(ExprId expr, const std::vector<DimId>& dims) const -> double {
  const double of_largest = largest_(expr) * std::sqrt(n_values(dims));
  const auto& node = statement_.exprs[expr].node;
  if (const auto* site = std::get_if<Site>(&node)) {
    return std::min(of_largest, norm_of_site(*site, dims));
  }
  if (const auto* operation = std::get_if<Operation>(&node)) {
    const double left = norm(operation->left, dims);
    const double right = norm(operation->right, dims);
    const double both =
        operation->op == Operator::Multiply
            ? std::min(largest_(operation->left) * right, largest_(operation->right) * left)
            : left + right;
    return std::min(of_largest, both);
  }
  if (const auto* function = std::get_if<Function>(&node)) {
    const bool shrinks =
        function->kind == FunctionKind::Ramp || function->kind == FunctionKind::Tanh ||
        function->kind == FunctionKind::Sin || function->kind == FunctionKind::Promise;
    return shrinks ? std::min(of_largest, norm(function->operands.at(0), dims)) : of_largest;
  }
  return of_largest;
}

}  // namespace tacet::array
