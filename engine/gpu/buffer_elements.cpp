#include "engine/gpu/buffer_elements.h"

#include <cstring>

namespace tacet::engine {

void write_elements(ElementType type, std::span<const Cell> cells, std::byte* to) {
  const size_t width = element_bytes(type.kind);
  for (const Cell cell : cells) {
    const auto low = static_cast<uint32_t>(cell);
    std::memcpy(to, width == 4 ? static_cast<const void*>(&low) : &cell, width);
    to += width;
  }
}

void read_elements(ElementType type, const std::byte* from, std::span<Cell> cells) {
  const size_t width = element_bytes(type.kind);
  for (Cell& cell : cells) {
    uint32_t low = 0;
    Cell whole = 0;
    std::memcpy(width == 4 ? static_cast<void*>(&low) : &whole, from, width);
    const Cell value = width == 4 ? low : whole;
    cell = type.kind == ElementKind::Bool ? Cell{value != 0} : wrapped(type.kind, value);
    from += width;
  }
}

}  // namespace tacet::engine
