#pragma once

/// What the library of C++20 has and libc++ 13 has not, as far as Tacet uses it: included before
/// every file of the module for browsers.

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>

_LIBCPP_BEGIN_NAMESPACE_STD

template <class To, class From>
  requires(sizeof(To) == sizeof(From) && is_trivially_copyable_v<To> &&
           is_trivially_copyable_v<From>)
constexpr auto bit_cast(const From& from) noexcept -> To {
  return __builtin_bit_cast(To, from);
}

/// Of a decimal number, as `chars_format::general` has it: rounded to nearest by `strtod`, which is
/// exact in musl, after spaces, `+` and hexadecimal digits, which it reads too, were refused.
template <class Float>
  requires is_floating_point_v<Float>
auto from_chars(const char* first, const char* last, Float& value) -> from_chars_result {
  const char* digits = first != last && *first == '-' ? first + 1 : first;
  const bool is_word = last - digits >= 3 && (isalpha(static_cast<unsigned char>(*digits)) != 0);
  const bool is_number =
      digits != last && (isdigit(static_cast<unsigned char>(*digits)) != 0 || *digits == '.');
  const bool is_hexadecimal = last - digits >= 2 && digits[0] == '0' && (digits[1] | 32) == 'x';
  if (is_hexadecimal) {
    value = *first == '-' ? Float(-0.0) : Float(0.0);
    return {digits + 1, errc{}};
  }
  if (!is_word && !is_number) {
    return {first, errc::invalid_argument};
  }
  const string text(first, last);
  char* end = nullptr;
  const Float read = is_same_v<Float, float> ? strtof(text.c_str(), &end) : strtod(text.c_str(), &end);
  if (end == text.c_str()) {
    return {first, errc::invalid_argument};
  }
  const char* stop = first + (end - text.c_str());
  // An infinity or a zero that the text does not say.
  const bool says_infinity = is_word;
  bool says_zero = true;
  for (const char* c = digits; c != stop && (*c | 32) != 'e'; ++c) {
    says_zero = says_zero && (*c == '0' || *c == '.');
  }
  const bool is_infinite = read > numeric_limits<Float>::max() || read < numeric_limits<Float>::lowest();
  if ((is_infinite && !says_infinity) || (read == 0 && !says_zero && !is_word)) {
    return {stop, errc::result_out_of_range};
  }
  value = read;
  return {stop, errc{}};
}

_LIBCPP_END_NAMESPACE_STD
