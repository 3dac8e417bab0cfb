#include "cli/run/suggest_range.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/front/types/value_bound.h"

namespace tacet::cli {
namespace {

using interpret::ElementKind;
using interpret::ElementType;

auto suggested(const std::vector<int64_t>& numbers, ElementType type = interpret::kI64)
    -> std::string {
  return suggest_range(numbers, type).value_or("none");
}

TEST(SuggestedRanges, AreRound) {
  EXPECT_EQ(suggested({28, 31, 47}), "0..50");
  EXPECT_EQ(suggested({0}), "0..1");
  EXPECT_EQ(suggested({49}), "0..50");
  EXPECT_EQ(suggested({50}), "0..100");
  EXPECT_EQ(suggested({-3, 118}), "-5..200");
  EXPECT_EQ(suggested({-3, -1}), "-5..0");
  EXPECT_EQ(suggested({}), "none");
  EXPECT_EQ(suggested({1, INT64_MAX}), "none");
  EXPECT_EQ(suggested({127}, {ElementKind::I8, 0}), "0..128");
  EXPECT_EQ(suggested({-128, 1}, {ElementKind::I8, 0}), "-128..2");
  EXPECT_EQ(suggested({0, 1}, interpret::kBool), "0..2");
  EXPECT_EQ(suggested({1 << 17, -1}, {ElementKind::Fxp, 18}), "-1..1");
  EXPECT_EQ(suggested({3100 << 18}, {ElementKind::Fxp, 18}), "0..5000");
}

/// Every value is inside, and the range is not ten times as wide as it must be.
TEST(SuggestedRanges, ContainTheValues) {
  std::mt19937_64 random(1);
  for (const ElementType type :
       {interpret::kI64, ElementType{ElementKind::I16, 0}, ElementType{ElementKind::Fxp, 10}}) {
    for (int i = 0; i < 2000; ++i) {
      std::vector<int64_t> numbers;
      for (int k = 0; k < 3; ++k) {
        numbers.push_back(static_cast<int64_t>(
            interpret::wrapped(type.kind, random() >> (random() % 63 + 1) << 1 >> 1)));
        numbers.back() *= random() % 2 == 0 && numbers.back() != INT64_MIN ? -1 : 1;
      }
      const std::string text = suggested(numbers, type);
      const size_t dots = text.find("..");
      if (dots == std::string::npos) {
        continue;
      }
      const auto low = types::units_of(text.substr(0, dots), type);
      const auto high = types::units_of(text.substr(dots + 2), type);
      ASSERT_TRUE(low && high) << text;
      const types::Wide unit = types::Wide{1} << type.fraction_bits;
      for (const int64_t number : numbers) {
        EXPECT_TRUE(*low <= number && number < *high) << number << " in " << text;
      }
      const int64_t most = *std::max_element(numbers.begin(), numbers.end());
      EXPECT_TRUE(*high <= (most < 0 ? 0 : 3 * (types::Wide{most} + unit))) << text;
    }
  }
}

}  // namespace
}  // namespace tacet::cli
