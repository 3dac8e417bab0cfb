#include "compiler/he/schedule/shift.h"

#include <algorithm>

#include "compiler/he/schedule/scope.h"

namespace tacet::schedule {

namespace {

using array::DimId;

struct Range {
  int64_t low = 0;
  int64_t high = 0;

  void add(int64_t factor, int64_t from, int64_t to) {
    low += factor * (factor < 0 ? to : from);
    high += factor * (factor < 0 ? from : to);
  }
};

auto is_zero(const Weights& weights) -> bool {
  return std::all_of(weights.begin(), weights.end(), [](int64_t w) { return w == 0; });
}

/// The number that `step` is times `unit`, if it is.
auto multiple_of(const Weights& step, const Weights& unit) -> std::optional<int64_t> {
  std::optional<int64_t> factor;
  for (size_t k = 0; k < step.size(); ++k) {
    if (unit[k] == 0) {
      if (step[k] != 0) {
        return {};
      }
      continue;
    }
    int64_t quotient = step[k] / unit[k];
    if (quotient * unit[k] != step[k] || (factor && *factor != quotient)) {
      return {};
    }
    factor = quotient;
  }
  return factor;
}

struct Shifting {
  const Frame& frame;
  const Wanted& wanted;
  const Weights& from;
  const std::vector<uint32_t>& moved;
  const std::vector<int64_t>& extents;
  std::vector<Range> moves;  ///< by axis: digits
  Shift shift;

  [[nodiscard]] auto is_moved(uint32_t tile) const -> bool {
    return std::find(moved.begin(), moved.end(), tile) != moved.end();
  }

  void rotate(const Move& move) {
    shift.steps.constant += move.digits * frame.axes[move.axis].block;
    moves[move.axis].add(move.digits, 1, 1);
  }

  void rotate(const Move& move, uint32_t tile) {
    shift.steps.terms.push_back({frame.loops[tile], move.digits * frame.axes[move.axis].block});
    moves[move.axis].add(move.digits, 0, frame.schedule.exploded[tile].extent - 1);
  }

  /// Offsets are moved dimension by dimension.
  auto move_offset() -> bool {
    for (size_t k = 0; k < from.size(); ++k) {
      Weights step(from.size(), 0);
      step[k] = wanted.offset[k] - from[k];
      if (step[k] == 0) {
        continue;
      }
      std::optional<Move> move = move_along(wanted.axes, step);
      if (!move) {
        return false;
      }
      rotate(*move);
    }
    return true;
  }

  auto move_loops() -> bool {
    for (uint32_t tile : moved) {
      std::optional<Move> move = move_along(wanted.axes, wanted.loops[tile]);
      if (!move) {
        return false;
      }
      rotate(*move, tile);
    }
    return true;
  }

  /// The indices in dimension k of all that is read, where `axis` has digits in `digits`.
  [[nodiscard]] auto indices(size_t k, uint32_t axis, Range digits) const -> Range {
    Range result{from[k], from[k]};
    for (uint32_t other = 0; other < frame.axes.size(); ++other) {
      Range range{moves[other].low, wanted.most[other] + moves[other].high};
      range = other == axis ? digits : range;
      result.add(wanted.axes[other][k], range.low, range.high);
    }
    for (uint32_t tile = 0; tile < wanted.loops.size(); ++tile) {
      if (!is_moved(tile)) {
        result.add(wanted.loops[tile][k], 0, frame.schedule.exploded[tile].extent - 1);
      }
    }
    return result;
  }

  /// Whether all that these digits stand for is outside of the array, which is noted.
  auto is_outside(uint32_t axis, Range digits) -> bool {
    for (size_t k = 0; k < from.size(); ++k) {
      Range range = indices(k, axis, digits);
      if (range.high < 0 || range.low >= extents[k]) {
        shift.masked[k] = true;
        shift.needs_mask = true;
        return true;
      }
    }
    return false;
  }

  auto check_ends() -> bool {
    for (uint32_t axis = kOutermostAxis; axis < frame.axes.size(); ++axis) {
      int64_t high = wanted.most[axis] + moves[axis].high;
      int64_t extent = frame.axes[axis].extent;
      if (moves[axis].low < 0 && !is_outside(axis, {moves[axis].low, -1})) {
        return false;
      }
      if (high >= extent && !is_outside(axis, {extent, high})) {
        return false;
      }
    }
    return true;
  }
};

void add(Weights& weights, size_t k, int64_t amount) {
  weights[k] += amount;
}

/// The largest digit of a tile that stands for a value of its dimension.
auto last_digit(const Frame& frame, DimId dim, const Part& part) -> int64_t {
  return std::min(part.extent, (frame.extent(dim) - 1) / part.stride + 1) - 1;
}

}  // namespace

auto wanted_of(const Frame& frame, const array::Site& site) -> std::optional<Wanted> {
  size_t rank = site.indices.size();
  Wanted wanted{Weights(rank, 0),
                std::vector<Weights>(frame.axes.size(), Weights(rank, 0)),
                std::vector<Weights>(frame.schedule.exploded.size(), Weights(rank, 0)),
                std::vector<int64_t>(frame.axes.size(), 0),
                {}};
  DimSet dims = dims_of(site);
  for (size_t k = 0; k < rank; ++k) {
    wanted.offset[k] = site.indices[k].offset;
    for (const array::IndexTerm& term : site.indices[k].terms) {
      std::optional<DimId> by = frame.rolled[term.dim.index];
      if (term.is_cyclic || (by && contains(dims, *by))) {
        return {};
      }
      if (by) {
        add(wanted.axes[kOutermostAxis], k, term.stride);
        wanted.most[kOutermostAxis] = frame.extent(term.dim) - 1;
        wanted.rolled_loops.push_back(frame.parts[term.dim.index][0].index);
        continue;
      }
      for (const Part& part : frame.parts[term.dim.index]) {
        add(part.is_loop ? wanted.loops[part.index] : wanted.axes[part.index], k,
            term.stride * part.stride);
        if (!part.is_loop) {
          wanted.most[part.index] = last_digit(frame, term.dim, part);
        }
      }
    }
  }
  std::vector<uint32_t>& rolled = wanted.rolled_loops;
  rolled.erase(std::unique(rolled.begin(), rolled.end()), rolled.end());
  return rolled.size() > 1 ? std::nullopt : std::optional(std::move(wanted));
}

auto move_along(const std::vector<Weights>& axes, const Weights& step) -> std::optional<Move> {
  std::optional<Move> best;
  for (uint32_t axis = kOutermostAxis; axis < axes.size(); ++axis) {
    if (is_zero(axes[axis])) {
      continue;
    }
    std::optional<int64_t> digits = multiple_of(step, axes[axis]);
    if (digits && (!best || std::abs(*digits) < std::abs(best->digits))) {
      best = Move{axis, *digits};
    }
  }
  return best;
}

auto shift_between(const Frame& frame, const Wanted& wanted, const Weights& from,
                   const std::vector<uint32_t>& moved, const std::vector<int64_t>& extents)
    -> std::optional<Shift> {
  Shifting shifting{frame,
                    wanted,
                    from,
                    moved,
                    extents,
                    std::vector<Range>(frame.axes.size()),
                    {{}, std::vector<bool>(from.size(), false), false}};
  if (!shifting.move_offset() || !shifting.move_loops() || !shifting.check_ends()) {
    return {};
  }
  if (!wanted.rolled_loops.empty() && shifting.shift.needs_mask) {
    return {};
  }
  // The axis that dimensions are rolled by is full and the outermost, so it wraps around.
  for (uint32_t tile : wanted.rolled_loops) {
    shifting.shift.steps.terms.push_back({frame.loops[tile], frame.axes[kOutermostAxis].block});
  }
  std::vector<circuit::LoopTerm>& terms = shifting.shift.steps.terms;
  std::sort(terms.begin(), terms.end(),
            [](const circuit::LoopTerm& a, const circuit::LoopTerm& b) { return a.loop < b.loop; });
  return std::move(shifting.shift);
}

}  // namespace tacet::schedule
