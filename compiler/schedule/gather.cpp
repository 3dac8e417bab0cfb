#include "compiler/schedule/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/circuit/formula.h"
#include "compiler/schedule/scope.h"

namespace tacet::schedule {

namespace {

using array::ArrayIndex;
using array::DimId;
using array::IndexTerm;
using array::Site;
using engine::HeAffine;
using engine::HeGather;
using engine::HeGuard;
using engine::HeTerm;

void add_term(HeAffine& affine, uint32_t variable, int64_t factor) {
  auto it = std::lower_bound(affine.terms.begin(), affine.terms.end(), variable,
                             [](const HeTerm& term, uint32_t v) { return term.variable < v; });
  if (it != affine.terms.end() && it->variable == variable) {
    it->factor += factor;
    if (it->factor == 0) {
      affine.terms.erase(it);
    }
  } else if (factor != 0) {
    affine.terms.insert(it, {variable, factor});
  }
}

void add(HeAffine& affine, const HeAffine& other, int64_t factor) {
  affine.constant += factor * other.constant;
  for (const HeTerm& term : other.terms) {
    add_term(affine, term.variable, factor * term.factor);
  }
}

/// Numbers the variables of gathers for the exploded tiles of some dimensions.
class Variables {
 public:
  Variables(const Frame& frame, const std::vector<uint32_t>& tiles)
      : frame_(frame), tiles_(tiles) {}

  Variables(const Frame& frame, DimSet dims, std::vector<ExtraLoop> extra = {})
      : frame_(frame), extra_(std::move(extra)) {
    for (uint32_t i = 0; i < frame.schedule.exploded.size(); ++i) {
      if (contains(dims, frame.schedule.exploded[i].dim)) {
        tiles_.push_back(i);
      }
    }
  }

  [[nodiscard]] auto of_tile(uint32_t tile) const -> uint32_t {
    return static_cast<uint32_t>(std::find(tiles_.begin(), tiles_.end(), tile) - tiles_.begin());
  }

  [[nodiscard]] auto of_extra(uint32_t place) const -> uint32_t {
    return static_cast<uint32_t>(tiles_.size()) + place;
  }

  [[nodiscard]] auto of_axis(uint32_t axis) const -> uint32_t {
    auto n = static_cast<uint32_t>(tiles_.size() + extra_.size());
    return axis == kRowAxis ? n : n + 1 + axis - kOutermostAxis;
  }

  [[nodiscard]] auto of(const Part& part) const -> uint32_t {
    return part.is_loop ? of_tile(part.index) : of_axis(part.index);
  }

  /// The dimension's value where it is not padded; rolled, before the remainder is taken.
  [[nodiscard]] auto value(DimId dim) const -> HeAffine {
    HeAffine result;
    for (const Part& part : frame_.parts[dim.index]) {
      add_term(result, of(part), part.stride);
    }
    if (frame_.rolled[dim.index]) {
      add_term(result, of_axis(kOutermostAxis), 1);
    }
    return result;
  }

  /// What holds exactly where the dimension is not padded.
  void guard(DimId dim, std::vector<HeGuard>& guards) const {
    if (!is_padded(frame_, dim)) {
      return;
    }
    int64_t most = 0;
    for (const Part& part : frame_.parts[dim.index]) {
      most += (part.extent - 1) * part.stride;
      bool is_only = frame_.parts[dim.index].size() == 1;
      if (!part.is_loop && part.extent < frame_.axes[part.index].extent && !is_only) {
        HeAffine digit;
        add_term(digit, of(part), 1);
        guards.push_back({digit, 0, part.extent});
      }
    }
    int64_t extent = frame_.extent(dim);
    if (frame_.parts[dim.index].size() == 1) {
      guards.push_back({value(dim), 0, std::min(extent, most + 1)});
    } else if (most >= extent) {
      guards.push_back({value(dim), 0, extent});
    }
  }

  [[nodiscard]] auto finish(std::string name, std::vector<HeGather> gathers) const -> Gathered {
    Gathered result;
    result.family.name = std::move(name);
    for (uint32_t tile : tiles_) {
      const Tile& exploded = frame_.schedule.exploded[tile];
      std::string own = tile_name(frame_.statement, exploded);
      const auto is_named = [&](const engine::HeDimension& other) { return other.name == own; };
      while (
          std::any_of(result.family.dimensions.begin(), result.family.dimensions.end(), is_named)) {
        own += '_';  // a dimension may be called as another's tile is
      }
      result.family.dimensions.push_back({std::move(own), exploded.extent});
      result.indices.push_back(circuit::loop_formula(frame_.loops[tile]));
    }
    for (size_t i = 0; i < extra_.size(); ++i) {
      result.family.dimensions.push_back({fmt::format("element_{}", i), extra_[i].extent});
      result.indices.push_back(circuit::loop_formula(extra_[i].loop));
    }
    for (HeGather& gather : gathers) {
      complete(gather, result.family.dimensions);
    }
    result.family.gathers = std::move(gathers);
    return result;
  }

 private:
  void complete(HeGather& gather, const std::vector<engine::HeDimension>& dimensions) const {
    std::vector<std::string> names;
    for (const engine::HeDimension& dimension : dimensions) {
      names.push_back(dimension.name);
    }
    auto unused = [&](std::string name) {
      while (std::find(names.begin(), names.end(), name) != names.end()) {
        name += '_';
      }
      names.push_back(name);
      return name;
    };
    gather.is_repeated = true;
    for (size_t i = kOutermostAxis; i < frame_.axes.size(); ++i) {
      const SlotAxis& axis = frame_.axes[i];
      std::string name = axis.tiles.empty() ? "c" : tile_name(frame_.statement, axis.tiles[0]);
      gather.columns.push_back({unused(std::move(name)), axis.extent});
    }
    auto is_row = [&](const HeTerm& term) { return term.variable == of_axis(kRowAxis); };
    auto uses_row = [&](const HeAffine& affine) {
      return std::any_of(affine.terms.begin(), affine.terms.end(), is_row);
    };
    bool uses = false;
    for (const engine::HeIndex& index : gather.indices) {
      uses = uses || uses_row(index.value);
    }
    for (const HeGuard& guard : gather.guards) {
      uses = uses || uses_row(guard.value);
    }
    gather.row = uses ? unused("row") : "";
  }

  const Frame& frame_;
  std::vector<uint32_t> tiles_;
  std::vector<ExtraLoop> extra_;
};

/// An array's number among the circuit's, which are the program's inputs.
auto array_number(const array::Program& program, array::ArrayId array) -> uint32_t {
  uint32_t number = 0;
  for (uint32_t i = 0; i < array.index; ++i) {
    number += program.arrays[array::ArrayId{i}].owner != array::Owner::Computed ? 1 : 0;
  }
  return number;
}

auto is_modular(const Frame& frame, const IndexTerm& term) -> bool {
  return term.is_cyclic || frame.rolled[term.dim.index].has_value();
}

/// The largest value that tiles give, rolled dimensions before the remainder.
auto largest(const Frame& frame, DimId dim) -> int64_t {
  int64_t most = frame.rolled[dim.index] ? frame.extent(dim) - 1 : 0;
  for (const Part& part : frame.parts[dim.index]) {
    int64_t extent = part.is_loop ? part.extent : frame.axes[part.index].extent;
    most += (extent - 1) * part.stride;
  }
  return most;
}

/// Splits gathers where a remainder wraps around, so that each is affine.
auto add_modular(std::vector<HeGather> gathers, size_t index, const HeAffine& value, int64_t most,
                 int64_t extent, int64_t stride) -> std::vector<HeGather> {
  std::vector<HeGather> result;
  for (int64_t wraps = 0; wraps * extent <= most; ++wraps) {
    for (HeGather gather : gathers) {
      add(gather.indices[index].value, value, stride);
      gather.indices[index].value.constant -= stride * wraps * extent;
      gather.guards.push_back({value, wraps * extent, (wraps + 1) * extent});
      result.push_back(std::move(gather));
    }
  }
  return result;
}

/// Whether remainders may stay in the index, or are split too.
enum class Remainders : uint8_t { Stay, Split };

auto add_index(std::vector<HeGather> gathers, const Frame& frame, const Variables& variables,
               const ArrayIndex& index, size_t number, Remainders remainders)
    -> std::vector<HeGather> {
  bool is_plain_remainder = remainders == Remainders::Stay && index.terms.size() == 1 &&
                            index.offset == 0 && index.terms[0].stride == 1 &&
                            is_modular(frame, index.terms[0]);
  for (HeGather& gather : gathers) {
    gather.indices[number].value.constant = index.offset;
  }
  for (const IndexTerm& term : index.terms) {
    HeAffine value = variables.value(term.dim);
    value.constant += term.shift;
    int64_t extent = frame.extent(term.dim);
    if (is_modular(frame, term) && !is_plain_remainder) {
      gathers = add_modular(std::move(gathers), number, value,
                            largest(frame, term.dim) + term.shift, extent, term.stride);
      continue;
    }
    for (HeGather& gather : gathers) {
      add(gather.indices[number].value, value, term.stride);
      gather.indices[number].modulus = is_plain_remainder ? extent : 0;
    }
  }
  return gathers;
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
    gathers = add_index(std::move(gathers), frame, variables, site.indices[i], i, Remainders::Stay);
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
  Variables variables(frame, dims);
  std::vector<HeGuard> guards;
  for (uint32_t dim = 0; dim < frame.statement.dims.size(); ++dim) {
    if (contains(dims, DimId{dim})) {
      variables.guard(DimId{dim}, guards);
    }
  }
  return variables.finish("mask", {number_gather(1, std::move(guards))});
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
        add_index(std::move(gathers), frame, variables, site.indices[k], k, Remainders::Split);
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
