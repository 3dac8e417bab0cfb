#include "base/wipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

// Freed memory may not be looked at, so the call that frees takes a copy of the watched block.
namespace {
const void* watched = nullptr;
std::array<uint64_t, 16> freed = {1};
}  // namespace

void* operator new(size_t size, std::align_val_t alignment) {
  auto unit = static_cast<size_t>(alignment);
  return std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
}

void operator delete(void* data, std::align_val_t) noexcept {
  if (data == watched && data != nullptr) {
    std::memcpy(freed.data(), data, sizeof(freed));
    watched = nullptr;
  }
  std::free(data);
}

void operator delete(void* data, size_t, std::align_val_t alignment) noexcept {
  operator delete(data, alignment);
}

namespace tacet {
namespace {

auto all_zero(std::span<const uint64_t> words) -> bool {
  return std::all_of(words.begin(), words.end(), [](uint64_t word) { return word == 0; });
}

TEST(Wipe, LeavesOnlyZeros) {
  std::array<uint64_t, 5> words = {1, 2, 3, 4, 5};
  wipe(std::span(words).subspan(1, 3));
  EXPECT_EQ(words, (std::array<uint64_t, 5>{1, 0, 0, 0, 5}));
  wipe(nullptr, 0);
}

TEST(Wipe, ScopedWipeWipesAtTheEnd) {
  std::array<uint64_t, 3> words = {7, 8, 9};
  {
    ScopedWipe guard(words);
    EXPECT_EQ(words[2], 9U);
  }
  EXPECT_TRUE(all_zero(words));
}

TEST(Wipe, TheAllocatorWipesBeforeItFrees) {
  SecureVector<uint64_t> secret(16, ~uint64_t{0});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(secret.data()) % 64, 0U);
  watched = secret.data();
  secret = SecureVector<uint64_t>();
  EXPECT_EQ(watched, nullptr);
  EXPECT_TRUE(all_zero(freed));
}

TEST(Wipe, SecureVectorsAreVectors) {
  SecureVector<int> numbers = {3, 1, 2};
  numbers.resize(1000, 4);
  SecureVector<int> moved = std::move(numbers);
  EXPECT_EQ(moved[1], 1);
  EXPECT_EQ(moved[999], 4);
}

}  // namespace
}  // namespace tacet
