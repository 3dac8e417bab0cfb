#include "compiler/he/schedule/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "compiler/he/schedule/scope.h"

namespace tacet::schedule {

namespace {

using array::DimId;

/// Why a statement's schedule is none, and the dimension that it is about, if it is about one.
struct Finding {
  std::string text;
  std::optional<DimId> dim;
};
using Reason = std::optional<Finding>;

auto because(std::string text) -> Reason {
  return Finding{std::move(text), {}};
}
auto because_of(DimId dim, std::string text) -> Reason {
  return Finding{std::move(text), dim};
}

struct Statement {
  const array::Statement& array;
  const StatementSchedule& schedule;

  [[nodiscard]] auto name(DimId dim) const -> const std::string& { return array.dims[dim].name; }
  [[nodiscard]] auto extent(DimId dim) const -> int64_t { return array.dims[dim].extent; }
};

auto is_power_of_two(int64_t number) -> bool {
  return number > 0 && std::has_single_bit(static_cast<uint64_t>(number));
}

auto check_axes(const Statement& statement, uint32_t n_columns) -> Reason {
  int64_t columns = 1;
  for (size_t i = 0; i < statement.schedule.axes.size(); ++i) {
    const Axis& axis = statement.schedule.axes[i];
    if (!is_power_of_two(axis.extent)) {
      return because(
          fmt::format("an axis has extent {}, which is not a power of two", axis.extent));
    }
    if (axis.is_row && (i != 0 || axis.extent != 2)) {
      return because("the row axis must be the first and have extent 2");
    }
    if (!axis.is_row) {
      if (axis.extent > int64_t{n_columns} / columns) {
        return because(fmt::format("the axes do not fit in {} columns", n_columns));
      }
      columns *= axis.extent;
    }
    for (const Tile& tile : axis.tiles) {
      if (tile.extent > axis.extent) {
        return because_of(tile.dim, fmt::format("a tile of `{}` is longer than its axis",
                                                statement.name(tile.dim)));
      }
    }
  }
  return {};
}

auto check_sharing(const Statement& statement) -> Reason {
  std::vector<DimSet> together = dims_together(statement.array);
  for (const Axis& axis : statement.schedule.axes) {
    for (size_t i = 0; i < axis.tiles.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (contains(together[axis.tiles[i].dim.index], axis.tiles[j].dim)) {
          return because_of(
              axis.tiles[i].dim,
              fmt::format("`{}` and `{}` share an axis but are needed at the same time",
                          statement.name(axis.tiles[j].dim), statement.name(axis.tiles[i].dim)));
        }
      }
    }
  }
  return {};
}

auto check_cover(const Statement& statement, DimId dim, std::vector<Tile> tiles) -> Reason {
  std::sort(tiles.begin(), tiles.end(),
            [](const Tile& a, const Tile& b) { return a.stride < b.stride; });
  int64_t extent = statement.extent(dim);
  int64_t covered = 1;
  for (const Tile& tile : tiles) {
    if (tile.extent < 1 || tile.stride != covered || (covered > 1 && covered >= extent)) {
      return because_of(dim, fmt::format("the tiles of `{}` do not cover each value exactly once",
                                         statement.name(dim)));
    }
    if (tile.extent > (int64_t{1} << 40) / covered) {
      return because_of(dim, fmt::format("a tile of `{}` is too long", statement.name(dim)));
    }
    covered *= tile.extent;
  }
  if (tiles.empty() || covered < extent) {
    return because_of(dim, fmt::format("the tiles of `{}` cover {} of its {} values",
                                       statement.name(dim), tiles.empty() ? 0 : covered, extent));
  }
  return {};
}

auto check_tiles(const Statement& statement) -> Reason {
  size_t n_dims = statement.array.dims.size();
  std::vector<std::vector<Tile>> tiles(n_dims);
  auto collect = [&](const std::vector<Tile>& list) {
    for (const Tile& tile : list) {
      if (tile.dim.index >= n_dims) {
        return false;
      }
      tiles[tile.dim.index].push_back(tile);
    }
    return true;
  };
  bool exist = collect(statement.schedule.exploded);
  for (const Axis& axis : statement.schedule.axes) {
    exist = collect(axis.tiles) && exist;
  }
  for (const Roll& roll : statement.schedule.rolls) {
    exist = exist && roll.dim.index < n_dims && roll.by.index < n_dims;
  }
  if (!exist) {
    return because("a tile refers to a dimension that does not exist");
  }
  for (uint32_t dim = 0; dim < n_dims; ++dim) {
    if (Reason reason = check_cover(statement, DimId{dim}, tiles[dim])) {
      return reason;
    }
  }
  return {};
}

auto reads_whole(const array::Program& program, const array::Site& site, DimId dim, int64_t extent)
    -> bool {
  for (size_t i = 0; i < site.indices.size(); ++i) {
    const array::ArrayIndex& index = site.indices[i];
    bool mentions = std::any_of(index.terms.begin(), index.terms.end(),
                                [&](const array::IndexTerm& term) { return term.dim == dim; });
    if (mentions && (index.terms.size() != 1 || index.offset != 0 || index.terms[0].stride != 1 ||
                     program.arrays[site.array].extents[i] != extent)) {
      return false;
    }
  }
  return true;
}

auto check_roll_sites(const array::Program& program, const Statement& statement, const Roll& roll)
    -> Reason {
  std::vector<DimSet> free = free_dims(statement.array);
  int64_t extent = statement.extent(roll.by);
  for (const array::Expr& expr : statement.array.exprs.values()) {
    if (const auto* reduction = std::get_if<array::Reduction>(&expr.node)) {
      if (reduction->dim == roll.by && contains(free[reduction->body.index], roll.dim)) {
        return because_of(roll.dim, fmt::format("`{}` is reduced where `{}` is rolled by it",
                                                statement.name(roll.by), statement.name(roll.dim)));
      }
    }
    const auto* site = std::get_if<array::Site>(&expr.node);
    if (site == nullptr || !contains(dims_of(*site), roll.dim) ||
        !contains(dims_of(*site), roll.by)) {
      continue;
    }
    if (!reads_whole(program, *site, roll.dim, extent) ||
        !reads_whole(program, *site, roll.by, extent)) {
      return because_of(roll.dim,
                        fmt::format("`{}` is rolled where only a part of `{}` is read",
                                    statement.name(roll.dim), program.arrays[site->array].name));
    }
  }
  return {};
}

auto check_roll(const array::Program& program, const Statement& statement, const Roll& roll)
    -> Reason {
  const StatementSchedule& schedule = statement.schedule;
  int64_t extent = statement.extent(roll.dim);
  auto is_whole = [&](const Tile& tile, DimId dim) {
    return tile.dim == dim && tile.extent == extent && tile.stride == 1;
  };
  bool is_exploded = std::any_of(schedule.exploded.begin(), schedule.exploded.end(),
                                 [&](const Tile& tile) { return is_whole(tile, roll.dim); });
  if (!is_exploded) {
    return because_of(
        roll.dim, fmt::format("`{}` is rolled but not fully exploded", statement.name(roll.dim)));
  }
  size_t outermost = !schedule.axes.empty() && schedule.axes[0].is_row ? 1 : 0;
  if (outermost >= schedule.axes.size() || statement.extent(roll.by) != extent ||
      schedule.axes[outermost].extent != extent ||
      std::none_of(schedule.axes[outermost].tiles.begin(), schedule.axes[outermost].tiles.end(),
                   [&](const Tile& tile) { return is_whole(tile, roll.by); })) {
    return because_of(
        roll.dim,
        fmt::format("`{}` is rolled by `{}`, which does not fill the outermost column axis",
                    statement.name(roll.dim), statement.name(roll.by)));
  }
  const std::vector<DimId>& shape = statement.array.shape;
  if (std::find(shape.begin(), shape.end(), roll.dim) != shape.end()) {
    return because_of(roll.dim,
                      fmt::format("`{}` is rolled but not reduced", statement.name(roll.dim)));
  }
  // Where the rolled dimension is, its elements vary along the axis: nothing else may be there.
  std::vector<DimSet> together = dims_together(statement.array);
  for (const Tile& tile : schedule.axes[outermost].tiles) {
    if (tile.dim != roll.by && contains(together[roll.dim.index], tile.dim)) {
      return because_of(tile.dim, fmt::format("`{}` is on the axis that `{}` is rolled along",
                                              statement.name(tile.dim), statement.name(roll.dim)));
    }
  }
  return check_roll_sites(program, statement, roll);
}

auto check_rolls(const array::Program& program, const Statement& statement) -> Reason {
  const std::vector<Roll>& rolls = statement.schedule.rolls;
  for (size_t i = 0; i < rolls.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (rolls[i].dim == rolls[j].dim) {
        return because_of(rolls[i].dim,
                          fmt::format("`{}` is rolled twice", statement.name(rolls[i].dim)));
      }
    }
    if (Reason reason = check_roll(program, statement, rolls[i])) {
      return reason;
    }
  }
  return {};
}

auto find_reason(const array::Program& program, size_t index, const StatementSchedule& schedule,
                 uint32_t n_columns) -> Reason {
  const Statement statement{program.statements[index], schedule};
  if (statement.array.dims.size() > kMostDims) {
    return because(fmt::format("more than {} dimensions", kMostDims));
  }
  Reason reason = check_tiles(statement);
  if (!reason && is_real(program) && !schedule.axes.empty() && schedule.axes[0].is_row) {
    reason = because("vectors of fixed-point numbers have one row of slots");
  }
  if (!reason) {
    reason = check_axes(statement, n_columns);
  }
  if (!reason) {
    reason = check_sharing(statement);
  }
  return reason ? reason : check_rolls(program, statement);
}

auto in_statement(const array::Program& program, size_t index, const std::string& reason) -> Error {
  return {fmt::format("in the schedule of `{}`: {}",
                      program.arrays[program.statements[index].result].name, reason)};
}

}  // namespace

auto check_statement(const array::Program& program, size_t index, const StatementSchedule& schedule,
                     uint32_t n_columns) -> Status {
  if (const Reason reason = find_reason(program, index, schedule, n_columns)) {
    return in_statement(program, index, reason->text);
  }
  return std::monostate{};
}

auto find_fault(const array::Program& program, const Schedule& schedule) -> std::optional<Fault> {
  for (size_t i = 0; i < schedule.statements.size(); ++i) {
    if (Reason reason = find_reason(program, i, schedule.statements[i], schedule.n_columns)) {
      return Fault{i, reason->dim, std::move(reason->text)};
    }
  }
  return std::nullopt;
}

auto check(const array::Program& program, const Schedule& schedule) -> Status {
  if (!is_power_of_two(schedule.n_columns)) {
    return Error{fmt::format("the schedule has {} columns, which is not a power of two",
                             schedule.n_columns)};
  }
  if (schedule.statements.size() != program.statements.size()) {
    return Error{fmt::format("the schedule has {} statements, but the program has {}",
                             schedule.statements.size(), program.statements.size())};
  }
  if (const std::optional<Fault> fault = find_fault(program, schedule)) {
    return in_statement(program, fault->statement, fault->reason);
  }
  return std::monostate{};
}

auto n_columns_of(const Schedule& schedule) -> int64_t {
  int64_t most = 1;
  for (const StatementSchedule& statement : schedule.statements) {
    int64_t columns = 1;
    for (const Axis& axis : statement.axes) {
      columns *= axis.is_row ? 1 : axis.extent;
    }
    most = std::max(most, columns);
  }
  return most;
}

}  // namespace tacet::schedule
