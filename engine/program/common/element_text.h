#pragma once

#include <string>
#include <string_view>

#include "engine/program/common/arithmetic.h"

/// Numbers as people write them, and back.
namespace tacet::engine {

/// One element as Tacet writes it: `-3`, `true`, `0.5`. A fixed-point number is the shortest
/// decimal that stands for it; a float the shortest that reads back as itself, or `nan`, `inf`.
auto element_text(ElementType type, Cell cell) -> std::string;

/// The cell of a literal of `type`: digits, a decimal, `true` or `false`.
auto literal_cell(ElementType type, std::string_view text) -> Cell;

/// The fixed-point number nearest to a decimal such as `-12.5` or `3`, exactly; ties go away from
/// zero. False if the text is no such decimal or the number does not fit.
auto parse_fixed(std::string_view decimal, unsigned fraction_bits, Cell& cell) -> bool;

}  // namespace tacet::engine
