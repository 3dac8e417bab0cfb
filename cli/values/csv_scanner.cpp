#include "cli/values/csv_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tacet::cli {

auto CsvScanner::next() -> bool {
  fields_.clear();
  unescaped_.clear();
  if (at_ == end_ || !problem_.empty()) {
    return false;
  }
  line_ = next_line_;
  const char* const begin = at_;
  for (;;) {
    if (!read_field()) {
      return false;
    }
    if (at_ == end_ || *at_ != separator_) {
      break;
    }
    ++at_;
  }
  is_blank_ = fields_.size() == 1 && fields_[0].empty() && std::find(begin, at_, '"') == at_;
  end_line();
  return true;
}

void CsvScanner::end_line() {
  ++next_line_;
  const bool is_pair = end_ - at_ >= 2 && at_[0] == '\r' && at_[1] == '\n';
  at_ += at_ == end_ ? 0 : is_pair ? 2 : 1;
}

void CsvScanner::skip_blanks() {
  while (at_ != end_ && is_blank_character(*at_)) {
    ++at_;
  }
}

auto CsvScanner::trimmed(const char* begin, const char* end) const -> std::string_view {
  while (begin != end && is_blank_character(*begin)) {
    ++begin;
  }
  while (end != begin && is_blank_character(end[-1])) {
    --end;
  }
  return {begin, static_cast<size_t>(end - begin)};
}

auto CsvScanner::read_field() -> bool {
  skip_blanks();
  if (at_ != end_ && *at_ == '"') {
    return read_quoted();
  }
  const char* const begin = at_;
  while (!is_at_end_of_field()) {
    ++at_;
  }
  fields_.push_back(trimmed(begin, at_));
  return true;
}

auto CsvScanner::read_quoted() -> bool {
  const uint64_t line = next_line_;
  const char* begin = ++at_;
  std::string* copy = nullptr;
  for (;;) {
    const auto* quote =
        at_ == end_
            ? nullptr
            : static_cast<const char*>(std::memchr(at_, '"', static_cast<size_t>(end_ - at_)));
    if (quote == nullptr) {
      problem_ = fmt::format("line {}, column {}: no closing quote", line, fields_.size() + 1);
      return false;
    }
    next_line_ += static_cast<uint64_t>(std::count(at_, quote, '\n'));
    at_ = quote + 1;
    const bool is_doubled = at_ != end_ && *at_ == '"';
    if (is_doubled || copy != nullptr) {
      copy = copy == nullptr ? &unescaped_.emplace_back() : copy;
      copy->append(begin, is_doubled ? at_ : quote);
    }
    if (!is_doubled) {
      fields_.push_back(copy == nullptr ? trimmed(begin, quote)
                                        : trimmed(copy->data(), copy->data() + copy->size()));
      break;
    }
    begin = ++at_;
  }
  skip_blanks();
  if (!is_at_end_of_field()) {
    problem_ = fmt::format("line {}, column {}: text behind the closing quote", next_line_,
                           fields_.size());
    return false;
  }
  return true;
}

auto csv_separator(std::string_view text) -> char {
  constexpr std::string_view kSeparators = ";,\t";
  bool is_found[kSeparators.size()] = {};
  bool is_quoted = false;
  bool has_text = false;
  for (const char c : text) {
    is_quoted ^= c == '"';
    if (is_quoted) {
      continue;
    }
    if (c == '\n' || c == '\r') {
      if (has_text) {
        break;
      }
      continue;
    }
    has_text |= c != ' ';
    const size_t at = kSeparators.find(c);
    if (at != std::string_view::npos) {
      is_found[at] = true;
    }
  }
  return is_found[0] ? ';' : is_found[1] || !is_found[2] ? ',' : '\t';
}

}  // namespace tacet::cli
