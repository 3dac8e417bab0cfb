#include <algorithm>

#include "base/display_width.h"
#include "formatter/doc/doc.h"

namespace tacet::doc {

namespace {

/// Blanks are wanted before the next text; line ends win over spaces, more over fewer.
enum class Gap : uint8_t { None, Space, LineEnd, EmptyLine };

class Printer {
 public:
  Printer(const Doc& doc, std::string_view source, const PrintOptions& options, std::string& out)
      : doc_(doc), source_(source), options_(options), out_(out), start_(out.size()) {}

  void run();

 private:
  [[nodiscard]] auto is_flat() const -> bool { return flat_depth_ != 0; }
  [[nodiscard]] auto column() const -> uint64_t {
    return gap_ >= Gap::LineEnd ? indent_ : column_ + (gap_ == Gap::Space ? 1 : 0);
  }
  [[nodiscard]] auto fits(uint32_t needed) const -> bool {
    return needed != kNever && column() + needed <= options_.width;
  }
  void want(Gap gap) { gap_ = std::max(gap_, gap); }

  void put(std::string_view text, uint32_t n_columns) {
    if (text.empty()) {
      return;
    }
    if (gap_ != Gap::None) {
      put_gap();
    }
    out_.append(text);
    column_ += n_columns;
  }
  /// Text of the document's own, one column a byte.
  void put_literal(uint32_t offset, uint32_t n_bytes) {
    put(std::string_view(doc_.literals).substr(offset, n_bytes), n_bytes);
  }
  /// Prints an element, whose further words start at `word`; returns where the next one starts.
  auto put_element(Element element, uint32_t payload, const uint32_t* word) -> const uint32_t*;
  void put_gap();
  void put_blanks(uint64_t n_columns);
  void put_verbatim(std::string_view text, uint32_t source_column);
  void open_group(uint32_t needed) {
    if (is_flat() || fits(needed)) {
      ++flat_depth_;
    }
  }

  const Doc& doc_;
  std::string_view source_;
  const PrintOptions& options_;
  std::string& out_;
  size_t start_;
  uint64_t column_ = 0;
  uint32_t indent_ = 0;
  uint32_t flat_depth_ = 0;  ///< groups open since the outermost flat one, that one included
  Gap gap_ = Gap::None;
};

}  // namespace

void Printer::put_blanks(uint64_t n_columns) {
  if (options_.blanks == PrintOptions::Blanks::Tabs) {
    out_.append(n_columns / options_.tab_width, '\t');
    n_columns %= options_.tab_width;
  }
  out_.append(n_columns, ' ');
}

void Printer::put_gap() {
  if (out_.size() != start_) {
    switch (gap_) {
      case Gap::None:
        break;
      case Gap::Space:
        out_.push_back(' ');
        ++column_;
        break;
      case Gap::EmptyLine:
        out_.append(options_.line_end);
        [[fallthrough]];
      case Gap::LineEnd:
        out_.append(options_.line_end);
        put_blanks(indent_);
        column_ = indent_;
        break;
    }
  }
  gap_ = Gap::None;
}

static auto is_blank(char c) -> bool {
  return c == ' ' || c == '\t';
}

/// Takes the first line off `text`, with its line end but without blanks before that.
static auto take_line(std::string_view& text) -> std::string_view {
  size_t end = std::min(text.find_first_of("\r\n"), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  if (!text.empty()) {
    text.remove_prefix(text.substr(0, 2) == "\r\n" ? 2 : 1);
  }
  while (!line.empty() && is_blank(line.back())) {
    line.remove_suffix(1);
  }
  return line;
}

void Printer::put_verbatim(std::string_view text, uint32_t source_column) {
  std::string_view first = take_line(text);
  put(first, 0);
  const int64_t tab = options_.tab_width;
  int64_t moved = static_cast<int64_t>(column_) - static_cast<int64_t>(source_column);
  while (true) {
    std::string_view line = take_line(text);
    out_.append(options_.line_end);
    int64_t n_blanks = 0;
    while (!line.empty() && is_blank(line.front())) {
      n_blanks += line.front() == '\t' ? tab - n_blanks % tab : 1;
      line.remove_prefix(1);
    }
    if (!line.empty()) {
      n_blanks = std::max<int64_t>(n_blanks + moved, 0);
      put_blanks(static_cast<uint64_t>(n_blanks));
    }
    out_.append(line);
    if (text.empty()) {
      column_ = static_cast<uint64_t>(n_blanks) + display_width(line);
      return;
    }
  }
}

void Printer::run() {
  const uint32_t* word = doc_.words.data();
  const uint32_t* end = word + doc_.words.size();
  while (word != end) {
    auto element = static_cast<Element>(*word & ((1U << kElementBits) - 1));
    uint32_t payload = *word++ >> kElementBits;
    word = put_element(element, payload, word);
  }
}

auto Printer::put_element(Element element, uint32_t payload, const uint32_t* word)
    -> const uint32_t* {
  switch (element) {
    case Element::Text:
      put(source_.substr(*word++, payload), payload);
      break;
    case Element::WideText:
      put(source_.substr(word[0], payload), word[1]);
      word += 2;
      break;
    case Element::Literal:
      put_literal(*word++, payload);
      break;
    case Element::Overhang:
      put(source_.substr(*word++, payload), 0);
      break;
    case Element::Verbatim:
      put_verbatim(source_.substr(word[0], payload), word[1]);
      word += 2;
      break;
    case Element::Space:
      want(Gap::Space);
      break;
    case Element::Line:
      want(is_flat() ? Gap::Space : Gap::LineEnd);
      break;
    case Element::SoftLine:
      want(is_flat() ? Gap::None : Gap::LineEnd);
      break;
    case Element::FillLine:
      want(Gap::Space);
      if (!is_flat() && !fits(payload)) {
        want(Gap::LineEnd);
      }
      break;
    case Element::HardLine:
      want(Gap::LineEnd);
      break;
    case Element::EmptyLine:
      want(Gap::EmptyLine);
      break;
    case Element::OpenGroup:
      open_group(payload);
      break;
    case Element::CloseGroup:
      flat_depth_ -= is_flat() ? 1 : 0;
      break;
    case Element::Indent:
      indent_ += payload;
      break;
    case Element::Dedent:
      indent_ -= payload;
      break;
    case Element::IfBreak:
      is_flat() ? put_literal(word[1] + payload, word[0]) : put_literal(word[1], payload);
      word += 2;
      break;
  }
  return word;
}

void print(const Doc& doc, std::string_view source, const PrintOptions& options, std::string& out) {
  Printer(doc, source, options, out).run();
}

}  // namespace tacet::doc
