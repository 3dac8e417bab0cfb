#include "engine/program/he/lexer.h"

namespace tacet::engine {
namespace {

auto is_digit(char c) -> bool {
  return c >= '0' && c <= '9';
}

auto is_word(char c) -> bool {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/// The length of a number: digits, a fraction, an exponent.
auto number_length(std::string_view text) -> size_t {
  const auto at = [&](size_t i) { return i < text.size() ? text[i] : '\0'; };
  size_t n = 0;
  while (is_digit(at(n))) {
    ++n;
  }
  if (at(n) == '.' && is_digit(at(n + 1))) {
    ++n;
    while (is_digit(at(n))) {
      ++n;
    }
  }
  if (at(n) == 'e' || at(n) == 'E') {
    const size_t digits = n + (at(n + 1) == '+' || at(n + 1) == '-' ? 2 : 1);
    if (is_digit(at(digits))) {
      n = digits;
      while (is_digit(at(n))) {
        ++n;
      }
    }
  }
  return n;
}

}  // namespace

auto lex_he_program(std::string_view text) -> std::vector<HeToken> {
  std::vector<HeToken> tokens;
  uint32_t line = 1;
  const char* line_begin = text.data();
  const auto column = [&] { return static_cast<uint32_t>(text.data() - line_begin) + 1; };
  const auto add = [&](HeToken::Kind kind, size_t length) {
    tokens.push_back({kind, text.substr(0, length), line, column()});
    text.remove_prefix(length);
  };
  while (!text.empty()) {
    const char c = text.front();
    if (c == '\n') {
      ++line;
      text.remove_prefix(1);
      line_begin = text.data();
    } else if (c == ' ' || c == '\t' || c == '\r') {
      text.remove_prefix(1);
    } else if (text.substr(0, 2) == "//") {
      const size_t end = text.find('\n');
      text.remove_prefix(end == std::string_view::npos ? text.size() : end);
    } else if (is_digit(c)) {
      add(HeToken::Kind::Number, number_length(text));
    } else if (is_word(c)) {
      size_t length = 1;
      while (length < text.size() && is_word(text[length])) {
        ++length;
      }
      add(HeToken::Kind::Word, length);
    } else {
      add(HeToken::Kind::Sign, text.substr(0, 2) == ".." ? 2 : 1);
    }
  }
  tokens.push_back({HeToken::Kind::End, text, line, column()});
  return tokens;
}

}  // namespace tacet::engine
