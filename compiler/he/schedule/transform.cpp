#include "compiler/he/schedule/transform.h"

#include <algorithm>
#include <bit>
#include <set>

namespace tacet::schedule {

namespace {

using array::DimId;

/// What distinguishes schedules, as numbers: lists are preceded by their lengths.
auto key_of(const StatementSchedule& schedule) -> std::vector<int64_t> {
  std::vector<int64_t> key;
  auto add = [&](const std::vector<Tile>& tiles) {
    key.push_back(static_cast<int64_t>(tiles.size()));
    for (const Tile& tile : tiles) {
      key.insert(key.end(), {int64_t{tile.dim.index}, tile.extent, tile.stride});
    }
  };
  add(schedule.exploded);
  key.push_back(static_cast<int64_t>(schedule.axes.size()));
  for (const Axis& axis : schedule.axes) {
    key.insert(key.end(), {axis.extent, axis.is_row ? 1 : 0});
    add(axis.tiles);
  }
  for (const Roll& roll : schedule.rolls) {
    key.insert(key.end(), {int64_t{roll.dim.index}, int64_t{roll.by.index}});
  }
  return key;
}

auto less(const Tile& a, const Tile& b) -> bool {
  return a.dim != b.dim ? a.dim < b.dim : a.stride > b.stride;
}

auto less_axis(const Axis& a, const Axis& b) -> bool {
  if (a.tiles.empty() || b.tiles.empty() || a.extent != b.extent) {
    return a.extent < b.extent;
  }
  return less(a.tiles[0], b.tiles[0]);
}

auto has_row(const StatementSchedule& schedule) -> bool {
  return !schedule.axes.empty() && schedule.axes[0].is_row;
}

auto canonical(StatementSchedule schedule, AxisOrder order) -> StatementSchedule {
  std::sort(schedule.exploded.begin(), schedule.exploded.end(), less);
  for (Axis& axis : schedule.axes) {
    std::sort(axis.tiles.begin(), axis.tiles.end(), less);
  }
  ptrdiff_t fixed = has_row(schedule) ? 2 : 1;
  if (order == AxisOrder::OnlyOutermost && static_cast<ptrdiff_t>(schedule.axes.size()) > fixed) {
    std::sort(schedule.axes.begin() + fixed, schedule.axes.end(), less_axis);
  }
  return schedule;
}

auto inner_sizes(int64_t extent) -> std::set<int64_t> {
  std::set<int64_t> sizes;
  for (int64_t size = 2; size < extent; ++size) {
    if (extent % size == 0 || std::has_single_bit(static_cast<uint64_t>(size)) ||
        size == (extent + 1) / 2) {
      sizes.insert(size);
    }
  }
  return sizes;
}

void add_splits(const array::Statement& statement, uint32_t from, uint32_t n_splits, DimSet fixed,
                const StatementSchedule& schedule, std::vector<StatementSchedule>& result) {
  if (n_splits == 0) {
    result.push_back(canonical(schedule, AxisOrder::Matters));
    return;
  }
  for (uint32_t dim = from; dim < statement.dims.size(); ++dim) {
    if (contains(fixed, DimId{dim})) {
      continue;
    }
    int64_t extent = statement.dims[DimId{dim}].extent;
    for (int64_t size : inner_sizes(extent)) {
      StatementSchedule split = schedule;
      auto tile = std::find_if(split.exploded.begin(), split.exploded.end(),
                               [&](const Tile& t) { return t.dim.index == dim; });
      tile->extent = size;
      split.exploded.push_back({DimId{dim}, (extent + size - 1) / size, size});
      add_splits(statement, dim + 1, n_splits - 1, fixed, split, result);
    }
  }
}

auto can_share(const Subject& subject, const Axis& axis, const Tile& tile) -> bool {
  return tile.extent <= axis.extent &&
         std::none_of(axis.tiles.begin(), axis.tiles.end(), [&](const Tile& other) {
           return contains(subject.together[tile.dim.index], other.dim);
         });
}

auto without(const StatementSchedule& schedule, size_t exploded) -> StatementSchedule {
  StatementSchedule result = schedule;
  result.exploded.erase(result.exploded.begin() + static_cast<ptrdiff_t>(exploded));
  return result;
}

auto n_columns(const StatementSchedule& schedule) -> int64_t {
  int64_t columns = 1;
  for (const Axis& axis : schedule.axes) {
    columns *= axis.is_row ? 1 : axis.extent;
  }
  return columns;
}

auto is_rolled(const StatementSchedule& schedule, DimId dim) -> bool {
  return std::any_of(schedule.rolls.begin(), schedule.rolls.end(),
                     [&](const Roll& roll) { return roll.dim == dim; });
}

class Neighbours {
 public:
  Neighbours(const Subject& subject, const StatementSchedule& schedule)
      : subject_(subject), schedule_(schedule) {}

  auto run() -> std::vector<StatementSchedule> {
    for (size_t i = 0; i < schedule_.exploded.size(); ++i) {
      const Tile& tile = schedule_.exploded[i];
      if (!is_rolled(schedule_, tile.dim) && !contains(subject_.fixed, tile.dim)) {
        put_on_axes(i, tile);
        roll(tile);
      }
    }
    return std::move(result_);
  }

 private:
  void add(StatementSchedule schedule) {
    result_.push_back(canonical(std::move(schedule), subject_.order));
  }

  void put_on_axes(size_t i, const Tile& tile) {
    auto extent = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(tile.extent)));
    if (extent > 1 && extent <= subject_.most_columns / n_columns(schedule_)) {
      StatementSchedule next = without(schedule_, i);
      next.axes.push_back({extent, false, {tile}});
      add(std::move(next));
    }
    if (tile.extent == 2 && !has_row(schedule_) && !is_real(subject_.program)) {
      StatementSchedule next = without(schedule_, i);
      next.axes.insert(next.axes.begin(), Axis{2, true, {tile}});
      add(std::move(next));
    }
    for (size_t axis = 0; axis < schedule_.axes.size() && tile.extent > 1; ++axis) {
      if (can_share(subject_, schedule_.axes[axis], tile)) {
        StatementSchedule next = without(schedule_, i);
        next.axes[axis].tiles.push_back(tile);
        add(std::move(next));
      }
    }
  }

  void roll(const Tile& tile) {
    size_t outermost = has_row(schedule_) ? 1 : 0;
    if (outermost >= schedule_.axes.size() || tile.stride != 1 ||
        tile.extent != schedule_.axes[outermost].extent ||
        tile.extent != subject_.program.statements[subject_.index].dims[tile.dim].extent) {
      return;
    }
    for (const Tile& by : schedule_.axes[outermost].tiles) {
      if (by.extent == tile.extent && by.stride == 1 &&
          contains(subject_.together[tile.dim.index], by.dim)) {
        StatementSchedule next = schedule_;
        next.rolls.push_back({tile.dim, by.dim});
        std::sort(next.rolls.begin(), next.rolls.end(),
                  [](const Roll& a, const Roll& b) { return a.dim < b.dim; });
        add(std::move(next));
      }
    }
  }

  const Subject& subject_;
  const StatementSchedule& schedule_;
  std::vector<StatementSchedule> result_;
};

}  // namespace

auto start_schedules(const array::Statement& statement, uint32_t n_splits, DimSet fixed)
    -> std::vector<StatementSchedule> {
  StatementSchedule whole;
  for (uint32_t dim = 0; dim < statement.dims.size(); ++dim) {
    whole.exploded.push_back({DimId{dim}, statement.dims[DimId{dim}].extent, 1});
  }
  std::vector<StatementSchedule> result;
  add_splits(statement, 0, n_splits, fixed, whole, result);
  return result;
}

auto neighbours(const Subject& subject, const StatementSchedule& schedule)
    -> std::vector<StatementSchedule> {
  return Neighbours(subject, schedule).run();
}

auto compare(const StatementSchedule& a, const StatementSchedule& b) -> int {
  std::vector<int64_t> x = key_of(a);
  std::vector<int64_t> y = key_of(b);
  return x < y ? -1 : (y < x ? 1 : 0);
}

auto hash_of(const StatementSchedule& schedule) -> uint64_t {
  uint64_t hash = 0;
  for (int64_t number : key_of(schedule)) {
    hash = hash_combine(hash, static_cast<uint64_t>(number));
  }
  return hash;
}

}  // namespace tacet::schedule
