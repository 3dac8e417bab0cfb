#include "compiler/spec/infer/side_by_side.h"

namespace tacet::infer {

/// False for the second and further bytes of a character.
static auto begins_character(char c) -> bool {
  return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
}

auto shortened(std::string_view text, size_t n) -> std::string {
  std::string result;
  size_t n_shown = 0;
  for (char c : text) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (is_space && (result.empty() || result.back() == ' ')) {
      continue;
    }
    if (begins_character(c) && ++n_shown > n) {
      return result + "…";
    }
    result += is_space ? ' ' : c;
  }
  return result;
}

SideBySide::SideBySide(size_t width, std::string_view left, std::string_view right)
    : width_(width) {
  line(' ', std::string(left), std::string(right));
}

void SideBySide::row(std::string_view left, std::string_view right, bool is_marked,
                     uint32_t depth) {
  const std::string indent(2 * static_cast<size_t>(depth), ' ');
  const size_t room = width_ > indent.size() + 2 ? width_ - 2 - indent.size() : 1;
  text_ += '\n';
  line(is_marked ? '>' : ' ', indent + shortened(left, room), indent + shortened(right, room));
}

void SideBySide::line(char mark, const std::string& left, const std::string& right) {
  size_t n_shown = 0;
  for (char c : left) {
    n_shown += begins_character(c) ? 1 : 0;
  }
  text_ += mark;
  text_ += ' ';
  text_ += left;
  if (!right.empty()) {
    text_.append(n_shown < width_ ? width_ - n_shown : 1, ' ');
    text_ += right;
  }
}

}  // namespace tacet::infer
