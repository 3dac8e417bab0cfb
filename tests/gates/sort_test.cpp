// Circuits that sort fixed-point numbers give exactly what a stable sort of their integers does:
// with ties, numbers one unit apart, the ends of the range, sorted and reversed.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/he/gates/evaluate.h"
#include "compiler/he/gates/lower.h"
#include "compiler/he/gates/optimise.h"
#include "tests/harness/rounds.h"
#include "tests/kernel/checked_module.h"

namespace tacet::gates {
namespace {

using Numbers = std::vector<int64_t>;

/// From -2 to below 2, with 18 bits of fraction.
constexpr int64_t kLow = -(int64_t{1} << 19);
constexpr int64_t kHigh = (int64_t{1} << 19) - 1;
constexpr int kShapes = 7;

auto drawn_numbers(size_t n, int shape, std::mt19937_64& random) -> Numbers {
  const auto any = [&] { return kLow + static_cast<int64_t>(random() % (kHigh - kLow + 1)); };
  const int64_t middle = any() / 2;
  Numbers numbers(n);
  for (size_t i = 0; i < n; ++i) {
    const auto step = static_cast<int64_t>(random() % 3) - 1;
    numbers[i] = shape == 0   ? middle                             // all equal
                 : shape == 1 ? middle + step                      // one unit apart, and ties
                 : shape == 2 ? (random() % 2 ? kLow : kHigh)      // the ends
                 : shape == 3 ? step * (random() % 2 ? 1 : kHigh)  // around 0, and far from it
                              : any();
  }
  if (shape == 5 || shape == 6) {
    std::sort(numbers.begin(), numbers.end());
  }
  if (shape == 6) {
    std::reverse(numbers.begin(), numbers.end());
  }
  return numbers;
}

auto circuit_of(const std::string& text) -> Graph {
  testing::CheckedModule module(text);
  EXPECT_TRUE(module.is_right()) << text;
  const oblivious::ObliviousForm form =
      oblivious::make_oblivious(module.lower("f"), oblivious::Accesses::Leave);
  Lowering lowering = lower(form.kernel, {});
  EXPECT_TRUE(lowering.graph) << text;
  return optimise(*lowering.graph);
}

auto words(const Numbers& numbers) -> std::vector<uint64_t> {
  return {numbers.begin(), numbers.end()};
}

/// Compares a function of `n` numbers, and perhaps of as many others, on inputs of all shapes.
void expect_order(const std::string& text, size_t n, bool has_values,
                  const std::function<Numbers(const Numbers& keys, const Numbers& values)>& meant) {
  SCOPED_TRACE(text);
  const Graph circuit = circuit_of(text);
  std::mt19937_64 random(n);
  for (int shape = 0; shape < kShapes; ++shape) {
    for (uint64_t round = 0; round < harness::rounds(20); ++round) {
      const Numbers keys = drawn_numbers(n, shape, random);
      const Numbers values = drawn_numbers(n, 4, random);
      std::vector<uint64_t> inputs = words(keys);
      if (has_values) {
        const std::vector<uint64_t> others = words(values);
        inputs.insert(inputs.end(), others.begin(), others.end());
      }
      ASSERT_EQ(evaluate_words(circuit, inputs), words(meant(keys, values))) << "shape " << shape;
    }
  }
}

TEST(SortOfReals, IsThatOfTheirIntegers) {
  for (const size_t n : std::initializer_list<size_t>{1, 2, 3, 4, 7, 8, 16}) {
    const std::string text = fmt::format(
        "#version 0.1.0\n\nfn(he) f(a: secret [fxp; {0}] in -2..2) -> secret [fxp; {0}] {{ sort(a) "
        "}}\n",
        n);
    expect_order(text, n, false, [](const Numbers& keys, const Numbers& /*values*/) {
      Numbers sorted = keys;
      std::sort(sorted.begin(), sorted.end());
      return sorted;
    });
  }
}

TEST(SortOfReals, TheLargestComeFirst) {
  for (const auto& [n, k] : {std::pair<size_t, size_t>{1, 1}, {5, 2}, {8, 3}, {8, 8}}) {
    const std::string text = fmt::format(
        "#version 0.1.0\n\nfn(he) f(a: secret [fxp; {}] in -2..2) -> secret [fxp; {}] {{ top_k(a, "
        "{}) }}\n",
        n, k, k);
    expect_order(text, n, false, [k = k](const Numbers& keys, const Numbers& /*values*/) {
      Numbers sorted = keys;
      std::sort(sorted.begin(), sorted.end(), std::greater());
      sorted.resize(k);
      return sorted;
    });
  }
}

TEST(SortOfReals, MovesValuesAndKeepsTheOrderOfTies) {
  for (const size_t n : std::initializer_list<size_t>{2, 5, 8}) {
    const std::string text = fmt::format(
        "#version 0.1.0\n\nfn(he) f(k: secret [fxp; {0}] in -2..2, v: secret [fxp; {0}] in -2..2) "
        "-> "
        "secret [fxp; {0}] {{ sort_by(k, v) }}\n",
        n);
    expect_order(text, n, true, [](const Numbers& keys, const Numbers& values) {
      std::vector<size_t> order(keys.size());
      std::iota(order.begin(), order.end(), size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](size_t a, size_t b) { return keys[a] < keys[b]; });
      Numbers moved;
      for (const size_t i : order) {
        moved.push_back(values[i]);
      }
      return moved;
    });
  }
}

}  // namespace
}  // namespace tacet::gates
