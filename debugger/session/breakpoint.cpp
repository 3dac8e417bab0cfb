#include "debugger/session/breakpoint.h"

#include <fmt/format.h>

#include <charconv>

namespace tacet::debugger {

auto HitCondition::parse(std::string_view text) -> Result<HitCondition> {
  static constexpr std::pair<std::string_view, Comparison> kOperators[] = {
      {">=", Comparison::AtLeast}, {"<=", Comparison::AtMost}, {"==", Comparison::Equal},
      {">", Comparison::Above},    {"<", Comparison::Below},   {"%", Comparison::Every},
      {"=", Comparison::Equal}};
  const std::string_view given = text;
  const auto skip_blanks = [&] {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  };
  HitCondition result;
  skip_blanks();
  for (const auto& [token, comparison] : kOperators) {
    if (text.starts_with(token)) {
      text.remove_prefix(token.size());
      result.comparison_ = comparison;
      break;
    }
  }
  skip_blanks();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result.number_);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  skip_blanks();
  if (error != std::errc() || !text.empty() ||
      (result.comparison_ == Comparison::Every && result.number_ == 0)) {
    return Error{
        fmt::format("hit condition `{}`: expected a number, or `>=`, `>`, `<=`, `<`, `==` "
                    "or `%` and a number",
                    given)};
  }
  return result;
}

auto HitCondition::holds(uint64_t n_hits) const -> bool {
  switch (comparison_) {
    case Comparison::Equal:
      return n_hits == number_;
    case Comparison::AtLeast:
      return n_hits >= number_;
    case Comparison::Above:
      return n_hits > number_;
    case Comparison::AtMost:
      return n_hits <= number_;
    case Comparison::Below:
      return n_hits < number_;
    case Comparison::Every:
      return n_hits % number_ == 0;
  }
  return false;
}

}  // namespace tacet::debugger
