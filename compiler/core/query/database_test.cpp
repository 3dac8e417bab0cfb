#include "compiler/core/query/database.h"

#include <gtest/gtest.h>

#include <charconv>
#include <stdexcept>

#include "compiler/core/query/event_log.h"

namespace tacet::query {
namespace {

using Strings = std::vector<std::string>;

// A toy language: a file has lines `name = term term …`, where a term is a number or a
// name, and `#` starts a comment. The value of a name is the sum of its terms.

struct Text {
  static constexpr std::string_view kName = "text";
  using Key = std::string;
  using Value = std::shared_ptr<const std::string>;
};

struct Item {
  std::string name;
  Strings terms;
  friend auto operator==(const Item&, const Item&) -> bool = default;
};

struct Items {
  static constexpr std::string_view kName = "items";
  using Key = std::string;
  using Value = std::vector<Item>;
  static auto compute(Context& context, const Key& file) -> Value;
};

auto split(std::string_view text, char separator) -> Strings {
  Strings parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) {
      parts.emplace_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

auto Items::compute(Context& context, const Key& file) -> Value {
  Value items;
  for (const std::string& line : split(*context.get<Text>(file), '\n')) {
    Strings words = split(line.substr(0, line.find('#')), ' ');
    if (words.size() >= 2) {
      items.push_back({words[0], Strings(words.begin() + 2, words.end())});
    }
  }
  return items;
}

struct Files {
  static constexpr std::string_view kName = "files";
  using Key = Unit;
  using Value = Strings;
};

struct Terms {
  static constexpr std::string_view kName = "terms";
  using Key = std::string;
  using Value = Strings;
  static auto compute(Context& context, const Key& name) -> Value {
    for (const std::string& file : context.get<Files>({})) {
      for (const Item& item : context.get<Items>(file)) {
        if (item.name == name) {
          return item.terms;
        }
      }
    }
    return {};
  }
};

struct Sum {
  static constexpr std::string_view kName = "sum";
  using Key = std::string;
  using Value = int;
  static auto compute(Context& context, const Key& name) -> Value {
    int sum = 0;
    for (const std::string& term : context.get<Terms>(name)) {
      int number = 0;
      const auto result = std::from_chars(term.data(), term.data() + term.size(), number);
      sum += result.ec == std::errc{} ? number : context.get<Sum>(term);
    }
    return sum;
  }
};

auto text(std::string content) -> std::shared_ptr<const std::string> {
  return std::make_shared<const std::string>(std::move(content));
}

class ToyLanguage : public testing::Test {
 protected:
  ToyLanguage() {
    database.set<Files>({}, {"lib", "main"}, Durability::Medium);
    database.set<Text>("lib", text("unit = 1\nten = 10\n"), Durability::High);
    database.set<Text>("main", text("a = unit b\nb = 5\nc = b\n"));
  }

  auto sum(const std::string& name) -> int { return database.snapshot().get<Sum>(name); }

  Database database;
  EventLog log{database};
};

TEST_F(ToyLanguage, ComputesOnceAndRemembers) {
  EXPECT_EQ(sum("a"), 6);
  EXPECT_EQ(log.take(), (Strings{"sum(a)", "terms(a)", "items(lib)", "items(main)", "sum(unit)",
                                 "terms(unit)", "sum(b)", "terms(b)"}));
  EXPECT_EQ(sum("a"), 6);
  EXPECT_EQ(sum("b"), 5);
  EXPECT_EQ(log.take(), Strings{});
}

TEST_F(ToyLanguage, CommentRunsTheParserAlone) {
  sum("a");
  log.take();
  database.set<Text>("main", text("a = unit b # why\nb = 5\nc = b\n"));
  EXPECT_EQ(sum("a"), 6);
  EXPECT_EQ(log.take(), Strings{"items(main)"});
}

TEST_F(ToyLanguage, EditRunsWhatReadsTheChange) {
  sum("a");
  sum("c");
  log.take();
  database.set<Text>("main", text("a = unit b\nb = 7\nc = b\n"));
  EXPECT_EQ(sum("a"), 8);
  EXPECT_EQ(log.take(), (Strings{"items(main)", "terms(a)", "terms(b)", "sum(b)", "sum(a)"}));
  EXPECT_EQ(sum("c"), 7);
  EXPECT_EQ(log.take(), (Strings{"terms(c)", "sum(c)"}));
}

TEST_F(ToyLanguage, EqualResultStopsTheWave) {
  sum("a");
  log.take();
  database.set<Text>("main", text("a = unit b\nb = 2 3\nc = b\n"));
  EXPECT_EQ(sum("a"), 6);
  EXPECT_EQ(log.take(), (Strings{"items(main)", "terms(a)", "terms(b)", "sum(b)"}));
}

TEST_F(ToyLanguage, NothingUnaskedRuns) {
  sum("b");
  log.take();
  database.set<Text>("main", text("a = unit b\nb = 9\nc = b\n"));
  EXPECT_EQ(log.take(), Strings{});
}

TEST_F(ToyLanguage, ChangedReadsAreFollowed) {
  sum("c");
  database.set<Text>("main", text("a = unit b\nb = 5\nc = ten\n"));
  EXPECT_EQ(sum("c"), 10);
  log.take();
  // `c` does not depend on `b` any more.
  database.set<Text>("main", text("a = unit b\nb = 6\nc = ten\n"));
  EXPECT_EQ(sum("c"), 10);
  EXPECT_EQ(log.take(), (Strings{"items(main)", "terms(c)"}));
}

TEST_F(ToyLanguage, SettingAnEqualValueIsNoChange) {
  const Snapshot snapshot = database.snapshot();
  const Revision revision = database.revision();
  database.set<Text>("main", text("a = unit b\nb = 5\nc = b\n"));
  EXPECT_EQ(database.revision(), revision);
  EXPECT_EQ(snapshot.get<Sum>("a"), 6);
}

TEST_F(ToyLanguage, OneWriteMakesOneRevision) {
  sum("a");
  const Revision revision = database.revision();
  database.write([&](Writer& writer) {
    writer.set<Text>("main", text("a = far\n"));
    writer.set<Text>("other", text("far = 4\n"));
    writer.set<Files>({}, {"lib", "main", "other"}, Durability::Medium);
  });
  EXPECT_EQ(database.revision(), revision + 1);
  EXPECT_EQ(sum("a"), 4);
}

// --- Flat queries. ---

struct Total {
  static constexpr std::string_view kName = "total";
  static constexpr bool kFlat = true;
  using Key = Unit;
  using Value = int;
  static auto compute(Context& context, const Key&) -> Value {
    return context.get<Sum>("a") + context.get<Sum>("c");
  }
};

TEST_F(ToyLanguage, FlatMemosLookWhereChangesStop) {
  const auto total_of = [&](const char* main) {
    database.set<Text>("main", text(main));
    log.take();
    return database.snapshot().get<Total>({});
  };
  EXPECT_EQ(database.snapshot().get<Total>({}), 11);
  EXPECT_EQ(total_of("a = unit b\nb = 5\nc = b\n# more\n"), 11);
  // It has been seen that comments change no items; what is durable is one step.
  EXPECT_EQ(total_of("a = unit b\nb = 5\nc = b\n# and more\n"), 11);
  EXPECT_EQ(log.take(EventKind::Unchanged), (Strings{"sum(unit)", "total()"}));
  // Items change; that of these terms do not is seen only now.
  EXPECT_EQ(total_of("a = unit b\nb = 5\nc = b\nd = 1\n"), 11);
  EXPECT_EQ(total_of("a = unit b\nb = 5\nc = b\nd = 2\n"), 11);
  EXPECT_EQ(log.take(EventKind::Unchanged), (Strings{"items(lib)", "sum(unit)", "total()"}));
  EXPECT_EQ(total_of("a = unit b\nb = 5\nc = b\nd = 3\n"), 11);
  EXPECT_EQ(log.take(), (Strings{"items(main)", "terms(a)", "terms(b)", "terms(c)"}));
  EXPECT_EQ(total_of("a = unit b\nb = 6\nc = b\nd = 3\n"), 13);
  EXPECT_EQ(total_of("a = ten b\nb = 6\nc = b\nd = 3\n"), 22);
}

// --- Durability. ---

struct LibrarySize {
  static constexpr std::string_view kName = "library_size";
  using Key = Unit;
  using Value = size_t;
  static auto compute(Context& context, const Key&) -> Value {
    return context.get<Items>("lib").size();
  }
};

TEST_F(ToyLanguage, DurableMemosRevalidateInOneStep) {
  database.snapshot().get<LibrarySize>({});
  database.set<Text>("main", text("b = 1\n"));
  log.take();
  database.snapshot().get<LibrarySize>({});
  // The memo itself and nothing below it.
  EXPECT_EQ(log.take(EventKind::Unchanged), Strings{"library_size()"});

  database.set<Text>("lib", text("unit = 1\nten = 10\n#\n"), Durability::High);
  log.take();
  EXPECT_EQ(database.snapshot().get<LibrarySize>({}), 2U);
  EXPECT_EQ(log.take(), Strings{"items(lib)"});
}

TEST_F(ToyLanguage, LoweredDurabilityIsNoticed) {
  database.snapshot().get<LibrarySize>({});
  const auto same = database.snapshot().get<Text>("lib");
  database.set<Text>("lib", same, Durability::Low);
  log.take();
  EXPECT_EQ(database.snapshot().get<LibrarySize>({}), 2U);
  EXPECT_EQ(log.take(), Strings{});
  database.set<Text>("lib", text("one = 1\n"), Durability::Low);
  EXPECT_EQ(database.snapshot().get<LibrarySize>({}), 1U);
}

// --- Inputs that are not set. ---

struct Overlay {
  static constexpr std::string_view kName = "overlay";
  using Key = int;
  using Value = std::string;
  static auto absent(const Key& key) -> Value { return "none " + std::to_string(key); }
};

struct OverlaySize {
  static constexpr std::string_view kName = "overlay_size";
  using Key = int;
  using Value = size_t;
  static auto compute(Context& context, const Key& key) -> Value {
    return context.get<Overlay>(key).size();
  }
};

TEST(Input, AbsentValueStandsInUntilSetAndAfterRemoval) {
  Database database;
  EventLog log(database);
  EXPECT_EQ(database.snapshot().get<OverlaySize>(7), 6U);
  database.set<Overlay>(7, "text of seven");
  EXPECT_EQ(database.snapshot().get<OverlaySize>(7), 13U);
  database.remove<Overlay>(7);
  EXPECT_EQ(database.snapshot().get<OverlaySize>(7), 6U);
  EXPECT_EQ(log.take().size(), 3U);
  database.set<Overlay>(7, "none 7");
  EXPECT_EQ(database.snapshot().get<OverlaySize>(7), 6U);
  EXPECT_EQ(log.take(), Strings{}) << "set to what `absent` gave";
}

struct CheckFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Turns failed checks of this thread into exceptions while it lives.
class ThrowingChecks {
 public:
  ThrowingChecks()
      : previous_(set_check_handler([](const char*, int, const char*, const char* message) {
          throw CheckFailure(message);
        })) {}
  ~ThrowingChecks() { set_check_handler(previous_); }

 private:
  CheckHandler previous_;
};

TEST_F(ToyLanguage, ReadingAnUnsetInputIsAFailedCheck) {
  const ThrowingChecks checks;
  database.remove<Text>("main");
  try {
    sum("a");
    FAIL();
  } catch (const CheckFailure& failure) {
    EXPECT_STREQ(failure.what(), "input read before it was set: text(main)");
  }
  database.set<Text>("main", text("a = 3\n"));
  EXPECT_EQ(sum("a"), 3);
}

// --- The old value. ---

struct Growth {
  static constexpr std::string_view kName = "growth";
  using Key = Unit;
  struct Value {
    size_t size = 0;
    bool had_previous = false;
    size_t previous_size = 0;
    friend auto operator==(const Value&, const Value&) -> bool = default;
  };
  static auto compute(Context& context, const Key&) -> Value {
    const size_t size = context.get<Text>("main")->size();
    const Value* previous = context.previous<Growth>();
    return {size, previous != nullptr, previous == nullptr ? 0 : previous->size};
  }
};

TEST(Previous, IsTheValueOfTheMemoBeingRecomputed) {
  Database database;
  database.set<Text>("main", text("ab"));
  EXPECT_EQ(database.snapshot().get<Growth>({}), (Growth::Value{2, false, 0}));
  database.set<Text>("main", text("abc"));
  EXPECT_EQ(database.snapshot().get<Growth>({}), (Growth::Value{3, true, 2}));
}

// --- Equality. ---

struct Parity {
  static constexpr std::string_view kName = "parity";
  using Key = Unit;
  using Value = std::unique_ptr<int>;
  static auto equal(const Value& a, const Value& b) -> bool { return *a % 2 == *b % 2; }
  static auto compute(Context& context, const Key&) -> Value {
    return std::make_unique<int>(static_cast<int>(context.get<Text>("main")->size()));
  }
};

struct ParityReader {
  static constexpr std::string_view kName = "parity_reader";
  using Key = Unit;
  using Value = int;
  static auto compute(Context& context, const Key&) -> Value { return *context.get<Parity>({}); }
};

TEST(Equality, TheQueryDecidesAndTheOldValueStays) {
  Database database;
  EventLog log(database);
  database.set<Text>("main", text("abc"));
  EXPECT_EQ(database.snapshot().get<ParityReader>({}), 3);
  log.take();
  database.set<Text>("main", text("abcde"));
  EXPECT_EQ(database.snapshot().get<ParityReader>({}), 3);
  EXPECT_EQ(log.take(), Strings{"parity()"});
}

// --- Services. ---

struct Scaled {
  static constexpr std::string_view kName = "scaled";
  using Key = int;
  using Value = int;
  static auto compute(Context& context, const Key& key) -> Value {
    return key * context.service<const int>();
  }
};

TEST(ServicesTest, AreReachedByType) {
  const int factor = 3;
  Database database(Services{}.add(factor));
  EXPECT_EQ(database.snapshot().get<Scaled>(5), 15);
}

// --- Exceptions and cancellation. ---

struct Fragile {
  static constexpr std::string_view kName = "fragile";
  using Key = Unit;
  using Value = size_t;
  static auto compute(Context& context, const Key&) -> Value {
    const std::string& content = *context.get<Text>("main");
    if (content == "bad") {
      throw std::runtime_error("bad");
    }
    return content.size();
  }
};

TEST(Exceptions, LeaveTheDatabaseUsable) {
  Database database;
  database.set<Text>("main", text("good"));
  EXPECT_EQ(database.snapshot().get<Fragile>({}), 4U);
  database.set<Text>("main", text("bad"));
  EXPECT_THROW(database.snapshot().get<Fragile>({}), std::runtime_error);
  EXPECT_THROW(database.snapshot().get<Fragile>({}), std::runtime_error);
  database.set<Text>("main", text("fine again"));
  EXPECT_EQ(database.snapshot().get<Fragile>({}), 10U);
}

TEST_F(ToyLanguage, StaleSnapshotsThrowAndHoldNothingBack) {
  const Snapshot snapshot = database.snapshot();
  EXPECT_EQ(snapshot.get<Sum>("a"), 6);
  EXPECT_FALSE(snapshot.is_superseded());
  database.set<Text>("main", text("a = 1\n"));
  EXPECT_TRUE(snapshot.is_superseded());
  EXPECT_THROW(snapshot.get<Sum>("a"), Cancelled);
  EXPECT_THROW(snapshot.run([](Context&) {}), Cancelled);
  EXPECT_EQ(sum("a"), 1);
}

TEST_F(ToyLanguage, TokenCancelsItsRequestAlone) {
  const CancellationToken token;
  const Snapshot snapshot = database.snapshot(token);
  token.cancel();
  EXPECT_THROW(snapshot.get<Sum>("a"), Cancelled);
  EXPECT_EQ(sum("a"), 6);
}

TEST_F(ToyLanguage, ReferencesStayGoodDuringARun) {
  database.snapshot().run([](Context& context) {
    const Strings& terms = context.get<Terms>("a");
    const Strings before = terms;
    for (int i = 0; i < 2000; ++i) {
      context.get<Terms>("name" + std::to_string(i));
    }
    EXPECT_EQ(terms, before);
    EXPECT_EQ(&terms, &context.get<Terms>("a"));
  });
}

TEST_F(ToyLanguage, StatisticsCountRuns) {
  sum("b");
  database.set<Text>("main", text("b = 2 3\n"));
  sum("b");
  for (const QueryStatistics& entry : database.statistics()) {
    if (entry.name == "sum") {
      EXPECT_EQ(entry.n_keys, 1U);
      EXPECT_EQ(entry.n_executed, 2U);
    }
    if (entry.name == "items") {
      EXPECT_EQ(entry.n_keys, 2U);
      EXPECT_EQ(entry.n_executed, 3U);
    }
  }
}

}  // namespace
}  // namespace tacet::query
