#include "compiler/core/query/read_set.h"

#include <gtest/gtest.h>

#include "compiler/core/query/dependency_list.h"

namespace tacet::query {
namespace {

/// `n` distinct ids in an order that is neither sorted nor regular in the low bits.
auto scattered_ids(uint32_t n) -> std::vector<NodeId> {
  std::vector<NodeId> ids;
  for (uint32_t i = 0; i < n; ++i) {
    ids.push_back(NodeId{i * 4096U ^ i * 7U});
  }
  return ids;
}

TEST(ReadSet, KeepsFirstReadsInOrder) {
  ReadSet set;
  for (uint32_t n : {0U, 1U, 15U, 16U, 17U, 40U, 1000U, 3U}) {
    const std::vector<NodeId> ids = scattered_ids(n);
    set.clear();
    for (int pass = 0; pass < 3; ++pass) {
      for (NodeId id : ids) {
        set.add(id);
        set.add(ids.front());
      }
    }
    EXPECT_EQ(std::vector<NodeId>(set.ids().begin(), set.ids().end()), ids);
  }
}

TEST(DependencyList, HoldsWhatWasAssignedLast) {
  DependencyList list;
  EXPECT_TRUE(list.ids().empty());
  for (uint32_t n : {3U, 4U, 5U, 5U, 200U, 2U, 0U, 6U}) {
    const std::vector<NodeId> ids = scattered_ids(n);
    list.assign(ids);
    EXPECT_EQ(std::vector<NodeId>(list.ids().begin(), list.ids().end()), ids);
  }
}

}  // namespace
}  // namespace tacet::query
