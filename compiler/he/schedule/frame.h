#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/device/array/program.h"
#include "compiler/he/circuit/circuit.h"
#include "compiler/he/schedule/circuit_writer.h"
#include "compiler/he/schedule/schedule.h"
#include "compiler/he/schedule/scope.h"

/// A statement's structure of slots, ready to be computed with.
namespace tacet::schedule {

/// An axis of the whole vector: axes that no schedule names are there too, without tiles.
struct SlotAxis {
  int64_t extent = 1;
  int64_t block = 0;  ///< columns from one digit to the next; 0 of the row axis
  std::vector<Tile> tiles;

  [[nodiscard]] auto is_row() const -> bool { return block == 0; }
};

/// A variable that numbers vectors or slots, and how much of a dimension's value it makes out.
struct Part {
  bool is_loop = false;
  uint32_t index = 0;  ///< of an exploded tile, or of an axis
  int64_t extent = 1;  ///< of the tile
  int64_t stride = 1;
};

struct Frame {
  const array::Program& program;
  const array::Statement& statement;
  const StatementSchedule& schedule;
  uint32_t n_columns;
  /// The row axis, then one for the repetitions of the columns' axes, then those; their digits
  /// number all slots.
  std::vector<SlotAxis> axes;
  std::vector<std::vector<Part>> parts;             ///< by dimension
  std::vector<std::optional<array::DimId>> rolled;  ///< by dimension: its roll
  std::vector<circuit::LoopId> loops;               ///< by exploded tile
  std::vector<DimSet> free;                         ///< by expression

  [[nodiscard]] auto extent(array::DimId dim) const -> int64_t {
    return statement.dims[dim].extent;
  }
};

inline constexpr uint32_t kRowAxis = 0;
inline constexpr uint32_t kRepetitionAxis = 1;
inline constexpr uint32_t kOutermostAxis = 2;  ///< of the columns' axes, if there is one

/// The schedule is valid. Makes the loops of the exploded tiles.
auto make_frame(const array::Program& program, const array::Statement& statement,
                const StatementSchedule& schedule, uint32_t n_columns, CircuitWriter& writer)
    -> Frame;

/// What a tile's digits are called: by the dimension, and the stride if it is one of several.
auto tile_name(const array::Statement& statement, const Tile& tile) -> std::string;

/// Whether vectors or slots stand for values of the dimension that it does not have.
auto is_padded(const Frame& frame, array::DimId dim) -> bool;

/// The axis of which the dimension has a tile, the tile's extent, and its stride; by axis.
auto axis_parts(const Frame& frame, array::DimId dim) -> std::vector<Part>;

}  // namespace tacet::schedule
