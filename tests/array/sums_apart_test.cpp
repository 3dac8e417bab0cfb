// Sums within sums as statements of their own: what some become, and that random ones mean what
// they meant.

#include "compiler/device/array/sums_apart.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/find_fault.h"
#include "compiler/device/array/print.h"

namespace tacet::array {
namespace {

auto apart(const std::string& text) -> std::string {
  Result<Program> program = parse_program(text);
  EXPECT_TRUE(program);
  return program ? print(with_sums_apart(*program)) : "";
}

constexpr const char* kInputs =
    "input g: [4, 4] from client\n"
    "input b: [4] from client\n";

TEST(SumsApart, AreStatementsEach) {
  EXPECT_EQ(apart(std::string(kInputs) +
                  "out[i: 4] = sum[k: 4](g[i, k] * (sum[j: 4](g[k, j] * b[j]) + b[k])) + b[i]\n"),
            std::string(kInputs) +
                "parts[k: 4] = sum[j: 4](g[k, j] * b[j]) + b[k]\n"
                "out[i: 4] = sum[k: 4](g[i, k] * parts[k]) + b[i]\n");
}

TEST(SumsApart, ThatAreEqualAreOne) {
  // The same along i and along k, and once as a whole statement.
  EXPECT_EQ(apart(std::string(kInputs) +
                  "out[i: 4] = sum[k: 4](g[i, k] * sum[j: 4](g[k, j] * b[j])) + sum[m: 4](g[i, m] "
                  "* b[m])\n"),
            std::string(kInputs) +
                "parts[k: 4] = sum[j: 4](g[k, j] * b[j])\n"
                "out[i: 4] = sum[k: 4](g[i, k] * parts[k]) + parts[i]\n");
  EXPECT_EQ(apart(std::string(kInputs) +
                  "w[i: 4] = sum[j: 4](g[i, j] * b[j])\n"
                  "out[i: 4] = sum[k: 4](g[i, k] * sum[j: 4](g[k, j] * b[j])) + w[i]\n"),
            std::string(kInputs) +
                "w[i: 4] = sum[j: 4](g[i, j] * b[j])\n"
                "out[i: 4] = sum[k: 4](g[i, k] * w[k]) + w[i]\n");
}

TEST(SumsApart, OfTransposedMatricesAreReadTransposed) {
  const std::string matrix = "input x: [6, 4] from client\ninput b: [4] from client\n";
  EXPECT_EQ(apart(matrix + "m[i: 4, j: 4] = sum[k: 6](x[k, i] * x[k, j] * b[i])\n"
                           "out[i: 4] = sum[j: 4](b[j] * sum[k: 6](x[k, j] * x[k, i] * b[j]))\n"),
            matrix +
                "m[i: 4, j: 4] = sum[k: 6](x[k, i] * x[k, j] * b[i])\n"
                "out[i: 4] = sum[j: 4](b[j] * m[j, i])\n");
}

TEST(SumsApart, OthersStayWhatTheyAre) {
  for (const char* body :
       {"sum[k: 4](g[i, k] * b[k])", "sum[k: 4](sum[j: 4](g[k, j] * b[i]))",
        "sum[k: 4](g[i, k] - sum[j: 4](g[i, j] * b[k]))", "b[i] - sum[j: 4](b[j])"}) {
    const std::string text = fmt::format("{}out[i: 4] = {}\n", kInputs, body);
    EXPECT_EQ(apart(text), text);
  }
}

/// Expressions of a few arrays, with sums within sums that occur again along other dimensions.
class RandomSums {
 public:
  explicit RandomSums(uint64_t seed) : random_(seed) {}

  auto program() -> std::string {
    std::string text =
        "input a: [3, 3] from client\ninput c: [3, 3] from server\ninput b: [3] from client\n";
    if (below(2) == 0) {
      text += fmt::format("w[p: 3, q: 3] = {}\n", value({"p", "q"}, 2));
    }
    has_result_ = text.find("w[") != std::string::npos;
    return text + fmt::format("out[i: 3, j: 3] = {}\n", value({"i", "j"}, 4));
  }

 private:
  auto below(uint64_t n) -> uint64_t { return random_() % n; }

  auto element(const std::vector<std::string>& dims) -> std::string {
    const auto any = [&] { return dims[below(dims.size())]; };
    switch (below(has_result_ ? 5 : 4)) {
      case 0:
        return fmt::format("b[{}]", any());
      case 1:
        return fmt::format("c[{}, {}]", any(), any());
      case 2:
        return std::to_string(2 + below(3));
      case 3:
        return fmt::format("a[{}, {}]", any(), any());
      default:
        return fmt::format("w[{}, {}]", any(), any());
    }
  }

  auto value(const std::vector<std::string>& dims, int depth) -> std::string {
    if (depth == 0 || below(8) == 0) {
      return element(dims);
    }
    if (below(3) == 0) {
      const char* ops[] = {"+", "-", "*"};
      const std::string left = value(dims, depth - 1);
      return fmt::format("({} {} {})", left, ops[below(3)], value(dims, depth - 1));
    }
    // What is within has some of the dimensions, and often the one that is summed over.
    std::vector<std::string> inner;
    for (const std::string& dim : dims) {
      if (below(2) == 0) {
        inner.push_back(dim);
      }
    }
    const std::string summed = fmt::format("k{}", n_dims_++);
    inner.push_back(summed);
    const std::string factor =
        fmt::format("{}[{}, {}]", below(2) == 0 ? "a" : "c", dims[below(dims.size())], summed);
    return fmt::format("{}[{}: 3]({} * {})", below(9) == 0 ? "product" : "sum", summed, factor,
                       value(inner, depth - 1));
  }

  std::mt19937_64 random_;
  int n_dims_ = 0;
  bool has_result_ = false;
};

TEST(SumsApart, MeanTheSame) {
  size_t n_changed = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const std::string text = RandomSums(seed).program();
    SCOPED_TRACE(text);
    Result<Program> program = parse_program(text);
    ASSERT_TRUE(program) << program.error().message;
    const Program changed = with_sums_apart(*program);
    n_changed += changed.statements.size() > program->statements.size() ? 1 : 0;
    ASSERT_EQ(find_fault(changed), "") << print(changed);
    std::mt19937_64 random(seed);
    std::vector<Elements> inputs;
    for (const size_t n : {9U, 9U, 3U}) {
      Elements elements(n);
      for (int64_t& element : elements) {
        element = static_cast<int64_t>(random() % 7) - 3;
      }
      inputs.push_back(std::move(elements));
    }
    ASSERT_EQ(evaluate(changed, inputs).output(), evaluate(*program, inputs).output())
        << print(changed);
  }
  EXPECT_GT(n_changed, 300U);
}

}  // namespace
}  // namespace tacet::array
