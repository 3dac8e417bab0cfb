#include "compiler/he/schedule/leave_result.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::schedule {

using array::DimId;

/// The variable of a dimension that an output is read along.
static auto add_dimension(std::string name, int64_t extent, circuit::Output& output) -> uint32_t {
  const auto is_named = [&](const engine::HeDimension& other) { return other.name == name; };
  while (std::any_of(output.dimensions.begin(), output.dimensions.end(), is_named)) {
    name += '_';  // a dimension may be called as another's tile is
  }
  output.dimensions.push_back({std::move(name), extent});
  return static_cast<uint32_t>(output.dimensions.size() - 1);
}

static void read_along(const Frame& frame, uint32_t axis, uint32_t variable,
                       circuit::Output& output) {
  if (axis == kRowAxis) {
    output.row.terms.push_back({variable, 1});
  } else {
    output.column.terms.push_back({variable, frame.axes[axis].block});
  }
}

static void add_output(const Frame& frame, const Part& part, bool is_free,
                       const std::vector<uint32_t>& place, circuit::Output& output, size_t k) {
  const std::string& dim = frame.statement.dims[frame.statement.shape[k]].name;
  const uint32_t variable = add_dimension(
      part.stride == 1 ? dim : fmt::format("{}_{}", dim, part.stride), part.extent, output);
  output.target[k].terms.push_back({variable, part.stride});
  if (!is_free) {
    return;
  }
  if (part.is_loop) {
    output.indices[place[part.index]].terms.push_back({variable, 1});
  } else {
    read_along(frame, part.index, variable, output);
  }
}

/// What is pending is read from all digits: no index of the result depends on them.
static void add_summed(const Frame& frame, const Pending& pending, circuit::Output& output) {
  if (pending.n_digits == 1) {
    return;
  }
  const std::vector<Tile>& tiles = frame.axes[pending.axis].tiles;
  const uint32_t variable =
      add_dimension(tiles.empty() ? "summed" : tile_name(frame.statement, tiles.front()),
                    pending.n_digits, output);
  read_along(frame, pending.axis, variable, output);
}

auto leave_result(const Frame& frame, const Value& root) -> StatementCircuit {
  const array::Statement& statement = frame.statement;
  const array::Array& array = frame.program.arrays[statement.result];
  StatementCircuit result;
  result.statement.name = array.name;
  result.statement.root = root.node;
  result.output.name = array.name;
  result.output.extents = array.extents;
  result.left.axes = frame.axes;
  result.left.along = root.along;
  result.left.pending = root.pending;
  result.left.parts.resize(statement.shape.size());
  std::vector<uint32_t> place(frame.schedule.exploded.size());
  for (uint32_t i = 0; i < frame.schedule.exploded.size(); ++i) {
    if (contains(root.free, frame.schedule.exploded[i].dim)) {
      place[i] = static_cast<uint32_t>(result.statement.loops.size());
      result.statement.loops.push_back(frame.loops[i]);
    }
  }
  result.output.indices.resize(result.statement.loops.size());
  for (size_t k = 0; k < statement.shape.size(); ++k) {
    DimId dim = statement.shape[k];
    bool is_free = contains(root.free, dim);
    result.left.padding.push_back(root.padding[dim.index]);
    result.left.is_padded.push_back(is_padded(frame, dim));
    result.output.target.emplace_back();
    for (Part part : frame.parts[dim.index]) {
      add_output(frame, part, is_free, place, result.output, k);
      if (is_free) {
        part.index = part.is_loop ? place[part.index] : part.index;
        result.left.parts[k].push_back(part);
      }
    }
  }
  for (const Pending& pending : root.pending) {
    add_summed(frame, pending, result.output);
  }
  return result;
}

}  // namespace tacet::schedule
