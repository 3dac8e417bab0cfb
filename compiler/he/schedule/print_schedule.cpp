#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "compiler/he/schedule/scope.h"
#include "compiler/he/schedule/text.h"

namespace tacet::schedule {

namespace {

using array::Site;

struct Entry {
  std::string name;
  DimSet braces = 0;                         ///< of which dimensions exploded tiles are shown
  std::vector<std::optional<Tile>> on_axes;  ///< for each axis with tiles
};

auto tile_text(const Tile& tile, const std::string& name) -> std::string {
  return fmt::format("{}{}: {}{}", tile.dim.index, name.empty() ? "" : fmt::format(" as {}", name),
                     tile.extent, tile.stride == 1 ? "" : fmt::format("::{}", tile.stride));
}

auto is_shown(const std::vector<Entry>& entries, size_t axis, const Tile& tile) -> bool {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const Entry& entry) { return entry.on_axes[axis] == tile; });
}

/// Where an entry's dimensions are not on an axis, another's tile is shown: those first that are
/// not shown yet. Whether all are shown then.
auto show_axis(const Axis& axis, size_t number, std::vector<Entry>& entries) -> bool {
  for (Entry& entry : entries) {
    if (entry.on_axes[number]) {
      continue;
    }
    auto hidden = std::find_if(axis.tiles.begin(), axis.tiles.end(),
                               [&](const Tile& tile) { return !is_shown(entries, number, tile); });
    entry.on_axes[number] = hidden == axis.tiles.end() ? axis.tiles[0] : *hidden;
  }
  return std::all_of(axis.tiles.begin(), axis.tiles.end(),
                     [&](const Tile& tile) { return is_shown(entries, number, tile); });
}

auto show_rest(const StatementSchedule& schedule, std::vector<Entry>& entries) -> bool {
  for (const Tile& tile : schedule.exploded) {
    bool is_there = std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) {
      return contains(entry.braces, tile.dim);
    });
    if (!is_there) {
      entries[0].braces |= set_of(tile.dim);
    }
  }
  size_t number = 0;
  for (const Axis& axis : schedule.axes) {
    if (!axis.tiles.empty() && !show_axis(axis, number++, entries)) {
      return false;
    }
  }
  return true;
}

auto entries_of(const array::Program& program, const array::Statement& statement,
                const StatementSchedule& schedule) -> std::vector<Entry> {
  std::vector<Entry> entries;
  for (const array::Expr& expr : statement.exprs.values()) {
    const auto* site = std::get_if<Site>(&expr.node);
    if (site == nullptr) {
      continue;
    }
    Entry entry{program.arrays[site->array].name, dims_of(*site), {}};
    for (const Axis& axis : schedule.axes) {
      if (axis.tiles.empty()) {
        continue;
      }
      auto own = std::find_if(axis.tiles.begin(), axis.tiles.end(),
                              [&](const Tile& tile) { return contains(entry.braces, tile.dim); });
      entry.on_axes.push_back(own == axis.tiles.end() ? std::nullopt : std::optional(*own));
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

auto preprocessing_text(const StatementSchedule& schedule) -> std::string {
  bool has_rows =
      !schedule.axes.empty() && schedule.axes[0].is_row && !schedule.axes[0].tiles.empty();
  std::string pairs;
  for (const Roll& roll : schedule.rolls) {
    pairs += fmt::format("{}{}, {}", pairs.empty() ? "" : ", ", roll.dim.index, roll.by.index);
  }
  if (pairs.empty()) {
    return has_rows ? "rows " : "";
  }
  return fmt::format("{}({}) ", has_rows ? "rows_roll" : "roll", pairs);
}

auto entry_text(const array::Statement& statement, const StatementSchedule& schedule,
                const Entry& entry) -> std::string {
  std::string braces;
  for (const Tile& tile : schedule.exploded) {
    if (contains(entry.braces, tile.dim)) {
      braces += (braces.empty() ? "" : ", ") + tile_text(tile, statement.dims[tile.dim].name);
    }
  }
  std::string brackets;
  for (const std::optional<Tile>& tile : entry.on_axes) {
    brackets += (brackets.empty() ? "" : ", ") + tile_text(*tile, "");
  }
  std::string text = fmt::format("{}: {}", entry.name, preprocessing_text(schedule));
  text += braces.empty() ? "" : fmt::format("{{{}}}", braces);
  text += brackets.empty() && !braces.empty() ? "" : fmt::format("[{}]", brackets);
  return text;
}

}  // namespace

auto to_text(const array::Program& program, const Schedule& schedule) -> Result<std::string> {
  std::string text;
  for (size_t i = 0; i < schedule.statements.size(); ++i) {
    const array::Statement& statement = program.statements[i];
    std::vector<Entry> entries = entries_of(program, statement, schedule.statements[i]);
    if (entries.empty() ? !schedule.statements[i].axes.empty()
                        : !show_rest(schedule.statements[i], entries)) {
      return Error{
          fmt::format("the schedule of `{}` cannot be written as a clause: no access runs along "
                      "one of its axes",
                      program.arrays[statement.result].name)};
    }
    for (const Entry& entry : entries) {
      text += (text.empty() ? "" : ", ") + entry_text(statement, schedule.statements[i], entry);
    }
  }
  return text.empty() ? std::string("schedule {}") : fmt::format("schedule {{ {} }}", text);
}

}  // namespace tacet::schedule
