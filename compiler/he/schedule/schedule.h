#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/device/array/program.h"

/// How the values of an array program are laid out in vectors of slots.
///
/// Each statement has one structure of slots, which all its values share: a list of axes, whose
/// digits number the slots of a vector (mixed radix, the last axis fastest). A tile of a dimension
/// either walks along an axis or is exploded, into a vector for each of its values. So operands of
/// every operator are aligned by construction; where Recto and Myers give each indexing site a
/// layout of its own and then compare them, a site's layout here follows from the statement's.
/// Along an axis of which a value does not depend it may be the same everywhere, or, after a
/// reduction by rotations, right at the first digit only; dimensions that are never in scope
/// together may share an axis.
namespace tacet::schedule {

/// The values index * stride, index in [0, extent), of a dimension. The tiles of a dimension
/// together give each of its values exactly once, and perhaps values beyond it (padding).
struct Tile {
  array::DimId dim;
  int64_t extent = 1;
  int64_t stride = 1;

  friend auto operator==(const Tile&, const Tile&) -> bool = default;
};

/// The extent is a power of two, at least those of its tiles.
struct Axis {
  int64_t extent = 1;
  bool is_row = false;      ///< the two rows of slots; only the first axis can be
  std::vector<Tile> tiles;  ///< of dimensions that are never in scope together

  friend auto operator==(const Axis&, const Axis&) -> bool = default;
};

/// Wherever `dim` is read, it is (dim + by) mod its extent instead: generalised diagonals.
struct Roll {
  array::DimId dim;  ///< exploded and, but for that, untiled
  array::DimId by;   ///< the outermost axis within rows, untiled, of the same extent

  friend auto operator==(const Roll&, const Roll&) -> bool = default;
};

struct StatementSchedule {
  std::vector<Tile> exploded;  ///< outermost loop first
  std::vector<Axis> axes;      ///< outermost first
  std::vector<Roll> rolls;

  friend auto operator==(const StatementSchedule&, const StatementSchedule&) -> bool = default;
};

struct Schedule {
  uint32_t n_columns = 0;                     ///< of each of the two rows of slots; a power of two
  std::vector<StatementSchedule> statements;  ///< by statement of the program

  friend auto operator==(const Schedule&, const Schedule&) -> bool = default;
};

}  // namespace tacet::schedule
