#include "base/line_index.h"

#include <gtest/gtest.h>

namespace tacet {
namespace {

constexpr PositionEncoding kEncodings[] = {PositionEncoding::Utf8, PositionEncoding::Utf16,
                                           PositionEncoding::Utf32};

TEST(LineIndex, CountsColumnsInEachEncoding) {
  std::string_view text = "a\n\u00e9\U0001F600z\n";
  LineIndex index(text);
  uint32_t z = static_cast<uint32_t>(text.find('z'));
  EXPECT_EQ(index.position(text, z, PositionEncoding::Utf8), (LineColumn{1, 6}));
  EXPECT_EQ(index.position(text, z, PositionEncoding::Utf16), (LineColumn{1, 3}));
  EXPECT_EQ(index.position(text, z, PositionEncoding::Utf32), (LineColumn{1, 2}));
}

TEST(LineIndex, EveryLineEndCounts) {
  std::string_view text = "a\rb\r\nc\nd";
  LineIndex index(text);
  EXPECT_EQ(index.n_lines(), 4U);
  EXPECT_EQ(index.line_range(text, 1), (TextRange{2, 3}));
  EXPECT_EQ(index.line_range(text, 3), (TextRange{7, 8}));
  EXPECT_EQ(index.line_range(text, 9), (TextRange{8, 8}));
}

TEST(LineIndex, OffsetInvertsPositionAtEveryCharacter) {
  std::string_view text = "x\u00e9\U0001F600\n\n\u4e2d\r\nq";
  LineIndex index(text);
  for (PositionEncoding encoding : kEncodings) {
    for (uint32_t at = 0; at <= text.size(); ++at) {
      bool starts_character =
          at == text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
      if (!starts_character || (at < text.size() && text[at] == '\n' && text[at - 1] == '\r')) {
        continue;
      }
      LineColumn position = index.position(text, at, encoding);
      EXPECT_EQ(index.offset(text, position, encoding), at);
      EXPECT_TRUE(index.is_inside(text, position, encoding));
    }
  }
}

TEST(LineIndex, NothingDividesACharacter) {
  std::string_view text = "x\u00e9\U0001F600y\n\u4e2d";
  LineIndex index(text);
  for (uint32_t column : {3U, 4U, 5U, 6U}) {
    EXPECT_EQ(index.offset(text, {0, column}, PositionEncoding::Utf8), 3U) << column;
    EXPECT_EQ(index.position(text, column, PositionEncoding::Utf8), (LineColumn{0, 3})) << column;
  }
  EXPECT_EQ(index.offset(text, {0, 7}, PositionEncoding::Utf8), 7U);
  EXPECT_EQ(index.offset(text, {0, 3}, PositionEncoding::Utf16), 3U);
  EXPECT_EQ(index.offset(text, {1, 2}, PositionEncoding::Utf8), 9U);
  // Bytes that are no characters stand for themselves.
  text = "a\x9f\xc3";
  index = LineIndex(text);
  for (uint32_t column = 0; column <= text.size(); ++column) {
    EXPECT_EQ(index.offset(text, {0, column}, PositionEncoding::Utf8), column);
  }
}

TEST(LineIndex, ClampsPositionsOutside) {
  std::string_view text = "ab\nc";
  LineIndex index(text);
  for (PositionEncoding encoding : kEncodings) {
    EXPECT_EQ(index.offset(text, {0, 99}, encoding), 2U);
    EXPECT_EQ(index.offset(text, {7, 0}, encoding), 4U);
    EXPECT_FALSE(index.is_inside(text, {0, 3}, encoding));
    EXPECT_FALSE(index.is_inside(text, {7, 0}, encoding));
  }
}

/// Where every line is, as text to compare.
auto lines_of(const LineIndex& index, std::string_view text) -> std::string {
  std::string out;
  for (uint32_t line = 0; line < index.n_lines(); ++line) {
    TextRange range = index.line_range(text, line);
    out += std::to_string(range.begin) + "-" + std::to_string(range.end) + " ";
  }
  return out;
}

TEST(LineIndex, UpdatingEqualsIndexingAfresh) {
  const std::string_view pieces[] = {"", "\n", "\r", "\r\n", "a", "\n\n", "\n\r", "a\nb\rc\r\nd"};
  uint32_t random = 1;
  auto below = [&](size_t n) {
    random = random * 1664525U + 1013904223U;
    return static_cast<uint32_t>((random >> 8) % n);
  };
  std::string text = "a\r\nb\rc\n";
  LineIndex index(text);
  for (int round = 0; round < 20000; ++round) {
    uint32_t begin = below(text.size() + 1);
    uint32_t end =
        begin + below(std::min<size_t>(text.size() - begin, text.size() > 40 ? 30 : 3) + 1);
    std::string_view piece = pieces[below(std::size(pieces))];
    text.replace(begin, end - begin, piece);
    index.update(text, {{begin, end}, static_cast<uint32_t>(piece.size())});
    ASSERT_EQ(lines_of(index, text), lines_of(LineIndex(text), text)) << "round " << round;
  }
}

TEST(LineIndex, ALineNearThePlaceChangesNothing) {
  std::string text;
  for (int i = 0; i < 70; ++i) {
    text += std::string(static_cast<size_t>(i % 5), 'x') + (i % 7 == 0 ? "\r\n" : "\n");
  }
  const LineIndex index(text);
  for (uint32_t offset = 0; offset <= text.size() + 1; ++offset) {
    const LineColumn known = index.position(text, offset, PositionEncoding::Utf16);
    for (uint32_t near = 0; near <= index.n_lines() + 1; ++near) {
      EXPECT_EQ(index.position(text, offset, PositionEncoding::Utf16, near), known) << offset;
    }
  }
}

TEST(FindInvalidUtf8, FindsTheFirstBadByte) {
  EXPECT_EQ(find_invalid_utf8("plain ascii text"), 16U);
  EXPECT_EQ(find_invalid_utf8("ok \xC3\xA9"), 5U);
  EXPECT_EQ(find_invalid_utf8("overlong \xC0\x80"), 9U);
  EXPECT_EQ(find_invalid_utf8("surrogate \xED\xA0\x80"), 10U);
  EXPECT_EQ(find_invalid_utf8("past the end \xF4\x90\x80\x80"), 13U);
  EXPECT_EQ(find_invalid_utf8("cut \xE4\xB8"), 4U);
}

}  // namespace
}  // namespace tacet
