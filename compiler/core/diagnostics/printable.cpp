#include "compiler/core/diagnostics/printable.h"

#include "base/display_width.h"

namespace tacet {

static constexpr uint32_t kTabWidth = 4;
static constexpr std::string_view kReplacement = "\uFFFD";

/// The picture of an ASCII control character (U+2400 and on).
static auto control_picture(unsigned char byte) -> std::string_view {
  static constexpr char kPictures[] = "␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟";
  if (byte == 0x7F) {
    return "␡";
  }
  return {kPictures + size_t{byte} * 3, 3};
}

/// True for C1 controls and for the characters that change the reading direction.
static auto is_treacherous(std::string_view grapheme) -> bool {
  if (grapheme.size() < 2) {
    return false;
  }
  auto byte = [&](size_t i) { return static_cast<unsigned char>(grapheme[i]); };
  if (byte(0) == 0xC2) {
    return byte(1) < 0xA0;
  }
  if (byte(0) == 0xD8) {
    return byte(1) == 0x9C;
  }
  if (byte(0) != 0xE2 || grapheme.size() < 3) {
    return false;
  }
  bool is_mark = byte(1) == 0x80 && (byte(2) == 0x8E || byte(2) == 0x8F);
  bool is_embedding = byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE;
  bool is_isolate = byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9;
  return is_mark || is_embedding || is_isolate;
}

/// True if a grapheme holds such a character anywhere, also behind its base.
static auto holds_treacherous(std::string_view grapheme) -> bool {
  for (size_t i = 0; i < grapheme.size(); ++i) {
    if (is_treacherous(grapheme.substr(i))) {
      return true;
    }
  }
  return false;
}

auto printable_grapheme(std::string_view text, uint32_t column) -> PrintableGrapheme {
  auto first = static_cast<unsigned char>(text[0]);
  if (first == '\t') {
    uint32_t n_columns = kTabWidth - column % kTabWidth;
    return {1, n_columns, std::string_view("    ").substr(0, n_columns)};
  }
  if (first < 0x20 || first == 0x7F) {
    return {1, 1, control_picture(first)};
  }
  Grapheme grapheme = next_grapheme(text);
  std::string_view bytes = text.substr(0, grapheme.n_bytes);
  if (!grapheme.is_valid || holds_treacherous(bytes)) {
    return {grapheme.n_bytes, 1, kReplacement};
  }
  return {grapheme.n_bytes, grapheme.n_columns, bytes};
}

/// Appends `text`, which holds no line end, in printable form.
static void append_printable(std::string& out, std::string_view text) {
  uint32_t column = 0;
  while (!text.empty()) {
    PrintableGrapheme grapheme = printable_grapheme(text, column);
    out.append(grapheme.shown);
    column += grapheme.n_columns;
    text.remove_prefix(grapheme.n_bytes);
  }
}

auto one_line(std::string_view text) -> std::string {
  std::string out;
  size_t begin = 0;
  while (begin <= text.size()) {
    size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    append_printable(out, text.substr(begin, end - begin));
    if (end == text.size()) {
      break;
    }
    out.push_back(' ');
    begin = end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  return out;
}

/// Breaks one printable line at spaces.
static void wrap_line(std::vector<std::string>& lines, std::string_view text, uint32_t width) {
  std::string line;
  uint32_t n_columns = 0;
  while (!text.empty()) {
    size_t end = text.find(' ', text.find_first_not_of(' '));
    std::string_view word = text.substr(0, end);  // with the spaces before it
    uint32_t word_width = display_width(word);
    if (width != 0 && n_columns != 0 && n_columns + word_width > width) {
      lines.push_back(std::move(line));
      line.clear();
      n_columns = 0;
      word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
      word_width = display_width(word);
    }
    line.append(word);
    n_columns += word_width;
    text.remove_prefix(std::min(end, text.size()));
  }
  lines.push_back(std::move(line));
}

auto wrapped(std::string_view text, uint32_t width) -> std::vector<std::string> {
  std::vector<std::string> lines;
  size_t begin = 0;
  while (begin <= text.size()) {
    size_t end = std::min(text.find('\n', begin), text.size());
    wrap_line(lines, one_line(text.substr(begin, end - begin)), width);
    begin = end + 1;
  }
  return lines;
}

}  // namespace tacet
