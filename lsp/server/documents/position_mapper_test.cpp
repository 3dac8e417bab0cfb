#include "lsp/server/documents/position_mapper.h"

#include <gtest/gtest.h>

namespace tacet::lsp {
namespace {

TEST(PositionMapper, AgreesWithTheLineIndexInAnyOrder) {
  const std::string_view text = "a\u00e9\U0001F600b\r\n\r\u4e2d\xFF\xF0\x9F z\n\nlast";
  LineIndex lines(text);
  for (auto encoding : {PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32}) {
    for (uint32_t first = 0; first <= text.size() + 1; ++first) {
      for (uint32_t second = 0; second <= text.size() + 1; ++second) {
        PositionMapper mapper(text, lines, encoding);
        mapper.position(first);
        EXPECT_EQ(mapper.position(second), lines.position(text, second, encoding))
            << first << " then " << second;
      }
    }
  }
}

TEST(PositionMapper, OneLongLineIsWalkedOnce) {
  std::string text;
  for (int i = 0; i < 500'000; ++i) {
    text += "\u00e9";
  }
  LineIndex lines(text);
  PositionMapper mapper(text, lines, PositionEncoding::Utf16);
  for (uint32_t at = 0; at <= text.size(); at += 2) {
    ASSERT_EQ(mapper.position(at), (Position{0, at / 2}));
  }
}

TEST(PositionMapper, AReversedRangeIsEmpty) {
  LineIndex lines("abc");
  PositionMapper mapper("abc", lines, PositionEncoding::Utf16);
  EXPECT_EQ(mapper.text_range({{0, 2}, {0, 1}}), (TextRange{2, 2}));
}

}  // namespace
}  // namespace tacet::lsp
