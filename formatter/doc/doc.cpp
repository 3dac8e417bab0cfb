#include "formatter/doc/doc.h"

#include <algorithm>

#include "base/check.h"
#include "base/display_width.h"

namespace tacet::doc {

void Builder::wide_text(uint32_t offset, uint32_t n_bytes, uint32_t n_columns) {
  put_text(Element::WideText, offset, n_bytes, n_columns);
  doc_.words.push_back(n_columns);
}

void Builder::literal(std::string_view text) {
  put_text(Element::Literal, static_cast<uint32_t>(doc_.literals.size()),
           static_cast<uint32_t>(text.size()), static_cast<uint32_t>(text.size()));
  doc_.literals.append(text);
}

void Builder::overhang(uint32_t offset, uint32_t n_bytes) {
  put_text(Element::Overhang, offset, n_bytes, 0);
}

void Builder::verbatim(std::string_view source, uint32_t offset, uint32_t n_bytes,
                       uint32_t column) {
  std::string_view text = source.substr(offset, n_bytes);
  size_t first_line = std::min(text.find_first_of("\r\n"), text.size());
  uint32_t n_columns = display_width(text.substr(0, first_line));
  if (first_line == text.size()) {
    wide_text(offset, n_bytes, n_columns);
    return;
  }
  put_text(Element::Verbatim, offset, n_bytes, n_columns);
  doc_.words.push_back(column);
  settle();
  ++n_hard_;
}

void Builder::space() {
  put(Element::Space, 0);
  ++flat_width_;
  ++broken_width_;
}

void Builder::hard_line() {
  settle();
  put(Element::HardLine, 0);
  ++n_hard_;
}

void Builder::empty_line() {
  settle();
  put(Element::EmptyLine, 0);
  ++n_hard_;
}

void Builder::if_break(std::string_view broken, std::string_view flat) {
  put(Element::IfBreak, static_cast<uint32_t>(broken.size()));
  doc_.words.push_back(static_cast<uint32_t>(flat.size()));
  doc_.words.push_back(static_cast<uint32_t>(doc_.literals.size()));
  doc_.literals.append(broken).append(flat);
  broken_width_ += broken.size();
  flat_width_ += flat.size();
}

auto Builder::begin_measure(Element element) -> Measure {
  auto word = static_cast<uint32_t>(doc_.words.size());
  put(element, kNever);
  return {word, flat_width_, n_hard_, 0};
}

/// Nothing is known yet of the text behind what has ended; `settle` adds it.
void Builder::end_measure(Measure measure) {
  if (measure.n_hard != n_hard_) {
    return;  // it keeps kNever
  }
  measure.flat_width = flat_width_ - measure.flat_width;
  measure.broken_width = broken_width_;
  ended_.push_back(measure);
}

/// A line may end here: what ended before knows now how much text must follow it.
void Builder::settle() {
  for (const Measure& measure : ended_) {
    uint64_t width = measure.flat_width + (broken_width_ - measure.broken_width);
    auto payload = static_cast<uint32_t>(std::min<uint64_t>(width, kNever));
    uint32_t& word = doc_.words[measure.word];
    word = (word & ((1U << kElementBits) - 1)) | payload << kElementBits;
  }
  ended_.clear();
}

void Builder::open_group() {
  groups_.push_back(begin_measure(Element::OpenGroup));
}

void Builder::close_group() {
  TACET_CHECK(!groups_.empty(), "no group is open");
  put(Element::CloseGroup, 0);
  end_measure(groups_.back());
  groups_.pop_back();
}

void Builder::fill_line() {
  TACET_CHECK(!fills_.empty(), "no fill is open");
  if (fills_.back() != kNoFill) {
    end_measure(fill_lines_.back());
    fill_lines_.pop_back();
  }
  settle();
  ++flat_width_;
  fills_.back() = static_cast<uint32_t>(fill_lines_.size());
  fill_lines_.push_back(begin_measure(Element::FillLine));
}

void Builder::close_fill() {
  TACET_CHECK(!fills_.empty(), "no fill is open");
  if (fills_.back() != kNoFill) {
    end_measure(fill_lines_.back());
    fill_lines_.pop_back();
  }
  fills_.pop_back();
}

auto Builder::finish() -> Doc {
  Doc doc;
  finish(doc);
  return doc;
}

void Builder::finish(Doc& doc) {
  TACET_CHECK(groups_.empty() && fills_.empty(), "a group or fill is open");
  settle();
  std::swap(doc, doc_);
  doc_.words.clear();
  doc_.literals.clear();
  flat_width_ = 0;
  broken_width_ = 0;
  n_hard_ = 0;
}

}  // namespace tacet::doc
