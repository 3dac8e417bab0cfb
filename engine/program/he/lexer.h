#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tacet::engine {

/// A word, a number, `..`, or a character of its own; at the end an empty one.
struct HeToken {
  enum class Kind : uint8_t { Word, Number, Sign, End };

  Kind kind = Kind::End;
  std::string_view text;
  uint32_t line = 1;
  uint32_t column = 1;  ///< in bytes
};

/// Takes a text apart. Comments go from `//` to the end of the line. Whatever is no token becomes a
/// sign of one character, which no rule of the grammar has.
auto lex_he_program(std::string_view text) -> std::vector<HeToken>;

}  // namespace tacet::engine
