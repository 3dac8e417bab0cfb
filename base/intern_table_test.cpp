#include "base/intern_table.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/interner.h"

namespace tacet {
namespace {

struct NumberTag;
using NumberId = Id<NumberTag>;

/// Gives every other value the hash of its neighbour.
struct PairHash {
  auto operator()(uint64_t value) const -> size_t { return hash_combine(0, value / 2); }
};

using NumberTable = InternTable<NumberId, uint64_t, PairHash>;

TEST(InternTable, GivesEqualValuesEqualIds) {
  NumberTable table;
  for (uint32_t value = 0; value < 5000; ++value) {
    EXPECT_EQ(table.intern(value), NumberId{value});
  }
  for (uint32_t value = 0; value < 5000; ++value) {
    EXPECT_EQ(table.intern(value), NumberId{value});
    EXPECT_EQ(table[NumberId{value}], value);
  }
  EXPECT_EQ(table.size(), 5000U);
}

/// Calls `work(i)` for each i below `n` on two threads at the same time.
template <class Work>
void on_two_threads(uint32_t n, const Work& work) {
  auto all = [&](int thread) {
    for (uint32_t i = 0; i < n; ++i) {
      work(thread, i);
    }
  };
  std::thread other(all, 1);
  all(0);
  other.join();
}

TEST(InternTable, IsSharedByThreads) {
  constexpr uint32_t kValues = 20'000;
  NumberTable table;
  std::vector<NumberId> ids[2] = {std::vector<NumberId>(kValues), std::vector<NumberId>(kValues)};
  on_two_threads(kValues, [&](int thread, uint32_t i) {
    const NumberId id = table.intern(i);
    EXPECT_EQ(table[id], i);
    ids[thread][i] = id;
  });
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(table.size(), kValues);
}

TEST(Interner, IsSharedByThreads) {
  constexpr uint32_t kNames = 20'000;
  Interner interner;
  std::vector<Name> names[2] = {std::vector<Name>(kNames), std::vector<Name>(kNames)};
  on_two_threads(kNames, [&](int thread, uint32_t i) {
    const std::string text = "name_" + std::to_string(i);
    names[thread][i] = interner.intern(text);
    EXPECT_EQ(interner.text(names[thread][i]), text);
  });
  EXPECT_EQ(names[0], names[1]);
  EXPECT_EQ(interner.find("name_7"), names[0][7]);
  EXPECT_FALSE(interner.find("name_x").has_value());
}

}  // namespace
}  // namespace tacet
