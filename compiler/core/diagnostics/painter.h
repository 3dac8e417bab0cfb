#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/core/diagnostics/render.h"

namespace tacet {

/// What a piece of a report is, and so how it is coloured.
enum class Ink : uint8_t {
  Plain,
  Strong,
  Error,
  Warning,
  Information,
  Hint,
  Label,
  Gutter,
  Removed,
  Added,
};

/// Collects text, with colours on request.
class Painter {
 public:
  explicit Painter(Colour colour) : colour_(colour) {}

  void put(Ink ink, std::string_view text);
  void put(std::string_view text) { out_.append(text); }
  void put_repeated(size_t n, char c) { out_.append(n, c); }

  /// Ends the line; spaces before its end are dropped.
  void end_line();

  [[nodiscard]] auto take() -> std::string { return std::move(out_); }

 private:
  Colour colour_;
  std::string out_;
};

/// The ink of a severity.
auto ink_of(Severity severity) -> Ink;

}  // namespace tacet
