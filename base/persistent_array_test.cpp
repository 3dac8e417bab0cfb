// Versions of arrays that share their elements, beside maps that are copied.

#include "base/persistent_array.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace tacet {
namespace {

using Expected = std::map<size_t, int>;

auto elements_of(const PersistentArray<int>& array) -> Expected {
  Expected elements;
  array.for_each([&](size_t i, int value) { elements.emplace(i, value); });
  return elements;
}

class PersistentArrays : public testing::TestWithParam<size_t> {};

TEST_P(PersistentArrays, VersionsDoNotSeeEachOther) {
  const size_t size = GetParam();
  std::mt19937_64 random(size);
  std::vector<PersistentArray<int>> versions(1, PersistentArray<int>(size));
  std::vector<Expected> expected(1);
  for (int step = 0; step < 500; ++step) {
    const size_t from = random() % versions.size();
    if (random() % 4 == 0) {
      versions.push_back(versions[from]);
      expected.push_back(expected[from]);
    }
    const size_t i = random() % 8 == 0 ? size - 1 : random() % size;
    versions[from].set(i, step);
    expected[from][i] = step;
  }
  for (size_t v = 0; v < versions.size(); ++v) {
    EXPECT_EQ(elements_of(versions[v]), expected[v]);
    EXPECT_EQ(versions[v].empty(), expected[v].empty());
    for (size_t i = 0; i < std::min<size_t>(size, 300); ++i) {
      const int* element = versions[v].get(i);
      ASSERT_EQ(element != nullptr, expected[v].contains(i));
      ASSERT_TRUE(element == nullptr || *element == expected[v].at(i));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PersistentArrays,
                         testing::Values(1, 2, 15, 16, 17, 256, 257, 4096, 4097, 1'000'000));

TEST(PersistentArray, AnElementSetKeepsWhatItHeld) {
  PersistentArray<std::shared_ptr<int>> array(40);
  const auto value = std::make_shared<int>(7);
  array.set(3, value);
  {
    const PersistentArray<std::shared_ptr<int>> copy = array;
    array.set(3, nullptr);
    EXPECT_EQ(**copy.get(3), 7);
    EXPECT_EQ(value.use_count(), 2);
  }
  EXPECT_EQ(value.use_count(), 1);
}

}  // namespace
}  // namespace tacet
