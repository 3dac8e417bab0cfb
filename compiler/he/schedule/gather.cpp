#include "compiler/he/schedule/gather.h"

#include <algorithm>

#include "compiler/he/schedule/gather_variables.h"
#include "compiler/he/schedule/scope.h"

namespace tacet::schedule {

namespace {

using array::DimId;
using array::IndexTerm;
using array::Site;
using engine::HeAffine;
using engine::HeGather;
using engine::HeGuard;

/// An array's number among the circuit's, which are the program's inputs.
auto array_number(const array::Program& program, array::ArrayId array) -> uint32_t {
  uint32_t number = 0;
  for (uint32_t i = 0; i < array.index; ++i) {
    number += program.arrays[array::ArrayId{i}].owner != array::Owner::Computed ? 1 : 0;
  }
  return number;
}

auto number_gather(double number, std::vector<HeGuard> guards) -> HeGather {
  HeGather gather;
  gather.number = number;
  gather.guards = std::move(guards);
  return gather;
}

/// Makes the numbers outside of guards `fill`, which is not 0.
void add_fill(std::vector<HeGather>& gathers, const std::vector<HeGuard>& guards, int64_t fill,
              bool can_be_zero_inside) {
  if (gathers.size() == 1 && !can_be_zero_inside) {
    gathers[0].outside = static_cast<double>(fill);
    return;
  }
  gathers.push_back(number_gather(static_cast<double>(fill), {}));
  gathers.push_back(number_gather(static_cast<double>(-fill), guards));
}

}  // namespace

auto can_be_outside(const Frame& frame, const Site& site) -> std::vector<bool> {
  std::vector<bool> result;
  for (size_t i = 0; i < site.indices.size(); ++i) {
    int64_t low = site.indices[i].offset;
    int64_t high = low;
    for (const IndexTerm& term : site.indices[i].terms) {
      int64_t reach = term.stride * (frame.extent(term.dim) - 1);
      (reach < 0 ? low : high) += reach;
    }
    result.push_back(low < 0 || high >= frame.program.arrays[site.array].extents[i]);
  }
  return result;
}

auto gather_site(const Frame& frame, const Site& site, std::optional<int64_t> fill) -> Gathered {
  const array::Array& array = frame.program.arrays[site.array];
  DimSet dims = dims_of(site);
  Variables variables(frame, dims);
  HeGather gather;
  gather.array = array_number(frame.program, site.array);
  gather.indices.resize(site.indices.size());
  std::vector<HeGather> gathers{gather};
  for (size_t i = 0; i < site.indices.size(); ++i) {
    gathers =
        with_index(std::move(gathers), frame, variables, site.indices[i], i, Remainders::Stay);
  }
  std::vector<HeGuard> guards;
  for (uint32_t dim = 0; dim < frame.statement.dims.size(); ++dim) {
    if (contains(dims, DimId{dim})) {
      variables.guard(DimId{dim}, guards);
    }
  }
  if (fill && !guards.empty()) {
    for (HeGather& g : gathers) {
      g.guards.insert(g.guards.end(), guards.begin(), guards.end());
    }
    if (*fill != 0) {
      std::vector<bool> outside = can_be_outside(frame, site);
      add_fill(gathers, guards, *fill,
               std::find(outside.begin(), outside.end(), true) != outside.end());
    }
  }
  Gathered result = variables.finish(array.name, std::move(gathers));
  result.family.is_cipher = array.owner == array::Owner::Client;
  return result;
}

auto padding_mask(const Frame& frame, DimSet dims) -> Gathered {
  return masked_number(frame, dims, {}, 1, nullptr);
}

auto masked_number(const Frame& frame, DimSet dims, const std::vector<uint32_t>& axes,
                   double number, const Site* site) -> Gathered {
  Variables variables(frame, dims);
  std::vector<HeGuard> guards;
  for (uint32_t dim = 0; dim < frame.statement.dims.size(); ++dim) {
    if (contains(dims, DimId{dim})) {
      variables.guard(DimId{dim}, guards);
    }
  }
  bool is_first_repetition = false;
  for (const uint32_t axis : axes) {
    if (axis == kRepetitionAxis) {
      is_first_repetition = true;
      continue;
    }
    HeAffine digit;
    add_term(digit, variables.of_axis(axis), 1);
    guards.push_back({digit, 0, 1});
  }
  HeGather gather = number_gather(number, std::move(guards));
  if (site != nullptr) {
    gather.array = array_number(frame.program, site->array);
    gather.number = 0;
  }
  Gathered mask = variables.finish("mask", {std::move(gather)});
  if (is_first_repetition) {
    mask.family.gathers.front().is_repeated = false;  // columns behind are outside: 0
  }
  return mask;
}

auto inside_mask(const Frame& frame, const Site& site, const std::vector<int64_t>& extents,
                 const std::vector<bool>& inside) -> Gathered {
  DimSet dims = dims_of(site);
  Variables variables(frame, dims);
  std::vector<HeGuard> guards;
  for (uint32_t dim = 0; dim < frame.statement.dims.size(); ++dim) {
    if (contains(dims, DimId{dim})) {
      variables.guard(DimId{dim}, guards);
    }
  }
  for (size_t i = 0; i < site.indices.size(); ++i) {
    if (inside[i]) {
      HeAffine value;
      value.constant = site.indices[i].offset;
      for (const IndexTerm& term : site.indices[i].terms) {
        add(value, variables.value(term.dim), term.stride);
      }
      guards.push_back({value, 0, extents[i]});
    }
  }
  return variables.finish("mask", {number_gather(1, std::move(guards))});
}

auto element_mask(const Frame& frame, const Site& site, const std::vector<std::vector<Part>>& parts,
                  const std::vector<ExtraLoop>& loops) -> Gathered {
  DimSet dims = dims_of(site);
  Variables variables(frame, dims, loops);
  std::vector<HeGuard> guards;
  for (uint32_t dim = 0; dim < frame.statement.dims.size(); ++dim) {
    if (contains(dims, DimId{dim})) {
      variables.guard(DimId{dim}, guards);
    }
  }
  HeGather one = number_gather(1, {});
  one.indices.resize(site.indices.size());
  std::vector<HeGather> gathers{one};
  for (size_t k = 0; k < site.indices.size(); ++k) {
    gathers =
        with_index(std::move(gathers), frame, variables, site.indices[k], k, Remainders::Split);
    // A result that is the same along a dimension has one element for all of its values.
    int64_t extent = frame.program.arrays[site.array].extents[k];
    int64_t end = parts[k].empty() ? extent : 1;
    HeAffine element;
    for (const Part& part : parts[k]) {
      add_term(element, variables.of_extra(part.index), part.stride);
    }
    guards.push_back({element, 0, extent});
    for (HeGather& gather : gathers) {
      HeAffine difference = gather.indices[k].value;
      add(difference, element, -1);
      gather.guards.push_back({difference, 0, end});
    }
  }
  for (HeGather& gather : gathers) {
    gather.indices.clear();
    gather.guards.insert(gather.guards.end(), guards.begin(), guards.end());
  }
  return variables.finish("mask", std::move(gathers));
}

auto digit_mask(const Frame& frame, uint32_t axis, int64_t digit) -> Gathered {
  Variables variables(frame, DimSet{0});
  HeAffine value;
  add_term(value, variables.of_axis(axis), 1);
  return variables.finish("mask", {number_gather(1, {{value, digit, digit + 1}})});
}

auto gather_stretch(const Frame& frame, const Stretch& stretch) -> Gathered {
  const array::Array& array = frame.program.arrays[stretch.array];
  Variables variables(frame, stretch.loops);
  HeGather gather;
  gather.array = array_number(frame.program, stretch.array);
  gather.indices.resize(stretch.offset.size());
  for (size_t k = 0; k < stretch.offset.size(); ++k) {
    HeAffine& value = gather.indices[k].value;
    value.constant = stretch.offset[k];
    for (uint32_t axis = 0; axis < frame.axes.size(); ++axis) {
      if (axis != kRepetitionAxis) {
        add_term(value, variables.of_axis(axis), stretch.weights[axis][k]);
      }
    }
    for (size_t i = 0; i < stretch.loops.size(); ++i) {
      add_term(value, static_cast<uint32_t>(i), stretch.loop_weights[i][k]);
    }
  }
  Gathered result = variables.finish(array.name, {gather});
  result.family.is_cipher = array.owner == array::Owner::Client;
  return result;
}

}  // namespace tacet::schedule
