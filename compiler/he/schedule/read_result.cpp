#include "compiler/he/schedule/read_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/he/schedule/gather.h"
#include "compiler/he/schedule/shift.h"

namespace tacet::schedule {

namespace {

using array::DimId;
using array::Site;
using circuit::LoopFormula;

/// What the bits of a column's number, and the row, stand for in a result.
struct Bit {
  Along along = Along::Same;
  Weights weights;
};

auto bits_of(const Left& left, uint32_t n_columns) -> std::vector<Bit> {
  size_t rank = left.parts.size();
  auto n_bits = static_cast<size_t>(std::countr_zero(n_columns));
  std::vector<Bit> bits(n_bits + 1, Bit{Along::Same, Weights(rank, 0)});
  for (uint32_t i = 0; i < left.axes.size(); ++i) {
    const SlotAxis& axis = left.axes[i];
    auto n = static_cast<size_t>(std::countr_zero(static_cast<uint64_t>(axis.extent)));
    size_t first = axis.is_row()
                       ? n_bits
                       : static_cast<size_t>(std::countr_zero(static_cast<uint64_t>(axis.block)));
    for (size_t bit = 0; bit < n; ++bit) {
      bits[first + bit].along = left.along[i];
      for (size_t k = 0; k < rank && left.along[i] == Along::Varies; ++k) {
        for (const Part& part : left.parts[k]) {
          if (!part.is_loop && part.index == i) {
            bits[first + bit].weights[k] += part.stride << bit;
          }
        }
      }
    }
  }
  return bits;
}

/// What the result has along an axis of the reader's; nothing if that is no arithmetic sequence.
auto along_axis(const std::vector<Bit>& bits, const SlotAxis& axis) -> std::optional<Bit> {
  auto n = static_cast<size_t>(std::countr_zero(static_cast<uint64_t>(axis.extent)));
  size_t first = axis.is_row()
                     ? bits.size() - 1
                     : static_cast<size_t>(std::countr_zero(static_cast<uint64_t>(axis.block)));
  if (n == 0) {
    return Bit{Along::Same, Weights(bits.back().weights.size(), 0)};
  }
  Bit result = bits[first];
  for (size_t bit = 1; bit < n; ++bit) {
    const Bit& other = bits[first + bit];
    if ((result.along == Along::Varies) != (other.along == Along::Varies)) {
      return {};
    }
    result.along = other.along == Along::First ? Along::First : result.along;
    for (size_t k = 0; k < result.weights.size(); ++k) {
      if (other.weights[k] != result.weights[k] << bit) {
        return {};
      }
    }
  }
  return result;
}

auto is_zero(const Weights& weights) -> bool {
  return std::all_of(weights.begin(), weights.end(), [](int64_t w) { return w == 0; });
}

struct Reading {
  const Frame& frame;
  const Site& site;
  const Left& left;
  Wanted wanted;
  std::vector<Along> along;
  std::vector<LoopFormula> indices;  ///< by loop of the result
  Weights from;
  std::vector<uint32_t> moved;

  /// Whether along each axis the result has what is wanted.
  auto match_axes() -> Status {
    std::vector<Bit> bits = bits_of(left, frame.n_columns);
    for (uint32_t i = 0; i < frame.axes.size(); ++i) {
      std::optional<Bit> there = along_axis(bits, frame.axes[i]);
      bool is_wanted = !is_zero(wanted.axes[i]);
      if (!there || there->weights != wanted.axes[i] ||
          (is_wanted && there->along != Along::Varies)) {
        return Error{"its elements are not in the slots where they are needed"};
      }
      along.push_back(is_wanted ? Along::Varies : there->along);
    }
    bool wraps = frame.axes[kRepetitionAxis].extent == 1 || along[kRepetitionAxis] == Along::Same;
    if (!wanted.rolled_loops.empty() && !wraps) {
      return Error{"it is rolled along an axis that does not wrap around"};
    }
    return std::monostate{};
  }

  /// The exploded tile of dimension k with the largest stride that divides `step`.
  [[nodiscard]] auto tile_for(size_t k, int64_t step) const -> const Part* {
    const Part* best = nullptr;
    for (const Part& part : left.parts[k]) {
      if (part.is_loop && step % part.stride == 0 &&
          (best == nullptr || part.stride > best->stride)) {
        best = &part;
      }
    }
    return best;
  }

  /// Loops run through the result's vectors where these are as many; the rest rotates.
  void match_loops() {
    from = wanted.offset;
    for (size_t k = 0; k < from.size(); ++k) {
      if (const Part* part = from[k] == 0 ? nullptr : tile_for(k, from[k])) {
        indices[part->index].constant += from[k] / part->stride;
      } else {
        from[k] = 0;
      }
    }
    for (uint32_t tile = 0; tile < wanted.loops.size(); ++tile) {
      bool is_index = true;
      for (size_t k = 0; k < from.size(); ++k) {
        is_index = is_index && (wanted.loops[tile][k] == 0 || tile_for(k, wanted.loops[tile][k]));
      }
      if (!is_index) {
        moved.push_back(tile);
        continue;
      }
      for (size_t k = 0; k < from.size(); ++k) {
        if (int64_t step = wanted.loops[tile][k]; step != 0) {
          const Part* part = tile_for(k, step);
          indices[part->index].terms.push_back({frame.loops[tile], step / part->stride});
        }
      }
    }
  }

  [[nodiscard]] auto indices_fit(const circuit::Circuit& circuit) const -> bool {
    for (const std::vector<Part>& parts : left.parts) {
      for (const Part& part : parts) {
        if (!part.is_loop) {
          continue;
        }
        int64_t low = indices[part.index].constant;
        int64_t high = low;
        for (const circuit::LoopTerm& term : indices[part.index].terms) {
          int64_t reach = term.factor * (circuit.loops[term.loop].extent - 1);
          (reach < 0 ? low : high) += reach;
        }
        if (low < 0 || high >= part.extent) {
          return false;
        }
      }
    }
    return true;
  }

  /// A dimension in several tiles has elements only at some digits of the inner ones.
  [[nodiscard]] auto digits_fit(const Shift& shift) const -> bool {
    for (const std::vector<Part>& parts : left.parts) {
      for (const Part& part : parts) {
        bool is_outermost = std::all_of(parts.begin(), parts.end(), [&](const Part& other) {
          return other.stride <= part.stride;
        });
        if (part.is_loop || is_outermost || part.extent == left.axes[part.index].extent) {
          continue;
        }
        // The axes agree, so the reader's has the same block and its digits are these.
        for (uint32_t axis = 0; axis < frame.axes.size(); ++axis) {
          bool is_same = frame.axes[axis].block == left.axes[part.index].block;
          bool is_moved = !shift.steps.terms.empty() || shift.steps.constant != 0;
          if (is_same && (is_moved || wanted.most[axis] >= part.extent)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /// Where an index is outside of the result though still at a digit of its axis.
  void mask_padding(Shift& shift) const {
    std::vector<bool> outside = can_be_outside(frame, site);
    for (size_t k = 0; k < outside.size(); ++k) {
      if (outside[k] && left.is_padded[k] && left.padding[k] != 0) {
        shift.masked[k] = true;
        shift.needs_mask = true;
      }
    }
  }

  /// What stands where a dimension of the reader's is padded, without a mask.
  [[nodiscard]] auto padding_of(DimId dim) const -> std::optional<int64_t> {
    for (size_t k = 0; k < site.indices.size(); ++k) {
      const array::ArrayIndex& index = site.indices[k];
      if (index.terms.size() != 1 || index.terms[0].dim != dim) {
        continue;
      }
      const std::vector<Part>& mine = frame.parts[dim.index];
      bool agrees = index.offset == 0 && index.terms[0].stride == 1 &&
                    frame.program.arrays[site.array].extents[k] == frame.extent(dim) &&
                    mine.size() == left.parts[k].size();
      for (const Part& part : mine) {
        agrees = agrees &&
                 std::any_of(left.parts[k].begin(), left.parts[k].end(), [&](const Part& other) {
                   return other.is_loop == part.is_loop && other.extent == part.extent &&
                          other.stride == part.stride;
                 });
      }
      if (agrees) {
        return left.padding[k];
      }
    }
    return {};
  }
};

}  // namespace

auto read_result(const Frame& frame, const Site& site, const Left& left, CircuitWriter& writer)
    -> Result<Value> {
  std::optional<Wanted> wanted = wanted_of(frame, site);
  if (!wanted) {
    return Error{"it is rotated or rolled in more than one dimension when it is read"};
  }
  Reading reading{frame, site, left, std::move(*wanted), {}, {}, {}, {}};
  for (const std::vector<Part>& parts : left.parts) {
    for (const Part& part : parts) {
      reading.indices.resize(reading.indices.size() + (part.is_loop ? 1 : 0));
    }
  }
  if (Status status = reading.match_axes(); !status) {
    return status.error();
  }
  reading.match_loops();
  const std::vector<int64_t>& extents = frame.program.arrays[site.array].extents;
  std::optional<Shift> shift =
      shift_between(frame, reading.wanted, reading.from, reading.moved, extents);
  if (!shift || !reading.indices_fit(writer.circuit()) || !reading.digits_fit(*shift)) {
    return Error{"no rotation of a vector has the elements that are read"};
  }
  reading.mask_padding(*shift);
  if (shift->needs_mask && !reading.wanted.rolled_loops.empty()) {
    return Error{"it is rolled and read beyond its end"};
  }
  Value value;
  value.free = dims_of(site);
  value.along = reading.along;
  value.padding.resize(frame.statement.dims.size());
  value.node = writer.rotate(writer.result(left.statement, reading.indices), shift->steps);
  if (shift->needs_mask) {
    Gathered mask = inside_mask(frame, site, extents, shift->masked);
    value.node = writer.operation(circuit::NodeKind::Multiply, value.node,
                                  writer.input(std::move(mask.family), mask.indices));
  }
  for (uint32_t dim = 0; dim < value.padding.size(); ++dim) {
    bool is_still = shift->steps.terms.empty() && shift->steps.constant == 0;
    if (!contains(value.free, DimId{dim})) {
      continue;  // the mask says nothing of it: the value is the same all along it
    }
    value.padding[dim] = shift->needs_mask ? std::optional<int64_t>(0)
                         : is_still        ? reading.padding_of(DimId{dim})
                                           : std::nullopt;
  }
  return value;
}

}  // namespace tacet::schedule
