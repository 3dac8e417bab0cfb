#include "base/display_width.h"

#include <gtest/gtest.h>

#include <string>

namespace tacet {
namespace {

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("let x"), 5U);
  EXPECT_EQ(display_width("é"), 1U);
  EXPECT_EQ(display_width("e\u0301"), 1U) << "a combining mark takes no column";
  EXPECT_EQ(display_width("\u200B"), 0U);
  EXPECT_EQ(display_width("秘密"), 4U);
  EXPECT_EQ(display_width("\U0001F512"), 2U);
}

TEST(DisplayWidth, KeepsEmojiSequencesTogether) {
  EXPECT_EQ(display_width("\U0001F469\u200D\U0001F4BB"), 2U) << "joined by U+200D";
  EXPECT_EQ(display_width("\U0001F44D\U0001F3FD"), 2U) << "skin tone";
  EXPECT_EQ(display_width("\u2764\uFE0F"), 2U) << "emoji presentation";
  EXPECT_EQ(display_width("\U0001F1E8\U0001F1ED\U0001F1E8\U0001F1ED"), 4U) << "two flags";
  EXPECT_EQ(next_grapheme("\U0001F469\u200D\U0001F4BBx").n_bytes, 11U);
}

TEST(DisplayWidth, ShowsBrokenBytesAsOneColumnEach) {
  EXPECT_EQ(display_width("a\xFF\xC0z"), 4U);
  EXPECT_FALSE(next_grapheme("\x80").is_valid);
  EXPECT_FALSE(next_grapheme("\xED\xA0\x80").is_valid) << "a surrogate";
  EXPECT_FALSE(next_grapheme("\xC0\x80").is_valid) << "an overlong form";
  EXPECT_FALSE(next_grapheme("\xE7\xA7").is_valid) << "cut short";
}

TEST(DisplayWidth, AlwaysAdvances) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      std::string text{static_cast<char>(first), static_cast<char>(second), '\xCC', '\x81'};
      Grapheme grapheme = next_grapheme(text);
      EXPECT_GE(grapheme.n_bytes, 1U);
      EXPECT_LE(grapheme.n_bytes, text.size());
    }
  }
}

}  // namespace
}  // namespace tacet
