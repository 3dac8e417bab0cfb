#include "tests/fuzz/mirrored_text.h"

#include <algorithm>

namespace tacet::fuzz {

auto MirroredText::lines() const -> std::vector<Line> {
  std::vector<Line> found;
  size_t begin = 0;
  for (size_t i = 0; i < text_.size(); ++i) {
    const bool is_pair = text_[i] == '\r' && i + 1 < text_.size() && text_[i + 1] == '\n';
    if (text_[i] == '\n' || text_[i] == '\r') {
      found.push_back({begin, i});
      i += is_pair ? 1 : 0;
      begin = i + 1;
    }
  }
  found.push_back({begin, text_.size()});
  return found;
}

/// The bytes of the character that begins with `first`, in text that is valid.
static auto length_of(char first) -> size_t {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

static auto units_of(size_t length, PositionEncoding encoding) -> uint32_t {
  switch (encoding) {
    case PositionEncoding::Utf8:
      return static_cast<uint32_t>(length);
    case PositionEncoding::Utf16:
      return length == 4 ? 2 : 1;
    case PositionEncoding::Utf32:
      return 1;
  }
  return 1;
}

auto MirroredText::columns(uint32_t line, PositionEncoding encoding) const
    -> std::vector<uint32_t> {
  const std::vector<Line> all = lines();
  std::vector<uint32_t> found = {0};
  if (line < all.size()) {
    for (size_t at = all[line].begin; at < all[line].end; at += length_of(text_[at])) {
      found.push_back(found.back() + units_of(length_of(text_[at]), encoding));
    }
  }
  return found;
}

auto MirroredText::offset(LineColumn place, PositionEncoding encoding) const -> size_t {
  const std::vector<Line> all = lines();
  if (place.line >= all.size()) {
    return text_.size();
  }
  size_t at = all[place.line].begin;
  uint32_t column = 0;
  while (at < all[place.line].end) {
    const size_t length = length_of(text_[at]);
    column += units_of(length, encoding);
    if (column > place.column) {
      break;
    }
    at += length;
  }
  return at;
}

void MirroredText::replace(LineColumn begin, LineColumn end, PositionEncoding encoding,
                           std::string_view text) {
  const size_t from = offset(begin, encoding);
  const size_t to = std::max(from, offset(end, encoding));
  text_.replace(from, to - from, text);
}

}  // namespace tacet::fuzz
