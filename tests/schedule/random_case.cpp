#include "tests/schedule/random_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/he/schedule/scope.h"

namespace tacet::schedule {

namespace {

using array::ArrayId;
using array::DimId;
using array::ExprId;
using array::Operator;

auto between(RandomNumbers& random, int64_t low, int64_t high) -> int64_t {
  return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
}

auto chance(RandomNumbers& random, int64_t percent) -> bool {
  return between(random, 1, 100) <= percent;
}

class ProgramWriter {
 public:
  explicit ProgramWriter(RandomNumbers& random) : random_(random) {}

  auto run() -> array::Program {
    int64_t n_inputs = between(random_, 1, 3);
    for (int64_t i = 0; i < n_inputs; ++i) {
      array::Array input;
      input.name = fmt::format("in{}", i);
      for (int64_t rank = between(random_, 0, 2); rank > 0; --rank) {
        input.extents.push_back(between(random_, 2, 5));
      }
      input.owner = chance(random_, 60) ? array::Owner::Client : array::Owner::Server;
      program_.arrays.add(std::move(input));
    }
    for (int64_t n = between(random_, 0, 1); n > 0; --n) {
      array::Array constant;
      constant.name = "numbers";
      constant.owner = array::Owner::Constant;
      constant.extents = {between(random_, 2, 5)};
      for (int64_t i = 0; i < constant.extents[0]; ++i) {
        constant.elements.push_back(between(random_, -9, 9));
      }
      program_.arrays.add(std::move(constant));
    }
    int64_t n_statements = between(random_, 1, 3);
    for (int64_t i = 0; i < n_statements; ++i) {
      add_statement(fmt::format("out{}", i));
    }
    return std::move(program_);
  }

 private:
  void add_statement(std::string name) {
    statement_ = {};
    std::vector<DimId> shape;
    for (int64_t rank = between(random_, 0, 2); rank > 0; --rank) {
      shape.push_back(add_dim());
    }
    statement_.root = expression(shape, 4);
    statement_.shape = shape;
    array::Array result;
    result.name = std::move(name);
    result.owner = array::Owner::Computed;
    for (DimId dim : shape) {
      result.extents.push_back(statement_.dims[dim].extent);
    }
    statement_.result = program_.arrays.add(std::move(result));
    program_.statements.push_back(std::move(statement_));
  }

  auto add_dim() -> DimId {
    auto number = statement_.dims.size();
    int64_t extent = chance(random_, 50) ? 4 : between(random_, 2, 6);
    return statement_.dims.add({fmt::format("d{}", number), extent});
  }

  auto add(array::Expr expr) -> ExprId { return statement_.exprs.add(std::move(expr)); }

  auto expression(const std::vector<DimId>& dims, int depth) -> ExprId {
    if (depth == 0 || chance(random_, 15)) {
      return leaf(dims);
    }
    if (chance(random_, 40) && dims.size() < 4) {
      std::vector<DimId> inner = dims;
      DimId dim = add_dim();
      inner.push_back(dim);
      ExprId body = expression(inner, depth - 1);
      return add(
          {array::Reduction{chance(random_, 65) ? Operator::Add : Operator::Multiply, dim, body},
           {}});
    }
    ExprId left = expression(dims, depth - 1);
    ExprId right = chance(random_, 15) ? left : expression(dims, depth - 1);
    auto op = static_cast<Operator>(between(random_, 0, 2));
    return add({array::Operation{op, left, right}, {}});
  }

  auto leaf(const std::vector<DimId>& dims) -> ExprId {
    if (chance(random_, 10)) {
      return add({array::Literal{between(random_, -2, 3)}, {}});
    }
    auto n_arrays = static_cast<int64_t>(program_.arrays.size());
    array::Site site;
    site.array = ArrayId{static_cast<uint32_t>(between(random_, 0, n_arrays - 1))};
    for (size_t i = 0; i < program_.arrays[site.array].extents.size(); ++i) {
      site.indices.push_back(index(dims));
    }
    return add({std::move(site), {}});
  }

  auto index(const std::vector<DimId>& dims) -> array::ArrayIndex {
    array::ArrayIndex index;
    index.offset = chance(random_, 75) ? 0 : between(random_, -2, 3);
    for (DimId dim : dims) {
      if (!chance(random_, 60)) {
        continue;
      }
      array::IndexTerm term{dim, chance(random_, 85) ? 1 : between(random_, 2, 3), false, 0};
      if (chance(random_, 8)) {
        term.is_cyclic = true;
        term.shift = between(random_, 0, statement_.dims[dim].extent - 1);
      }
      index.terms.push_back(term);
    }
    return index;
  }

  RandomNumbers& random_;
  array::Program program_;
  array::Statement statement_;
};

class ScheduleWriter {
 public:
  ScheduleWriter(const array::Statement& statement, uint32_t n_columns, RandomNumbers& random)
      : statement_(statement), together_(dims_together(statement)), random_(random) {
    room_ = n_columns;
  }

  auto run() -> StatementSchedule {
    if (chance(random_, 50)) {
      result_.axes.push_back({2, true, {}});
    }
    std::vector<uint32_t> order(statement_.dims.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
      order[i] = i;
    }
    for (size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random_() % i]);
    }
    for (uint32_t dim : order) {
      place(DimId{dim});
    }
    if (chance(random_, 50)) {
      add_roll();
    }
    return result_;
  }

 private:
  void place(DimId dim) {
    int64_t extent = statement_.dims[dim].extent;
    int64_t inner = chance(random_, 50) || extent < 3 ? extent : between(random_, 2, extent - 1);
    place_tile({dim, inner, 1});
    if (inner < extent) {
      place_tile({dim, (extent + inner - 1) / inner, inner});
    }
  }

  [[nodiscard]] auto fits(const Axis& axis, const Tile& tile) const -> bool {
    return tile.extent <= axis.extent &&
           std::none_of(axis.tiles.begin(), axis.tiles.end(), [&](const Tile& other) {
             return contains(together_[tile.dim.index], other.dim);
           });
  }

  void place_tile(const Tile& tile) {
    for (Axis& axis : result_.axes) {
      if (fits(axis, tile) && chance(random_, 50)) {
        axis.tiles.push_back(tile);
        return;
      }
    }
    auto extent = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(tile.extent)));
    if (chance(random_, 15)) {
      extent *= 2;
    }
    if (chance(random_, 30) || extent > room_) {
      result_.exploded.push_back(tile);
      return;
    }
    room_ /= extent;
    result_.axes.push_back({extent, false, {tile}});
  }

  void add_roll() {
    size_t outermost = !result_.axes.empty() && result_.axes[0].is_row ? 1 : 0;
    if (outermost >= result_.axes.size() || result_.exploded.empty()) {
      return;
    }
    const Axis& axis = result_.axes[outermost];
    for (const Tile& tile : result_.exploded) {
      if (!axis.tiles.empty() && tile.extent == axis.extent) {
        result_.rolls.push_back({tile.dim, axis.tiles[0].dim});
        return;
      }
    }
  }

  const array::Statement& statement_;
  std::vector<DimSet> together_;
  RandomNumbers& random_;
  int64_t room_ = 0;
  StatementSchedule result_;
};

}  // namespace

auto random_program(RandomNumbers& random) -> array::Program {
  return ProgramWriter(random).run();
}

auto random_schedule(const array::Program& program, RandomNumbers& random) -> Schedule {
  Schedule schedule;
  schedule.n_columns = uint32_t{1} << between(random, 2, 9);
  for (const array::Statement& statement : program.statements) {
    schedule.statements.push_back(ScheduleWriter(statement, schedule.n_columns, random).run());
  }
  return schedule;
}

auto random_inputs(const array::Program& program, RandomNumbers& random)
    -> std::vector<array::Elements> {
  std::vector<array::Elements> inputs;
  for (const array::Array& array : program.arrays.values()) {
    if (is_input(array.owner)) {
      inputs.emplace_back();
      for (int64_t i = 0; i < array::n_elements(array.extents); ++i) {
        inputs.back().push_back(between(random, -9, 9));
      }
    }
  }
  return inputs;
}

}  // namespace tacet::schedule
