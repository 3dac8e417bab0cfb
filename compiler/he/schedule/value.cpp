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

}  // namespace tacet::schedule
