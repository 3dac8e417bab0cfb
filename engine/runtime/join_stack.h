#pragma once

#include <cstdint>

#include "engine/program/common/cell_stack.h"

namespace tacet::engine {

/// What a run of the coordinator machine keeps between funclets: who waits for results, and the
/// variables that have an address. The host owns it, so that a machine is nothing but a program
/// and a place in it.
class JoinStack {
 public:
  explicit JoinStack(uint64_t limit_bytes) : joins_(limit_bytes), variables_(limit_bytes) {}

  /// Cells for `n` more of what waits; null if the limit forbids it. They are `n` behind `size()`.
  auto push(uint64_t n) -> Cell* {
    if (!joins_.grow_to(n_joins_ + n)) {
      return nullptr;
    }
    Cell* cells = joins_.cells() + n_joins_;
    n_joins_ += n;
    highest_ = n_joins_ > highest_ ? n_joins_ : highest_;
    return cells;
  }
  void pop(uint64_t n) { n_joins_ -= n; }
  [[nodiscard]] auto size() const -> uint64_t { return n_joins_; }
  [[nodiscard]] auto cells() const -> const Cell* { return joins_.cells(); }
  [[nodiscard]] auto end() const -> const Cell* { return joins_.cells() + n_joins_; }

  /// A variable of `n` cells; its address. False if the limit forbids it.
  auto allocate(uint64_t n, Cell& address) -> bool {
    if (!variables_.grow_to(n_variables_ + n)) {
      return false;
    }
    address = n_variables_;
    n_variables_ += n;
    for (uint64_t i = address; i < n_variables_; ++i) {
      variables_.cells()[i] = 0;
    }
    highest_variables_ = n_variables_ > highest_variables_ ? n_variables_ : highest_variables_;
    return true;
  }
  /// False unless the variable is the last one.
  auto release(Cell address, uint64_t n) -> bool {
    if (address > n_variables_ || n_variables_ - address != n) {
      return false;
    }
    n_variables_ = address;
    return true;
  }
  /// The cells of a variable, or null if there is none of `n` cells at that address.
  [[nodiscard]] auto variable(Cell address, uint64_t n) const -> Cell* {
    return address <= n_variables_ && n <= n_variables_ - address ? variables_.cells() + address
                                                                  : nullptr;
  }

  void clear() { n_joins_ = n_variables_ = 0; }
  [[nodiscard]] auto peak_bytes() const -> uint64_t {
    return (highest_ + highest_variables_) * sizeof(Cell);
  }

 private:
  CellStack joins_;
  CellStack variables_;
  uint64_t n_joins_ = 0;
  uint64_t n_variables_ = 0;
  uint64_t highest_ = 0;
  uint64_t highest_variables_ = 0;
};

}  // namespace tacet::engine
