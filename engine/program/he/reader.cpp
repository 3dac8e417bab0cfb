#include "engine/program/he/reader.h"

#include <algorithm>
#include <charconv>

#include "engine/program/he/text.h"

namespace tacet::engine {

/// Whether the sum is a number that there is.
static auto add_to(int64_t& sum, int64_t number) -> bool {
  return !__builtin_add_overflow(sum, number, &sum);
}

/// Whether the variable's factor is a number that there is.
static auto add_term(HeAffine& affine, uint32_t variable, int64_t factor) -> bool {
  auto at = std::find_if(affine.terms.begin(), affine.terms.end(),
                         [&](const HeTerm& existing) { return existing.variable >= variable; });
  if (at == affine.terms.end() || at->variable != variable) {
    at = affine.terms.insert(at, {.variable = variable, .factor = 0});
  }
  const bool is_number = add_to(at->factor, factor);
  if (at->factor == 0) {
    affine.terms.erase(at);
  }
  return is_number;
}

void HeReader::fail(HeLine line, std::string_view what) {
  if (problem_.empty()) {
    problem_ = fmt::format("line {}: {}", line.number, what);
  }
}

void HeReader::fail(const HeToken& token, std::string_view what) {
  if (problem_.empty()) {
    problem_ = fmt::format("line {}, column {}: {}", token.line, token.column, what);
  }
}

void HeReader::expected(std::string_view what) {
  if (at().kind == HeToken::Kind::End) {
    fail(fmt::format("expected {}, found end of input", what));
  } else {
    fail(fmt::format("expected {}, found `{}`", what, at().text));
  }
}

auto HeReader::take() -> std::string_view {
  const std::string_view text = at().text;
  if (!is_done()) {
    ++at_;
  }
  return text;
}

auto HeReader::accept(std::string_view text) -> bool {
  if (is_done() || !is(text)) {
    return false;
  }
  ++at_;
  return true;
}

void HeReader::want(std::string_view text) {
  if (!accept(text)) {
    expected(fmt::format("`{}`", text));
  }
}

auto HeReader::name() -> std::string {
  if (!is_word() || !is_he_name(at().text)) {
    expected("a name");
    return {};
  }
  return std::string(take());
}

auto HeReader::word() -> std::string {
  if (!is_word() || !is_he_word(at().text)) {
    expected("a name");
    return {};
  }
  return std::string(take());
}

auto HeReader::integer() -> int64_t {
  const int64_t sign = accept("-") ? -1 : 1;
  int64_t value = 0;
  const std::string_view text = at().text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (at().kind != HeToken::Kind::Number || end != text.data() + text.size() ||
      error != std::errc()) {
    expected("an integer");
    return 0;
  }
  take();
  return sign * value;
}

auto HeReader::real() -> double {
  const double sign = accept("-") ? -1 : 1;
  double value = 0;
  const std::string_view text = at().text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (at().kind != HeToken::Kind::Number || end != text.data() + text.size() ||
      error != std::errc()) {
    expected("a number");
    return 0;
  }
  take();
  return sign * value;
}

auto HeReader::extents() -> std::vector<int64_t> {
  if (!accept("[")) {
    return {};
  }
  return list("]", [&] { return integer(); });
}

auto HeReader::dimensions(std::string_view end) -> std::vector<HeDimension> {
  return list(end, [&] {
    HeDimension dimension;
    if (is_word()) {
      dimension.name = name();
      want(":");
    }
    dimension.extent = integer();
    return dimension;
  });
}

void HeReader::term(HeAffine& affine, int64_t sign, const HeNames& names) {
  const HeLine start = line();
  int64_t factor = sign;
  if (!is_word()) {
    factor = sign * integer();
    if (!accept("*")) {
      if (!add_to(affine.constant, factor)) {
        fail(start, "a number in an expression is too large");
      }
      return;
    }
  }
  const auto found = std::find(names.begin(), names.end(), at().text);
  if (!is_word() || found == names.end()) {
    expected("a variable");
    return;
  }
  take();
  if (!add_term(affine, static_cast<uint32_t>(found - names.begin()), factor)) {
    fail(start, "a factor in an expression is too large");
  }
}

auto HeReader::affine(const HeNames& names) -> HeAffine {
  HeAffine result;
  term(result, accept("-") ? -1 : 1, names);
  while (!is_done() && (is("+") || is("-"))) {
    term(result, take() == "-" ? -1 : 1, names);
  }
  return result;
}

auto HeReader::index(const HeNames& names) -> HeIndex {
  HeIndex result;
  if (!accept("(")) {
    result.value = affine(names);
    return result;
  }
  result.value = affine(names);
  want(")");
  want("mod");
  result.modulus = integer();
  if (result.modulus <= 0) {
    fail("the modulus of a remainder must be positive");
  }
  return result;
}

}  // namespace tacet::engine
