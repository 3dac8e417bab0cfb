// What the query engine itself costs: a read, a revalidation, a first run, a memo's memory.
// The queries do next to nothing. Items have an input each and a chain of five queries above
// it; one query sums the ends of all chains, as the diagnostics of a file do.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include "compiler/core/query/database.h"

namespace tacet::query {
namespace {

constexpr int kStages = 5;

struct ItemCount {
  static constexpr std::string_view kName = "item_count";
  using Key = Unit;
  using Value = int;
};

struct ItemInput {
  static constexpr std::string_view kName = "item_input";
  using Key = int;
  using Value = int;
};

template <int kStage>
struct Stage {
  static constexpr std::string_view kName = "stage";
  using Key = int;
  using Value = int;
  static auto compute(Context& context, const Key& item) -> Value {
    return context.get<Stage<kStage - 1>>(item) + 1;
  }
};

/// Reads the item and something that all items share, as names and types do.
template <>
struct Stage<1> {
  static constexpr std::string_view kName = "first_stage";
  using Key = int;
  using Value = int;
  static auto compute(Context& context, const Key& item) -> Value {
    return context.get<ItemInput>(item) + context.get<ItemCount>({});
  }
};

struct Total {
  static constexpr std::string_view kName = "total";
  using Key = Unit;
  using Value = int64_t;
  static auto compute(Context& context, const Key&) -> Value {
    int64_t total = 0;
    const int n_items = context.get<ItemCount>({});
    for (int item = 0; item < n_items; ++item) {
      total += context.get<Stage<kStages>>(item);
    }
    return total;
  }
};

auto total(Database& database) -> int64_t {
  return database.snapshot().get<Total>({});
}

auto make_database(int n_items) -> std::unique_ptr<Database> {
  auto database = std::make_unique<Database>();
  database->write([&](Writer& writer) {
    writer.set<ItemCount>({}, n_items, Durability::Medium);
    for (int item = 0; item < n_items; ++item) {
      writer.set<ItemInput>(item, item);
    }
  });
  return database;
}

void read_warm(benchmark::State& state) {
  const auto n_items = static_cast<int>(state.range(0));
  const auto database = make_database(n_items);
  total(*database);
  database->snapshot().run([&](Context& context) {
    int item = 0;
    for (auto _ : state) {
      benchmark::DoNotOptimize(context.get<Stage<kStages>>(item));
      item = (item + 7919) % n_items;
    }
  });
}
BENCHMARK(read_warm)->Arg(1'000)->Arg(100'000);

/// Times `step(database, edit, n_items)` for edit = 1, 2 …; everything is computed before.
template <class Step>
void time_edits(benchmark::State& state, Step step) {
  const auto n_items = static_cast<int>(state.range(0)) / kStages;
  const auto database = make_database(n_items);
  total(*database);
  int edit = 0;
  for (auto _ : state) {
    step(*database, ++edit, n_items);
  }
}

void count_memos(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * (state.range(0) / kStages) * kStages);
}

/// From an edit of one item to the new total; the argument counts the memos below it.
void revalidate_after_edit(benchmark::State& state) {
  time_edits(state, [](Database& database, int edit, int n_items) {
    database.set<ItemInput>(edit % n_items, -edit);
    benchmark::DoNotOptimize(total(database));
  });
  count_memos(state);
}
BENCHMARK(revalidate_after_edit)->Arg(2'000)->Arg(500'000)->Unit(benchmark::kMicrosecond);

/// The same where the edit changes nothing for the total: no query runs after the first.
void revalidate_without_change(benchmark::State& state) {
  time_edits(state, [](Database& database, int edit, int /*n_items*/) {
    database.set<ItemInput>(-1, 2 * edit);
    database.set<ItemInput>(-1, 2 * edit + 1);
    benchmark::DoNotOptimize(total(database));
  });
  count_memos(state);
}
BENCHMARK(revalidate_without_change)->Arg(2'000)->Arg(500'000)->Unit(benchmark::kMicrosecond);

/// One item is edited and queried among many others, which are unchanged.
void ask_for_edited_item(benchmark::State& state) {
  time_edits(state, [](Database& database, int edit, int n_items) {
    database.set<ItemInput>(edit % n_items, -edit);
    benchmark::DoNotOptimize(database.snapshot().get<Stage<kStages>>(edit % n_items));
  });
}
BENCHMARK(ask_for_edited_item)->Arg(500'000)->Unit(benchmark::kMicrosecond);

void run_first_time(benchmark::State& state) {
  const auto n_items = static_cast<int>(state.range(0)) / kStages;
  for (auto _ : state) {
    state.PauseTiming();
    auto database = make_database(n_items);
    const size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    state.ResumeTiming();
    benchmark::DoNotOptimize(total(*database));
    state.PauseTiming();
    const size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    state.counters["bytes/memo"] =
        static_cast<double>(after - before) / static_cast<double>(state.range(0));
    database.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * n_items * kStages);
}
BENCHMARK(run_first_time)->Arg(500'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacet::query
