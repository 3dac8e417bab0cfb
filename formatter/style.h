#pragma once

#include <cstdint>

namespace tacet::formatter {

/// How a folder wants its texts to look. There is one style; these are the measures in which it
/// does not care.
struct Style {
  enum class Indentation : uint8_t { Spaces, Tabs };
  enum class LineEnd : uint8_t { AsMostOfTheFile, Unix, Windows };

  /// How wide lines may get, in columns.
  uint32_t width = 100;
  /// Columns of one level.
  uint32_t indent = 4;
  /// How far a tab reaches; with `Indentation::Tabs` a level is one tab, so `indent` is the same.
  uint32_t tab_width = 4;
  Indentation indentation = Indentation::Spaces;
  LineEnd line_end = LineEnd::AsMostOfTheFile;

  friend auto operator==(const Style&, const Style&) -> bool = default;
};

/// The widths and indentations that are taken. Narrower, and every name has a line of its own.
constexpr uint32_t kMinWidth = 20;
constexpr uint32_t kMaxIndent = 16;
/// Lines that end only where the author or the style ends them.
constexpr uint32_t kNoWidth = 1'000'000;

}  // namespace tacet::formatter
