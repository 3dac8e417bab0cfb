#include "compiler/he/schedule/lower_bound.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>

#include "compiler/he/schedule/final_sums.h"

namespace tacet::schedule {

using array::DimId;
using array::ExprId;
using array::Operator;

/// By expression: equal for those that differ in nothing but which dimensions they have.
static auto structure_hashes(const array::Statement& statement) -> std::vector<uint64_t> {
  std::vector<uint64_t> result;
  for (const array::Expr& expr : statement.exprs.values()) {
    uint64_t hash = expr.node.index();
    if (const auto* literal = std::get_if<array::Literal>(&expr.node)) {
      hash = hash_combine(hash, static_cast<uint64_t>(literal->value));
    } else if (const auto* site = std::get_if<array::Site>(&expr.node)) {
      hash = hash_combine(hash, site->array.index);
      for (const array::ArrayIndex& index : site->indices) {
        hash = hash_combine(hash, static_cast<uint64_t>(index.offset));
        hash = hash_combine(hash, index.terms.size());
      }
    } else if (const auto* operation = std::get_if<array::Operation>(&expr.node)) {
      uint64_t left = result[operation->left.index];
      uint64_t right = result[operation->right.index];
      hash = hash_combine(hash, static_cast<uint64_t>(operation->op));
      hash = hash_combine(hash_combine(hash, std::min(left, right)), std::max(left, right));
    } else if (const auto* reduction = std::get_if<array::Reduction>(&expr.node)) {
      hash = hash_combine(hash, static_cast<uint64_t>(reduction->op));
      hash = hash_combine(hash, result[reduction->body.index]);
    } else if (const auto* function = std::get_if<array::Function>(&expr.node)) {
      for (const ExprId operand : function->operands) {
        hash = hash_combine(hash, result[operand.index]);
      }
    }
    result.push_back(hash);
  }
  return result;
}

/// By expression: whether it is a number whatever is read, as the circuit's writer sees it or more.
static auto number_exprs(const array::Statement& statement) -> std::vector<bool> {
  std::vector<uint64_t> hashes = structure_hashes(statement);
  std::vector<bool> result;
  std::vector<bool> may_be_zero;
  for (const array::Expr& expr : statement.exprs.values()) {
    bool is_number = false;
    bool is_zero = false;
    if (const auto* literal = std::get_if<array::Literal>(&expr.node)) {
      is_number = true;
      is_zero = literal->value == 0;
    } else if (const auto* operation = std::get_if<array::Operation>(&expr.node)) {
      uint32_t left = operation->left.index;
      uint32_t right = operation->right.index;
      bool cancels = operation->op == Operator::Subtract && hashes[left] == hashes[right];
      bool is_nothing =
          operation->op == Operator::Multiply && (may_be_zero[left] || may_be_zero[right]);
      is_number = (result[left] && result[right]) || cancels || is_nothing;
      is_zero = is_number;
    } else if (const auto* reduction = std::get_if<array::Reduction>(&expr.node)) {
      is_number = result[reduction->body.index];
      is_zero = may_be_zero[reduction->body.index];
    }
    result.push_back(is_number);
    may_be_zero.push_back(is_zero);
  }
  return result;
}

static auto cipher_exprs(const array::Statement& statement, const std::vector<bool>& arrays)
    -> std::vector<bool> {
  std::vector<bool> is_number = number_exprs(statement);
  std::vector<bool> result;
  for (const array::Expr& expr : statement.exprs.values()) {
    bool is_cipher = false;
    if (const auto* site = std::get_if<array::Site>(&expr.node)) {
      is_cipher = arrays[site->array.index];
    } else if (const auto* operation = std::get_if<array::Operation>(&expr.node)) {
      is_cipher = result[operation->left.index] || result[operation->right.index];
    } else if (const auto* reduction = std::get_if<array::Reduction>(&expr.node)) {
      is_cipher = result[reduction->body.index];
    } else if (const auto* function = std::get_if<array::Function>(&expr.node)) {
      is_cipher = result[function->operands.at(0).index];
    }
    result.push_back(is_cipher && !is_number[result.size()]);
  }
  return result;
}

auto cipher_arrays(const array::Program& program) -> std::vector<bool> {
  std::vector<bool> result;
  for (const array::Array& array : program.arrays.values()) {
    result.push_back(array.owner == array::Owner::Client);
  }
  for (const array::Statement& statement : program.statements) {
    std::vector<bool> exprs = cipher_exprs(statement, result);
    result[statement.result.index] = exprs[statement.root.index];
  }
  return result;
}

auto clear_dims(const array::Statement& statement, const std::vector<bool>& is_cipher) -> DimSet {
  std::vector<bool> ciphers = cipher_exprs(statement, is_cipher);
  std::vector<DimSet> free = free_dims(statement);
  DimSet used = free[statement.root.index];
  for (size_t i = 0; i < free.size(); ++i) {
    used |= ciphers[i] ? free[i] : 0;
  }
  DimSet clear = 0;
  for (uint32_t dim = 0; dim < statement.dims.size(); ++dim) {
    clear |= contains(used, DimId{dim}) ? 0 : set_of(DimId{dim});
  }
  return clear;
}

/// By expression: whether the result is computed from it; what numbers are computed from is not.
static auto needed_exprs(const array::Statement& statement) -> std::vector<bool> {
  std::vector<bool> is_number = number_exprs(statement);
  std::vector<bool> result(statement.exprs.size(), false);
  result[statement.root.index] = true;
  for (size_t i = result.size(); i-- > 0;) {
    if (!result[i] || is_number[i]) {
      continue;
    }
    const auto& node = statement.exprs[ExprId{static_cast<uint32_t>(i)}].node;
    if (const auto* operation = std::get_if<array::Operation>(&node)) {
      result[operation->left.index] = true;
      result[operation->right.index] = true;
    } else if (const auto* reduction = std::get_if<array::Reduction>(&node)) {
      result[reduction->body.index] = true;
    } else if (const auto* function = std::get_if<array::Function>(&node)) {
      result[function->operands.at(0).index] = true;
    }
  }
  return result;
}

/// How many products of ciphertexts follow each other in any circuit: reductions are trees over
/// each dimension.
static auto least_depth(const array::Statement& statement, const std::vector<bool>& is_cipher)
    -> int64_t {
  std::vector<int64_t> depths;
  for (const array::Expr& expr : statement.exprs.values()) {
    int64_t depth = 0;
    if (const auto* operation = std::get_if<array::Operation>(&expr.node)) {
      const bool is_product = operation->op == Operator::Multiply &&
                              is_cipher[operation->left.index] && is_cipher[operation->right.index];
      depth = std::max(depths[operation->left.index], depths[operation->right.index]) +
              (is_product ? 1 : 0);
    } else if (const auto* reduction = std::get_if<array::Reduction>(&expr.node)) {
      const auto extent = static_cast<uint64_t>(statement.dims[reduction->dim].extent);
      depth =
          depths[reduction->body.index] + (reduction->op == Operator::Multiply
                                               ? static_cast<int64_t>(std::bit_width(extent - 1))
                                               : 0);
    } else if (const auto* function = std::get_if<array::Function>(&expr.node)) {
      depth = depths[function->operands.at(0).index];
    }
    depths.push_back(is_cipher[depths.size()] ? depth : 0);
  }
  return depths[statement.root.index];
}

/// By expression: how many products of ciphertexts follow each other from it to the root.
static auto depths_to_root(const array::Statement& statement, const std::vector<bool>& is_cipher)
    -> std::vector<int64_t> {
  std::vector<int64_t> depths(statement.exprs.size(), 0);
  for (uint32_t i = static_cast<uint32_t>(depths.size()); i-- > 0;) {
    const auto pass_on = [&](ExprId operand, int64_t more) {
      depths[operand.index] = std::max(depths[operand.index], depths[i] + more);
    };
    const auto& node = statement.exprs[ExprId{i}].node;
    if (const auto* operation = std::get_if<array::Operation>(&node)) {
      const bool is_product = operation->op == Operator::Multiply &&
                              is_cipher[operation->left.index] && is_cipher[operation->right.index];
      pass_on(operation->left, is_product ? 1 : 0);
      pass_on(operation->right, is_product ? 1 : 0);
    } else if (const auto* reduction = std::get_if<array::Reduction>(&node)) {
      const auto extent = static_cast<uint64_t>(statement.dims[reduction->dim].extent);
      const bool is_product =
          reduction->op == Operator::Multiply && is_cipher[reduction->body.index];
      pass_on(reduction->body, is_product ? static_cast<int64_t>(std::bit_width(extent - 1)) : 0);
    } else if (const auto* function = std::get_if<array::Function>(&node)) {
      pass_on(function->operands.at(0), 0);
    }
  }
  return depths;
}

auto depths_to_output(const array::Program& program, const std::vector<bool>& is_cipher)
    -> std::vector<int64_t> {
  std::vector<int64_t> of_arrays(program.arrays.size(), 0);
  std::vector<int64_t> result(program.statements.size(), 0);
  for (size_t i = program.statements.size(); i-- > 0;) {
    const array::Statement& statement = program.statements[i];
    result[i] = of_arrays[statement.result.index];
    const std::vector<int64_t> depths =
        depths_to_root(statement, cipher_exprs(statement, is_cipher));
    for (uint32_t expr = 0; expr < depths.size(); ++expr) {
      if (const auto* site = std::get_if<array::Site>(&statement.exprs[ExprId{expr}].node)) {
        int64_t& depth = of_arrays[site->array.index];
        depth = std::max(depth, depths[expr] + result[i]);
      }
    }
  }
  return result;
}

LowerBound::LowerBound(const array::Program& program, size_t statement,
                       const std::vector<bool>& is_cipher)
    : statement_(program.statements[statement]) {
  std::vector<bool> ciphers = cipher_exprs(statement_, is_cipher);
  std::vector<DimSet> free = free_dims(statement_);
  std::vector<uint64_t> hashes = structure_hashes(statement_);
  std::map<uint64_t, std::vector<DimSet>> products;
  std::vector<bool> is_needed = needed_exprs(statement_);
  is_last_ = statement + 1 == program.statements.size();
  std::vector<bool> may_wait(statement_.exprs.size(), false);
  if (is_last_ && array::leaves_sums(program)) {
    may_wait = only_added(statement_);
  }
  for (uint32_t i = 0; i < statement_.exprs.size(); ++i) {
    if (!is_needed[i]) {
      continue;
    }
    const auto& node = statement_.exprs[ExprId{i}].node;
    const auto* operation = std::get_if<array::Operation>(&node);
    if (operation != nullptr && operation->op == Operator::Multiply &&
        ciphers[operation->left.index] && ciphers[operation->right.index]) {
      products[hashes[i]].push_back(free[i]);
    }
    const auto* reduction = std::get_if<array::Reduction>(&node);
    const bool is_left = reduction != nullptr && reduction->op == Operator::Add && may_wait[i];
    if (reduction != nullptr && !is_left && ciphers[reduction->body.index] &&
        contains(free[reduction->body.index], reduction->dim)) {
      reduced_ |= set_of(reduction->dim);
    }
  }
  for (auto& [hash, dims] : products) {
    products_.push_back(std::move(dims));
  }
  least_depth_ = static_cast<double>(least_depth(statement_, ciphers));
  root_ = free[statement_.root.index];
  is_root_cipher_ = ciphers[statement_.root.index];
}

namespace {

/// The least number of vectors with an expression's elements.
auto n_vectors(const StatementSchedule& schedule, DimSet dims, int64_t n_slots) -> int64_t {
  int64_t exploded = 1;
  for (const Tile& tile : schedule.exploded) {
    exploded *= contains(dims, tile.dim) ? tile.extent : 1;
  }
  for (const Axis& axis : schedule.axes) {
    bool is_used = std::any_of(axis.tiles.begin(), axis.tiles.end(),
                               [&](const Tile& tile) { return contains(dims, tile.dim); });
    n_slots /= is_used ? axis.extent : 1;
  }
  return (exploded + n_slots - 1) / std::max<int64_t>(n_slots, 1);
}

}  // namespace

auto LowerBound::of(const StatementSchedule& schedule, const std::vector<RingCost>& rings) const
    -> double {
  int64_t columns = 1;
  int64_t rotations = 0;
  for (const Axis& axis : schedule.axes) {
    columns *= axis.is_row ? 1 : axis.extent;
    int64_t most = 0;
    for (const Tile& tile : axis.tiles) {
      if (contains(reduced_, tile.dim)) {
        most = std::max(
            most, static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(tile.extent - 1))));
      }
    }
    rotations += most;
  }
  double best = std::numeric_limits<double>::infinity();
  uint32_t n_counted = 0;
  int64_t n_products = 0;
  int64_t n_outputs = 0;
  for (const RingCost& ring : rings) {
    if (ring.n_columns < columns || ring.most_depth < least_depth_) {
      continue;
    }
    if (ring.n_columns != n_counted) {
      n_counted = ring.n_columns;
      n_products = least_products(schedule, int64_t{2} * n_counted);
      n_outputs =
          is_last_ && is_root_cipher_ ? n_vectors(schedule, root_, int64_t{2} * n_counted) : 0;
    }
    best = std::min(best, static_cast<double>(rotations) * ring.rotation +
                              static_cast<double>(n_products) * ring.product +
                              static_cast<double>(n_outputs) * ring.output_cipher);
  }
  return best;
}

auto LowerBound::least_products(const StatementSchedule& schedule, int64_t n_slots) const
    -> int64_t {
  int64_t result = 0;
  for (const std::vector<DimSet>& alike : products_) {
    int64_t least = std::numeric_limits<int64_t>::max();
    for (DimSet dims : alike) {
      least = std::min(least, n_vectors(schedule, dims, n_slots));
    }
    result += least;
  }
  return result;
}

}  // namespace tacet::schedule
