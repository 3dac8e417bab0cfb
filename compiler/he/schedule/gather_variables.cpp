#include "compiler/he/schedule/gather_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/he/circuit/formula.h"
#include "compiler/he/schedule/scope.h"

namespace tacet::schedule {

using array::ArrayIndex;
using array::DimId;
using array::IndexTerm;
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

Variables::Variables(const Frame& frame, DimSet dims, std::vector<ExtraLoop> extra)
    : frame_(frame), extra_(std::move(extra)) {
  for (uint32_t i = 0; i < frame.schedule.exploded.size(); ++i) {
    if (contains(dims, frame.schedule.exploded[i].dim)) {
      tiles_.push_back(i);
    }
  }
}

auto Variables::of_tile(uint32_t tile) const -> uint32_t {
  return static_cast<uint32_t>(std::find(tiles_.begin(), tiles_.end(), tile) - tiles_.begin());
}

auto Variables::value(DimId dim) const -> HeAffine {
  HeAffine result;
  for (const Part& part : frame_.parts[dim.index]) {
    add_term(result, of(part), part.stride);
  }
  if (frame_.rolled[dim.index]) {
    add_term(result, of_axis(kOutermostAxis), 1);
  }
  return result;
}

void Variables::guard(DimId dim, std::vector<HeGuard>& guards) const {
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

auto Variables::finish(std::string name, std::vector<HeGather> gathers) const -> Gathered {
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

void Variables::complete(HeGather& gather,
                         const std::vector<engine::HeDimension>& dimensions) const {
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

static auto is_modular(const Frame& frame, const IndexTerm& term) -> bool {
  return term.is_cyclic || frame.rolled[term.dim.index].has_value();
}

/// The largest value that tiles give, rolled dimensions before the remainder.
static auto largest(const Frame& frame, DimId dim) -> int64_t {
  int64_t most = frame.rolled[dim.index] ? frame.extent(dim) - 1 : 0;
  for (const Part& part : frame.parts[dim.index]) {
    int64_t extent = part.is_loop ? part.extent : frame.axes[part.index].extent;
    most += (extent - 1) * part.stride;
  }
  return most;
}

/// Splits gathers where a remainder wraps around, so that each is affine.
static auto add_modular(std::vector<HeGather> gathers, size_t index, const HeAffine& value,
                        int64_t most, int64_t extent, int64_t stride) -> std::vector<HeGather> {
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

auto with_index(std::vector<HeGather> gathers, const Frame& frame, const Variables& variables,
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

}  // namespace tacet::schedule
