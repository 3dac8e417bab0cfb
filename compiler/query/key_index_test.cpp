#include "compiler/query/key_index.h"

#include <gtest/gtest.h>

#include <future>

namespace tacet::query {
namespace {

/// Keys are the ids themselves; every eighth shares its hash.
auto hash_of(uint32_t key) -> uint32_t {
  return key / 8 * 0x9e3779b1U;
}

auto find(const KeyIndex& index, uint32_t key) -> NodeId {
  return index.find(hash_of(key), [&](NodeId id) { return id.index == key; });
}

TEST(KeyIndex, FindsWhatWasInserted) {
  KeyIndex index;
  EXPECT_FALSE(find(index, 0).has_value());
  for (uint32_t key = 0; key < 5000; ++key) {
    index.insert(hash_of(key), NodeId{key});
  }
  index.free_outgrown();
  for (uint32_t key = 0; key < 5000; ++key) {
    EXPECT_EQ(find(index, key), NodeId{key});
  }
  EXPECT_FALSE(find(index, 5000).has_value());
  EXPECT_FALSE(find(index, 7000).has_value());
}

TEST(KeyIndex, IsReadWhileItGrows) {
  KeyIndex index;
  std::atomic<uint32_t> n_inserted = 0;
  std::future<void> reader = std::async(std::launch::async, [&] {
    for (uint32_t n = 0; n < 20'000; n = n_inserted.load()) {
      if (n > 0) {
        EXPECT_EQ(find(index, n / 2), NodeId{n / 2});
      }
      EXPECT_EQ(find(index, 1'000'000), NodeId{});
    }
  });
  for (uint32_t key = 0; key < 20'000; ++key) {
    index.insert(hash_of(key), NodeId{key});
    n_inserted.store(key + 1);
  }
  reader.get();
}

}  // namespace
}  // namespace tacet::query
