#include "base/hash_index.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace tacet {
namespace {

/// Keys are the numbers themselves; every eighth shares its hash.
auto hash_of(uint32_t key) -> uint32_t {
  return key / 8 * 0x9e3779b1U;
}

auto find(const HashIndex& index, uint32_t key) -> uint32_t {
  return index.find(hash_of(key), [&](uint32_t number) { return number == key; });
}

TEST(HashIndex, FindsWhatWasInserted) {
  HashIndex index;
  EXPECT_EQ(find(index, 0), HashIndex::kNone);
  for (uint32_t key = 0; key < 5000; ++key) {
    index.insert(hash_of(key), key);
  }
  index.free_outgrown();
  for (uint32_t key = 0; key < 5000; ++key) {
    EXPECT_EQ(find(index, key), key);
  }
  EXPECT_EQ(find(index, 5000), HashIndex::kNone);
  EXPECT_EQ(find(index, 7000), HashIndex::kNone);
}

TEST(HashIndex, IsReadWhileItGrows) {
  HashIndex index;
  std::atomic<uint32_t> n_inserted = 0;
  std::future<void> reader = std::async(std::launch::async, [&] {
    for (uint32_t n = 0; n < 20'000; n = n_inserted.load()) {
      if (n > 0) {
        EXPECT_EQ(find(index, n / 2), n / 2);
      }
      EXPECT_EQ(find(index, 1'000'000), HashIndex::kNone);
    }
  });
  for (uint32_t key = 0; key < 20'000; ++key) {
    index.insert(hash_of(key), key);
    n_inserted.store(key + 1);
  }
  reader.get();
}

}  // namespace
}  // namespace tacet
