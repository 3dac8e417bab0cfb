#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/line_index.h"

namespace tacet::fuzz {

/// A document as a client keeps it: the plainest reading of what LSP says about positions, to hold
/// the server's against. Every operation looks at the whole text.
class MirroredText {
 public:
  explicit MirroredText(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] auto text() const -> const std::string& { return text_; }
  [[nodiscard]] auto n_lines() const -> uint32_t { return static_cast<uint32_t>(lines().size()); }
  /// The columns of a line at which characters begin, and that of its end.
  [[nodiscard]] auto columns(uint32_t line, PositionEncoding encoding) const
      -> std::vector<uint32_t>;

  void replace_all(std::string_view text) { text_ = text; }
  /// An end that lies in front of the beginning counts as the beginning.
  void replace(LineColumn begin, LineColumn end, PositionEncoding encoding, std::string_view text);

 private:
  struct Line {
    size_t begin;
    size_t end;  ///< without the line end
  };
  [[nodiscard]] auto lines() const -> std::vector<Line>;
  [[nodiscard]] auto offset(LineColumn place, PositionEncoding encoding) const -> size_t;

  std::string text_;
};

}  // namespace tacet::fuzz
