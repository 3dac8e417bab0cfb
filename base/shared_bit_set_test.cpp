#include "base/shared_bit_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace tacet {
namespace {

TEST(SharedBitSet, IsASetWhateverItsCopiesBecome) {
  std::mt19937_64 random(3);
  constexpr size_t kBound = 1500;
  std::vector<std::pair<SharedBitSet, std::set<size_t>>> sets(6, {SharedBitSet(kBound), {}});
  sets[0].first = SharedBitSet(kBound, true);
  for (size_t i = 0; i < kBound; ++i) {
    sets[0].second.insert(i);
  }
  for (int step = 0; step < 4000; ++step) {
    auto& [set, wanted] = sets[random() % sets.size()];
    const auto& [other, of_other] = sets[random() % sets.size()];
    const size_t number = random() % kBound;
    switch (random() % 8) {
      case 0:
        set.unite(other);
        wanted.insert(of_other.begin(), of_other.end());
        break;
      case 1:
        set = other;
        wanted = std::set<size_t>(of_other);
        break;
      case 2:
      case 3:
        set.insert(number);
        wanted.insert(number);
        break;
      default:
        set.erase(number);
        wanted.erase(number);
    }
    ASSERT_EQ(set == other, wanted == of_other);
    ASSERT_EQ(set.contains(number), wanted.contains(number));
  }
  for (const auto& [set, wanted] : sets) {
    for (size_t i = 0; i < kBound; ++i) {
      ASSERT_EQ(set.contains(i), wanted.contains(i));
    }
  }
}

}  // namespace
}  // namespace tacet
