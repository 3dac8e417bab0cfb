#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/core/query/database.h"
#include "compiler/core/query/event_log.h"

namespace tacet::query {
namespace {

using Strings = std::vector<std::string>;

struct Root {
  static constexpr std::string_view kName = "root";
  using Key = int;
  using Value = std::string;
  static auto absent(const Key& key) -> Value { return "none " + std::to_string(key); }
};

struct Tree {
  static constexpr std::string_view kName = "tree";
  static constexpr bool kEvictable = true;
  using Key = int;
  using Value = std::string;
  static auto compute(Context& context, const Key& key) -> Value {
    return "tree of " + context.get<Root>(key);
  }
};

struct TreeSize {
  static constexpr std::string_view kName = "tree_size";
  using Key = int;
  using Value = size_t;
  static auto compute(Context& context, const Key& key) -> Value {
    return context.get<Tree>(key).size();
  }
};

class Eviction : public testing::Test {
 protected:
  Eviction() {
    database.set_capacity<Tree>(2);
    for (int key = 0; key < 4; ++key) {
      size(key);
    }
  }

  auto size(int key) -> size_t { return database.snapshot().get<TreeSize>(key); }
  void bump() { database.set<Root>(1000, std::to_string(++n_bumps)); }

  Database database;
  EventLog log{database};
  int n_bumps = 0;
};

TEST_F(Eviction, HappensAtWritesAndDropsTheOldest) {
  EXPECT_EQ(log.take(EventKind::Evicted), Strings{});
  bump();
  bump();
  Strings evicted = log.take(EventKind::Evicted);
  std::sort(evicted.begin(), evicted.end());
  EXPECT_EQ(evicted, (Strings{"tree(0)", "tree(1)"}));
}

TEST_F(Eviction, UseInALaterRevisionKeepsAValue) {
  bump();
  database.snapshot().get<Tree>(2);
  database.snapshot().get<Tree>(0);
  log.take();
  bump();
  EXPECT_EQ(log.take(EventKind::Evicted), Strings{"tree(3)"});
}

TEST_F(Eviction, DependentsRevalidateWithoutTheValue) {
  bump();
  bump();
  log.take();
  EXPECT_EQ(size(0), 14U);
  EXPECT_EQ(log.take(), Strings{});
  EXPECT_EQ(database.snapshot().get<Tree>(0), "tree of none 0");
  EXPECT_EQ(log.take(), Strings{"tree(0)"});
  EXPECT_EQ(size(0), 14U);
  EXPECT_EQ(log.take(), Strings{});
}

TEST_F(Eviction, ChangedDependencyOfAnEvictedValueRuns) {
  bump();
  bump();
  database.set<Root>(0, "something");
  log.take();
  EXPECT_EQ(size(0), 17U);
  EXPECT_EQ(log.take(), (Strings{"tree(0)", "tree_size(0)"}));
}

TEST_F(Eviction, ForgetsWhatIsNotUsed) {
  for (int i = 0; i < 5; ++i) {
    bump();
    size(3);
  }
  log.take();
  database.forget_unused(3);
  EXPECT_EQ(size(3), 14U);
  EXPECT_EQ(size(1), 14U);
  EXPECT_EQ(log.take(), (Strings{"tree_size(1)", "tree(1)"}));
}

}  // namespace
}  // namespace tacet::query
