#include "compiler/he/schedule/frame.h"

#include <fmt/format.h>

#include "engine/program/he/text.h"

namespace tacet::schedule {

using array::DimId;

auto tile_name(const array::Statement& statement, const Tile& tile) -> std::string {
  const array::Dim& dim = statement.dims[tile.dim];
  bool is_whole = tile.stride == 1 && tile.extent >= dim.extent;
  std::string name = is_whole ? dim.name : fmt::format("{}_{}", dim.name, tile.stride);
  return engine::is_he_name(name) ? name : name + "_";  // some words mean something in circuits
}

static auto slot_axes(const StatementSchedule& schedule, uint32_t n_columns)
    -> std::vector<SlotAxis> {
  std::vector<SlotAxis> axes(2);
  axes[kRowAxis].extent = 2;
  int64_t block = n_columns;
  for (const Axis& axis : schedule.axes) {
    block /= axis.is_row ? 1 : axis.extent;
  }
  axes[kRepetitionAxis].extent = block;
  block = n_columns / block;
  axes[kRepetitionAxis].block = block;
  for (const Axis& axis : schedule.axes) {
    if (axis.is_row) {
      axes[kRowAxis].tiles = axis.tiles;
      continue;
    }
    block /= axis.extent;
    axes.push_back({axis.extent, block, axis.tiles});
  }
  return axes;
}

auto make_frame(const array::Program& program, const array::Statement& statement,
                const StatementSchedule& schedule, uint32_t n_columns, CircuitWriter& writer)
    -> Frame {
  Frame frame{program,
              statement,
              schedule,
              n_columns,
              slot_axes(schedule, n_columns),
              std::vector<std::vector<Part>>(statement.dims.size()),
              std::vector<std::optional<DimId>>(statement.dims.size()),
              {},
              free_dims(statement)};
  for (uint32_t i = 0; i < schedule.exploded.size(); ++i) {
    const Tile& tile = schedule.exploded[i];
    frame.parts[tile.dim.index].push_back({true, i, tile.extent, tile.stride});
    frame.loops.push_back(writer.loop({tile_name(statement, tile), tile.extent}));
  }
  for (uint32_t i = 0; i < frame.axes.size(); ++i) {
    for (const Tile& tile : frame.axes[i].tiles) {
      frame.parts[tile.dim.index].push_back({false, i, tile.extent, tile.stride});
    }
  }
  for (const Roll& roll : schedule.rolls) {
    frame.rolled[roll.dim.index] = roll.by;
  }
  return frame;
}

auto is_padded(const Frame& frame, DimId dim) -> bool {
  int64_t most = 0;
  for (const Part& part : frame.parts[dim.index]) {
    if (!part.is_loop && part.extent < frame.axes[part.index].extent) {
      return true;
    }
    most += (part.extent - 1) * part.stride;
  }
  return most >= frame.extent(dim);
}

auto axis_parts(const Frame& frame, DimId dim) -> std::vector<Part> {
  std::vector<Part> result;
  for (const Part& part : frame.parts[dim.index]) {
    if (!part.is_loop) {
      result.push_back(part);
    }
  }
  if (frame.rolled[dim.index]) {
    result.push_back({false, kOutermostAxis, frame.extent(dim), 1});
  }
  return result;
}

}  // namespace tacet::schedule
