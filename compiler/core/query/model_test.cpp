// Random graphs of queries under random edits, against a model that computes everything
// anew each time.

#include <gtest/gtest.h>

#include <future>
#include <random>
#include <set>

#include "compiler/core/query/event_log.h"

namespace tacet::query {
namespace {

using Random = std::mt19937;

auto below(Random& random, int end) -> int {
  return static_cast<int>(random() % static_cast<unsigned>(end));
}

/// What a node does: sums `salt` and the values of `reads`, modulo a small number so
/// that results often come out equal. A node may stop early, at a value that says so.
struct Spec {
  int salt = 0;
  bool stops_early = false;
  std::vector<int> reads;
  friend auto operator==(const Spec&, const Spec&) -> bool = default;
};

constexpr int kModulus = 5;
constexpr int kStop = 3;

template <class Get>
auto evaluate(const Spec& spec, const Get& get) -> int {
  int sum = spec.salt;
  for (int read : spec.reads) {
    const int value = get(read);
    sum += value;
    if (spec.stops_early && value == kStop) {
      break;
    }
  }
  return sum % kModulus;
}

struct SpecOf {
  static constexpr std::string_view kName = "spec";
  using Key = int;
  using Value = Spec;
};

/// For each node what its last execution saw; only for one thread.
struct LastSeen {
  bool is_on = false;
  std::map<int, std::vector<int>> seen;
};

struct NodeValue {
  static constexpr std::string_view kName = "value";
  using Key = int;
  using Value = int;
  static auto compute(Context& context, const Key& key) -> Value {
    const Spec& spec = context.get<SpecOf>(key);
    std::vector<int> seen = spec.reads;
    seen.push_back(spec.salt);
    seen.push_back(spec.stops_early ? 1 : 0);
    const int value = evaluate(spec, [&](int read) {
      seen.push_back(context.get<NodeValue>(read));
      return seen.back();
    });
    auto& last = context.service<LastSeen>();
    if (last.is_on) {
      EXPECT_NE(last.seen[key], seen) << "node " << key << " ran though it saw nothing new";
      last.seen[key] = seen;
    }
    return value;
  }
  static auto on_cycle(Context&, const Key& key) -> Value { return 1000 + key; }
};

struct BoundedValue {
  static constexpr std::string_view kName = "bounded_value";
  static constexpr bool kEvictable = true;
  using Key = int;
  using Value = int;
  static auto compute(Context& context, const Key& key) -> Value {
    return evaluate(context.get<SpecOf>(key),
                    [&](int read) { return context.get<BoundedValue>(read); });
  }
  static auto on_cycle(Context&, const Key& key) -> Value { return 1000 + key; }
};

/// The same in a graph without cycles.
struct PlainValue {
  static constexpr std::string_view kName = "plain_value";
  using Key = int;
  using Value = int;
  static auto compute(Context& context, const Key& key) -> Value {
    return evaluate(context.get<SpecOf>(key),
                    [&](int read) { return context.get<PlainValue>(read); });
  }
};

/// Sums up as `PlainValue` does, with flat queries and others below.
struct FlatPlainValue {
  static constexpr std::string_view kName = "flat_plain_value";
  static constexpr bool kFlat = true;
  using Key = int;
  using Value = int;
  static auto compute(Context& context, const Key& key) -> Value {
    return evaluate(context.get<SpecOf>(key), [&](int read) {
      return read % 3 == 0 ? context.get<FlatPlainValue>(read) : context.get<PlainValue>(read);
    });
  }
};

/// Sums up as `NodeValue` does, from values that are those of `NodeValue`.
struct FlatValue {
  static constexpr std::string_view kName = "flat_value";
  static constexpr bool kFlat = true;
  using Key = int;
  using Value = int;
  static auto compute(Context& context, const Key& key) -> Value {
    return evaluate(context.get<SpecOf>(key),
                    [&](int read) { return context.get<NodeValue>(read); });
  }
};

/// The values of all nodes of a graph by definition: members of cycles have their cycle
/// value, the others what their spec says. With cycles nobody may stop early.
class Model {
 public:
  explicit Model(const std::vector<Spec>& specs)
      : specs_(specs), reaches_(specs.size(), std::vector<bool>(specs.size())) {
    for (size_t from = 0; from < specs.size(); ++from) {
      reach(from, from);
    }
    for (size_t node = 0; node < specs.size(); ++node) {
      values_.push_back(value_of(static_cast<int>(node)));
    }
  }

  [[nodiscard]] auto values() const -> const std::vector<int>& { return values_; }

 private:
  void reach(size_t from, size_t node) {
    for (int read : specs_[node].reads) {
      const auto target = static_cast<size_t>(read);
      if (!reaches_[from][target]) {
        reaches_[from][target] = true;
        reach(from, target);
      }
    }
  }

  auto value_of(int node) -> int {
    const auto index = static_cast<size_t>(node);
    if (index < values_.size()) {
      return values_[index];
    }
    if (reaches_[index][index]) {
      return 1000 + node;
    }
    return evaluate(specs_[index], [&](int read) { return value_of(read); });
  }

  const std::vector<Spec>& specs_;
  std::vector<std::vector<bool>> reaches_;
  std::vector<int> values_;
};

enum class Shape : uint8_t { Acyclic, Any };

auto random_spec(Random& random, Shape shape, int node, int n_nodes) -> Spec {
  Spec spec;
  spec.salt = below(random, kModulus);
  spec.stops_early = shape == Shape::Acyclic && below(random, 2) == 0;
  const int range = shape == Shape::Acyclic ? node : n_nodes;
  const int n_reads = range == 0 ? 0 : below(random, shape == Shape::Acyclic ? 5 : 3);
  for (int i = 0; i < n_reads; ++i) {
    spec.reads.push_back(below(random, range));
  }
  return spec;
}

/// A database beside the specs that were set in it.
struct World {
  World(Shape the_shape, int n_nodes, unsigned seed)
      : shape(the_shape), random(seed), specs(static_cast<size_t>(n_nodes)) {
    database.write([&](Writer& writer) {
      for (int node = 0; node < n_nodes; ++node) {
        set(writer, node);
      }
    });
  }

  [[nodiscard]] auto size() const -> int { return static_cast<int>(specs.size()); }

  void set(Writer& writer, int node) {
    const Spec spec = random_spec(random, shape, node, size());
    specs[static_cast<size_t>(node)] = spec;
    writer.set<SpecOf>(node, spec, static_cast<Durability>(below(random, 3)));
  }

  void edit() {
    std::set<int> edited;
    for (int i = below(random, 3); i >= 0; --i) {
      edited.insert(below(random, size()));
    }
    database.write([&](Writer& writer) {
      for (int node : edited) {
        set(writer, node);
      }
    });
  }

  Shape shape;
  Random random;
  LastSeen last_seen;
  std::vector<Spec> specs;
  Database database{Services{}.add(last_seen)};
};

template <Query Q>
void check_some(World& world, int n_asked) {
  const Model model(world.specs);
  const Snapshot snapshot = world.database.snapshot();
  for (int i = 0; i < n_asked; ++i) {
    const int node = below(world.random, world.size());
    ASSERT_EQ(snapshot.get<Q>(node), model.values()[static_cast<size_t>(node)]) << "node " << node;
  }
}

class RandomGraph : public testing::TestWithParam<unsigned> {};

TEST_P(RandomGraph, AcyclicEqualsTheModel) {
  World world(Shape::Acyclic, 40, GetParam());
  for (int step = 0; step < 150; ++step) {
    check_some<NodeValue>(world, 1 + below(world.random, 10));
    world.edit();
  }
}

TEST_P(RandomGraph, WithCyclesEqualsTheModel) {
  World world(Shape::Any, 24, GetParam());
  for (int step = 0; step < 150; ++step) {
    check_some<NodeValue>(world, 1 + below(world.random, 10));
    world.edit();
  }
}

TEST_P(RandomGraph, WithEvictionEqualsTheModel) {
  for (const Shape shape : {Shape::Acyclic, Shape::Any}) {
    World world(shape, 24, GetParam());
    world.database.set_capacity<BoundedValue>(6);
    for (int step = 0; step < 150; ++step) {
      check_some<BoundedValue>(world, 1 + below(world.random, 10));
      if (below(world.random, 20) == 0) {
        world.database.forget_unused(3);
      }
      world.edit();
    }
  }
}

/// Asks some values of `Q`, which sums up the values of the model.
template <Query Q>
void check_sums(World& world, int n_asked) {
  const Model model(world.specs);
  const Snapshot snapshot = world.database.snapshot();
  for (int i = 0; i < n_asked; ++i) {
    const int node = below(world.random, world.size());
    const int sum = evaluate(world.specs[static_cast<size_t>(node)],
                             [&](int read) { return model.values()[static_cast<size_t>(read)]; });
    ASSERT_EQ(snapshot.get<Q>(node), sum) << "node " << node;
  }
}

TEST_P(RandomGraph, FlatQueriesEqualTheModel) {
  World world(Shape::Acyclic, 40, GetParam());
  for (int step = 0; step < 400; ++step) {
    check_sums<FlatPlainValue>(world, below(world.random, 20));
    if (below(world.random, 4) == 0) {
      check_some<PlainValue>(world, 3);
    }
    if (below(world.random, 40) == 0) {
      world.database.forget_unused(3);
    }
    world.edit();
  }
}

TEST_P(RandomGraph, FlatQueriesAboveCyclesEqualTheModel) {
  World world(Shape::Any, 40, GetParam());
  for (int step = 0; step < 200; ++step) {
    check_sums<FlatValue>(world, below(world.random, 20));
    if (below(world.random, 4) == 0) {
      check_some<NodeValue>(world, 3);
    }
    world.edit();
  }
}

TEST_P(RandomGraph, NothingRunsWithoutNeed) {
  World world(Shape::Acyclic, 40, GetParam());
  world.last_seen.is_on = true;
  EventLog log(world.database);
  for (int step = 0; step < 100; ++step) {
    const Model model(world.specs);
    for (int node = 0; node < world.size(); ++node) {
      ASSERT_EQ(world.database.snapshot().get<NodeValue>(node),
                model.values()[static_cast<size_t>(node)]);
    }
    log.take();
    world.database.snapshot().get<NodeValue>(world.size() - 1);
    EXPECT_TRUE(log.take().empty());
    world.edit();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraph, testing::Range(0U, 12U));

// --- Many threads. ---

/// Reads on until `stop`: in each run all specs, to compute the model, and some values.
void read_and_compare(Database& database, int n_nodes, unsigned seed, const std::atomic<bool>& stop,
                      std::atomic<int>& n_compared) {
  Random random(seed);
  while (!stop.load()) {
    try {
      database.snapshot().run([&](Context& context) {
        std::vector<std::pair<int, int>> answers;
        std::vector<std::pair<int, int>> flat;
        for (int i = 0; i < 8; ++i) {
          const int node = below(random, n_nodes);
          answers.emplace_back(node, context.get<NodeValue>(node));
          ASSERT_EQ(context.get<BoundedValue>(node), answers.back().second);
          flat.emplace_back(node, context.get<FlatValue>(node));
        }
        std::vector<Spec> specs;
        for (int node = 0; node < n_nodes; ++node) {
          specs.push_back(context.get<SpecOf>(node));
        }
        const Model model(specs);
        for (const auto& [node, value] : answers) {
          ASSERT_EQ(value, model.values()[static_cast<size_t>(node)]);
        }
        for (const auto& [node, value] : flat) {
          ASSERT_EQ(value, evaluate(specs[static_cast<size_t>(node)], [&](int read) {
                      return model.values()[static_cast<size_t>(read)];
                    }));
        }
        n_compared.fetch_add(1);
        n_compared.notify_all();
      });
    } catch (const Cancelled&) {
    }
  }
}

class ReadersAndWriter : public testing::TestWithParam<Shape> {};

TEST_P(ReadersAndWriter, SeeOneRevisionEach) {
  constexpr int kNodes = 24;
  World world(GetParam(), kNodes, 1);
  world.database.set_capacity<BoundedValue>(8);
  std::atomic<bool> stop = false;
  std::atomic<int> n_compared = 0;
  std::vector<std::future<void>> readers;
  for (unsigned seed = 0; seed < 4; ++seed) {
    readers.push_back(std::async(std::launch::async, [&, seed] {
      read_and_compare(world.database, kNodes, seed, stop, n_compared);
    }));
  }
  for (int step = 0; step < 120; ++step) {
    const int goal = n_compared.load() + 4;
    world.edit();
    // Most edits interrupt readers, some let them come to an end.
    for (int n = n_compared.load(); step % 4 == 0 && n < goal; n = n_compared.load()) {
      n_compared.wait(n);
    }
  }
  stop = true;
  for (auto& reader : readers) {
    reader.get();
  }
  EXPECT_GE(n_compared.load(), 120);
}

INSTANTIATE_TEST_SUITE_P(Shapes, ReadersAndWriter, testing::Values(Shape::Acyclic, Shape::Any));

TEST(Readers, AskingForTheSameRunItOnce) {
  constexpr int kNodes = 300;
  World world(Shape::Acyclic, kNodes, 5);
  EventLog log(world.database);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::future<void>> readers;
    for (unsigned seed = 0; seed < 4; ++seed) {
      readers.push_back(std::async(std::launch::async, [&, seed] {
        Random random(seed);
        const Snapshot snapshot = world.database.snapshot();
        for (int i = 0; i < 1000; ++i) {
          snapshot.get<NodeValue>(below(random, kNodes));
        }
      }));
    }
    for (auto& reader : readers) {
      reader.get();
    }
    std::vector<std::string> ran = log.take();
    std::sort(ran.begin(), ran.end());
    EXPECT_EQ(std::adjacent_find(ran.begin(), ran.end()), ran.end());
    world.edit();
  }
}

}  // namespace
}  // namespace tacet::query
