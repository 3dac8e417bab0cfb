#include "engine/ring/row_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tacet::ring {
namespace {

constexpr size_t kLarge = size_t{1} << 16;  ///< words: of a slab

TEST(RowPool, BlocksAreUsedAgainForTheSameSize) {
  for (const size_t n_words : {size_t{64}, kLarge}) {
    RowPool pool;
    uint64_t* block = pool.take(n_words);
    pool.give_back(block, n_words);
    EXPECT_EQ(pool.take(n_words), block);
  }
}

TEST(RowPool, LargerBlocksAreUsedBeforeFreshMemory) {
  RowPool pool;
  uint64_t* twice = pool.take(2 * kLarge);
  uint64_t* larger = pool.take(kLarge + 64);
  uint64_t* too_large = pool.take(2 * kLarge + 64);
  pool.give_back(twice, 2 * kLarge);
  pool.give_back(too_large, 2 * kLarge + 64);
  pool.give_back(larger, kLarge + 64);
  uint64_t* first = pool.take(kLarge);
  EXPECT_EQ(first, larger);  // the nearest
  EXPECT_EQ(pool.take(kLarge), twice);
  EXPECT_NE(pool.take(kLarge), too_large);
  EXPECT_EQ(pool.n_words_in_use(), 3 * kLarge);
  // It is of its own size again.
  pool.give_back(first, kLarge);
  EXPECT_EQ(pool.take(kLarge + 64), larger);
}

/// Blocks that are in use never share words, and are aligned.
TEST(RowPool, BlocksInUseAreApart) {
  std::mt19937_64 random(1);
  RowPool pool;
  struct Block {
    uint64_t* words;
    size_t n_words;
    uint64_t content;
  };
  std::vector<Block> blocks;
  size_t n_in_use = 0;
  for (uint64_t step = 0; step < 2000; ++step) {
    if (blocks.size() < 12 && random() % 2 == 0) {
      const size_t n_words = 8 * (1 + random() % (kLarge / 4));
      uint64_t* words = pool.take(n_words);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(words) % 64, 0U);
      std::fill(words, words + n_words, step);
      blocks.push_back({words, n_words, step});
      n_in_use += n_words;
    } else if (!blocks.empty()) {
      const size_t i = random() % blocks.size();
      const auto& [words, n_words, content] = blocks[i];
      ASSERT_TRUE(std::all_of(words, words + n_words,
                              [expected = content](uint64_t word) { return word == expected; }));
      pool.give_back(words, n_words);
      n_in_use -= n_words;
      blocks.erase(blocks.begin() + static_cast<ptrdiff_t>(i));
    }
    ASSERT_EQ(pool.n_words_in_use(), n_in_use);
  }
  for (const Block& block : blocks) {
    pool.give_back(block.words, block.n_words);
  }
}

}  // namespace
}  // namespace tacet::ring
