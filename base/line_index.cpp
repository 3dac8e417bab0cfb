#include "base/line_index.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace tacet {

/// Does a line begin at `at`, which is not 0?
static auto is_line_start(std::string_view text, size_t at) -> bool {
  return text[at - 1] == '\n' || (text[at - 1] == '\r' && (at == text.size() || text[at] != '\n'));
}

LineIndex::LineIndex(std::string_view text) : text_size_(static_cast<uint32_t>(text.size())) {
  starts_.push_back(0);
  for (size_t at = 1; at <= text.size(); ++at) {
    if (is_line_start(text, at)) {
      starts_.push_back(static_cast<uint32_t>(at));
    }
  }
}

void LineIndex::update(std::string_view text, TextChange change) {
  // A line start depends on the byte before it and the one after, so those from the
  // first to the last boundary of the replaced bytes are in question.
  const uint32_t first = std::max(change.range.begin, 1U);
  auto kept_end = std::lower_bound(starts_.begin(), starts_.end(), first);
  auto tail = std::upper_bound(kept_end, starts_.end(), change.range.end);
  const uint32_t shift = change.new_length - change.range.length();  // modulo 2^32
  std::for_each(tail, starts_.end(), [&](uint32_t& start) { start += shift; });

  std::vector<uint32_t> fresh;
  for (uint32_t at = first; at <= change.range.begin + change.new_length; ++at) {
    if (is_line_start(text, at)) {
      fresh.push_back(at);
    }
  }
  const auto n_replaced = std::min(fresh.size(), static_cast<size_t>(tail - kept_end));
  auto next = std::copy_n(fresh.begin(), n_replaced, kept_end);
  next = starts_.erase(next, tail);
  starts_.insert(next, fresh.begin() + static_cast<ptrdiff_t>(n_replaced), fresh.end());
  text_size_ = static_cast<uint32_t>(text.size());
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

/// Where the ASCII ends that stands at `at`: at most at `end`. Lines can be long, and what asks for
/// a column asks again and again.
static auto skip_ascii(std::string_view text, size_t at, size_t end) -> size_t {
  uint64_t chunk = 0;
  while (at + sizeof chunk <= end) {
    std::memcpy(&chunk, text.data() + at, sizeof chunk);
    if ((chunk & 0x8080808080808080ULL) != 0) {
      break;
    }
    at += sizeof chunk;
  }
  while (at < end && static_cast<unsigned char>(text[at]) < 0x80) {
    ++at;
  }
  return at;
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
  size_t units = 0;
  for (size_t i = 0; i < text.size();) {
    const size_t ascii_end = skip_ascii(text, i, text.size());
    units += ascii_end - i;
    i = ascii_end;
    if (i < text.size()) {
      size_t length = std::max<size_t>(1, sequence_length(text.substr(i)));
      units += units_of(length, encoding);
      i += length;
    }
  }
  return static_cast<uint32_t>(units);
}

/// Where the character begins in which an offset lies; the offset itself if it lies in none.
static auto character_begin(std::string_view text, uint32_t line_begin, uint32_t offset)
    -> uint32_t {
  constexpr uint32_t kMostTrailing = 3;
  const bool is_trailing =
      offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xC0U) == 0x80U;
  for (uint32_t back = 1; is_trailing && back <= kMostTrailing && back <= offset - line_begin;
       ++back) {
    if (sequence_length(text.substr(offset - back)) > back) {
      return offset - back;
    }
  }
  return offset;
}

auto LineIndex::position(std::string_view text, uint32_t offset, PositionEncoding encoding,
                         uint32_t near) const -> LineColumn {
  offset = std::min(offset, text_size_);
  // Steps that double, from a line that begins in front of the offset.
  size_t low = near < starts_.size() && starts_[near] <= offset ? near : 0;
  size_t step = 1;
  while (low + step < starts_.size() && starts_[low + step] <= offset) {
    low += step;
    step *= 2;
  }
  auto next = std::upper_bound(
      starts_.begin() + static_cast<ptrdiff_t>(low),
      starts_.begin() + static_cast<ptrdiff_t>(std::min(low + step, starts_.size())), offset);
  auto line = static_cast<uint32_t>(next - starts_.begin() - 1);
  uint32_t begin = starts_[line];
  if (encoding == PositionEncoding::Utf8) {
    return {line, character_begin(text, begin, offset) - begin};
  }
  size_t column = 0;
  for (size_t i = begin; i < offset;) {
    const size_t ascii_end = skip_ascii(text, i, offset);
    column += ascii_end - i;
    i = ascii_end;
    if (i == offset) {
      break;
    }
    size_t length = std::max<size_t>(1, sequence_length(text.substr(i)));
    if (i + length > offset) {
      break;
    }
    column += units_of(length, encoding);
    i += length;
  }
  return {line, static_cast<uint32_t>(column)};
}

auto LineIndex::offset(std::string_view text, LineColumn position, PositionEncoding encoding) const
    -> uint32_t {
  if (position.line >= starts_.size()) {
    return text_size_;
  }
  TextRange range = line_range(text, position.line);
  if (encoding == PositionEncoding::Utf8) {
    return character_begin(text, range.begin,
                           range.begin + std::min(position.column, range.length()));
  }
  uint32_t units = 0;
  uint32_t at = range.begin;
  while (at < range.end && units < position.column) {
    const size_t wanted = std::min<size_t>(position.column - units, range.end - at);
    const auto ascii_end = static_cast<uint32_t>(skip_ascii(text, at, at + wanted));
    units += ascii_end - at;
    at = ascii_end;
    if (at == range.end || units == position.column) {
      break;
    }
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
    i = skip_ascii(text, i, text.size());
    if (i == text.size()) {
      break;
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
