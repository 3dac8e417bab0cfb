#pragma once

#include <cstddef>
#include <span>

#include "engine/program/common/arithmetic.h"

namespace tacet::engine {

/// Bytes of an element in a buffer: `bool` and what has 32 bits take four, all else eight.
constexpr auto element_bytes(ElementKind kind) -> size_t {
  return kind == ElementKind::Bool || bit_width(kind) <= 32 ? 4 : 8;
}

/// Elements of cells as a kernel sees them, one behind the other.
void write_elements(ElementType type, std::span<const Cell> cells, std::byte* to);

/// And back. Nothing forces a kernel to write 0 or 1 for a `bool`: anything but 0 is true.
void read_elements(ElementType type, const std::byte* from, std::span<Cell> cells);

}  // namespace tacet::engine
