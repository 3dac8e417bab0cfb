#pragma once

#include <cstddef>
#include <cstdint>

namespace tacet {

/// Counts the blocks that are freed with a marker in them, from any thread, as long as it lives:
/// freed memory may not be read, so the operator that frees looks first. One at a time. A program
/// that links this has its `operator new` and `operator delete`.
class FreedMemoryWatch {
 public:
  /// Eight bytes that come about nowhere else; zeros mean no watch.
  explicit FreedMemoryWatch(uint64_t marker);
  FreedMemoryWatch(const FreedMemoryWatch&) = delete;
  auto operator=(const FreedMemoryWatch&) -> FreedMemoryWatch& = delete;
  ~FreedMemoryWatch();

  [[nodiscard]] auto n_found() const -> size_t;
};

}  // namespace tacet
