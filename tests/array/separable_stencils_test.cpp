// Stencils as sums over one direction after the other: what some become, and that random ones mean
// what they meant.

#include "compiler/device/array/separable_stencils.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/find_fault.h"
#include "compiler/device/array/print.h"

namespace tacet::array {
namespace {

auto separated(const std::string& text) -> std::string {
  Result<Program> program = parse_program(text);
  EXPECT_TRUE(program);
  return program ? print(with_separable_stencils(*program)) : "";
}

TEST(SeparableStencils, AreSumsOverOneDirectionAfterTheOther) {
  EXPECT_EQ(separated("input a: [8, 8] from client\n"
                      "out[i: 8, j: 8] = a[i - 1, j + 1] + 2 * a[i, j + 1] + a[i + 1, j + 1] - "
                      "a[i - 1, j - 1] - 2 * a[i, j - 1] - a[i + 1, j - 1]\n"),
            "input a: [8, 8] from client\n"
            "constant weights: [3] = 1, 2, 1\n"
            "constant weights_2: [2] = -1, 1\n"
            "out[i: 8, j: 8] = sum[k: 3](weights[k] * sum[k_2: 2](weights_2[k_2] * a[i + k - 1, j "
            "+ 2*k_2 - 1]))\n");
}

TEST(SeparableStencils, InOneDirectionAreSums) {
  EXPECT_EQ(separated("input a: [8] from client\nout[i: 8] = a[i] + a[i + 3] + a[i + 6]\n"),
            "input a: [8] from client\nout[i: 8] = sum[k: 3](a[i + 3*k])\n");
}

TEST(SeparableStencils, OthersStayWhatTheyAre) {
  for (const char* body :
       {"a[i, j] + a[i + 1, j + 1]", "a[i, j] + a[j, i]", "a[i, j] * a[i, j + 1]",
        "a[i, j] + a[i, j + 1] + 1", "a[i, j] + b[i, j]", "sum[k: 3](a[i + k, j])"}) {
    const std::string text = fmt::format(
        "input a: [8, 8] from client\ninput b: [8, 8] from client\nout[i: 8, j: 8] = {}\n", body);
    EXPECT_EQ(separated(text), text);
  }
}

TEST(SeparableStencils, MeanTheSame) {
  size_t n_changed = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](uint64_t n) { return static_cast<int64_t>(random() % n); };
    // Products of weights more often than not, with a few that are none.
    std::string sum;
    const int64_t rows[] = {below(3) - 1, below(4), below(3) + 1};
    const int64_t columns[] = {below(5) - 2, below(3), below(2)};
    for (int64_t i = 0; i < 3; ++i) {
      for (int64_t j = 0; j < 3; ++j) {
        const int64_t weight = rows[i] * columns[j] + (below(40) == 0 ? 1 : 0);
        if (weight != 0) {
          sum += fmt::format("{}{} * a[2*i + {}, j + {}]", sum.empty() ? "" : " + ", weight, i + 1,
                             2 * j);
        }
      }
    }
    if (sum.empty()) {
      continue;
    }
    const std::string text =
        fmt::format("input a: [7, 7] from client\nout[i: 4, j: 5] = {}\n", sum);
    SCOPED_TRACE(text);
    Result<Program> program = parse_program(text);
    ASSERT_TRUE(program);
    const Program changed = with_separable_stencils(*program);
    n_changed += changed == *program ? 0 : 1;
    Elements elements(49);
    for (int64_t& element : elements) {
      element = below(19) - 9;
    }
    ASSERT_EQ(find_fault(changed), "") << print(changed);
    ASSERT_EQ(evaluate(changed, {elements}).output(), evaluate(*program, {elements}).output())
        << print(changed);
  }
  EXPECT_GT(n_changed, 300U);
}

}  // namespace
}  // namespace tacet::array
