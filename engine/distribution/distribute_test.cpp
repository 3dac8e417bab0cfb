#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/distribution/check_distribution.h"
#include "engine/distribution/distribution.h"
#include "engine/distribution/text.h"

namespace tacet::engine::distribution {
namespace {

auto node(double microseconds, uint32_t a = kNone, uint32_t b = kNone) -> WorkNode {
  return {.microseconds = microseconds, .bytes = 1000, .operands = {a, b}, .text = "op"};
}

auto input() -> WorkNode {
  return {.bytes = 500, .is_input = true, .text = "input"};
}

auto count(const WorkGraph& graph) -> uint32_t {
  return static_cast<uint32_t>(graph.nodes.size());
}

/// Blocks of a chain each, on an input of their own.
auto blocks(size_t n, size_t length) -> WorkGraph {
  WorkGraph graph;
  for (size_t block = 0; block < n; ++block) {
    graph.nodes.push_back(input());
    for (size_t i = 0; i < length; ++i) {
      graph.nodes.push_back(node(1000, count(graph) - 1));
    }
    graph.outputs.push_back(count(graph) - 1);
  }
  return graph;
}

void expect_valid(const WorkGraph& graph, const Distribution& distribution) {
  const Status status = check_distribution(graph, distribution);
  ASSERT_TRUE(status) << status.error().message;
}

TEST(Distribute, EqualBlocksGoToAllRanks) {
  const WorkGraph graph = blocks(64, 5);
  for (const uint32_t n_ranks : {1U, 2U, 4U, 8U, 64U}) {
    const Machines machines{.n_ranks = n_ranks};
    const Distribution found = distribute(graph, machines);
    expect_valid(graph, found);
    const Prediction prediction = predict(graph, found, machines);
    EXPECT_LT(prediction.imbalance(), 0.001) << n_ranks;
    // Of a block that is elsewhere: its input and its output.
    EXPECT_EQ(prediction.bytes, 1500 * (64 - 64 / n_ranks)) << n_ranks;
  }
}

TEST(Distribute, MessagesAreWorkOfTheRoot) {
  WorkGraph graph = blocks(64, 5);
  graph.microseconds_per_byte = 0.5;  // 750 us for each block that is elsewhere
  const Machines machines{.n_ranks = 4};
  const Distribution found = distribute(graph, machines);
  expect_valid(graph, found);
  const Prediction prediction = predict(graph, found, machines);
  EXPECT_LT(prediction.imbalance(), 0.08);
  EXPECT_LT(found.shares[0].nodes.size(), 64 + 16 * 5);
  EXPECT_GT(found.shares[0].nodes.size(), 64);
}

TEST(Distribute, BlocksThatDoNotDivideAreCut) {
  const WorkGraph graph = blocks(10, 20);
  const Machines machines{.n_ranks = 4};
  const Distribution found = distribute(graph, machines);
  expect_valid(graph, found);
  EXPECT_LT(predict(graph, found, machines).microseconds, 0.92 * 60'000);
}

TEST(Distribute, ChainStaysAtTheRoot) {
  const WorkGraph graph = blocks(1, 50);
  const Machines machines{.n_ranks = 8};
  const Distribution found = distribute(graph, machines);
  expect_valid(graph, found);
  EXPECT_EQ(predict(graph, found, machines).bytes, 0);
}

TEST(Distribute, SlowLinksKeepWorkAtTheRoot) {
  const WorkGraph graph = blocks(8, 2);
  const Machines machines{.n_ranks = 4, .bytes_per_second = 1e4};
  const Distribution found = distribute(graph, machines);
  expect_valid(graph, found);
  EXPECT_EQ(predict(graph, found, machines).bytes, 0);
}

/// A product with a matrix by diagonals: rotations of one value, and a sum of all.
auto diagonals(uint32_t n) -> WorkGraph {
  WorkGraph graph;
  graph.nodes.push_back(input());
  graph.shared_microseconds = {2000};
  uint32_t sum = kNone;
  for (uint32_t i = 0; i < n; ++i) {
    WorkNode rotation = node(3000, 0);
    rotation.shared = 0;
    rotation.key = i;
    graph.keys.push_back({std::to_string(i), 5000});
    graph.nodes.push_back(rotation);
    graph.nodes.push_back(node(400, count(graph) - 1));
    if (sum != kNone) {
      graph.nodes.push_back(node(25, sum, count(graph) - 1));
    }
    sum = count(graph) - 1;
  }
  graph.outputs = {sum};
  return graph;
}

TEST(Distribute, SumsAreHandedOn) {
  const WorkGraph graph = diagonals(64);
  const Machines machines{.n_ranks = 4};
  const Distribution found = distribute(graph, machines);
  expect_valid(graph, found);
  const Prediction prediction = predict(graph, found, machines);
  EXPECT_LT(prediction.imbalance(), 0.05);
  // The input to three ranks, and a sum from each.
  EXPECT_LE(prediction.bytes, 3 * 500 + 4 * 1000);
  EXPECT_LT(prediction.microseconds, 64 * 3425 / 3.5);
}

/// Whatever the shape, what is found is right, not slower than one machine, and always the same.
TEST(Distribute, RandomGraphs) {
  std::mt19937_64 random(7);
  const auto below = [&](uint64_t n) { return static_cast<uint32_t>(random() % n); };
  for (int i = 0; i < 400; ++i) {
    WorkGraph graph;
    const uint32_t n_inputs = 1 + below(4);
    for (uint32_t k = 0; k < n_inputs; ++k) {
      graph.nodes.push_back(input());
    }
    graph.shared_microseconds.assign(n_inputs, 100);
    graph.keys.assign(3, {"k", 100});
    const uint32_t n = below(120);
    for (uint32_t k = 0; k < n; ++k) {
      const uint32_t reach = 1 + below(count(graph));
      WorkNode made = node(1 + below(3000), count(graph) - 1 - below(reach),
                           below(2) == 0 ? kNone : count(graph) - 1 - below(reach));
      made.key = below(2) == 0 ? kNone : below(3);
      made.shared = below(3) == 0 && made.operands[0] < n_inputs ? made.operands[0] : kNone;
      made.bytes = below(100'000);
      graph.nodes.push_back(made);
    }
    for (uint32_t k = 0; k < 1 + below(5); ++k) {
      graph.outputs.push_back(below(count(graph)));
    }
    graph.root_microseconds = below(1000);
    graph.microseconds_per_byte = 0.001 * below(4);
    const Machines machines{.n_ranks = 1 + below(9),
                            .n_threads = 1 + below(3),
                            .bytes_per_second = 1e7 * (1 + below(200))};
    const Distribution found = distribute(graph, machines);
    ASSERT_NO_FATAL_FAILURE(expect_valid(graph, found)) << i;
    EXPECT_EQ(found, distribute(graph, machines));
    const Distribution alone = distribute(graph, {.n_ranks = 1, .n_threads = machines.n_threads});
    EXPECT_LE(
        predict(graph, found, machines).microseconds,
        1.021 *
            predict(graph, alone, {.n_ranks = 1, .n_threads = machines.n_threads}).microseconds);
  }
}

TEST(CheckDistribution, FindsWhatIsWrong) {
  const WorkGraph graph = diagonals(8);
  const Distribution good = distribute(graph, {.n_ranks = 2});
  expect_valid(graph, good);
  ASSERT_FALSE(good.shares[1].nodes.empty());
  const auto says = [&](const Distribution& bad, std::string_view what) {
    const Status status = check_distribution(graph, bad);
    EXPECT_TRUE(!status && status.error().message.find(what) != std::string::npos)
        << (status ? "valid" : status.error().message);
  };
  Distribution bad = good;
  bad.shares[0].nodes.push_back(bad.shares[1].nodes[0]);
  says(bad, "is made by rank 0 and by rank 1");
  bad = good;
  bad.shares[1].nodes.erase(std::find(bad.shares[1].nodes.begin(), bad.shares[1].nodes.end(),
                                      bad.shares[1].sendings[0].node));
  says(bad, "is made by no rank");
  bad = good;
  bad.shares[0].sendings.erase(bad.shares[0].sendings.begin());
  says(bad, "never gets it");
  bad = good;
  bad.shares[1].sendings.push_back(bad.shares[1].sendings[0]);
  says(bad, "twice");
  bad = good;
  bad.shares[1].keys.pop_back();
  says(bad, "lacks the key");
  bad = good;
  bad.shares[0].keys.push_back(bad.shares[1].keys[0]);
  says(bad, "keys, but needs");
  bad = good;
  bad.shares[0].sendings.push_back({bad.shares[0].nodes[1], 1});
  says(bad, "does not use it");
  bad = good;
  std::reverse(bad.shares[1].nodes.begin(), bad.shares[1].nodes.end());
  says(bad, "before its operand");
  bad = good;
  bad.shares[1].nodes.insert(bad.shares[1].nodes.begin(), 0);
  bad.shares[0].nodes.erase(bad.shares[0].nodes.begin());
  says(bad, "not by the root");
}

TEST(DistributionText, ShowsRanksKeysAndMessages) {
  const WorkGraph graph = blocks(2, 1);
  const Machines machines{.n_ranks = 2};
  EXPECT_EQ(to_text(graph, distribute(graph, machines), machines, true),
            "2 ranks of 1 thread, 10 Gbit/s, 20 us\n"
            "predicted 1.04 ms, total work 2 ms, imbalance 0.0 %\n"
            "2 messages, 0.0015 MB; keys 0 MB\n"
            "\nrank 0: 1 operation, 1 ms, keys: none\n"
            "  %2 = input -> 1\n"
            "  %0 = input\n"
            "  %1 = op %0\n"
            "\nrank 1: 1 operation, 1 ms, keys: none\n"
            "  %3 = op %2 -> 0\n");
}

}  // namespace
}  // namespace tacet::engine::distribution
