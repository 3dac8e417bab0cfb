#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <vector>

/// Memory for secrets: overwritten when it is given back, even if the compiler removes dead stores.
namespace tacet {

/// Overwrites `size` bytes with zeros.
void wipe(void* data, size_t size);

/// Overwrites the elements of `elements` with zeros.
template <class T, size_t kExtent>
void wipe(std::span<T, kExtent> elements) {
  wipe(elements.data(), elements.size_bytes());
}

/// Wipes an object or array that lives longer than it, when it goes out of scope. For buffers on
/// the stack.
class ScopedWipe {
 public:
  template <class T>
  explicit ScopedWipe(T& object) : data_(&object), size_(sizeof(T)) {}
  ~ScopedWipe() { wipe(data_, size_); }
  ScopedWipe(const ScopedWipe&) = delete;
  auto operator=(const ScopedWipe&) -> ScopedWipe& = delete;

 private:
  void* data_;
  size_t size_;
};

/// An allocator whose memory is wiped before it is freed, and begins at a multiple of 64 bytes. A
/// vector that grows wipes what it leaves behind.
template <class T>
struct WipingAllocator {
  using value_type = T;

  static constexpr std::align_val_t kAlignment{alignof(T) > 64 ? alignof(T) : 64};

  WipingAllocator() = default;
  template <class U>
  WipingAllocator(const WipingAllocator<U>&) noexcept {}

  [[nodiscard]] auto allocate(size_t n) -> T* {
    if (n > static_cast<size_t>(-1) / sizeof(T)) {
      throw std::bad_array_new_length();
    }
    return static_cast<T*>(::operator new(n * sizeof(T), kAlignment));
  }
  void deallocate(T* data, size_t n) noexcept {
    wipe(data, n * sizeof(T));
    ::operator delete(data, kAlignment);
  }

  template <class U>
  friend auto operator==(const WipingAllocator&, const WipingAllocator<U>&) -> bool {
    return true;
  }
};

/// A vector for secrets. Elements that `clear`, `resize` or `pop_back` remove stay in memory until
/// the whole is freed.
template <class T>
using SecureVector = std::vector<T, WipingAllocator<T>>;
/// Bytes that are secret.
using SecureBytes = SecureVector<std::byte>;

}  // namespace tacet
