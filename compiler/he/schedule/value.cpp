#include "compiler/he/schedule/value.h"

namespace tacet::schedule {

auto along_of(const Frame& frame, DimSet dims) -> std::vector<Along> {
  std::vector<Along> along(frame.axes.size(), Along::Same);
  for (uint32_t dim = 0; dim < frame.statement.dims.size(); ++dim) {
    if (contains(dims, array::DimId{dim})) {
      for (const Part& part : axis_parts(frame, array::DimId{dim})) {
        along[part.index] = Along::Varies;
      }
    }
  }
  return along;
}

auto zero_padded(const Frame& frame, DimSet dims, circuit::NodeId node) -> Value {
  Value value;
  value.node = node;
  value.free = dims;
  value.along = along_of(frame, dims);
  value.padding.resize(frame.statement.dims.size());
  for (uint32_t i = 0; i < value.padding.size(); ++i) {
    if (contains(dims, array::DimId{i})) {
      value.padding[i] = 0;
    }
  }
  return value;
}

}  // namespace tacet::schedule
