#include "compiler/views/he/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "compiler/he/schedule/frame.h"
#include "compiler/he/schedule/write_program.h"

namespace tacet::he_views {

namespace {

using array::ArrayIndex;
using array::DimId;
using schedule::contains;
using schedule::dims_of;
using schedule::DimSet;
using schedule::Frame;
using schedule::Part;

/// The first ones and the last of `n` if there are more than `most`.
auto chosen(int64_t n, int64_t most) -> std::vector<int64_t> {
  std::vector<int64_t> numbers(static_cast<size_t>(std::min(n, most)));
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  if (n > most) {
    numbers.back() = n - 1;
  }
  return numbers;
}

/// Works out slots of vectors with the structure of a statement.
class Writer {
 public:
  Writer(const Frame& frame, DimSet dims) : frame_(frame) {
    for (uint32_t i = 0; i < frame.schedule.exploded.size(); ++i) {
      if (contains(dims, frame.schedule.exploded[i].dim)) {
        tiles_.push_back(i);
      }
    }
    loop_values_.resize(frame.schedule.exploded.size());
    digits_.resize(frame.axes.size());
  }

  /// `read(slot)` gives what replaces a request for dimensions of `value`.
  template <class Read>
  auto write(LayoutSize size, const Read& read) -> Layout {
    Layout layout;
    for (uint32_t tile : tiles_) {
      const schedule::Tile& exploded = frame_.schedule.exploded[tile];
      layout.loops.push_back({tile_name(frame_.statement, exploded), exploded.extent});
    }
    for (size_t dim = 0; dim < frame_.rolled.size(); ++dim) {
      if (frame_.rolled[dim]) {
        const array::Dim& rolled = frame_.statement.dims[DimId{static_cast<uint32_t>(dim)}];
        layout.rolls.push_back(fmt::format("`{0}` is read as `{0} + {1}` (mod {2})", rolled.name,
                                           frame_.statement.dims[*frame_.rolled[dim]].name,
                                           rolled.extent));
      }
    }
    layout.n_rows = frame_.axes[schedule::kRowAxis].tiles.empty() ? 1 : 2;
    layout.n_repetitions = frame_.axes[schedule::kRepetitionAxis].extent;
    layout.n_columns = frame_.n_columns / layout.n_repetitions;
    layout.numbers = chosen(layout.n_vectors(), size.n_vectors);
    layout.columns = chosen(layout.n_columns, size.n_columns);
    for (int64_t number : layout.numbers) {
      set_loops(number);
      for (int64_t row = 0; row < layout.n_rows; ++row) {
        for (int64_t column : layout.columns) {
          set_digits(row, column);
          layout.slots.push_back(read());
        }
      }
    }
    return layout;
  }

  /// The dimension's value, or nothing where it is padded.
  [[nodiscard]] auto value(DimId dim) const -> std::optional<int64_t> {
    int64_t sum = 0;
    for (const Part& part : frame_.parts[dim.index]) {
      const int64_t digit = part.is_loop ? loop_values_[part.index] : digits_[part.index];
      if (digit >= part.extent) {
        return std::nullopt;
      }
      sum += digit * part.stride;
    }
    if (sum >= frame_.extent(dim)) {
      return std::nullopt;
    }
    return frame_.rolled[dim.index] ? (sum + digits_[schedule::kOutermostAxis]) % frame_.extent(dim)
                                    : sum;
  }

  [[nodiscard]] auto digit(uint32_t axis) const -> int64_t { return digits_[axis]; }

 private:
  void set_loops(int64_t number) {
    for (auto tile = tiles_.rbegin(); tile != tiles_.rend(); ++tile) {
      const int64_t extent = frame_.schedule.exploded[*tile].extent;
      loop_values_[*tile] = number % extent;
      number /= extent;
    }
  }

  void set_digits(int64_t row, int64_t column) {
    digits_[schedule::kRowAxis] = row;
    for (uint32_t axis = schedule::kOutermostAxis; axis < frame_.axes.size(); ++axis) {
      digits_[axis] = column / frame_.axes[axis].block % frame_.axes[axis].extent;
    }
  }

  const Frame& frame_;
  std::vector<uint32_t> tiles_;
  std::vector<int64_t> loop_values_;  ///< by exploded tile
  std::vector<int64_t> digits_;       ///< by axis
};

/// What an index says where the dimensions are, or nothing where one is padded.
auto index_at(const Frame& frame, const Writer& writer, const ArrayIndex& index)
    -> std::optional<int64_t> {
  int64_t sum = index.offset;
  for (const array::IndexTerm& term : index.terms) {
    const std::optional<int64_t> value = writer.value(term.dim);
    if (!value) {
      return std::nullopt;
    }
    sum += term.stride * (term.is_cyclic ? (*value + term.shift) % frame.extent(term.dim) : *value);
  }
  return sum;
}

auto frame_of(const array::Program& program, const schedule::Schedule& schedule, size_t statement,
              circuit::Circuit& circuit) -> Frame {
  schedule::CircuitWriter writer(circuit);
  return make_frame(program, program.statements[statement], schedule.statements[statement],
                    schedule.n_columns, writer);
}

}  // namespace

auto Layout::n_vectors() const -> int64_t {
  int64_t n = 1;
  for (const LayoutLoop& loop : loops) {
    n *= loop.extent;
  }
  return n;
}

auto layout_of_site(const array::Program& program, const schedule::Schedule& schedule,
                    size_t statement, array::ExprId site, LayoutSize size) -> Layout {
  circuit::Circuit circuit;
  const Frame frame = frame_of(program, schedule, statement, circuit);
  const auto& read = std::get<array::Site>(frame.statement.exprs[site].node);
  const std::vector<int64_t>& extents = program.arrays[read.array].extents;
  Writer writer(frame, dims_of(read));
  Layout layout = writer.write(size, [&] {
    Slot slot;
    for (size_t i = 0; i < extents.size(); ++i) {
      const std::optional<int64_t> index = index_at(frame, writer, read.indices[i]);
      if (!index) {
        return Slot{Slot::Kind::Padding, {}};
      }
      if (*index < 0 || *index >= extents[i]) {
        slot.kind = Slot::Kind::Outside;
      }
      slot.indices.push_back(*index);
    }
    return slot.kind == Slot::Kind::Outside ? Slot{slot.kind, {}} : slot;
  });
  layout.extents = extents;
  const DimSet dims = dims_of(read);
  if (std::none_of(frame.schedule.rolls.begin(), frame.schedule.rolls.end(),
                   [&](const schedule::Roll& roll) { return contains(dims, roll.dim); })) {
    layout.rolls.clear();
  }
  return layout;
}

/// The digits of an axis that elements are in, or that they are read from if they are sums.
static auto n_digits_left(const schedule::Left& left, uint32_t axis) -> int64_t {
  for (const schedule::Pending& pending : left.pending) {
    if (pending.axis == axis) {
      return pending.n_digits;
    }
  }
  const bool is_summed = !left.pending.empty();
  const bool is_once = left.along[axis] == schedule::Along::First ||
                       (is_summed && left.along[axis] == schedule::Along::Same);
  return is_once ? 1 : left.axes[axis].extent;
}

auto layout_of_result(const array::Program& program, const schedule::Schedule& schedule,
                      size_t statement, LayoutSize size) -> Result<Layout> {
  Result<schedule::WrittenProgram> written = schedule::write_program(program, schedule);
  if (!written) {
    return written.error();
  }
  const schedule::Left& left = written->left[statement];
  circuit::Circuit circuit;
  const Frame frame = frame_of(program, schedule, statement, circuit);
  const std::vector<DimId>& shape = frame.statement.shape;
  // Along others the result is the same.
  const DimSet dims = frame.free[frame.statement.root.index];
  Writer writer(frame, dims);
  Layout layout = writer.write(size, [&] {
    for (uint32_t axis = 0; axis < left.along.size(); ++axis) {
      if (writer.digit(axis) >= n_digits_left(left, axis)) {
        return Slot{Slot::Kind::Anything, {}};
      }
    }
    Slot slot;
    slot.kind = left.pending.empty() ? Slot::Kind::Element : Slot::Kind::Summand;
    for (DimId dim : shape) {
      const std::optional<int64_t> value =
          contains(dims, dim) ? writer.value(dim) : std::optional(Slot::kEvery);
      if (!value) {
        return Slot{Slot::Kind::Padding, {}};
      }
      slot.indices.push_back(*value);
    }
    return slot;
  });
  layout.extents = program.arrays[frame.statement.result].extents;
  layout.rolls.clear();  // what is rolled is reduced
  layout.is_repeated = left.along[schedule::kRepetitionAxis] != schedule::Along::First;
  return layout;
}

}  // namespace tacet::he_views
