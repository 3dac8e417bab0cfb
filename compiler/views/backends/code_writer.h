#pragma once

#include <string>
#include <string_view>

namespace tacet::backends {

/// Text by lines, indented by the braces around them.
class CodeWriter {
 public:
  explicit CodeWriter(size_t width = 2, size_t depth = 0) : width_(width), depth_(depth) {}

  void line(std::string_view text = {}) {
    if (!text.empty()) {
      text_.append(width_ * depth_, ' ').append(text);
    }
    text_ += '\n';
  }
  /// A line that opens a brace.
  void open(std::string_view text) {
    line(text);
    ++depth_;
  }
  /// The line that closes it.
  void close(std::string_view text = "}") {
    --depth_;
    line(text);
  }
  /// Lines that are indented already.
  void text(std::string_view lines) { text_ += lines; }

  [[nodiscard]] auto take() -> std::string { return std::move(text_); }

 private:
  size_t width_;
  size_t depth_;
  std::string text_;
};

}  // namespace tacet::backends
