#pragma once

#include <string>
#include <string_view>

namespace tacet::infer {

/// `text` on one line, at most `n` characters wide.
auto shortened(std::string_view text, size_t n) -> std::string;

/// Two columns of text for a note: the specification left, the implementation right.
class SideBySide {
 public:
  /// `width`: of the left column, in characters; the right one gets as much.
  SideBySide(size_t width, std::string_view left, std::string_view right);

  /// One more row, indented by `depth`; a marked one is where the two differ.
  void row(std::string_view left, std::string_view right, bool is_marked, uint32_t depth = 0);

  [[nodiscard]] auto text() const -> const std::string& { return text_; }

 private:
  void line(char mark, const std::string& left, const std::string& right);

  size_t width_;
  std::string text_;
};

}  // namespace tacet::infer
