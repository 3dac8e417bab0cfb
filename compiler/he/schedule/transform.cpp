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

/// O(root of the extent).
auto inner_sizes(int64_t extent) -> std::set<int64_t> {
  std::set<int64_t> sizes{2, (extent + 1) / 2};
  for (int64_t power = 4; power < extent; power *= 2) {
    sizes.insert(power);
  }
  for (int64_t divisor = 2; divisor * divisor <= extent; ++divisor) {
    if (extent % divisor == 0) {
      sizes.insert({divisor, extent / divisor});
    }
  }
  std::erase_if(sizes, [&](int64_t size) { return size < 2 || size >= extent; });
  return sizes;
}

void split(DimId dim, int64_t size, StatementSchedule& schedule) {
  const auto tile = std::find_if(schedule.exploded.begin(), schedule.exploded.end(),
                                 [&](const Tile& t) { return t.dim == dim; });
  const int64_t extent = tile->extent;
  tile->extent = size;
  schedule.exploded.push_back({dim, (extent + size - 1) / size, size});
}

void add_splits(const Subject& subject, uint32_t from, uint32_t n_splits,
                const StatementSchedule& schedule, std::vector<StatementSchedule>& result) {
  if (n_splits == 0) {
    result.push_back(canonical(schedule, AxisOrder::Matters));
    return;
  }
  const auto& dims = subject.program.statements[subject.index].dims;
  for (uint32_t index = from; index < dims.size(); ++index) {
    const DimId dim{index};
    const bool is_split =
        std::any_of(schedule.exploded.begin(), schedule.exploded.end(),
                    [&](const Tile& tile) { return tile.dim == dim && tile.stride > 1; });
    if (contains(subject.fixed, dim) || is_split) {
      continue;
    }
    const DimSet later = subject.alike.empty() ? 0 : subject.alike[index] >> index >> 1;
    for (const int64_t size : inner_sizes(dims[dim].extent)) {
      StatementSchedule one = schedule;
      split(dim, size, one);
      add_splits(subject, index + 1, n_splits - 1, one, result);
      if (later == 0) {
        continue;
      }
      for (uint32_t other = index + 1; other < dims.size(); ++other) {
        if (contains(subject.alike[index], DimId{other})) {
          split(DimId{other}, size, one);
        }
      }
      add_splits(subject, index + 1, n_splits - 1, one, result);
    }
  }
}

auto can_share(const Subject& subject, const Axis& axis, const Tile& tile) -> bool {
  return tile.extent <= axis.extent &&
         std::none_of(axis.tiles.begin(), axis.tiles.end(), [&](const Tile& other) {
           return contains(subject.together[tile.dim.index], other.dim);
         });
}

auto without(const StatementSchedule& schedule, const std::vector<Tile>& exploded)
    -> StatementSchedule {
  StatementSchedule result = schedule;
  std::erase_if(result.exploded, [&](const Tile& tile) {
    return std::find(exploded.begin(), exploded.end(), tile) != exploded.end();
  });
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
    for (const Tile& tile : schedule_.exploded) {
      if (!is_rolled(schedule_, tile.dim) && !contains(subject_.fixed, tile.dim)) {
        if (const std::vector<Tile> tiles = moved_with(tile); tiles.front() == tile) {
          put_on_axes(tiles);
        }
        roll(tile);
      }
    }
    return std::move(result_);
  }

 private:
  void add(StatementSchedule schedule) {
    result_.push_back(canonical(std::move(schedule), subject_.order));
  }

  /// The sizes of the inner tiles of a dimension that is split; empty of others.
  [[nodiscard]] auto splits_of(DimId dim) const -> std::vector<int64_t> {
    std::vector<int64_t> strides;
    const auto note = [&](const Tile& tile) {
      if (tile.dim == dim && tile.stride > 1) {
        strides.push_back(tile.stride);
      }
    };
    std::for_each(schedule_.exploded.begin(), schedule_.exploded.end(), note);
    for (const Axis& axis : schedule_.axes) {
      std::for_each(axis.tiles.begin(), axis.tiles.end(), note);
    }
    std::sort(strides.begin(), strides.end());
    return strides;
  }

  /// A tile, and those of the dimensions that are laid out like its own, in their order.
  [[nodiscard]] auto moved_with(const Tile& tile) const -> std::vector<Tile> {
    const DimSet alike = subject_.alike.empty() ? 0 : subject_.alike[tile.dim.index];
    const std::vector<int64_t> splits = splits_of(tile.dim);
    if (std::popcount(alike) < 2 || splits.empty()) {
      return {tile};
    }
    std::vector<Tile> tiles;
    for (const Tile& other : schedule_.exploded) {
      if (contains(alike, other.dim) && other.extent == tile.extent &&
          other.stride == tile.stride && splits_of(other.dim) == splits) {
        tiles.push_back(other);
      }
    }
    return tiles.size() == static_cast<size_t>(std::popcount(alike)) ? tiles
                                                                     : std::vector<Tile>{tile};
  }

  /// Tiles of one extent, of dimensions that may share an axis.
  void put_on_axes(const std::vector<Tile>& tiles) {
    const int64_t of_each = tiles.front().extent;
    const auto extent = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(of_each)));
    if (extent > 1 && extent <= subject_.most_columns / n_columns(schedule_)) {
      StatementSchedule next = without(schedule_, tiles);
      next.axes.push_back({extent, false, tiles});
      add(std::move(next));
    }
    if (of_each == 2 && !has_row(schedule_) && !is_real(subject_.program)) {
      StatementSchedule next = without(schedule_, tiles);
      next.axes.insert(next.axes.begin(), Axis{2, true, tiles});
      add(std::move(next));
    }
    for (size_t axis = 0; axis < schedule_.axes.size() && of_each > 1; ++axis) {
      const bool can_all = std::all_of(tiles.begin(), tiles.end(), [&](const Tile& tile) {
        return can_share(subject_, schedule_.axes[axis], tile);
      });
      if (can_all) {
        StatementSchedule next = without(schedule_, tiles);
        auto& shared = next.axes[axis].tiles;
        shared.insert(shared.end(), tiles.begin(), tiles.end());
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

auto dims_alike(const array::Statement& statement, const std::vector<DimSet>& together,
                DimSet fixed) -> std::vector<DimSet> {
  std::vector<DimSet> alike(statement.dims.size());
  for (uint32_t dim = 0; dim < alike.size(); ++dim) {
    if (alike[dim] != 0) {
      continue;
    }
    DimSet group = set_of(DimId{dim});
    DimSet met = together[dim];
    for (uint32_t other = dim + 1; other < alike.size() && !contains(fixed, DimId{dim}); ++other) {
      if (alike[other] == 0 && !contains(fixed | met, DimId{other}) &&
          statement.dims[DimId{other}].extent == statement.dims[DimId{dim}].extent) {
        group |= set_of(DimId{other});
        met |= together[other];
      }
    }
    for (uint32_t member = dim; member < alike.size(); ++member) {
      alike[member] = contains(group, DimId{member}) ? group : alike[member];
    }
  }
  return alike;
}

auto start_schedules(const Subject& subject, uint32_t n_splits) -> std::vector<StatementSchedule> {
  const array::Statement& statement = subject.program.statements[subject.index];
  StatementSchedule whole;
  for (uint32_t dim = 0; dim < statement.dims.size(); ++dim) {
    whole.exploded.push_back({DimId{dim}, statement.dims[DimId{dim}].extent, 1});
  }
  std::vector<StatementSchedule> result;
  add_splits(subject, 0, n_splits, whole, result);
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
