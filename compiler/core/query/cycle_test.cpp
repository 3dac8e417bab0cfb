#include <gtest/gtest.h>

#include <barrier>
#include <future>
#include <stdexcept>

#include "compiler/core/query/event_log.h"

namespace tacet::query {
namespace {

using Strings = std::vector<std::string>;

/// The nodes that a node of the test's graphs reads.
struct Reads {
  static constexpr std::string_view kName = "reads";
  using Key = int;
  using Value = std::vector<int>;
  static auto absent(const Key&) -> Value { return {}; }
};

/// Called at the start of each `Reach`; lets a test line threads up.
struct Gate {
  std::function<void(int)> pass = [](int) {};
};

/// 1 + the values of all nodes read; on a cycle -key.
struct Reach {
  static constexpr std::string_view kName = "reach";
  using Key = int;
  using Value = int;
  static auto compute(Context& context, const Key& key) -> Value {
    context.service<Gate>().pass(key);
    int sum = 1;
    for (int read : context.get<Reads>(key)) {
      sum += context.get<Reach>(read);
    }
    return sum;
  }
  static auto on_cycle(Context&, const Key& key) -> Value { return -key; }
};

class Cycles : public testing::Test {
 protected:
  auto value(int key) -> int { return database.snapshot().get<Reach>(key); }

  /// Asks for all keys in an order and gives their values in the order of `keys`.
  auto values_asked_in(const std::vector<int>& order, const std::vector<int>& keys)
      -> std::vector<int> {
    for (int key : order) {
      value(key);
    }
    std::vector<int> values;
    for (int key : keys) {
      values.push_back(value(key));
    }
    return values;
  }

  void set_reads(std::vector<std::pair<int, std::vector<int>>> graph) {
    database.write([&](Writer& writer) {
      for (auto& [key, reads] : graph) {
        writer.set<Reads>(key, reads);
      }
    });
  }

  Gate gate;
  Database database{Services{}.add(gate)};
  EventLog log{database};
};

TEST_F(Cycles, OfOneMember) {
  set_reads({{1, {1}}, {2, {1}}});
  EXPECT_EQ(value(1), -1);
  EXPECT_EQ(value(2), 0) << "who reads a member is no member";
}

TEST_F(Cycles, OfTwoMembersWhicheverIsAskedFirst) {
  for (const std::vector<int>& order : std::vector<std::vector<int>>{{1, 2, 3}, {2, 1}, {3, 2}}) {
    Database fresh{Services{}.add(gate)};
    fresh.set<Reads>(1, {2});
    fresh.set<Reads>(2, {1});
    fresh.set<Reads>(3, {1, 2});
    for (int key : order) {
      fresh.snapshot().get<Reach>(key);
    }
    EXPECT_EQ(fresh.snapshot().get<Reach>(1), -1);
    EXPECT_EQ(fresh.snapshot().get<Reach>(2), -2);
    EXPECT_EQ(fresh.snapshot().get<Reach>(3), -2);
  }
}

// 1 -> 2 -> 1 and 1 -> 3 -> 2: asked from 1, query 3 meets 2 when that has ended already.
TEST_F(Cycles, MembersThatMeetAnEndedMemberAreFoundToo) {
  const std::vector<int> keys = {1, 2, 3, 4};
  for (const std::vector<int>& order :
       std::vector<std::vector<int>>{{1}, {2}, {3}, {4}, {4, 3, 2, 1}, {2, 3, 1}}) {
    Database fresh{Services{}.add(gate)};
    fresh.set<Reads>(1, {2, 3});
    fresh.set<Reads>(2, {1});
    fresh.set<Reads>(3, {2, 5});
    fresh.set<Reads>(4, {3, 5});
    for (int key : order) {
      fresh.snapshot().get<Reach>(key);
    }
    std::vector<int> values;
    for (int key : keys) {
      values.push_back(fresh.snapshot().get<Reach>(key));
    }
    EXPECT_EQ(values, (std::vector<int>{-1, -2, -3, -1}));
  }
}

TEST_F(Cycles, TwoCyclesInOneAnother) {
  // The inner cycle 2 <-> 3 is complete before the outer one of 4 <-> 1 continues.
  set_reads({{1, {2, 4}}, {4, {1}}, {2, {3}}, {3, {2}}});
  EXPECT_EQ(values_asked_in({1}, {1, 2, 3, 4}), (std::vector<int>{-1, -2, -3, -4}));
}

TEST_F(Cycles, AreMendedAndMadeByEdits) {
  set_reads({{1, {2}}, {2, {3}}, {3, {1}}});
  EXPECT_EQ(value(1), -1);
  set_reads({{3, {}}});
  EXPECT_EQ(values_asked_in({2}, {1, 2, 3}), (std::vector<int>{3, 2, 1}));
  set_reads({{3, {2}}});
  EXPECT_EQ(values_asked_in({3}, {1, 2, 3}), (std::vector<int>{-1, -2, -3}));
}

TEST_F(Cycles, UnrelatedEditKeepsWhoReadsTheCycle) {
  set_reads({{1, {2}}, {2, {1}}, {3, {1}}, {9, {}}});
  EXPECT_EQ(value(3), 0);
  set_reads({{9, {8}}});
  log.take();
  EXPECT_EQ(value(3), 0);
  // The cycle is computed again, its readers are not.
  EXPECT_EQ(log.take(), (Strings{"reach(1)", "reach(2)"}));
}

TEST_F(Cycles, ReaderFoundWhileItIsRevalidated) {
  // At first 1 -> 2 -> 3. Then 3 reads 1, which is being revalidated at that moment.
  set_reads({{1, {2}}, {2, {3}}, {3, {}}});
  EXPECT_EQ(value(1), 3);
  set_reads({{3, {1}}});
  EXPECT_EQ(values_asked_in({1}, {1, 2, 3}), (std::vector<int>{-1, -2, -3}));
}

TEST_F(Cycles, OfManyMembers) {
  constexpr int kSize = 1000;
  std::vector<std::pair<int, std::vector<int>>> graph;
  for (int i = 0; i < kSize; ++i) {
    graph.push_back({i, {(i + 1) % kSize, (i + 7) % kSize}});
  }
  set_reads(graph);
  EXPECT_EQ(value(500), -500);
  EXPECT_EQ(value(0), 0);
  EXPECT_EQ(value(999), -999);
}

// --- Cycles without `on_cycle`. ---

struct Endless {
  static constexpr std::string_view kName = "endless";
  using Key = int;
  using Value = int;
  static auto compute(Context& context, const Key& key) -> Value {
    int sum = 1;
    for (int read : context.get<Reads>(key)) {
      sum += context.get<Endless>(read);
    }
    return sum;
  }
};

TEST(CycleWithoutRecovery, IsAFailedCheckThatNamesIt) {
  Database database;
  database.set<Reads>(1, {2});
  database.set<Reads>(2, {3});
  database.set<Reads>(3, {2});
  const CheckHandler previous =
      set_check_handler([](const char*, int, const char*, const char* message) {
        throw std::runtime_error(message);
      });
  try {
    database.snapshot().get<Endless>(1);
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "query cycle without `on_cycle`: endless(2) -> endless(3) -> "
                 "endless(2)");
  }
  set_check_handler(previous);
  database.set<Reads>(3, {});
  EXPECT_EQ(database.snapshot().get<Endless>(1), 3);
}

// --- Cycles across threads. ---

/// Asks for `roots` on one thread each; all threads have begun before one continues.
auto ask_together(Database& database, Gate& gate, const std::vector<int>& roots)
    -> std::vector<int> {
  std::barrier meeting(static_cast<ptrdiff_t>(roots.size()));
  std::vector<std::unique_ptr<std::atomic<bool>>> first;
  std::map<int, size_t> index;
  for (int root : roots) {
    index[root] = first.size();
    first.push_back(std::make_unique<std::atomic<bool>>(true));
  }
  gate.pass = [&](int key) {
    const auto it = index.find(key);
    if (it != index.end() && first[it->second]->exchange(false)) {
      meeting.arrive_and_wait();
    }
  };
  std::vector<std::future<int>> answers;
  const Snapshot snapshot = database.snapshot();
  for (int root : roots) {
    answers.push_back(
        std::async(std::launch::async, [&, root] { return Snapshot(snapshot).get<Reach>(root); }));
  }
  std::vector<int> values;
  for (auto& answer : answers) {
    values.push_back(answer.get());
  }
  gate.pass = [](int) {};
  return values;
}

TEST_F(Cycles, OfTwoMembersEachBegunByAThread) {
  for (int round = 0; round < 50; ++round) {
    set_reads({{1, {2, 10 + round}}, {2, {1}}});
    EXPECT_EQ(ask_together(database, gate, {1, 2}), (std::vector<int>{-1, -2}));
  }
}

TEST_F(Cycles, OfFourMembersEachBegunByAThread) {
  for (int round = 0; round < 50; ++round) {
    set_reads({{1, {2, 3, 10 + round}}, {2, {3, 1}}, {3, {4}}, {4, {2, 1, 5}}, {5, {6}}});
    EXPECT_EQ(ask_together(database, gate, {1, 2, 3, 4}), (std::vector<int>{-1, -2, -3, -4}));
  }
}

TEST_F(Cycles, SharedNodesThatAreNoMembersSurviveGivingWay) {
  for (int round = 0; round < 50; ++round) {
    set_reads({{1, {8, 2}}, {2, {9, 1}}, {8, {10 + round}}, {9, {8}}});
    EXPECT_EQ(ask_together(database, gate, {1, 2}), (std::vector<int>{-1, -2}));
    EXPECT_EQ(value(9), 3);
  }
}

}  // namespace
}  // namespace tacet::query
