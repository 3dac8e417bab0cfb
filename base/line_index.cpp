#include "base/line_index.h"

#include <algorithm>
#include <cstring>

namespace tacet {

LineIndex::LineIndex(std::string_view text) : text_size_(static_cast<uint32_t>(text.size())) {
  starts_.push_back(0);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))) {
      starts_.push_back(static_cast<uint32_t>(i + 1));
    }
  }
}

auto LineIndex::line_range(std::string_view text, uint32_t line) const -> TextRange {
  if (line >= starts_.size()) {
    return {text_size_, text_size_};
  }
  uint32_t begin = starts_[line];
  uint32_t end = line + 1 < starts_.size() ? starts_[line + 1] : text_size_;
  while (end > begin && (text[end - 1] == '\n' || text[end - 1] == '\r')) {
    --end;
  }
  return {begin, end};
}

/// The length of the well-formed UTF-8 sequence at the front of `text`, or 0.
static auto sequence_length(std::string_view text) -> size_t {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  auto continues = [&](size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  unsigned first = byte(0);
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xC2 && first <= 0xDF) {
    return continues(1) ? 2 : 0;
  }
  if (first >= 0xE0 && first <= 0xEF) {
    unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    unsigned high = first == 0xED ? 0x9F : 0xBF;
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    unsigned low = first == 0xF0 ? 0x90 : 0x80;
    unsigned high = first == 0xF4 ? 0x8F : 0xBF;
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
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

auto code_units(std::string_view text, PositionEncoding encoding) -> uint32_t {
  if (encoding == PositionEncoding::Utf8) {
    return static_cast<uint32_t>(text.size());
  }
  uint32_t units = 0;
  for (size_t i = 0; i < text.size();) {
    size_t length = std::max<size_t>(1, sequence_length(text.substr(i)));
    units += units_of(length, encoding);
    i += length;
  }
  return units;
}

auto LineIndex::position(std::string_view text, uint32_t offset, PositionEncoding encoding) const
    -> LineColumn {
  offset = std::min(offset, text_size_);
  auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  auto line = static_cast<uint32_t>(next - starts_.begin() - 1);
  uint32_t begin = starts_[line];
  uint32_t column = 0;
  if (encoding == PositionEncoding::Utf8) {
    column = offset - begin;
  } else {
    for (size_t i = begin; i < offset;) {
      size_t length = std::max<size_t>(1, sequence_length(text.substr(i)));
      if (i + length > offset) {
        break;
      }
      column += units_of(length, encoding);
      i += length;
    }
  }
  return {line, column};
}

auto LineIndex::offset(std::string_view text, LineColumn position, PositionEncoding encoding) const
    -> uint32_t {
  if (position.line >= starts_.size()) {
    return text_size_;
  }
  TextRange range = line_range(text, position.line);
  if (encoding == PositionEncoding::Utf8) {
    return std::min(range.end, range.begin + std::min(position.column, range.length()));
  }
  uint32_t units = 0;
  uint32_t at = range.begin;
  while (at < range.end && units < position.column) {
    size_t length = std::max<size_t>(1, sequence_length(text.substr(at)));
    units += units_of(length, encoding);
    if (units > position.column) {
      break;
    }
    at += static_cast<uint32_t>(length);
  }
  return std::min(at, range.end);
}

auto LineIndex::is_inside(std::string_view text, LineColumn position,
                          PositionEncoding encoding) const -> bool {
  if (position.line >= starts_.size()) {
    return false;
  }
  TextRange range = line_range(text, position.line);
  return position.column <= code_units(text.substr(range.begin, range.length()), encoding);
}

auto find_invalid_utf8(std::string_view text) -> size_t {
  size_t i = 0;
  while (i < text.size()) {
    uint64_t chunk = 0;
    if (i + sizeof chunk <= text.size()) {
      std::memcpy(&chunk, text.data() + i, sizeof chunk);
      if ((chunk & 0x8080808080808080ULL) == 0) {
        i += sizeof chunk;
        continue;
      }
    }
    size_t length = sequence_length(text.substr(i));
    if (length == 0) {
      return i;
    }
    i += length;
  }
  return text.size();
}

}  // namespace tacet
