#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace tacet::ring {

/// Every row of words starts on a cache line of its own, which also is the widest vector.
inline constexpr size_t kAlignment = 64;

template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>& /*other*/) {}

  auto allocate(size_t n) -> T* {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kAlignment}));
  }
  void deallocate(T* p, size_t /*n*/) { ::operator delete (p, std::align_val_t{kAlignment}); }

  friend auto operator==(AlignedAllocator /*a*/, AlignedAllocator /*b*/) -> bool { return true; }
};

using AlignedWords = std::vector<uint64_t, AlignedAllocator<uint64_t>>;

}  // namespace tacet::ring
