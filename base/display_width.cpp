#include "base/display_width.h"

#include <algorithm>
#include <iterator>

namespace tacet {

namespace {

struct CodeRange {
  uint32_t first;
  uint32_t last;
};

constexpr CodeRange kZeroWidth[] = {
#define TACET_ZERO_WIDTH(First, Last) {First, Last},
#define TACET_WIDE(First, Last)
#include "base/display_width.def"
};

constexpr CodeRange kWide[] = {
#define TACET_ZERO_WIDTH(First, Last)
#define TACET_WIDE(First, Last) {First, Last},
#include "base/display_width.def"
};

struct CodePoint {
  uint32_t value = 0;
  uint32_t n_bytes = 0;  ///< 0 if the bytes are not UTF-8
};

constexpr uint32_t kZeroWidthJoiner = 0x200D;
constexpr uint32_t kEmojiPresentation = 0xFE0F;

}  // namespace

template <size_t N>
static auto is_in(const CodeRange (&ranges)[N], uint32_t code) -> bool {
  auto range = std::lower_bound(std::begin(ranges), std::end(ranges), code,
                                [](CodeRange r, uint32_t c) { return r.last < c; });
  return range != std::end(ranges) && range->first <= code;
}

static auto decode(std::string_view text) -> CodePoint {
  if (text.empty()) {
    return {};
  }
  auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) {
    return {first, 1};
  }
  uint32_t n_bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < n_bytes) {
    return {};
  }
  uint32_t value = first & (0xFFU >> (n_bytes + 1));
  for (uint32_t i = 1; i < n_bytes; ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) {
      return {};
    }
    value = value << 6 | (byte & 0x3FU);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[n_bytes] || value > 0x10FFFF || is_surrogate) {
    return {};
  }
  return {value, n_bytes};
}

static auto is_emoji_modifier(uint32_t code) -> bool {
  return code >= 0x1F3FB && code <= 0x1F3FF;
}

static auto is_regional_indicator(uint32_t code) -> bool {
  return code >= 0x1F1E6 && code <= 0x1F1FF;
}

static auto columns_of(uint32_t code) -> uint32_t {
  if (code < 0x300) {
    return 1;
  }
  if (is_in(kZeroWidth, code)) {
    return 0;
  }
  return is_in(kWide, code) ? 2 : 1;
}

auto next_grapheme(std::string_view text) -> Grapheme {
  auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80 && (text.size() == 1 || static_cast<unsigned char>(text[1]) < 0x80)) {
    return {1, 1, true};
  }
  CodePoint base = decode(text);
  if (base.n_bytes == 0) {
    return {1, 1, false};
  }
  Grapheme grapheme{base.n_bytes, columns_of(base.value), true};
  if (base.value < 0x20) {
    return grapheme;
  }
  bool was_joiner = false;
  bool was_regional = is_regional_indicator(base.value);
  while (grapheme.n_bytes < text.size()) {
    CodePoint next = decode(text.substr(grapheme.n_bytes));
    if (next.n_bytes == 0) {
      break;
    }
    bool pairs = was_regional && is_regional_indicator(next.value);
    bool belongs = was_joiner || pairs || is_emoji_modifier(next.value) ||
                   (next.value >= 0x300 && columns_of(next.value) == 0);
    if (!belongs) {
      break;
    }
    if (pairs || next.value == kEmojiPresentation) {
      grapheme.n_columns = 2;
    }
    was_regional = false;
    was_joiner = next.value == kZeroWidthJoiner && grapheme.n_columns == 2;
    grapheme.n_bytes += next.n_bytes;
  }
  return grapheme;
}

auto display_width(std::string_view text) -> uint32_t {
  uint32_t n_columns = 0;
  size_t i = 0;
  while (i < text.size()) {
    Grapheme grapheme = next_grapheme(text.substr(i));
    n_columns += grapheme.n_columns;
    i += grapheme.n_bytes;
  }
  return n_columns;
}

}  // namespace tacet
