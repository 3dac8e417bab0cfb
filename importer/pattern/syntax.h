#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_range.h"

/// Regular expressions as trees. Private to the importer.
namespace tacet::importer::pattern {

using ByteSet = std::bitset<256>;

enum class PatternKind : uint8_t {
  Empty,        ///< the empty text
  Byte,         ///< one byte of a set
  Sequence,     ///< the children, one behind the other
  Alternative,  ///< one of the children
  Repeat,       ///< the child `least` to `most` times
  TextStart,    ///< nothing, at the start of the text
  TextEnd,      ///< nothing, at the end of the text
};

struct PatternNode {
  PatternKind kind = PatternKind::Empty;
  ByteSet bytes{};                      ///< of kind `Byte`
  std::vector<PatternNode> children{};  ///< of `Sequence`, `Alternative` and `Repeat`
  uint32_t least = 0;
  std::optional<uint32_t> most{};  ///< none: any number
  /// Of kind `Repeat`: its place in the pattern, `{3,40}`.
  TextRange place{};
};

/// What is wrong with a pattern, and where.
struct Fault {
  std::string message;
  TextRange place{};
};

/// Limits of patterns, so that a short one cannot occupy the machine.
inline constexpr size_t kLongestPattern = 10'000;  ///< bytes
inline constexpr size_t kDeepestGroup = 100;
inline constexpr uint32_t kMostRepeats = 1000;

/// A pattern in the syntax of POSIX's extended regular expressions and RE2, less what is not
/// regular:
///
///   ab  a|b  (a)  (?:a)  (?P<name>a)  a*  a+  a?  a{2}  a{2,}  a{2,5}  lazy forms, a*?
///   [a-z_]  [^0-9]  [[:alpha:]]  .  \d \D \w \W \s \S  ^  $  \A  \z  (?i)  (?s)  (?i:a)
///   \n \r \t \f \v \a \x7f  \. and other escaped punctuation
///
/// A letter is a byte: `.` is each but the line feed (with `(?s)`, each), and a character that is
/// not ASCII stands for its bytes in UTF-8. `^` and `$` are the ends of the text, not of lines.
/// Letters of ASCII have two cases. O(size of the pattern).
auto parse_pattern(std::string_view text, PatternNode& root) -> std::optional<Fault>;

}  // namespace tacet::importer::pattern
