// Stencils as sums over one direction after the other: what some become, and that random ones mean
// what they meant.

#include "compiler/device/array/separable_stencils.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "compiler/device/array/directions_apart.h"
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

TEST(SeparableStencils, AreStatementsForEachDirection) {
  const auto apart = [](const std::string& text) {
    Result<Program> program = parse_program(text);
    EXPECT_TRUE(program);
    return print(with_directions_apart(with_separable_stencils(*program)));
  };
  EXPECT_EQ(apart("input a: [8, 8] from client\n"
                  "out[i: 8, j: 8] = a[i, j] + a[i, j + 1] + a[i, j + 2] + 2 * a[i + 2, j] + 2 * "
                  "a[i + 2, j + 1] + 2 * a[i + 2, j + 2]\n"),
            "input a: [8, 8] from client\n"
            "constant weights: [2] = 1, 2\n"
            "sums[p0: 8, p1: 8] = sum[k: 3](a[p0, p1 + k])\n"
            "out[i: 8, j: 8] = sum[k: 2](weights[k] * sums[i + 2*k, j])\n");
  EXPECT_EQ(apart("input a: [4, 4, 4] from client\n"
                  "out[i: 4, j: 4, k: 4] = sum[x: 2](sum[y: 2](sum[z: 3](a[i + x, j + y, k + "
                  "z])))\n"),
            "input a: [4, 4, 4] from client\n"
            "sums[p0: 4, p1: 4, p2: 4] = sum[k: 3](a[p0, p1, p2 + k])\n"
            "out[i: 4, j: 4, k: 4] = sum[x: 2](sum[y: 2](sums[i + x, j + y, k]))\n");
  // The columns that are summed would be outside.
  const std::string beyond =
      "input a: [8, 8] from client\nout[i: 8, j: 9] = sum[k: 2](sum[k_2: 3](a[i + k, j + "
      "k_2 - 1]))\n";
  EXPECT_EQ(apart(beyond), beyond);
}

TEST(SeparableStencils, InThreeDirectionsMeanTheSame) {
  size_t n_apart = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](uint64_t n) { return static_cast<int64_t>(random() % n); };
    std::string sum;
    int64_t weights[3][3];
    int64_t offsets[3];
    for (size_t k = 0; k < 3; ++k) {
      offsets[k] = below(4) - 2;
      for (int64_t& weight : weights[k]) {
        weight = below(3) == 0 ? 0 : below(5) - 2;
      }
    }
    for (int64_t i = 0; i < 27; ++i) {
      const int64_t x = i / 9;
      const int64_t y = i / 3 % 3;
      const int64_t z = i % 3;
      const int64_t weight =
          weights[0][x] * weights[1][y] * weights[2][z] + (below(200) == 0 ? 1 : 0);
      if (weight != 0) {
        sum += fmt::format("{}{} * a[i {:+}, 2*j {:+}, k {:+}]", sum.empty() ? "" : " + ", weight,
                           x + offsets[0], y + offsets[1], 2 * z + offsets[2]);
      }
    }
    if (sum.empty()) {
      continue;
    }
    const std::string text = fmt::format(
        "input a: [4, 5, 4] from client\nout[i: {}, j: 3, k: 4] = {}\n", 3 + below(3), sum);
    SCOPED_TRACE(text);
    Result<Program> program = parse_program(text);
    ASSERT_TRUE(program);
    const Program changed = with_separable_stencils(*program);
    const Program apart = with_directions_apart(changed);
    n_apart += apart == changed ? 0 : 1;
    Elements elements(80);
    for (int64_t& element : elements) {
      element = below(19) - 9;
    }
    ASSERT_EQ(find_fault(apart), "") << print(apart);
    ASSERT_EQ(evaluate(changed, {elements}).output(), evaluate(*program, {elements}).output())
        << print(changed);
    ASSERT_EQ(evaluate(apart, {elements}).output(), evaluate(*program, {elements}).output())
        << print(apart);
  }
  EXPECT_GT(n_apart, 35U);
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
  size_t n_apart = 0;
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
    const Program apart = with_directions_apart(changed);
    n_apart += apart == changed ? 0 : 1;
    ASSERT_EQ(find_fault(apart), "") << print(apart);
    ASSERT_EQ(evaluate(apart, {elements}).output(), evaluate(*program, {elements}).output())
        << print(apart);
  }
  EXPECT_GT(n_changed, 300U);
  EXPECT_GT(n_apart, 200U);
}

}  // namespace
}  // namespace tacet::array
