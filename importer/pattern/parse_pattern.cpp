#include <fmt/format.h>

#include <algorithm>

#include "importer/pattern/parse_class.h"
#include "importer/pattern/pattern_parser.h"

namespace tacet::importer::pattern {

namespace {

auto is_digit(char c) -> bool {
  return c >= '0' && c <= '9';
}

auto is_word(char c) -> bool {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// How many bytes a character of UTF-8 has, by its first.
auto length_of_character(std::string_view text) -> size_t {
  const auto first = static_cast<unsigned char>(text.front());
  const size_t length = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return std::min(length, text.size());
}

}  // namespace

auto PatternParser::run(PatternNode& root) -> std::optional<Fault> {
  if (text_.size() > kLongestPattern) {
    fail(kLongestPattern, text_.size(),
         fmt::format("the pattern has {} bytes; at most {} are supported", text_.size(),
                     kLongestPattern));
    return fault_;
  }
  root = alternatives();
  if (!fault_ && at_ < text_.size()) {
    fail(at_, at_ + 1, "`)` without `(`: write `\\)` for the character");
  }
  return fault_;
}

auto PatternParser::skip(std::string_view text) -> bool {
  const bool is_next = next_is(text);
  at_ += is_next ? text.size() : 0;
  return is_next;
}

void PatternParser::fail(size_t from, std::string message) {
  fail(from, std::max(at_, from + 1), std::move(message));
}

void PatternParser::fail(size_t from, size_t to, std::string message) {
  if (!fault_) {
    fault_ = Fault{std::move(message), {static_cast<uint32_t>(from), static_cast<uint32_t>(to)}};
  }
}

auto PatternParser::alternatives() -> PatternNode {
  PatternNode result;
  result.kind = PatternKind::Alternative;
  result.children.push_back(sequence());
  while (skip("|")) {
    result.children.push_back(sequence());
  }
  if (result.children.size() == 1) {
    PatternNode only = std::move(result.children.front());
    return only;
  }
  return result;
}

auto PatternParser::sequence() -> PatternNode {
  PatternNode result;
  result.kind = PatternKind::Sequence;
  while (!at_end() && next() != '|' && next() != ')') {
    const size_t from = at_;
    PatternNode item = atom();
    result.children.push_back(repeated(std::move(item), from));
  }
  return result;
}

auto PatternParser::repeated(PatternNode atom, size_t from) -> PatternNode {
  const size_t sign = at_;
  PatternNode repeat;
  repeat.kind = PatternKind::Repeat;
  if (skip("*")) {
  } else if (skip("+")) {
    repeat.least = 1;
  } else if (skip("?")) {
    repeat.most = 1;
  } else if (at_end() || next() != '{' || !counts(repeat)) {
    return atom;
  }
  repeat.place = {static_cast<uint32_t>(sign), static_cast<uint32_t>(at_)};
  if (next_is("+")) {
    ++at_;
    fail(sign, "possessive repetitions are not supported: they depend on how a matcher backtracks");
  } else {
    skip("?");  // matches the same texts
  }
  if (next_is("*") || next_is("+") || next_is("?")) {
    ++at_;
    fail(from, fmt::format("a repetition of a repetition: write `(?:{}){}`",
                           text_.substr(from, at_ - 1 - from), text_[at_ - 1]));
  }
  repeat.children.push_back(std::move(atom));
  return repeat;
}

/// `{2}`, `{2,}`, `{2,5}`; everything else that starts with a brace is wrong.
auto PatternParser::counts(PatternNode& repeat) -> bool {
  const size_t from = at_++;
  const std::optional<uint32_t> least = count();
  std::optional<uint32_t> most = least;
  if (least && skip(",")) {
    most = count();
  }
  if (!least || !skip("}")) {
    fail(from, "expected `{N}`, `{N,}` or `{N,M}`: write `\\{` for the character");
    return false;
  }
  if (*least > kMostRepeats || most.value_or(0) > kMostRepeats) {
    fail(from, fmt::format("at most {} repetitions are supported", kMostRepeats));
  } else if (most && *most < *least) {
    fail(from, fmt::format("at least {} repetitions and at most {}", *least, *most));
  }
  repeat.least = *least;
  repeat.most = most;
  return true;
}

auto PatternParser::count() -> std::optional<uint32_t> {
  std::optional<uint32_t> number;
  for (; !at_end() && is_digit(next()); ++at_) {
    number =
        std::min(number.value_or(0) * 10 + static_cast<uint32_t>(next() - '0'), kMostRepeats + 1);
  }
  return number;
}

auto PatternParser::atom() -> PatternNode {
  const size_t from = at_;
  PatternNode node;
  switch (next()) {
    case '(':
      return group();
    case '[':
      return set();
    case '\\':
      return escape();
    case '.': {
      ++at_;
      ByteSet bytes = ByteSet().set();
      bytes.set('\n', flags_.dot_is_any);
      return bytes_node(bytes);
    }
    case '^':
      ++at_;
      node.kind = PatternKind::TextStart;
      return node;
    case '$':
      ++at_;
      node.kind = PatternKind::TextEnd;
      return node;
    case '*':
    case '+':
    case '?':
    case '{':
      fail(from, at_ + 1,
           fmt::format("nothing to repeat in front of `{0}`: write `\\{0}` for the character",
                       next()));
      return node;
    default:
      return character();
  }
}

auto PatternParser::group() -> PatternNode {
  const size_t from = at_++;
  if (++depth_ > kDeepestGroup) {
    fail(from, fmt::format("groups are nested more than {} deep", kDeepestGroup));
    return {};
  }
  const Flags outside = flags_;
  PatternNode content;
  if (!skip("?") || group_head(from)) {
    content = alternatives();
    flags_ = outside;
    if (!skip(")") && !fault_) {
      fail(from, from + 1, "`(` without `)`: write `\\(` for the character");
    }
  }
  --depth_;
  return content;
}

auto PatternParser::group_head(size_t from) -> bool {
  if (skip(":")) {
    return true;
  }
  if (skip("=") || skip("!") || skip("<=") || skip("<!")) {
    fail(from,
         "look-around is not supported: import two patterns, and combine their results with `&&` "
         "and `!`");
    return false;
  }
  if (skip("P<") || skip("<")) {
    skip_name(from);
    return true;
  }
  if (skip("P=")) {
    fail(from, "back-references are not regular: write out what the group may match");
    return false;
  }
  if (skip(">")) {
    fail(from, "atomic groups are not supported: they depend on how a matcher backtracks");
    return false;
  }
  return flags_head(from);
}

void PatternParser::skip_name(size_t from) {
  while (!at_end() && is_word(next())) {
    ++at_;
  }
  if (!skip(">")) {
    fail(from, "expected a name and `>`: `(?P<name>`");
  }
}

auto PatternParser::flags_head(size_t from) -> bool {
  Flags flags = flags_;
  bool is_on = true;
  for (; !at_end() && next() != ')' && next() != ':'; ++at_) {
    switch (next()) {
      case 'i':
        flags.ignores_case = is_on;
        break;
      case 's':
        flags.dot_is_any = is_on;
        break;
      case '-':
        is_on = false;
        break;
      default:
        ++at_;
        fail(from, "unknown group: expected `(?:`, `(?P<name>`, `(?i)` or `(?s)`");
        return false;
    }
  }
  if (at_ >= text_.size()) {
    fail(from, from + 1, "`(` without `)`: write `\\(` for the character");
    return false;
  }
  flags_ = flags;
  // `(?i)` is no group, and counts up to the end of the one around it.
  return text_[at_++] == ':';
}

auto PatternParser::escape() -> PatternNode {
  const size_t from = at_++;
  PatternNode node;
  if (at_ >= text_.size()) {
    fail(from, "`\\` at the end: write `\\\\` for the character");
    return node;
  }
  const char letter = next();
  at_ += length_of_character(text_.substr(at_));
  if (const std::optional<ByteSet> known = class_of_escape(letter)) {
    return bytes_node(*known);
  }
  if (letter == 'A' || letter == 'z' || letter == 'Z') {
    node.kind = letter == 'A' ? PatternKind::TextStart : PatternKind::TextEnd;
    return node;
  }
  if (letter == 'x') {
    return byte_node(hex_byte(from));
  }
  if (letter == 'b' || letter == 'B') {
    fail(from, "word boundaries are not supported: write `(?:^|\\W)` and `(?:\\W|$)`");
  } else if (is_digit(letter) && letter != '0') {
    fail(from, "back-references are not regular: write out what the group may match");
  } else if (letter == 'p' || letter == 'P') {
    fail(from, "classes of Unicode are not supported: a letter is a byte");
  } else if (const std::optional<uint8_t> byte = byte_of_escape(letter)) {
    return byte_node(*byte);
  } else {
    fail(from, fmt::format("unknown escape `{}`", text_.substr(from, at_ - from)));
  }
  return node;
}

/// The two digits behind `\x`.
auto PatternParser::hex_byte(size_t from) -> uint8_t {
  unsigned value = 0;
  for (int i = 0; i < 2; ++i) {
    const char c = at_ < text_.size() ? next() : ' ';
    const bool is_letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (!is_digit(c) && !is_letter) {
      fail(from, "expected two hexadecimal digits: `\\x7f`");
      return 0;
    }
    value = value * 16 + static_cast<unsigned>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    ++at_;
  }
  return static_cast<uint8_t>(value);
}

/// A character for itself: its bytes in UTF-8, as one item.
auto PatternParser::character() -> PatternNode {
  const size_t length = length_of_character(text_.substr(at_));
  PatternNode node;
  node.kind = PatternKind::Sequence;
  for (size_t i = 0; i < length; ++i) {
    node.children.push_back(byte_node(static_cast<uint8_t>(text_[at_++])));
  }
  if (length > 1) {
    return node;
  }
  PatternNode only = std::move(node.children.front());
  return only;
}

auto PatternParser::bytes_node(ByteSet bytes) -> PatternNode {
  PatternNode node;
  node.kind = PatternKind::Byte;
  node.bytes = bytes;
  return node;
}

auto PatternParser::byte_node(uint8_t byte) -> PatternNode {
  const ByteSet bytes = ByteSet().set(byte);
  return bytes_node(flags_.ignores_case ? in_both_cases(bytes) : bytes);
}

auto parse_pattern(std::string_view text, PatternNode& root) -> std::optional<Fault> {
  return PatternParser(text).run(root);
}

}  // namespace tacet::importer::pattern
