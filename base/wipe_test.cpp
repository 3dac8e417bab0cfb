#include "base/wipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/testing/freed_memory.h"

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
  constexpr uint64_t kSecret = 0x5EC2'E751'9A3B'77C4;
  const FreedMemoryWatch watch(kSecret);
  std::vector<uint64_t> shown(16, kSecret);
  // A compiler that sees that the numbers are unused may omit the allocation.
  asm volatile("" : : "r"(shown.data()) : "memory");
  shown = std::vector<uint64_t>();
  EXPECT_EQ(watch.n_found(), 1U) << "the watch sees what is not wiped";
  SecureVector<uint64_t> secret(16, kSecret);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(secret.data()) % 64, 0U);
  secret.resize(1000, kSecret);
  secret = SecureVector<uint64_t>();
  EXPECT_EQ(watch.n_found(), 1U);
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
