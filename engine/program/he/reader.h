#pragma once

#include <fmt/format.h>

#include "engine/program/he/lexer.h"
#include "engine/program/he/program.h"

namespace tacet::engine {

/// The names of variables by their numbers.
using HeNames = std::vector<std::string>;

/// Reads what programs are written with: names, numbers, lists, sums. After the first problem
/// everything else is skipped.
class HeReader {
 public:
  explicit HeReader(std::string_view text) : tokens_(lex_he_program(text)) {}

  [[nodiscard]] auto at() const -> const HeToken& { return tokens_[at_]; }
  [[nodiscard]] auto is(std::string_view text) const -> bool { return at().text == text; }
  [[nodiscard]] auto is_word() const -> bool { return at().kind == HeToken::Kind::Word; }
  [[nodiscard]] auto is_done() const -> bool {
    return !problem_.empty() || at().kind == HeToken::Kind::End;
  }
  [[nodiscard]] auto is_number() const -> bool {
    return !is_done() && (at().kind == HeToken::Kind::Number || is("-"));
  }
  /// Whether the token behind this one is this.
  [[nodiscard]] auto is_next(std::string_view text) const -> bool {
    return at().kind != HeToken::Kind::End && tokens_[at_ + 1].text == text;
  }
  [[nodiscard]] auto line() const -> HeLine { return {.number = at().line}; }
  [[nodiscard]] auto problem() const -> const std::string& { return problem_; }

  /// Where it stands, to come back.
  [[nodiscard]] auto position() const -> size_t { return at_; }
  void go_back(size_t position) { at_ = problem_.empty() ? position : at_; }

  /// A problem here, at a token, or in a line that was read before.
  void fail(std::string_view what) { fail(at(), what); }
  void fail(const HeToken& token, std::string_view what);
  void fail(HeLine line, std::string_view what);
  void expected(std::string_view what);

  auto take() -> std::string_view;
  auto accept(std::string_view text) -> bool;
  void want(std::string_view text);

  auto name() -> std::string;
  /// A name that may be one of the words of the language.
  auto word() -> std::string;
  auto integer() -> int64_t;
  /// A number that T can hold.
  template <class T>
  auto natural() -> T;
  auto real() -> double;
  auto extents() -> std::vector<int64_t>;
  /// Up to `end`.
  auto dimensions(std::string_view end) -> std::vector<HeDimension>;
  auto affine(const HeNames& names) -> HeAffine;
  auto index(const HeNames& names) -> HeIndex;
  /// What `item` reads, with commas between, up to `end`.
  template <class Item>
  auto list(std::string_view end, const Item& item);

 private:
  void term(HeAffine& affine, int64_t sign, const HeNames& names);

  std::vector<HeToken> tokens_;
  size_t at_ = 0;
  std::string problem_;
};

template <class T>
auto HeReader::natural() -> T {
  const HeLine start = line();
  const int64_t value = integer();
  if (value < 0 || static_cast<uint64_t>(value) > T(-1)) {
    fail(start, fmt::format("{} is out of range", value));
  }
  return static_cast<T>(value);
}

template <class Item>
auto HeReader::list(std::string_view end, const Item& item) {
  std::vector<decltype(item())> items;
  if (accept(end)) {
    return items;
  }
  do {
    items.push_back(item());
  } while (accept(","));
  want(end);
  return items;
}

}  // namespace tacet::engine
