#include "compiler/schedule/lower_bound.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace tacet::schedule {

using array::DimId;
using array::ExprId;

static auto cipher_exprs(const array::Statement& statement, const std::vector<bool>& arrays)
    -> std::vector<bool> {
  std::vector<bool> result;
  for (const array::Expr& expr : statement.exprs.values()) {
    bool is_cipher = false;
    if (const auto* site = std::get_if<array::Site>(&expr.node)) {
      is_cipher = arrays[site->array.index];
    } else if (const auto* operation = std::get_if<array::Operation>(&expr.node)) {
      is_cipher = result[operation->left.index] || result[operation->right.index];
    } else if (const auto* reduction = std::get_if<array::Reduction>(&expr.node)) {
      is_cipher = result[reduction->body.index];
    }
    result.push_back(is_cipher);
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

LowerBound::LowerBound(const array::Program& program, size_t statement,
                       const std::vector<bool>& is_cipher)
    : statement_(program.statements[statement]) {
  std::vector<bool> ciphers = cipher_exprs(statement_, is_cipher);
  std::vector<DimSet> free = free_dims(statement_);
  for (uint32_t i = 0; i < statement_.exprs.size(); ++i) {
    const auto& node = statement_.exprs[ExprId{i}].node;
    const auto* operation = std::get_if<array::Operation>(&node);
    if (operation != nullptr && operation->op == array::Operator::Multiply &&
        ciphers[operation->left.index] && ciphers[operation->right.index]) {
      products_.push_back(free[i]);
    }
    const auto* reduction = std::get_if<array::Reduction>(&node);
    if (reduction != nullptr && ciphers[reduction->body.index] &&
        contains(free[reduction->body.index], reduction->dim)) {
      reduced_ |= set_of(reduction->dim);
    }
  }
  root_ = free[statement_.root.index];
  is_root_cipher_ = ciphers[statement_.root.index];
  is_last_ = statement + 1 == program.statements.size();
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
        most = std::max<int64_t>(most, std::bit_width(static_cast<uint64_t>(tile.extent - 1)));
      }
    }
    rotations += most;
  }
  double best = std::numeric_limits<double>::infinity();
  for (const RingCost& ring : rings) {
    if (ring.n_columns < columns) {
      continue;
    }
    int64_t n_slots = int64_t{2} * ring.n_columns;
    double time = static_cast<double>(rotations) * ring.rotation;
    for (DimSet dims : products_) {
      time += static_cast<double>(n_vectors(schedule, dims, n_slots)) * ring.product;
    }
    if (is_last_ && is_root_cipher_) {
      time += static_cast<double>(n_vectors(schedule, root_, n_slots)) * ring.output_cipher;
    }
    best = std::min(best, time);
  }
  return best;
}

}  // namespace tacet::schedule
