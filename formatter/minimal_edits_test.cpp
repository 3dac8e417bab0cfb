#include "formatter/minimal_edits.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/core/diagnostics/apply_edits.h"

namespace tacet::formatter {
namespace {

auto edits_of(std::string_view before, std::string_view after) -> std::string {
  std::vector<TextEdit> edits;
  append_minimal_edits(before, after, 0, edits);
  EXPECT_EQ(apply_edits(before, edits), after);
  std::string text;
  for (const TextEdit& edit : edits) {
    text += fmt::format("{}-{}:`{}` ", edit.range.begin, edit.range.end, edit.new_text);
  }
  return text;
}

TEST(MinimalEdits, TouchOnlyTheWhiteSpaceThatChanges) {
  EXPECT_EQ(edits_of("a b c", "a b c"), "");
  EXPECT_EQ(edits_of("a  b c", "a b c"), "1-3:` ` ");
  EXPECT_EQ(edits_of("f(x:i64)->i64", "f(x: i64) -> i64"), "4-4:` ` 8-8:` ` 10-10:` ` ");
  EXPECT_EQ(edits_of("{\n  a\n  b\n}", "{\n    a\n    b\n}"), "1-4:`\n    ` 5-8:`\n    ` ");
  EXPECT_EQ(edits_of("a", "a\n"), "1-1:`\n` ");
  EXPECT_EQ(edits_of("a\n\n\n", "a\n"), "1-4:`\n` ");
}

TEST(MinimalEdits, TakeCommasAndSemicolonsAlong) {
  EXPECT_EQ(edits_of("(a,b)", "(\n    a,\n    b,\n)"), "1-1:`\n    ` 3-3:`\n    ` 4-4:`,\n` ");
  EXPECT_EQ(edits_of("(a, b, )", "(a, b)"), "5-7:`` ");
  EXPECT_EQ(edits_of("a; b", "a\nb"), "1-3:`\n` ");
}

TEST(MinimalEdits, ReplaceWhatIsTooDifferent) {
  EXPECT_EQ(edits_of("a // c\n, b", "a, // c\nb"), "1-2:`, ` 7-9:`` ");
  EXPECT_EQ(edits_of("a x b", "a y b"), "2-3:`y` ");
  EXPECT_EQ(edits_of("", "x"), "0-0:`x` ");
  EXPECT_EQ(edits_of("x", ""), "0-1:`` ");
}

TEST(MinimalEdits, AreRightForAnyTwoTexts) {
  uint32_t state = 3;
  auto random = [&](uint32_t n) {
    state = state * 1664525 + 1013904223;
    return (state >> 16) % n;
  };
  auto text = [&] {
    std::string result;
    for (uint32_t n = random(12); n > 0; --n) {
      result += "ab,; \n"[random(6)];
    }
    return result;
  };
  for (int round = 0; round < 100000; ++round) {
    std::string before = text();
    std::string after = text();
    std::vector<TextEdit> edits;
    append_minimal_edits(before, after, 0, edits);
    ASSERT_EQ(apply_edits(before, edits), after) << "`" << before << "`";
    for (size_t i = 1; i < edits.size(); ++i) {
      ASSERT_LE(edits[i - 1].range.end, edits[i].range.begin);
    }
  }
}

}  // namespace
}  // namespace tacet::formatter
