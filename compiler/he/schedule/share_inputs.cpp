#include "compiler/he/schedule/share_inputs.h"

#include <algorithm>
#include <bit>

#include "compiler/he/schedule/shift.h"

namespace tacet::schedule {

namespace {

using array::ExprId;
using array::Site;

struct Reader {
  ExprId expr;
  const Site* site;
  Wanted wanted;
  std::vector<uint32_t> moved;  ///< loops that are rotations
  Shift shift;
};

/// Vectors that are encrypted, and the sites that read them.
struct Representative {
  Stretch stretch;
  std::vector<Reader> readers;
};

auto extents_of(const Frame& frame, const Site& site) -> const std::vector<int64_t>& {
  return frame.program.arrays[site.array].extents;
}

auto is_moved(const Reader& reader, uint32_t tile) -> bool {
  return std::find(reader.moved.begin(), reader.moved.end(), tile) != reader.moved.end();
}

auto any(const Weights& weights) -> bool {
  return std::any_of(weights.begin(), weights.end(), [](int64_t w) { return w != 0; });
}

/// The least index that the readers' first digits have, by dimension.
auto first_element(const Frame& frame, const std::vector<Reader>& readers) -> Weights {
  Weights result;
  for (const Reader& reader : readers) {
    Weights least = reader.wanted.offset;
    for (uint32_t tile : reader.moved) {
      for (size_t k = 0; k < least.size(); ++k) {
        least[k] += std::min<int64_t>(
            0, reader.wanted.loops[tile][k] * (frame.schedule.exploded[tile].extent - 1));
      }
    }
    if (result.empty()) {
      result = least;
    }
    for (size_t k = 0; k < least.size(); ++k) {
      result[k] = std::min(result[k], least[k]);
    }
  }
  return result;
}

/// Moves the first element to where all readers find what they read, from the array's start if
/// they begin before it.
auto place(const Frame& frame, Representative& representative) -> bool {
  Weights first = first_element(frame, representative.readers);
  Weights start = first;
  for (int64_t& index : start) {
    index = std::max<int64_t>(index, 0);
  }
  for (const Weights& from : {first, start}) {
    std::vector<Shift> shifts;
    for (const Reader& reader : representative.readers) {
      std::optional<Shift> shift =
          shift_between(frame, reader.wanted, from, reader.moved, extents_of(frame, *reader.site));
      if (!shift) {
        break;
      }
      shifts.push_back(std::move(*shift));
    }
    if (shifts.size() == representative.readers.size()) {
      representative.stretch.offset = from;
      for (size_t i = 0; i < shifts.size(); ++i) {
        representative.readers[i].shift = std::move(shifts[i]);
      }
      return true;
    }
  }
  return false;
}

auto representative_of(const Frame& frame, Reader reader) -> Representative {
  Representative result;
  result.stretch.array = reader.site->array;
  result.stretch.weights = reader.wanted.axes;
  for (uint32_t tile = 0; tile < frame.schedule.exploded.size(); ++tile) {
    if (any(reader.wanted.loops[tile]) && !is_moved(reader, tile)) {
      result.stretch.loops.push_back(tile);
      result.stretch.loop_weights.push_back(reader.wanted.loops[tile]);
    }
  }
  result.readers.push_back(std::move(reader));
  return result;
}

/// The representative of one site with as many loops made by rotation as can be.
auto with_most_moved(const Frame& frame, const Reader& reader) -> Representative {
  std::vector<uint32_t> movable;
  for (uint32_t tile = 0; tile < reader.wanted.loops.size(); ++tile) {
    if (any(reader.wanted.loops[tile]) && movable.size() < 8 &&
        move_along(reader.wanted.axes, reader.wanted.loops[tile])) {
      movable.push_back(tile);
    }
  }
  int64_t best_count = 0;
  std::optional<Representative> best;
  for (uint32_t subset = 0; subset < uint32_t{1} << movable.size(); ++subset) {
    Reader candidate = reader;
    int64_t count = 1;
    for (size_t i = 0; i < movable.size(); ++i) {
      if ((subset >> i & 1) != 0) {
        candidate.moved.push_back(movable[i]);
        count *= frame.schedule.exploded[movable[i]].extent;
      }
    }
    Representative representative = representative_of(frame, std::move(candidate));
    if (count > best_count && place(frame, representative)) {
      best_count = count;
      best = std::move(representative);
    }
  }
  return *best;  // the empty subset can always be placed
}

auto same_structure(const Stretch& a, const Stretch& b) -> bool {
  return a.array == b.array && a.weights == b.weights && a.loops == b.loops &&
         a.loop_weights == b.loop_weights;
}

/// Lets a representative that there is serve for another's site too, if it can.
auto join(const Frame& frame, std::vector<Representative>& all, const Representative& other)
    -> bool {
  for (Representative& representative : all) {
    if (!same_structure(representative.stretch, other.stretch)) {
      continue;
    }
    Representative joined = representative;
    joined.readers.push_back(other.readers[0]);
    if (place(frame, joined)) {
      representative = std::move(joined);
      return true;
    }
  }
  return false;
}

auto shared_read(const Frame& frame, const Stretch& stretch, const Reader& reader) -> SharedRead {
  SharedRead result{gather_stretch(frame, stretch), reader.shift.steps, {}};
  if (reader.shift.needs_mask) {
    result.mask =
        inside_mask(frame, *reader.site, extents_of(frame, *reader.site), reader.shift.masked);
  }
  return result;
}

}  // namespace

auto share_inputs(const Frame& frame) -> std::vector<std::optional<SharedRead>> {
  std::vector<Representative> representatives;
  for (uint32_t id = 0; id < frame.statement.exprs.size(); ++id) {
    const auto* site = std::get_if<Site>(&frame.statement.exprs[ExprId{id}].node);
    if (site == nullptr || frame.program.arrays[site->array].owner != array::Owner::Client) {
      continue;
    }
    if (std::optional<Wanted> wanted = wanted_of(frame, *site)) {
      Representative one =
          with_most_moved(frame, Reader{ExprId{id}, site, std::move(*wanted), {}, {}});
      if (!join(frame, representatives, one)) {
        representatives.push_back(std::move(one));
      }
    }
  }
  std::vector<std::optional<SharedRead>> result(frame.statement.exprs.size());
  for (const Representative& representative : representatives) {
    const std::vector<Reader>& readers = representative.readers;
    bool is_alone =
        readers.size() == 1 && readers[0].moved.empty() && readers[0].wanted.rolled_loops.empty();
    for (const Reader& reader : readers) {
      if (!is_alone) {
        result[reader.expr.index] = shared_read(frame, representative.stretch, reader);
      }
    }
  }
  return result;
}

}  // namespace tacet::schedule
