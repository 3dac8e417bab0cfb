#include "compiler/he/schedule/search.h"

#include <gtest/gtest.h>

#include <thread>

#include "compiler/he/schedule/check.h"
#include "compiler/he/schedule/lower_bound.h"
#include "compiler/he/schedule/make_circuit.h"
#include "tests/schedule/all_rings.h"
#include "tests/schedule/named_program.h"
#include "tests/schedule/random_case.h"

namespace tacet::schedule {
namespace {

/// What a good layout by hand takes.
struct Expected {
  const char* name;
  uint32_t ring;
  int64_t inputs, rotations, products, plain_products, depth;
  int64_t outputs = 1;
  bool is_summed_by_client = false;
};

class Published : public testing::TestWithParam<Expected> {};

TEST_P(Published, ProgramIsLaidOutAsExpertsDo) {
  const Expected& expected = GetParam();
  array::Program program = named_program(expected.name);
  program.is_summed_by_client = expected.is_summed_by_client;
  Result<SearchResult> found = search(program, in_all_rings());
  ASSERT_TRUE(found.has_value()) << found.error().message;
  const Counts& counts = found->best.counts;
  EXPECT_EQ(2 * found->best.schedule.n_columns, expected.ring);
  EXPECT_EQ(counts.input_ciphers, expected.inputs);
  EXPECT_EQ(counts.output_ciphers, expected.outputs);
  EXPECT_EQ(counts.rotations, expected.rotations);
  EXPECT_EQ(counts.products, expected.products);
  EXPECT_EQ(counts.plain_products, expected.plain_products);
  EXPECT_EQ(counts.depth, expected.depth);
  Result<circuit::Circuit> circuit = make_circuit(program, found->best.schedule);
  ASSERT_TRUE(circuit.has_value()) << circuit.error().message;
  EXPECT_EQ(count(*circuit), counts);
}

INSTANTIATE_TEST_SUITE_P(Search, Published,
                         testing::Values(Expected{"distance_64", 4096, 1, 6, 1, 0, 1},
                                         Expected{"conv_siso", 4096, 1, 4, 0, 3, 0},
                                         Expected{"conv_simo", 4096, 1, 8, 0, 9, 0},
                                         Expected{"double_matmul", 4096, 1, 8, 0, 2, 0},
                                         Expected{"retrieval_256", 16384, 3, 11, 5, 0, 5},
                                         Expected{"retrieval_1024", 16384, 3, 14, 6, 0, 6},
                                         Expected{"set_union_16", 16384, 4, 10, 8, 0, 8},
                                         Expected{"set_union_128", 32768, 10, 15, 16, 0, 12}),
                         [](const auto& test) { return std::string(test.param.name); });

/// The same where the client adds up what it decrypts.
INSTANTIATE_TEST_SUITE_P(SearchWithSumsByTheClient, Published,
                         testing::Values(Expected{"distance_64", 4096, 1, 0, 1, 0, 1, 1, true},
                                         Expected{"conv_siso", 4096, 1, 2, 0, 3, 0, 1, true},
                                         Expected{"conv_simo", 4096, 1, 2, 0, 12, 0, 4, true},
                                         Expected{"double_matmul", 4096, 1, 4, 0, 2, 0, 1, true},
                                         Expected{"retrieval_256", 16384, 3, 3, 5, 0, 5, 1, true},
                                         Expected{"retrieval_1024", 16384, 3, 4, 6, 0, 6, 1, true},
                                         Expected{"set_union_16", 16384, 4, 6, 8, 0, 8, 1, true},
                                         Expected{"set_union_128", 32768, 10, 8, 16, 0, 12, 1,
                                                  true}),
                         [](const auto& test) { return std::string(test.param.name); });

/// Runs bodies on threads that begin in any order.
class ThreadPerBody final : public Executor {
 public:
  void for_each(size_t n, const std::function<void(size_t)>& body) override {
    std::vector<std::thread> threads;
    constexpr size_t kThreads = 4;
    for (size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (size_t i = n - std::min(n, t + 1) + 1; i > 0 && n - i >= t;
             i -= std::min(i, kThreads)) {
          body(i - 1);
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
};

TEST(Search, GivesTheSameOnAnyNumberOfThreads) {
  array::Program program = named_program("set_union_16");
  Result<SearchResult> alone = search(program, in_all_rings());
  ThreadPerBody executor;
  SearchOptions options = in_all_rings();
  options.executor = &executor;
  Result<SearchResult> together = search(program, options);
  ASSERT_TRUE(alone.has_value() && together.has_value());
  EXPECT_EQ(alone->best.schedule, together->best.schedule);
  EXPECT_EQ(alone->n_evaluated, together->n_evaluated);
  ASSERT_EQ(alone->pareto.size(), together->pareto.size());
  for (size_t i = 0; i < alone->pareto.size(); ++i) {
    EXPECT_EQ(alone->pareto[i].schedule, together->pareto[i].schedule);
  }
}

TEST(Search, KeepsWhatIsBetterInSomeCount) {
  Result<SearchResult> found = search(named_program("retrieval_1024"), in_all_rings());
  ASSERT_TRUE(found.has_value());
  EXPECT_GT(found->pareto.size(), 1U);
  EXPECT_EQ(found->pareto.front().schedule, found->best.schedule);
  for (const Candidate& a : found->pareto) {
    EXPECT_GE(a.time, found->best.time);
    for (const Candidate& b : found->pareto) {
      const bool fits = n_columns_of(a.schedule) <= n_columns_of(b.schedule);
      EXPECT_EQ(fits && dominates(a.counts, b.counts), &a == &b);
    }
  }
}

/// Neither sum fits in a vector, and both are of the same elements: split alike, they share inputs.
TEST(Search, SplitsSumsOfTheSameElementsAlike) {
  const array::Program program = named_program("spread_million");
  Result<SearchResult> found = search(program, in_all_rings());
  ASSERT_TRUE(found.has_value()) << found.error().message;
  EXPECT_LE(found->best.counts.input_ciphers, 256);
  EXPECT_LT(found->n_evaluated, 20'000U);
}

TEST(Search, CanBeCancelled) {
  array::Program program = named_program("distance_64");
  SearchOptions options = in_all_rings();
  options.cancellation.cancel();
  EXPECT_EQ(search(program, options).error().message, "the search for a schedule was cancelled");
}

TEST(Search, LooksForNothingThatTakesLonger) {
  array::Program program = named_program("retrieval_256");
  SearchOptions options = in_all_rings();
  Result<SearchResult> found = search(program, options);
  ASSERT_TRUE(found.has_value());
  options.most_time = found->best.time;
  Result<SearchResult> again = search(program, options);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->best.schedule, found->best.schedule);
  EXPECT_LE(again->n_evaluated, found->n_evaluated);
  options.most_time = found->best.time / 2;
  EXPECT_FALSE(search(program, options));
}

TEST(Search, SaysThatNoRingIsDeepEnough) {
  array::Program program = named_program("retrieval_256");
  SearchOptions options;
  options.rings = {all_rings().front()};
  EXPECT_EQ(search(program, options).error().message,
            "no schedule was found: no ring has both enough slots and enough depth");
}

/// The bound of a schedule is at most the time of each that steps lead to. Counts these.
auto n_above_bound(const Subject& subject, const LowerBound& bound,
                   const std::vector<RingCost>& rings, RandomNumbers& random) -> size_t {
  size_t n_compared = 0;
  std::vector<double> bounds;
  StatementSchedule schedule = start_schedules(subject, 0).front();
  while (true) {
    bounds.push_back(bound.of(schedule, rings));
    Schedule whole{static_cast<uint32_t>(subject.most_columns), {schedule}};
    if (Result<circuit::Circuit> circuit = make_circuit(subject.program, whole)) {
      ++n_compared;
      double time = time_of(count(*circuit), rings.front());
      for (double each : bounds) {
        EXPECT_LE(each, time);
      }
    }
    std::vector<StatementSchedule> next = neighbours(subject, schedule);
    if (next.empty()) {
      return n_compared;
    }
    schedule = next[random() % next.size()];
  }
}

TEST(LowerBound, IsBelowAllThatFollows) {
  const std::vector<RingCost> all = all_rings();
  size_t n_compared = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomNumbers random(seed);
    array::Program program = random_program(random);
    program.statements.resize(1);
    // Of some depth; published ones allow any.
    std::vector<RingCost> rings{seed % 2 == 0 ? published_rings().back()
                                              : all[seed / 2 % all.size()]};
    rings[0].n_columns = 64;
    Subject subject{program, 0, dims_together(program.statements[0]), 64, AxisOrder::OnlyOutermost,
                    0};
    LowerBound bound(program, 0, cipher_arrays(program));
    n_compared += n_above_bound(subject, bound, rings, random);
  }
  EXPECT_GT(n_compared, 900U);
}

}  // namespace
}  // namespace tacet::schedule
