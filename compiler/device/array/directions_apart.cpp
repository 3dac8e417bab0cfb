#include "compiler/device/array/directions_apart.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/device/array/expression_pool.h"
#include "compiler/device/array/shorten.h"
#include "compiler/device/array/unique_names.h"

namespace tacet::array {
namespace {

/// A sum, whose summands may be multiplied by weights that depend on its dimension alone.
struct WeightedSum {
  DimId dim;
  std::optional<ExprId> weight;
  ExprId summand;
};

auto weighted_sum(const Statement& statement, ExprId id) -> std::optional<WeightedSum> {
  const auto* reduction = std::get_if<Reduction>(&statement.exprs[id].node);
  if (reduction == nullptr || reduction->op != Operator::Add) {
    return {};
  }
  WeightedSum sum{.dim = reduction->dim, .weight = {}, .summand = reduction->body};
  const auto* product = std::get_if<Operation>(&statement.exprs[sum.summand].node);
  if (product != nullptr && product->op == Operator::Multiply) {
    const auto* weight = std::get_if<Site>(&statement.exprs[product->left].node);
    const bool is_of_dim = weight != nullptr && weight->indices.size() == 1 &&
                           weight->indices[0].terms.size() == 1 &&
                           weight->indices[0].terms[0].dim == sum.dim;
    if (!is_of_dim && !std::holds_alternative<Literal>(statement.exprs[product->left].node)) {
      return {};
    }
    sum.weight = product->left;
    sum.summand = product->right;
  }
  return sum;
}

/// The dimension of the array whose index has a term of `dim`, if there is exactly one, and the
/// term.
auto index_of(const Site& site, DimId dim) -> std::optional<std::pair<size_t, IndexTerm>> {
  std::optional<std::pair<size_t, IndexTerm>> found;
  for (size_t k = 0; k < site.indices.size(); ++k) {
    for (const IndexTerm& term : site.indices[k].terms) {
      if (term.dim == dim && found) {
        return {};
      }
      found = term.dim == dim ? std::optional(std::pair(k, term)) : found;
    }
  }
  return found;
}

/// Is the index, but for its offset and this dimension, inside of an array of that extent?
auto is_inside(const Statement& statement, const ArrayIndex& index, DimId dim, int64_t extent)
    -> bool {
  int64_t low = 0;
  int64_t high = 0;
  for (const IndexTerm& term : index.terms) {
    if (term.is_cyclic) {
      return false;
    }
    const int64_t most = term.dim == dim ? 0 : term.stride * (statement.dims[term.dim].extent - 1);
    low += std::min<int64_t>(most, 0);
    high += std::max<int64_t>(most, 0);
  }
  return low >= 0 && high < extent;
}

/// Sums of sums of elements, which can be taken apart.
struct SumOfSums {
  std::vector<WeightedSum> outer;  ///< the outermost one first
  WeightedSum inner;
  Site site;
  size_t direction = 0;  ///< of the array's dimensions, which one the inner sum is along
  int64_t stride = 1;    ///< of its distances
};

auto sum_of_sums(const Program& program, const Statement& statement) -> std::optional<SumOfSums> {
  std::vector<WeightedSum> outer;
  std::optional<WeightedSum> inner = weighted_sum(statement, statement.root);
  while (inner && !std::holds_alternative<Site>(statement.exprs[inner->summand].node)) {
    outer.push_back(*inner);
    inner = weighted_sum(statement, inner->summand);
  }
  if (!inner || outer.empty()) {
    return {};
  }
  // Of pairs in each direction, masks are more expensive than the rotations that are saved.
  int64_t longest = statement.dims[inner->dim].extent;
  for (const WeightedSum& each : outer) {
    longest = std::max(longest, statement.dims[each.dim].extent);
  }
  const Site& site = std::get<Site>(statement.exprs[inner->summand].node);
  const auto along = index_of(site, inner->dim);
  if (longest < 3 || !along) {
    return {};
  }
  const auto& [direction, term] = *along;
  const bool are_apart = std::all_of(outer.begin(), outer.end(), [&](const WeightedSum& each) {
    const auto other = index_of(site, each.dim);
    return other && other->first != along->first;
  });
  const int64_t extent = program.arrays[site.array].extents[direction];
  if (!are_apart || !is_inside(statement, site.indices[direction], inner->dim, extent)) {
    return {};
  }
  return SumOfSums{std::move(outer), *inner, site, direction, term.stride};
}

/// The sum of `value`, times the weights that `sum` has in the statement, over `dim`.
auto weighted_over(const Statement& statement, const WeightedSum& sum, DimId dim, ExprId value,
                   FileRange place, ExpressionPool& pool) -> ExprId {
  if (sum.weight) {
    const auto& node = statement.exprs[*sum.weight].node;
    ExprId factor{};
    if (const auto* site = std::get_if<Site>(&node)) {
      Site weight = *site;
      weight.indices[0].terms[0].dim = dim;
      factor = pool.site(std::move(weight), place);
    } else {
      factor = pool.literal(std::get<Literal>(node).value, place);
    }
    value = pool.operation(Operator::Multiply, factor, value, place);
  }
  return pool.reduction(Operator::Add, dim, value, place);
}

/// Computes the inner sum at all places of the array, into `result`.
auto inner_statement(const Program& program, const Statement& statement, const SumOfSums& sums,
                     ArrayId result) -> Statement {
  const FileRange place = statement.exprs[statement.root].place;
  ExpressionPool pool(program.arrays);
  std::vector<DimId> shape;
  Site shifted{sums.site.array, {}};
  for (const int64_t extent : program.arrays[sums.site.array].extents) {
    shape.push_back(pool.new_dim(fmt::format("p{}", shape.size()), extent));
    shifted.indices.push_back({0, {{.dim = shape.back()}}});
  }
  const DimId along = pool.new_dim("k", statement.dims[sums.inner.dim].extent);
  ArrayIndex& index = shifted.indices[sums.direction];
  index.offset = sums.site.indices[sums.direction].offset;
  index.terms.push_back({.dim = along, .stride = sums.stride});
  const ExprId root = weighted_over(statement, sums.inner, along,
                                    pool.site(std::move(shifted), place), place, pool);
  return pool.finish(result, root, shape);
}

/// Computes the rest from that.
auto outer_statement(const Program& program, const Statement& statement, const SumOfSums& sums,
                     ArrayId inner) -> Statement {
  const FileRange place = statement.exprs[statement.root].place;
  ExpressionPool pool(program.arrays);
  for (const Dim& dim : statement.dims.values()) {
    pool.new_dim(dim.name, dim.extent);
  }
  Site read{inner, sums.site.indices};
  ArrayIndex& index = read.indices[sums.direction];
  index.offset = 0;
  std::erase_if(index.terms, [&](const IndexTerm& term) { return term.dim == sums.inner.dim; });
  ExprId root = pool.site(std::move(read), place);
  for (auto each = sums.outer.rbegin(); each != sums.outer.rend(); ++each) {
    root = weighted_over(statement, *each, each->dim, root, place, pool);
  }
  return pool.finish(statement.result, root, statement.shape);
}

}  // namespace

auto with_directions_apart(const Program& program) -> Program {
  Program result = program;
  for (size_t i = 0; i < result.statements.size(); ++i) {
    const Statement statement = result.statements[i];
    const std::optional<SumOfSums> sums = sum_of_sums(result, statement);
    if (!sums) {
      continue;
    }
    UniqueNames names;
    for (const Array& array : result.arrays.values()) {
      names.add(array.name);
    }
    const ArrayId inner = result.arrays.add({.name = names.add("sums"),
                                             .extents = result.arrays[sums->site.array].extents,
                                             .owner = Owner::Computed,
                                             .range = {},
                                             .place = result.arrays[statement.result].place});
    result.statements[i] = outer_statement(result, statement, *sums, inner);
    result.statements.insert(result.statements.begin() + static_cast<std::ptrdiff_t>(i),
                             inner_statement(result, statement, *sums, inner));
    // Results are in the order of their statements. The second one may be a sum of sums again.
    result = with_last_array_at(result, statement.result);
  }
  return result;
}

}  // namespace tacet::array
