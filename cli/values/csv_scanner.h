#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace tacet::cli {

/// The records of a CSV file in order, as RFC 4180 has them: fields between separators, in quotes
/// if they hold a separator, a line end or a quote, which is doubled. Lines end with LF, CR LF or
/// CR. Blanks around a field and around its quotes do not belong to it.
class CsvScanner {
 public:
  /// `text` must outlive the scanner.
  CsvScanner(std::string_view text, char separator)
      : at_(text.data()), end_(text.data() + text.size()), separator_(separator) {}

  /// Reads a record; false at the end, or with a problem.
  auto next() -> bool;

  /// Of the record; valid until the next.
  [[nodiscard]] auto fields() const -> const std::vector<std::string_view>& { return fields_; }

  /// Whether the record is a line without anything but blanks.
  [[nodiscard]] auto is_blank() const -> bool { return is_blank_; }

  /// The line where the record begins, from 1.
  [[nodiscard]] auto line() const -> uint64_t { return line_; }

  /// What is wrong, with its place; empty if nothing is.
  [[nodiscard]] auto problem() const -> const std::string& { return problem_; }

 private:
  auto read_field() -> bool;
  auto read_quoted() -> bool;
  void skip_blanks();
  void end_line();
  [[nodiscard]] auto trimmed(const char* begin, const char* end) const -> std::string_view;
  [[nodiscard]] auto is_blank_character(char c) const -> bool {
    return c == ' ' || (c == '\t' && separator_ != '\t');
  }
  [[nodiscard]] auto is_at_end_of_field() const -> bool {
    return at_ == end_ || *at_ == separator_ || *at_ == '\n' || *at_ == '\r';
  }

  const char* at_;
  const char* end_;
  char separator_;
  uint64_t line_ = 0;
  uint64_t next_line_ = 1;
  bool is_blank_ = false;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_;  ///< what fields with doubled quotes point into
  std::string problem_;
};

/// The separator of a file by its first line: `;` if there is one outside of quotes, else `,`, else
/// a tab; a comma if it has none of them.
auto csv_separator(std::string_view text) -> char;

}  // namespace tacet::cli
