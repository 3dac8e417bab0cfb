#include "compiler/core/diagnostics/reasons.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace tacet {
namespace {

/// Reasons of lines, each two spaces deeper than what it belongs to.
auto reasons_of(const std::string& text) -> std::vector<Reason> {
  std::vector<Reason> reasons;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t indent = line.find_first_not_of(' ');
    reasons.push_back({static_cast<uint32_t>(indent / 2), line.substr(indent), {}});
  }
  return reasons;
}

auto text_of(const std::vector<Reason>& reasons) -> std::string {
  std::string text;
  for (const Reason& reason : reasons) {
    text += std::string(2 * size_t{reason.depth}, ' ') + reason.text + "\n";
  }
  return text;
}

auto limited(const std::string& text) -> std::string {
  std::vector<Reason> reasons = reasons_of(text);
  limit_reasons(reasons);
  return text_of(reasons);
}

TEST(Reasons, OfSmallTreesStay) {
  const std::string tree = "a\n  b\n    c\n  d\ne\n";
  EXPECT_EQ(limited(tree), tree);
  EXPECT_EQ(limited(""), "");
}

TEST(Reasons, AreCutWhereTheyAreWide) {
  EXPECT_EQ(limited("a\n  1\n  2\n  3\n  4\n  5\n  6\n    7\n  8\nb\n"),
            "a\n  1\n  2\n  3\n  4\n  5\n  … 3 more\nb\n");
}

TEST(Reasons, AreCutWhereTheyAreDeep) {
  EXPECT_EQ(limited("1\n  2\n    3\n      4\n        5\n          6\n            7\n"
                    "              8\nnext\n"),
            "1\n  2\n    3\n      4\n        5\n          6\n            … 2 more\nnext\n");
}

TEST(Reasons, AreCutWhereThereAreMany) {
  std::string tree;
  for (int i = 0; i < 4; ++i) {
    tree += "x\n";
    for (int j = 0; j < 5; ++j) {
      tree += "  y\n";
    }
  }
  const std::string found = limited(tree);
  EXPECT_EQ(std::count(found.begin(), found.end(), '\n'), 18);
  EXPECT_TRUE(found.ends_with("  y\n  … 2 more\n… 6 more\n")) << found;
}

/// A reason that is deeper than the next level, as none should be, is taken for one that is not.
TEST(Reasons, MayLeaveOutLevels) {
  EXPECT_EQ(limited("a\n      b\n    c\n"), "a\n  b\n  c\n");
}

}  // namespace
}  // namespace tacet
