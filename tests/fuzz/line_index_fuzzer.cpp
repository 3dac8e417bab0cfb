// On any bytes: positions and offsets invert each other wherever a character begins, stay
// within the text, and grow together.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/line_index.h"

namespace tacet {
namespace {

void check_encoding(std::string_view text, const LineIndex& index, PositionEncoding encoding) {
  LineColumn previous;
  for (uint32_t at = 0; at <= text.size(); ++at) {
    LineColumn position = index.position(text, at, encoding);
    TACET_CHECK(position >= previous, "positions grow with offsets");
    previous = position;
    if (at > 0 && at < text.size() && text[at - 1] == '\r' && text[at] == '\n') {
      continue;  // between the two halves of a line end there is no place
    }
    uint32_t back = index.offset(text, position, encoding);
    TACET_CHECK(back <= at, "an offset inside a character counts as its start");
    TACET_CHECK(index.position(text, back, encoding) == position, "the start stays the start");
    TACET_CHECK(index.is_inside(text, position, encoding), "each offset has a place");
  }
}

void check_text(std::string_view text) {
  LineIndex index(text);
  for (auto encoding : {PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32}) {
    check_encoding(text, index, encoding);
  }
  TACET_CHECK(find_invalid_utf8(text) <= text.size(), "the first bad byte lies in the text");
}

}  // namespace
}  // namespace tacet

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  constexpr size_t kEnough = 200;  // the work grows with the square of the longest line
  tacet::check_text({reinterpret_cast<const char*>(data), std::min(size, kEnough)});
  return 0;
}
