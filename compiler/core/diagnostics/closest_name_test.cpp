#include "compiler/core/diagnostics/closest_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tacet {
namespace {

auto closest(std::string_view word, std::vector<std::string_view> candidates) -> std::string {
  return std::string(closest_name(word, candidates).value_or("-"));
}

TEST(ClosestName, FindsMisspellings) {
  EXPECT_EQ(closest("lenght", {"length", "width"}), "length") << "a swap";
  EXPECT_EQ(closest("selct_sum", {"select_min", "select_sum"}), "select_sum");
  EXPECT_EQ(closest("Encoder", {"encoder", "Encode"}), "encoder") << "case alone comes first";
  EXPECT_EQ(closest("sum_select", {"minimum", "select_sum"}), "select_sum") << "other order";
  EXPECT_EQ(closest("fo", {"foo"}), "foo");
}

TEST(ClosestName, SuggestsNothingThatIsFarOff) {
  EXPECT_EQ(closest("x", {"y", "z"}), "-");
  EXPECT_EQ(closest("xy", {"ab"}), "-");
  EXPECT_EQ(closest("distance", {"instance_of", "sum"}), "-");
  EXPECT_EQ(closest("", {"a"}), "-");
  EXPECT_EQ(closest("abc", {"abc"}), "-") << "the word itself is no suggestion";
  EXPECT_EQ(closest(std::string(1000, 'a'), {"aaa"}), "-");
}

TEST(ClosestName, DoesNotDependOnTheOrderOfCandidates) {
  EXPECT_EQ(closest("bat", {"cat", "bar"}), "bar");
  EXPECT_EQ(closest("bat", {"bar", "cat"}), "bar");
}

/// The plain recurrence over whole tables, to compare with.
auto slow_distance(std::string_view a, std::string_view b) -> size_t {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      size_t replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

TEST(EditDistance, EqualsTheWholeTableUpToItsLimit) {
  uint32_t state = 7;
  auto word = [&] {
    std::string text;
    state = state * 1664525 + 1013904223;
    for (uint32_t n = (state >> 16) % 8; n > 0; --n) {
      state = state * 1664525 + 1013904223;
      text.push_back(static_cast<char>('a' + (state >> 16) % 3));
    }
    return text;
  };
  for (int round = 0; round < 20000; ++round) {
    std::string a = word();
    std::string b = word();
    size_t limit = static_cast<size_t>(round % 5);
    EXPECT_EQ(edit_distance(a, b, limit), std::min(slow_distance(a, b), limit + 1))
        << a << " " << b;
  }
}

}  // namespace
}  // namespace tacet
