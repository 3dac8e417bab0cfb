#pragma once

#include <map>
#include <vector>

#include "compiler/device/oblivious/ranges.h"
#include "compiler/front/types/value_bound.h"
#include "engine/program/mpc/program.h"

/// Private to this folder.
namespace tacet::mpc_lower {

using WideInteger = types::Wide;

/// lower <= cell <= upper: of fixed point the number times 2^f, and as the machine holds it, which
/// in a ring of 128 bits may exceed the cell.
using CellRange = oblivious::Range;

/// The greatest size of its cells.
auto size_of(const CellRange& range) -> WideInteger;

/// What registers may hold, from the bounds of inputs, constants and types: one range for all
/// elements of a register, wherever it is assigned. Intervals only: a condition narrows nothing.
class FixedRanges {
 public:
  /// Of inputs; those that are not in it have the ranges of their types.
  using Bounds = std::map<engine::MpcRegisterId, CellRange>;

  /// For fixed point in a ring of so many bits. O(size of the program), a few times if there are
  /// loops.
  FixedRanges(const engine::MpcProgram& program, const Bounds& bounds, unsigned ring_bits);

  [[nodiscard]] auto of(engine::MpcRegisterId id) const -> CellRange { return ranges_[id.index]; }
  /// Its range is that of its type.
  [[nodiscard]] auto fits(engine::MpcRegisterId id) const -> bool;
  /// The same brought to its type.
  [[nodiscard]] auto fitted(engine::MpcRegisterId id) const -> CellRange;
  /// What the exact result of an instruction may be, of fitted operands, whatever its type holds.
  [[nodiscard]] auto exact(const engine::MpcInstruction& instruction) const -> CellRange;

 private:
  [[nodiscard]] auto type(engine::MpcRegisterId id) const -> const engine::MpcType& {
    return program_.registers[id].type;
  }
  [[nodiscard]] auto of_literal(const engine::MpcInstruction& instruction) const -> CellRange;
  [[nodiscard]] auto of_extremum(const engine::MpcInstruction& instruction) const -> CellRange;
  [[nodiscard]] auto of_reduction(const engine::MpcInstruction& instruction) const -> CellRange;
  [[nodiscard]] auto of_inner_product(const engine::MpcInstruction& instruction) const -> CellRange;
  [[nodiscard]] auto of_product(const engine::MpcInstruction& instruction) const -> CellRange;
  [[nodiscard]] auto of_quotient(const engine::MpcInstruction& instruction) const -> CellRange;
  [[nodiscard]] auto of_cast(const engine::MpcInstruction& instruction) const -> CellRange;
  [[nodiscard]] auto of_function(const engine::MpcInstruction& instruction) const -> CellRange;
  [[nodiscard]] auto of_draw(const engine::MpcInstruction& instruction) const -> CellRange;
  [[nodiscard]] auto of_movement(const engine::MpcInstruction& instruction) const -> CellRange;
  /// As it is held.
  [[nodiscard]] auto held(engine::MpcRegisterId id, CellRange range) const -> CellRange;
  auto update(engine::MpcRegisterId id, CellRange range, bool widens) -> bool;

  const engine::MpcProgram& program_;
  unsigned ring_bits_;
  std::vector<CellRange> ranges_;
  std::vector<uint8_t> is_known_;
};

/// The greatest size of the product of k pairs' sum; saturates beyond 2^126.
auto sum_of_products(const CellRange& x, const CellRange& y, int64_t k) -> WideInteger;

/// The sizes of the numbers that `product` multiplies in sequence, with the number of elements;
/// beyond the type there is none.
auto largest_of_chain(const CellRange& x, int64_t n, unsigned fraction_bits) -> WideInteger;

}  // namespace tacet::mpc_lower
