#include "compiler/device/array/separable_stencils.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "compiler/device/array/expression_pool.h"
#include "compiler/device/array/unique_names.h"

namespace tacet::array {
namespace {

constexpr size_t kMostWeights = 256;
/// Longer sums are left alone.
constexpr int64_t kLongest = 64;

/// Elements of one array around a place, by distance from it, with their weights.
struct Stencil {
  Site site;  ///< the place
  std::map<std::vector<int64_t>, int64_t> weights;
};

/// What a statement adds up, with the sums of the text written out.
class Reader {
 public:
  Reader(const Program& program, const Statement& statement)
      : program_(program), statement_(statement) {}

  auto run() -> std::optional<Stencil> {
    // A statement that is a sum of sums of elements is one already.
    ExprId inner = statement_.root;
    while (const auto* reduction = std::get_if<Reduction>(&statement_.exprs[inner].node)) {
      inner = reduction->body;
    }
    if (std::holds_alternative<Site>(statement_.exprs[inner].node) || !add(statement_.root, 1) ||
        !stencil_) {
      return {};
    }
    std::erase_if(stencil_->weights, [](const auto& weight) { return weight.second == 0; });
    return std::move(stencil_);
  }

 private:
  auto add(ExprId id, int64_t weight) -> bool {
    const Expr& expr = statement_.exprs[id];
    if (const auto* site = std::get_if<Site>(&expr.node)) {
      return add_element(*site, weight);
    }
    if (const auto* operation = std::get_if<Operation>(&expr.node)) {
      if (operation->op != Operator::Multiply) {
        const int64_t sign = operation->op == Operator::Add ? 1 : -1;
        return add(operation->left, weight) && add(operation->right, sign * weight);
      }
      const std::optional<int64_t> left = number(operation->left);
      const std::optional<int64_t> right = left ? left : number(operation->right);
      return right && add(left ? operation->right : operation->left, *right * weight);
    }
    const auto* reduction = std::get_if<Reduction>(&expr.node);
    if (reduction == nullptr || reduction->op != Operator::Add ||
        statement_.dims[reduction->dim].extent > kLongest) {
      return false;
    }
    for (int64_t i = 0; i < statement_.dims[reduction->dim].extent; ++i) {
      at_[reduction->dim] = i;
      if (!add(reduction->body, weight)) {
        return false;
      }
    }
    at_.erase(reduction->dim);
    return true;
  }

  /// A literal, or an element of a constant where sums are written out.
  [[nodiscard]] auto number(ExprId id) const -> std::optional<int64_t> {
    constexpr int64_t kLargest = 1 << 20;
    std::optional<int64_t> result;
    if (const auto* literal = std::get_if<Literal>(&statement_.exprs[id].node)) {
      result = literal->value;
    } else if (const auto* site = std::get_if<Site>(&statement_.exprs[id].node)) {
      const Array& array = program_.arrays[site->array];
      if (array.owner != Owner::Constant || array.extents.size() != 1) {
        return {};
      }
      const std::optional<ArrayIndex> place = written_out(site->indices[0]);
      if (!place || !place->terms.empty()) {
        return {};
      }
      const bool is_inside = place->offset >= 0 && place->offset < array.extents[0];
      result = is_inside ? array.elements[static_cast<size_t>(place->offset)] : 0;
    }
    return result && *result >= -kLargest && *result <= kLargest ? result : std::nullopt;
  }

  /// With numbers for the dimensions of sums; nothing if they are turned around.
  [[nodiscard]] auto written_out(const ArrayIndex& index) const -> std::optional<ArrayIndex> {
    ArrayIndex result{index.offset, {}};
    for (const IndexTerm& term : index.terms) {
      if (term.is_cyclic) {
        return {};
      }
      if (const auto found = at_.find(term.dim); found != at_.end()) {
        result.offset += term.stride * found->second;
      } else {
        result.terms.push_back(term);
      }
    }
    return result;
  }

  auto add_element(const Site& site, int64_t weight) -> bool {
    std::vector<int64_t> distance;
    Site place{site.array, {}};
    for (const ArrayIndex& index : site.indices) {
      std::optional<ArrayIndex> rest = written_out(index);
      if (!rest) {
        return false;
      }
      distance.push_back(rest->offset);
      rest->offset = 0;
      place.indices.push_back(std::move(*rest));
    }
    if (program_.arrays[site.array].owner == Owner::Constant) {
      return false;
    }
    if (!stencil_) {
      stencil_ = Stencil{std::move(place), {}};
    } else if (stencil_->site != place) {
      return false;
    }
    stencil_->weights[distance] += weight;
    return stencil_->weights.size() <= kMostWeights;
  }

  const Program& program_;
  const Statement& statement_;
  std::map<DimId, int64_t> at_;  ///< of the sums around
  std::optional<Stencil> stencil_;
};

/// Weights in one direction: those of distances first, first + step, …
struct Direction {
  size_t index = 0;  ///< of the array's dimension
  int64_t first = 0;
  int64_t step = 1;
  std::vector<int64_t> weights;
};

auto direction_of(size_t index, const std::map<int64_t, int64_t>& weights) -> Direction {
  Direction result{.index = index, .first = weights.begin()->first, .step = 0, .weights = {}};
  for (const auto& [distance, weight] : weights) {
    result.step = std::gcd(result.step, distance - result.first);
  }
  result.step = std::max<int64_t>(result.step, 1);
  const int64_t last = weights.rbegin()->first;
  result.weights.assign(static_cast<size_t>((last - result.first) / result.step) + 1, 0);
  for (const auto& [distance, weight] : weights) {
    result.weights[static_cast<size_t>((distance - result.first) / result.step)] = weight;
  }
  return result;
}

/// Directions whose products the weights are; nothing if there are no such.
auto directions_of(const Stencil& stencil) -> std::vector<Direction> {
  if (stencil.weights.size() < 2) {
    return {};
  }
  const std::vector<int64_t>& some = stencil.weights.begin()->first;
  std::vector<size_t> moved;
  for (size_t k = 0; k < some.size(); ++k) {
    if (std::any_of(stencil.weights.begin(), stencil.weights.end(),
                    [&](const auto& weight) { return weight.first[k] != some[k]; })) {
      moved.push_back(k);
    }
  }
  std::vector<Direction> directions;
  std::map<std::vector<int64_t>, int64_t> rest = stencil.weights;
  for (size_t i = 0; i + 1 < moved.size(); ++i) {
    // By distance in this direction, what is at all others.
    std::map<int64_t, std::map<std::vector<int64_t>, int64_t>> rows;
    for (const auto& [distance, weight] : rest) {
      std::vector<int64_t> others = distance;
      others[moved[i]] = 0;
      rows[distance[moved[i]]][others] = weight;
    }
    std::map<std::vector<int64_t>, int64_t> row = rows.begin()->second;
    int64_t content = 0;
    for (const auto& [distance, weight] : row) {
      content = std::gcd(content, weight);
    }
    for (auto& [distance, weight] : row) {
      weight /= content;
    }
    std::map<int64_t, int64_t> factors;
    for (const auto& [distance, other] : rows) {
      const int64_t factor = other.begin()->second / row.begin()->second;
      std::map<std::vector<int64_t>, int64_t> expected = row;
      for (auto& [place, weight] : expected) {
        weight *= factor;
      }
      if (factor == 0 || expected != other) {
        return {};
      }
      factors[distance] = factor;
    }
    directions.push_back(direction_of(moved[i], factors));
    rest = std::move(row);
  }
  std::map<int64_t, int64_t> line;
  for (const auto& [distance, weight] : rest) {
    line[distance[moved.back()]] = weight;
  }
  directions.push_back(direction_of(moved.back(), line));
  return directions;
}

/// A program with constants behind those that it has.
auto with_constants(const Program& program, const std::vector<Array>& constants) -> Program {
  Program result;
  uint32_t first_computed = 0;
  while (program.arrays[ArrayId{first_computed}].owner != Owner::Computed) {
    result.arrays.add(program.arrays[ArrayId{first_computed++}]);
  }
  for (const Array& constant : constants) {
    result.arrays.add(constant);
  }
  for (uint32_t i = first_computed; i < program.arrays.size(); ++i) {
    result.arrays.add(program.arrays[ArrayId{i}]);
  }
  const auto n_new = static_cast<uint32_t>(constants.size());
  const auto move = [&](ArrayId& array) {
    array.index += array.index < first_computed ? 0 : n_new;
  };
  for (Statement statement : program.statements) {
    move(statement.result);
    for (uint32_t i = 0; i < statement.exprs.size(); ++i) {
      if (auto* site = std::get_if<Site>(&statement.exprs[ExprId{i}].node)) {
        move(site->array);
      }
    }
    result.statements.push_back(std::move(statement));
  }
  return result;
}

/// The statement as sums over the directions, whose weights are the constants from `first` on.
auto summed(const Program& program, const Statement& statement, Stencil stencil,
            const std::vector<Direction>& directions, std::vector<std::optional<ArrayId>> constants)
    -> Statement {
  const FileRange place = statement.exprs[statement.root].place;
  ExpressionPool pool(program.arrays);
  for (const Dim& dim : statement.dims.values()) {
    pool.new_dim(dim.name, dim.extent);
  }
  const std::vector<int64_t>& some = stencil.weights.begin()->first;
  for (size_t k = 0; k < some.size(); ++k) {
    stencil.site.indices[k].offset = some[k];
  }
  std::vector<DimId> dims;
  for (const Direction& direction : directions) {
    const auto extent = static_cast<int64_t>(direction.weights.size());
    dims.push_back(pool.new_dim("k", extent));
    ArrayIndex& index = stencil.site.indices[direction.index];
    index.offset = direction.first;
    index.terms.push_back({.dim = dims.back(), .stride = direction.step});
  }
  ExprId total = pool.site(stencil.site, place);
  for (size_t i = directions.size(); i-- > 0;) {
    const ExprId weight =
        constants[i] ? pool.site({*constants[i], {ArrayIndex{0, {{.dim = dims[i]}}}}}, place)
                     : pool.literal(directions[i].weights.front(), place);
    total = pool.operation(Operator::Multiply, weight, total, place);
    total = pool.reduction(Operator::Add, dims[i], total, place);
  }
  return pool.finish(statement.result, total, statement.shape);
}

}  // namespace

auto with_separable_stencils(const Program& program) -> Program {
  Program result = program;
  if (is_real(program)) {
    return result;  // weights with a fraction are not looked into
  }
  for (size_t number = 0; number < program.statements.size(); ++number) {
    std::optional<Stencil> stencil = Reader(result, result.statements[number]).run();
    if (!stencil) {
      continue;
    }
    const std::vector<Direction> directions = directions_of(*stencil);
    if (directions.empty() ||
        std::any_of(directions.begin(), directions.end(), [](const Direction& direction) {
          return static_cast<int64_t>(direction.weights.size()) > kLongest;
        })) {
      continue;
    }
    UniqueNames names;
    for (const Array& array : result.arrays.values()) {
      names.add(array.name);
    }
    std::vector<Array> constants;
    std::vector<std::optional<ArrayId>> ids;
    uint32_t next = 0;
    while (result.arrays[ArrayId{next}].owner != Owner::Computed) {
      ++next;
    }
    const uint32_t first_computed = next;
    for (const Direction& direction : directions) {
      const std::vector<int64_t>& weights = direction.weights;
      const bool is_uniform = std::count(weights.begin(), weights.end(), weights.front()) ==
                              static_cast<std::ptrdiff_t>(weights.size());
      ids.push_back(is_uniform ? std::nullopt : std::optional(ArrayId{next++}));
      if (!is_uniform) {
        constants.push_back({.name = names.add("weights"),
                             .extents = {static_cast<int64_t>(weights.size())},
                             .owner = Owner::Constant,
                             .range = {},
                             .place = result.arrays[result.statements[number].result].place,
                             .elements = weights});
      }
    }
    result = with_constants(result, constants);
    if (stencil->site.array.index >= first_computed) {
      stencil->site.array.index += static_cast<uint32_t>(constants.size());
    }
    result.statements[number] =
        summed(result, result.statements[number], std::move(*stencil), directions, ids);
  }
  return result;
}

}  // namespace tacet::array
