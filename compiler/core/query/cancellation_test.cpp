#include <gtest/gtest.h>

#include <future>

#include "compiler/core/query/database.h"

namespace tacet::query {
namespace {

struct Number {
  static constexpr std::string_view kName = "number";
  using Key = Unit;
  using Value = int;
};

/// Lets a test see that a query is running.
struct Started {
  std::atomic<int> n = 0;
  void count() {
    n.fetch_add(1);
    n.notify_all();
  }
  void wait_for(int goal) const {
    for (int seen = n.load(); seen < goal; seen = n.load()) {
      n.wait(seen);
    }
  }
};

/// Continues until it is cancelled while the number is negative.
struct Patient {
  static constexpr std::string_view kName = "patient";
  using Key = Unit;
  using Value = int;
  static auto compute(Context& context, const Key&) -> Value {
    const int number = context.get<Number>({});
    context.service<Started>().count();
    while (number < 0) {
      context.check_cancelled();
    }
    return number;
  }
};

struct AsksPatient {
  static constexpr std::string_view kName = "asks_patient";
  using Key = int;
  using Value = int;
  static auto compute(Context& context, const Key& key) -> Value {
    context.service<Started>().count();
    return key + context.get<Patient>({});
  }
};

class Cancellation : public testing::Test {
 protected:
  Cancellation() { database.set<Number>({}, -1); }

  template <Query Q>
  auto ask(const Snapshot& snapshot, KeyOf<Q> key) -> std::future<int> {
    return std::async(std::launch::async,
                      [snapshot, key] { return snapshot.template get<Q>(key); });
  }

  Started started;
  Database database{Services{}.add(started)};
};

TEST_F(Cancellation, WriteSendsTheRunningQueryAway) {
  std::future<int> answer = ask<Patient>(database.snapshot(), {});
  started.wait_for(1);
  database.set<Number>({}, 5);
  EXPECT_THROW(answer.get(), Cancelled);
  EXPECT_EQ(database.snapshot().get<Patient>({}), 5);
}

TEST_F(Cancellation, WriteSendsThoseAwayWhoWait) {
  std::future<int> first = ask<Patient>(database.snapshot(), {});
  started.wait_for(1);
  std::future<int> second = ask<AsksPatient>(database.snapshot(), 10);
  std::future<int> third = ask<AsksPatient>(database.snapshot(), 20);
  started.wait_for(3);
  database.set<Number>({}, 5);
  EXPECT_THROW(first.get(), Cancelled);
  EXPECT_THROW(second.get(), Cancelled);
  EXPECT_THROW(third.get(), Cancelled);
  EXPECT_EQ(database.snapshot().get<AsksPatient>(10), 15);
}

TEST_F(Cancellation, WaitingRequestTakesOverFromOneThatWasGivenUp) {
  const CancellationToken token;
  std::future<int> given_up = ask<Patient>(database.snapshot(token), {});
  started.wait_for(1);
  std::future<int> waiting = ask<AsksPatient>(database.snapshot(), 10);
  started.wait_for(2);
  token.cancel();
  EXPECT_THROW(given_up.get(), Cancelled);
  started.wait_for(3);  // the second request runs the query itself now
  database.set<Number>({}, 5);
  EXPECT_THROW(waiting.get(), Cancelled);
}

TEST_F(Cancellation, IdleSnapshotsDoNotHoldTheWriterBack) {
  const Snapshot held = database.snapshot();
  database.set<Number>({}, 1);
  database.set<Number>({}, 2);
  EXPECT_THROW(held.get<Number>({}), Cancelled);
  EXPECT_EQ(database.snapshot().get<Patient>({}), 2);
}

TEST_F(Cancellation, ReadersGoOnWithTheNextRevision) {
  std::atomic<bool> stop = false;
  std::future<void> reader = std::async(std::launch::async, [&] {
    while (!stop.load()) {
      try {
        database.snapshot().run([](Context& context) {
          const int a = context.get<AsksPatient>(1);
          const int b = context.get<AsksPatient>(2);
          EXPECT_EQ(a + 1, b);
        });
      } catch (const Cancelled&) {
      }
    }
  });
  for (int number = 1; number < 500; ++number) {
    database.set<Number>({}, number);
  }
  stop = true;
  reader.get();
}

}  // namespace
}  // namespace tacet::query
