#include "compiler/he/schedule/leave_result.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::schedule {

using array::DimId;

static void add_output(const Frame& frame, const Part& part, bool is_free,
                       const std::vector<uint32_t>& place, circuit::Output& output, size_t k) {
  auto variable = static_cast<uint32_t>(output.dimensions.size());
  const std::string& dim = frame.statement.dims[frame.statement.shape[k]].name;
  std::string name = part.stride == 1 ? dim : fmt::format("{}_{}", dim, part.stride);
  const auto is_named = [&](const engine::HeDimension& other) { return other.name == name; };
  while (std::any_of(output.dimensions.begin(), output.dimensions.end(), is_named)) {
    name += '_';  // a dimension may be called as another's tile is
  }
  output.dimensions.push_back({std::move(name), part.extent});
  output.target[k].terms.push_back({variable, part.stride});
  if (!is_free) {
    return;
  }
  if (part.is_loop) {
    output.indices[place[part.index]].terms.push_back({variable, 1});
  } else if (part.index == kRowAxis) {
    output.row.terms.push_back({variable, 1});
  } else {
    output.column.terms.push_back({variable, frame.axes[part.index].block});
  }
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
  return result;
}

}  // namespace tacet::schedule
