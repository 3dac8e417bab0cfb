#include "base/sparse_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace tacet {
namespace {

TEST(SparseSet, IsASet) {
  std::mt19937_64 random(1);
  SparseSet sparse(50);
  std::set<uint32_t> wanted;
  for (int i = 0; i < 5000; ++i) {
    const auto number = static_cast<uint32_t>(random() % 50);
    switch (random() % 8) {
      case 0:
        if (random() % 20 == 0) {
          sparse.clear();
          wanted.clear();
        }
        break;
      case 1:
      case 2:
      case 3:
        sparse.erase(number);
        wanted.erase(number);
        break;
      default:
        sparse.insert(number);
        wanted.insert(number);
    }
    ASSERT_EQ(sparse.contains(number), wanted.contains(number));
    ASSERT_EQ(sparse.sorted(), std::vector<uint32_t>(wanted.begin(), wanted.end()));
  }
}

}  // namespace
}  // namespace tacet
