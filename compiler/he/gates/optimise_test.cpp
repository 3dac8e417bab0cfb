#include "compiler/he/gates/optimise.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/he/gates/evaluate.h"
#include "compiler/he/gates/small_functions.h"
#include "compiler/he/gates/words.h"

namespace tacet::gates {
namespace {

auto n_input_bits(const Graph& graph) -> size_t {
  size_t n = 0;
  for (const Bus& input : graph.inputs) {
    n += input.bits.size();
  }
  return n;
}

/// Both give the same for all inputs if they are at most 16 bits, else for 64,000 random ones.
void expect_equivalent(const Graph& a, const Graph& b) {
  const size_t n_bits = n_input_bits(a);
  ASSERT_EQ(n_bits, n_input_bits(b));
  std::mt19937_64 random(7);
  const bool takes_all = n_bits <= 16;
  const size_t n_rounds = takes_all ? std::max<size_t>((size_t{1} << n_bits) / 64, 1) : 1000;
  for (size_t round = 0; round < n_rounds; ++round) {
    std::vector<uint64_t> inputs(n_bits);
    for (size_t k = 0; k < n_bits; ++k) {
      if (!takes_all) {
        inputs[k] = random();
        continue;
      }
      for (size_t i = 0; i < 64; ++i) {
        inputs[k] |= ((round * 64 + i) >> k & 1U) << i;
      }
    }
    ASSERT_EQ(evaluate(a, inputs), evaluate(b, inputs));
  }
}

/// Gates of all kinds over what there is, with much that can be said with less.
auto random_graph(uint64_t seed, size_t n_inputs, size_t n_gates) -> Graph {
  std::mt19937_64 random(seed);
  GraphBuilder builder;
  std::vector<Signal> signals = builder.input("in", n_inputs);
  signals.push_back(kFalse);
  const auto any = [&] {
    // Mostly of the last ones, so that it gets deep.
    const size_t n = signals.size();
    const size_t at = random() % 3 == 0 ? random() % n : n - 1 - random() % std::min<size_t>(n, 12);
    return signals[at].inverted_if(random() % 2 == 0);
  };
  for (size_t i = 0; i < n_gates; ++i) {
    signals.push_back(random() % 2 == 0   ? builder.majority(any(), any(), any())
                      : random() % 2 == 0 ? builder.select(any(), any(), any())
                      : random() % 2 == 0 ? builder.xor_and(any(), any(), any())
                                          : builder.parity(any(), any(), any()));
  }
  Word outputs;
  for (size_t i = 0; i < 4; ++i) {
    outputs.push_back(any());
  }
  builder.output("out", outputs);
  return builder.take();
}

TEST(SmallFunctions, AreWhatTheySay) {
  const SmallFunctions& functions = SmallFunctions::all();
  size_t n_known = 0;
  for (uint32_t function = 0; function < 0x10000; ++function) {
    const auto table = static_cast<TruthTable>(function);
    if (functions.n_gates(table) > SmallFunctions::kMostGates) {
      continue;
    }
    ++n_known;
    GraphBuilder builder;
    const Word in = builder.input("in", 4);
    builder.output("out", {functions.make(builder, table, {in[0], in[1], in[2], in[3]})});
    const Graph graph = builder.take();
    ASSERT_LE(n_bootstraps(graph), functions.n_gates(table));
    const std::vector<uint64_t> rows(kProjections.begin(), kProjections.end());
    ASSERT_EQ(evaluate(graph, rows).at(0) & 0xFFFF, function);
  }
  EXPECT_GT(n_known, 65'000);
}

TEST(Optimise, KeepsWhatRandomGraphsCompute) {
  size_t n_before = 0;
  size_t n_after = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    const Graph graph = random_graph(seed, 3 + seed % 12, 20 + seed * 2);
    const Graph smaller = optimise(graph);
    expect_equivalent(graph, smaller);
    EXPECT_LE(n_bootstraps(smaller), n_bootstraps(without_unused(graph)));
    EXPECT_EQ(smaller, optimise(graph));
    n_before += n_bootstraps(without_unused(graph));
    n_after += n_bootstraps(smaller);
  }
  EXPECT_LT(10 * n_after, 9 * n_before);
}

/// `operation` on two words of a width before and after.
template <class Operation>
void expect_gates(const Operation& operation, size_t width, size_t n_before, size_t n_after) {
  GraphBuilder builder;
  const Word a = builder.input("a", width);
  const Word b = builder.input("b", width);
  builder.output("out", operation(builder, a, b));
  const Graph graph = without_unused(builder.take());
  const Graph smaller = optimise(graph);
  expect_equivalent(graph, smaller);
  EXPECT_EQ(n_bootstraps(graph), n_before);
  EXPECT_EQ(n_bootstraps(smaller), n_after);
}

TEST(Optimise, FindsSmallerWords) {
  expect_gates([](auto& builder, const Word& a,
                  const Word& b) { return multiply(builder, a, b, Signedness::Unsigned, 8); },
               8, 85, 80);
  expect_gates([](auto& builder, const Word& a,
                  const Word& b) { return divide(builder, a, b, Signedness::Signed).quotient; },
               8, 255, 199);
  expect_gates(
      [](auto& builder, const Word& a, const Word& b) {
        return select(builder, less(builder, a, b, Signedness::Signed), a, b);
      },
      8, 24, 23);
  expect_gates([](auto& builder, const Word& a,
                  const Word& b) { return shift(builder, Shift::Right, a, b); },
               8, 41, 41);
}

/// The parity of n products, some of whose terms are a bit more.
auto parity_of_products(size_t n, size_t n_bits) -> Graph {
  GraphBuilder builder;
  const Word a = builder.input("a", n);
  const Word b = builder.input("b", n);
  Word terms = builder.input("c", n_bits);
  for (size_t i = 0; i < n; ++i) {
    terms.push_back(i % 3 == 0 ? builder.disjunction(a[i], !b[i])
                               : builder.conjunction(a[i], b[i]));
  }
  builder.output("out", {odd_of(builder, terms)});
  return builder.take();
}

TEST(Optimise, ChainsProductsInParities) {
  for (size_t n = 1; n <= 7; ++n) {
    for (size_t n_bits = 0; n_bits <= 2; ++n_bits) {
      const Graph graph = parity_of_products(n, n_bits);
      const Graph smaller = optimise(graph);
      expect_equivalent(graph, smaller);
      EXPECT_LE(n_bootstraps(smaller), n + (n > 4 || n_bits == 2 ? 1 : 0));
    }
  }
  // A loop over bits, whose results are balanced.
  GraphBuilder builder;
  const Word bits = builder.input("bits", 33);
  Signal all = kTrue;
  Signal some = kFalse;
  Signal odd = kFalse;
  for (size_t i = 0; i < bits.size(); ++i) {
    all = builder.conjunction(all, bits[i].inverted_if(i % 3 == 0));
    some = builder.disjunction(bits[i].inverted_if(i % 5 == 0), some);
    odd = builder.exclusive(odd, bits[i]);
  }
  builder.output("out", {all, some, odd});
  const Graph deep = builder.take();
  const Graph balanced = optimise(deep);
  expect_equivalent(deep, balanced);
  EXPECT_LE(n_bootstraps(balanced), 32 + 32 + 16);
  EXPECT_EQ(depth(balanced), 6);
  // Chains of four, and a tree of what they give.
  const Graph smaller = optimise(parity_of_products(64, 0));
  EXPECT_EQ(n_bootstraps(smaller), 64 + 8);
  EXPECT_EQ(depth(smaller), 4 + 3);
}

}  // namespace
}  // namespace tacet::gates
