#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tacet {

/// One grapheme as it may be sent to a terminal.
struct PrintableGrapheme {
  uint32_t n_bytes = 0;    ///< of the source
  uint32_t n_columns = 0;  ///< of `shown`
  std::string_view shown;
};

/// The first grapheme of `text` when it stands at display column `column`. Tabs
/// reach to the next multiple of four; control characters show as their pictures;
/// broken bytes and characters that reorder the text show as U+FFFD.
auto printable_grapheme(std::string_view text, uint32_t column) -> PrintableGrapheme;

/// `text` made printable, with line ends as spaces.
auto one_line(std::string_view text) -> std::string;

/// `text` made printable and broken into lines at its own line ends and, where
/// `width` is not 0, at spaces so that lines stay within it if words allow.
auto wrapped(std::string_view text, uint32_t width) -> std::vector<std::string>;

}  // namespace tacet
