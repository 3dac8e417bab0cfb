#include "base/testing/freed_memory.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

static std::atomic<uint64_t> watched = 0;
static std::atomic<size_t> n_found_so_far = 0;

/// Memory may still hold what was in it before; a marker there would be blamed on its new owner.
static auto zeroed(void* data) -> void* {
  if (data != nullptr) {
    std::memset(data, 0, ::malloc_usable_size(data));
  }
  return data;
}

static auto allocated(void* data) -> void* {
  if (data == nullptr) {
    throw std::bad_alloc();
  }
  return zeroed(data);
}

static void look_and_free(void* data) {
  const uint64_t marker = watched;
  if (marker != 0 && data != nullptr &&
      ::memmem(data, ::malloc_usable_size(data), &marker, sizeof(marker)) != nullptr) {
    ++n_found_so_far;
  }
  std::free(data);
}

void* operator new(size_t size) {
  return allocated(std::malloc(size == 0 ? 1 : size));
}

void* operator new(size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<size_t>(alignment);
  return allocated(std::aligned_alloc(unit, (size + unit - 1) / unit * unit));
}

// Sanitizers have one of their own that does not call the one above.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return zeroed(std::malloc(size == 0 ? 1 : size));
}

void operator delete(void* data) noexcept {
  look_and_free(data);
}

void operator delete(void* data, size_t) noexcept {
  look_and_free(data);
}

void operator delete(void* data, std::align_val_t) noexcept {
  look_and_free(data);
}

void operator delete(void* data, size_t, std::align_val_t) noexcept {
  look_and_free(data);
}

namespace tacet {

FreedMemoryWatch::FreedMemoryWatch(uint64_t marker) {
  n_found_so_far = 0;
  watched = marker;
}

FreedMemoryWatch::~FreedMemoryWatch() {
  watched = 0;
}

auto FreedMemoryWatch::n_found() const -> size_t {
  return n_found_so_far;
}

}  // namespace tacet
