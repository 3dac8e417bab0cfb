#include "importer/pattern/parse_class.h"

namespace tacet::importer::pattern {

namespace {

auto byte_range(unsigned first, unsigned last) -> ByteSet {
  ByteSet bytes;
  for (unsigned x = first; x <= last; ++x) {
    bytes.set(x);
  }
  return bytes;
}

auto byte_set(std::string_view text) -> ByteSet {
  ByteSet bytes;
  for (const char c : text) {
    bytes.set(static_cast<unsigned char>(c));
  }
  return bytes;
}

auto letters() -> ByteSet {
  return byte_range('a', 'z') | byte_range('A', 'Z');
}

auto digits() -> ByteSet {
  return byte_range('0', '9');
}

}  // namespace

auto class_of_escape(char letter) -> std::optional<ByteSet> {
  switch (letter) {
    case 'd':
      return digits();
    case 'D':
      return ~digits();
    case 'w':
      return letters() | digits() | byte_set("_");
    case 'W':
      return ~(letters() | digits() | byte_set("_"));
    case 's':
      return byte_set(" \t\n\v\f\r");
    case 'S':
      return ~byte_set(" \t\n\v\f\r");
    default:
      return std::nullopt;
  }
}

auto class_of_name(std::string_view name) -> std::optional<ByteSet> {
  struct NamedClass {
    std::string_view name;
    ByteSet bytes;
  };
  const NamedClass classes[] = {
      {"alpha", letters()},
      {"digit", digits()},
      {"alnum", letters() | digits()},
      {"upper", byte_range('A', 'Z')},
      {"lower", byte_range('a', 'z')},
      {"word", letters() | digits() | byte_set("_")},
      {"space", byte_set(" \t\n\v\f\r")},
      {"blank", byte_set(" \t")},
      {"xdigit", digits() | byte_range('a', 'f') | byte_range('A', 'F')},
      {"cntrl", byte_range(0, 31) | byte_range(127, 127)},
      {"print", byte_range(' ', '~')},
      {"graph", byte_range('!', '~')},
      {"punct", byte_range('!', '~') & ~(letters() | digits())},
      {"ascii", byte_range(0, 127)},
  };
  for (const NamedClass& known : classes) {
    if (known.name == name) {
      return known.bytes;
    }
  }
  return std::nullopt;
}

auto byte_of_escape(char letter) -> std::optional<uint8_t> {
  switch (letter) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    case 'a':
      return '\a';
    default:
      break;
  }
  const auto byte = static_cast<uint8_t>(letter);
  const bool is_punctuation = byte >= ' ' && byte <= '~' && !(letters() | digits()).test(byte);
  return is_punctuation ? std::optional(byte) : std::nullopt;
}

auto in_both_cases(ByteSet bytes) -> ByteSet {
  for (unsigned x = 'a'; x <= 'z'; ++x) {
    const unsigned upper = x - 'a' + 'A';
    if (bytes.test(x) || bytes.test(upper)) {
      bytes.set(x);
      bytes.set(upper);
    }
  }
  return bytes;
}

}  // namespace tacet::importer::pattern
