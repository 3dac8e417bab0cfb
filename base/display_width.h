#pragma once

#include <cstdint>
#include <string_view>

namespace tacet {

/// What stands at the front of a text, as a terminal shows it: one character with
/// the marks, joiners and modifiers that belong to it.
struct Grapheme {
  uint32_t n_bytes = 0;
  uint32_t n_columns = 0;
  bool is_valid = true;  ///< false for a byte that is not UTF-8; it shows as U+FFFD
};

/// The first grapheme of a text that is not empty. Control characters take one
/// column here; the printer decides what to print.
auto next_grapheme(std::string_view text) -> Grapheme;

/// The columns a text takes on a terminal. O(n); ASCII takes a fast path.
auto display_width(std::string_view text) -> uint32_t;

}  // namespace tacet
