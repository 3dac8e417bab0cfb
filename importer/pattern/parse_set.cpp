#include <fmt/format.h>

#include "importer/pattern/parse_class.h"
#include "importer/pattern/pattern_parser.h"

namespace tacet::importer::pattern {

/// `[a-z]`. A bracket right behind the first one stands for itself, and so do hyphens at the ends.
auto PatternParser::set() -> PatternNode {
  const size_t from = at_++;
  const bool is_complement = skip("^");
  ByteSet bytes;
  bool is_first = true;
  while (!at_end() && (is_first || next() != ']')) {
    is_first = false;
    set_item(bytes);
  }
  if (!skip("]") && !fault_) {
    fail(from, from + 1, "`[` without `]`: write `\\[` for the character");
  }
  if (flags_.ignores_case) {
    bytes = in_both_cases(bytes);
  }
  return bytes_node(is_complement ? ~bytes : bytes);
}

void PatternParser::set_item(ByteSet& bytes) {
  const size_t from = at_;
  if (const std::optional<ByteSet> named = named_set()) {
    bytes |= *named;
    if (next_is("-") && !next_is("-]")) {
      fail(from, at_ + 1, "a class has no end of a range: write `\\-` for the character");
    }
    return;
  }
  const std::optional<uint8_t> first = set_byte();
  if (!first) {
    return;
  }
  if (!next_is("-") || next_is("-]")) {
    bytes.set(*first);
    return;
  }
  ++at_;
  if (at_end()) {
    return;  // without its bracket
  }
  if (named_set()) {
    fail(from, "a range ends with a class: write `\\-` for the character");
    return;
  }
  const std::optional<uint8_t> last = set_byte();
  if (last && *last < *first) {
    fail(from, fmt::format("the range `{}` is empty", text_.substr(from, at_ - from)));
  }
  for (unsigned x = *first; last && x <= *last; ++x) {
    bytes.set(x);
  }
}

auto PatternParser::named_set() -> std::optional<ByteSet> {
  const size_t from = at_;
  if (next_is("[:")) {
    const size_t end = text_.find(":]", at_ + 2);
    const std::string_view name =
        text_.substr(at_ + 2, end == std::string_view::npos ? 0 : end - at_ - 2);
    const std::optional<ByteSet> known = class_of_name(name);
    if (!known) {
      at_ = end == std::string_view::npos ? at_ + 2 : end + 2;
      fail(from,
           "unknown class: expected `[:alpha:]`, `[:digit:]`, `[:alnum:]`, `[:upper:]`, "
           "`[:lower:]`, `[:space:]`, `[:blank:]`, `[:punct:]`, `[:xdigit:]`, `[:cntrl:]`, "
           "`[:print:]`, `[:graph:]`, `[:word:]` or `[:ascii:]`");
      return std::nullopt;
    }
    at_ = end + 2;
    return known;
  }
  if (next_is("\\") && at_ + 1 < text_.size()) {
    if (const std::optional<ByteSet> known = class_of_escape(text_[at_ + 1])) {
      at_ += 2;
      return known;
    }
  }
  return std::nullopt;
}

auto PatternParser::set_byte() -> std::optional<uint8_t> {
  if (at_end()) {
    return std::nullopt;
  }
  const size_t from = at_;
  const char c = text_[at_++];
  if (static_cast<unsigned char>(c) >= 0x80) {
    while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xc0U) == 0x80) {
      ++at_;
    }
    const std::string_view character = text_.substr(from, at_ - from);
    fail(from, fmt::format("a class holds bytes, and `{0}` has {1} in UTF-8: write `(?:{0}|[…])`",
                           character, character.size()));
    return std::nullopt;
  }
  if (c != '\\') {
    return static_cast<uint8_t>(c);
  }
  const char letter = at_ < text_.size() ? text_[at_++] : ' ';
  if (letter == 'x') {
    return hex_byte(from);
  }
  if (letter == 'b') {
    return uint8_t{'\b'};
  }
  const std::optional<uint8_t> byte = byte_of_escape(letter);
  if (!byte) {
    fail(from, fmt::format("unknown escape `{}`", text_.substr(from, at_ - from)));
  }
  return byte;
}

}  // namespace tacet::importer::pattern
