#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "engine/program/common/arithmetic.h"

namespace tacet::engine {

/// Cells that grow in place where the system can (large blocks are remapped, not copied).
class CellStack {
 public:
  explicit CellStack(uint64_t limit_bytes) : limit_(limit_bytes / sizeof(Cell)) {}
  ~CellStack() { std::free(cells_); }
  CellStack(const CellStack&) = delete;
  auto operator=(const CellStack&) -> CellStack& = delete;

  [[nodiscard]] auto cells() const -> Cell* { return cells_; }
  [[nodiscard]] auto capacity() const -> uint64_t { return capacity_; }

  /// Allocates `n` cells; false if the limit or the system forbids it.
  auto grow_to(uint64_t n) -> bool {
    if (n <= capacity_) {
      return true;
    }
    constexpr uint64_t kMost = SIZE_MAX / sizeof(Cell);  // of an address space, which may be small
    if (n > std::min(limit_, kMost)) {
      return false;
    }
    const uint64_t wanted = std::min({limit_, kMost, std::max(n + n / 2, uint64_t{1} << 12)});
    void* grown = std::realloc(cells_, static_cast<size_t>(wanted) * sizeof(Cell));
    if (grown == nullptr) {
      return false;
    }
    cells_ = static_cast<Cell*>(grown);
    capacity_ = wanted;
    return true;
  }

 private:
  Cell* cells_ = nullptr;
  uint64_t capacity_ = 0;
  uint64_t limit_;
};

}  // namespace tacet::engine
