#include "base/components.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tacet {
namespace {

using Edges = std::vector<std::vector<uint32_t>>;

TEST(StrongComponents, StandBehindWhatTheyReach) {
  // 0 -> 1 <-> 2 -> 3, 4 -> 4
  const Edges edges = {{1}, {2}, {1, 3}, {}, {4}};
  std::vector<std::vector<uint32_t>> found = strong_components(edges);
  for (std::vector<uint32_t>& component : found) {
    std::sort(component.begin(), component.end());
  }
  EXPECT_EQ(found, (std::vector<std::vector<uint32_t>>{{3}, {1, 2}, {0}, {4}}));
  EXPECT_FALSE(is_cyclic(edges, {3}));
  EXPECT_TRUE(is_cyclic(edges, {1, 2}));
  EXPECT_TRUE(is_cyclic(edges, {4}));
}

/// Against the definition: two nodes are in one component if each reaches the other.
TEST(StrongComponents, AreWhatTheDefinitionSays) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    const auto n = static_cast<uint32_t>(1 + random() % 9);
    Edges edges(n);
    for (uint64_t i = random() % (2 * n); i > 0; --i) {
      edges[random() % n].push_back(static_cast<uint32_t>(random() % n));
    }
    std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n));
    for (uint32_t i = 0; i < n; ++i) {
      reaches[i][i] = true;
      for (const uint32_t to : edges[i]) {
        reaches[i][to] = true;
      }
    }
    for (uint32_t k = 0; k < n; ++k) {
      for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t j = 0; j < n; ++j) {
          reaches[i][j] = reaches[i][j] || (reaches[i][k] && reaches[k][j]);
        }
      }
    }
    const std::vector<std::vector<uint32_t>> found = strong_components(edges);
    std::vector<uint32_t> order(n, n);
    for (uint32_t c = 0; c < found.size(); ++c) {
      for (const uint32_t node : found[c]) {
        EXPECT_EQ(order[node], n);
        order[node] = c;
      }
    }
    for (uint32_t i = 0; i < n; ++i) {
      for (uint32_t j = 0; j < n; ++j) {
        EXPECT_EQ(order[i] == order[j], reaches[i][j] && reaches[j][i]);
        EXPECT_TRUE(!reaches[i][j] || order[j] <= order[i]);
      }
    }
  }
}

}  // namespace
}  // namespace tacet
