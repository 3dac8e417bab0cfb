// Sums of products with clear factors first mean what they meant.

#include "compiler/device/array/clear_factors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/find_fault.h"
#include "compiler/device/array/lower.h"
#include "compiler/device/array/print.h"

namespace tacet::array {
namespace {

/// Matrices and vectors of either side, multiplied and summed up in chains.
class RandomChain {
 public:
  explicit RandomChain(uint64_t seed) : random_(seed) {}

  auto text() -> std::string {
    std::string body = value("u", 3);
    return inputs_ + fmt::format("for u: {} {{ {} }}\n", kExtent, body);
  }

 private:
  static constexpr int kExtent = 3;

  auto one_of(uint64_t n) -> uint64_t { return random_() % n; }

  auto array(size_t rank) -> std::string {
    const std::string name = fmt::format("m{}", n_names_++);
    inputs_ += fmt::format("input {}: [{}] from {}\n", name, rank == 1 ? "3" : "3, 3",
                           one_of(3) == 0 ? "client" : "server");
    return name;
  }

  /// A number for each value of a variable.
  auto value(const std::string& variable, int depth) -> std::string {
    if (depth == 0 || one_of(6) == 0) {
      return fmt::format("{}[{}]", array(1), variable);
    }
    if (one_of(4) == 0) {
      const char* op = one_of(2) == 0 ? "*" : "+";
      return fmt::format("({} {} {})", value(variable, depth - 1), op, value(variable, depth - 1));
    }
    const std::string inner = fmt::format("v{}", n_names_++);
    std::string product = fmt::format("{}[{}][{}]", array(2), variable, inner);
    product += " * " + value(inner, depth - 1);
    return fmt::format("sum(for {}: {} {{ {} }})", inner, kExtent, product);
  }

  std::mt19937_64 random_;
  std::string inputs_;
  int n_names_ = 0;
};

TEST(ClearFactors, FirstMeansTheSame) {
  size_t n_reordered = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    const std::string text = RandomChain(seed).text();
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    program::Frontend frontend;
    const FileId file = frontend.set_file("chain.tlhe", text);
    const program::FrontendSnapshot snapshot = frontend.snapshot();
    const Lowering lowering = lower(snapshot, snapshot.items(file)->items.back().id);
    ASSERT_TRUE(lowering.program);
    const Program reordered = clear_factors_first(*lowering.program);
    n_reordered += reordered == *lowering.program ? 0 : 1;
    std::mt19937_64 random(seed);
    std::vector<Elements> inputs;
    for (const Array& array : lowering.program->arrays.values()) {
      if (array.owner != Owner::Computed) {
        inputs.emplace_back(array.extents.size() == 1 ? 3 : 9);
        for (int64_t& element : inputs.back()) {
          element = static_cast<int64_t>(random() % 9) - 4;
        }
      }
    }
    EXPECT_EQ(find_fault(reordered), "") << print(reordered);
    ASSERT_EQ(evaluate(reordered, inputs).output(), evaluate(*lowering.program, inputs).output())
        << print(reordered);
  }
  EXPECT_GE(n_reordered, 50U);
}

}  // namespace
}  // namespace tacet::array
