#include <algorithm>
#include <array>
#include <limits>

#include "base/check.h"
#include "engine/program/common/function.h"

// Real functions by integers alone. Reals below 256 are multiples of 2^-120 in 128 bits.

namespace tacet::engine {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

namespace {

constexpr unsigned kBits = 120;
constexpr Wide kOne = Wide{1} << kBits;
constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();

constexpr auto constant(uint64_t high, uint64_t low) -> Wide {
  return Wide{high} << 64 | low;
}
constexpr Wide kLog2OfE = constant(0x171547652b82fe1, 0x777d0ffda0d23a7d);
constexpr Wide kLn2 = constant(0x00b17217f7d1cf79, 0xabc9e3b39803f2f7);
constexpr Wide kTau = constant(0x06487ed5110b4611, 0xa62633145c06e0e6);
constexpr Wide kTwoByRootOfPi = constant(0x0120dd750429b6d1, 0x1ae3a914fed7fd86);
/// 1 / (2 pi) * 2^256, the lowest word first.
constexpr uint64_t kTurns[] = {0x7f9458eaf7aef158, 0x36d8a5664f10e410, 0x7f09d5f47d4d3770,
                               0x28be60db9391054a};

/// a * b * 2^-120, rounded down.
auto product(Wide a, Wide b) -> Wide {
  const auto a0 = static_cast<uint64_t>(a);
  const auto b0 = static_cast<uint64_t>(b);
  const auto a1 = static_cast<uint64_t>(a >> 64);
  const auto b1 = static_cast<uint64_t>(b >> 64);
  const Wide low = Wide{a0} * b0;
  const Wide left = Wide{a0} * b1;
  const Wide right = Wide{a1} * b0;
  const Wide middle = (low >> 64) + static_cast<uint64_t>(left) + static_cast<uint64_t>(right);
  const Wide high = Wide{a1} * b1 + (left >> 64) + (right >> 64) + (middle >> 64);
  const Wide below = middle << 64 | static_cast<uint64_t>(low);
  return high << (128 - kBits) | below >> kBits;
}

/// a / b * 2^120, rounded down, for a < b: one bit after the other.
auto quotient(Wide a, Wide b) -> Wide {
  Wide result = 0;
  for (unsigned i = 0; i < kBits; ++i) {
    a <<= 1;
    result <<= 1;
    if (a >= b) {
      a -= b;
      result |= 1;
    }
  }
  return result;
}

/// value * 2^-shift, rounded to nearest; halves go up.
auto rounded(Wide value, unsigned shift) -> Wide {
  return shift == 0 ? value : shift > 127 ? 0 : (value + (Wide{1} << (shift - 1))) >> shift;
}

auto saturated(Wide magnitude, bool is_negative = false) -> int64_t {
  if (magnitude > static_cast<Wide>(kLargest)) {
    return is_negative ? kSmallest : kLargest;
  }
  const auto value = static_cast<int64_t>(magnitude);
  return is_negative ? -value : value;
}

auto magnitude(int64_t value) -> uint64_t {
  return value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

/// Is a number so far from 0 that the exponential of it, or of its negative, rounds to 0?
auto is_far(uint64_t number, uint8_t fraction_bits) -> bool {
  return number >> fraction_bits >= 64;
}

/// Of what is below 256.
auto wide(uint64_t number, uint8_t fraction_bits) -> Wide {
  return Wide{number} << (kBits - fraction_bits);
}

/// 2^exponent * mantissa, the mantissa from 1 to 2.
struct Scaled {
  Wide mantissa;
  int exponent;
};

/// e^x or e^-x for x below 64.
auto exponential(Wide size, bool is_negative) -> Scaled {
  const Wide power = product(size, kLog2OfE);
  auto exponent = static_cast<int>(power >> kBits);
  Wide fraction = power & (kOne - 1);
  if (is_negative) {
    exponent = fraction == 0 ? -exponent : -exponent - 1;
    fraction = fraction == 0 ? 0 : kOne - fraction;
  }
  const Wide x = product(fraction, kLn2);
  Wide sum = kOne;
  Wide term = kOne;
  for (unsigned i = 1; term != 0; ++i) {
    term = product(term, x) / i;
    sum += term;
  }
  return {sum, exponent};
}

auto exp(int64_t operand, uint8_t fraction_bits) -> int64_t {
  const bool is_negative = operand < 0;
  if (is_far(magnitude(operand), fraction_bits)) {
    return is_negative ? 0 : kLargest;
  }
  const Scaled power = exponential(wide(magnitude(operand), fraction_bits), is_negative);
  if (power.exponent + fraction_bits >= 63) {
    return kLargest;
  }
  return saturated(
      rounded(power.mantissa, static_cast<unsigned>(static_cast<int>(kBits) - power.exponent -
                                                    static_cast<int>(fraction_bits))));
}

/// e^-|x|, for any x.
auto decay(uint64_t number, uint8_t fraction_bits) -> Wide {
  if (is_far(number, fraction_bits)) {
    return 0;
  }
  const Scaled power = exponential(wide(number, fraction_bits), true);
  return power.exponent == 0 ? power.mantissa : power.mantissa >> -power.exponent;
}

auto sigmoid(int64_t operand, uint8_t fraction_bits) -> int64_t {
  const Wide power = decay(magnitude(operand), fraction_bits);
  const Wide half = kOne / 2;
  // Of what is negative e^x / (1 + e^x), and of what is positive the rest to 1.
  const Wide small = power >= kOne ? half : quotient(power, kOne + power);
  const Wide value = operand < 0 ? small : kOne - small;
  return static_cast<int64_t>(rounded(value, kBits - fraction_bits));
}

auto tanh(int64_t operand, uint8_t fraction_bits) -> int64_t {
  const uint64_t number = magnitude(operand);
  const Wide root = decay(number, fraction_bits);
  const Wide power = product(root, root);
  const Wide value = power == 0 ? kOne : quotient(kOne - power, kOne + power);
  const auto result = static_cast<int64_t>(rounded(value, kBits - fraction_bits));
  return operand < 0 ? -result : result;
}

/// Of a number other than 0.
auto scaled(Wide value, int exponent) -> Scaled {
  const auto high = static_cast<uint64_t>(value >> 64);
  const int length = high != 0 ? 128 - std::countl_zero(high)
                               : 64 - std::countl_zero(static_cast<uint64_t>(value));
  const int shift = length - 1 - static_cast<int>(kBits);
  return {shift > 0 ? value >> shift : value << -shift, exponent + shift};
}

auto sum(Scaled a, Scaled b) -> Scaled {
  const Scaled& large = a.exponent < b.exponent ? b : a;
  const Scaled& small = a.exponent < b.exponent ? a : b;
  const int shift = large.exponent - small.exponent;
  return scaled(large.mantissa + (shift < 128 ? small.mantissa >> shift : 0), large.exponent);
}

/// 2 / sqrt(pi) e^(-x^2) times the sum of (2 x^2)^n x / (1 * 3 * ... * (2 n + 1)), all positive
/// (NIST, Digital Library of Mathematical Functions, 7.6.2).
auto erf(int64_t operand, uint8_t fraction_bits) -> int64_t {
  constexpr uint64_t kEnd = 7;  // where the rest to 1 is below 2^-74
  const uint64_t number = magnitude(operand);
  if (number == 0 || number >> fraction_bits >= kEnd) {
    const auto one = static_cast<int64_t>(uint64_t{1} << fraction_bits);
    return operand == 0 ? 0 : operand < 0 ? -one : one;
  }
  const Wide x = wide(number, fraction_bits);
  const Wide square = product(x, x);
  const Scaled decay = exponential(square, true);
  const Scaled first = scaled(x, 0);
  Scaled term = scaled(product(product(first.mantissa, decay.mantissa), kTwoByRootOfPi),
                       first.exponent + decay.exponent);
  Scaled total = term;
  for (unsigned i = 3; square != 0 && term.exponent + 124 > total.exponent; i += 2) {
    const Wide next = product(term.mantissa, 2 * square) / i;
    if (next == 0) {
      break;
    }
    term = scaled(next, term.exponent);
    total = sum(total, term);
  }
  const Wide value = total.exponent < -127 ? 0 : total.mantissa >> -total.exponent;
  const auto result = static_cast<int64_t>(rounded(value, kBits - fraction_bits));
  return operand < 0 ? -result : result;
}

/// x / (2 pi) without its integer, by as many digits of 1 / (2 pi) as any x needs (Payne and Hanek,
/// "Radian Reduction for Trigonometric Functions").
auto turns(uint64_t number, uint8_t fraction_bits) -> Wide {
  // number * kTurns is of 2^-256; what is wanted begins `fraction_bits` above that.
  uint64_t words[5] = {};
  uint64_t carry = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const Wide part = Wide{number} * kTurns[i] + carry;
    words[i] = static_cast<uint64_t>(part);
    carry = static_cast<uint64_t>(part >> 64);
  }
  words[4] = carry;
  const auto bits_from = [&](unsigned first) -> uint64_t {
    const unsigned word = first / 64;
    const unsigned shift = first % 64;
    const Wide both = word + 1 < 5 ? Wide{words[word + 1]} << 64 | words[word] : words[word];
    return static_cast<uint64_t>(both >> shift);
  };
  const unsigned first = 256 + fraction_bits - kBits;
  return (Wide{bits_from(first + 64)} << 64 | bits_from(first)) & (kOne - 1);
}

/// sin(2 pi t) for t from 0 to 1, as a multiple of 2^-fraction_bits.
auto sine_of_turns(Wide t, uint8_t fraction_bits) -> int64_t {
  const auto quadrant = static_cast<unsigned>(t >> (kBits - 2));
  const Wide rest = t & (kOne / 4 - 1);
  const Wide x = product(quadrant % 2 == 0 ? rest : kOne / 4 - rest, kTau);
  const Wide square = product(x, x);
  Wide positive = x;
  Wide negative = 0;
  Wide term = x;
  for (unsigned i = 2; term != 0; i += 2) {
    term = product(term, square) / (i * (i + 1));
    (i % 4 == 0 ? positive : negative) += term;
  }
  const Wide value = std::min(positive - negative, kOne);
  const auto result = static_cast<int64_t>(rounded(value, kBits - fraction_bits));
  return quadrant < 2 ? result : -result;
}

auto sin(int64_t operand, uint8_t fraction_bits) -> int64_t {
  const int64_t result = sine_of_turns(turns(magnitude(operand), fraction_bits), fraction_bits);
  return operand < 0 ? -result : result;
}

auto cos(int64_t operand, uint8_t fraction_bits) -> int64_t {
  const Wide t = turns(magnitude(operand), fraction_bits) + kOne / 4;
  return sine_of_turns(t & (kOne - 1), fraction_bits);
}

auto log(int64_t operand, uint8_t fraction_bits) -> int64_t {
  if (operand <= 0) {
    return kSmallest;
  }
  const auto number = static_cast<uint64_t>(operand);
  const int exponent = 63 - std::countl_zero(number);
  const Wide mantissa = Wide{number} << (static_cast<int>(kBits) - exponent);
  // ln m = 2 atanh((m - 1) / (m + 1)).
  const Wide x = quotient(mantissa - kOne, mantissa + kOne);
  const Wide square = product(x, x);
  Wide sum = 0;
  Wide power = x;
  for (unsigned i = 1; power != 0; i += 2) {
    sum += power / i;
    power = product(power, square);
  }
  const SignedWide value = static_cast<SignedWide>(2 * sum) +
                           SignedWide{exponent - fraction_bits} * static_cast<SignedWide>(kLn2);
  const unsigned shift = kBits - fraction_bits;
  const SignedWide result = (value + (SignedWide{1} << (shift - 1))) >> shift;
  return result > kLargest    ? kLargest
         : result < kSmallest ? kSmallest
                              : static_cast<int64_t>(result);
}

auto sqrt(int64_t operand, uint8_t fraction_bits) -> int64_t {
  if (operand <= 0) {
    return 0;
  }
  const Wide square = Wide{static_cast<uint64_t>(operand)} << fraction_bits;
  Wide root = 0;
  for (int bit = 62; bit >= 0; --bit) {
    const Wide candidate = root | Wide{1} << bit;
    root = candidate * candidate <= square ? candidate : root;
  }
  return static_cast<int64_t>(square - root * root > root ? root + 1 : root);
}

/// Is (2r - 1)^2 x at most 2^(3f + 2)? Then 1 / sqrt(x) is at least r - 1/2.
auto is_at_most_root(uint64_t r, uint64_t x, uint8_t fraction_bits) -> bool {
  const Wide square = (2 * Wide{r} - 1) * (2 * Wide{r} - 1);
  const Wide low = Wide{static_cast<uint64_t>(square)} * x;
  const Wide high = (square >> 64) * x + (low >> 64);
  const unsigned power = 3U * fraction_bits + 2;
  if (power < 64) {
    const Wide limit = Wide{1} << power;
    return high == 0 && static_cast<uint64_t>(low) <= limit;
  }
  const Wide limit = Wide{1} << (power - 64);
  return high < limit || (high == limit && static_cast<uint64_t>(low) == 0);
}

auto rsqrt(int64_t operand, uint8_t fraction_bits) -> int64_t {
  if (operand <= 0) {
    return kLargest;
  }
  const auto number = static_cast<uint64_t>(operand);
  uint64_t root = 0;
  for (int bit = 62; bit >= 0; --bit) {
    const uint64_t candidate = root | uint64_t{1} << bit;
    root = is_at_most_root(candidate, number, fraction_bits) ? candidate : root;
  }
  return static_cast<int64_t>(root);
}

auto reciprocal(int64_t operand, uint8_t fraction_bits) -> int64_t {
  if (operand == 0) {
    return kLargest;
  }
  const uint64_t divisor = magnitude(operand);
  const Wide one = Wide{1} << (2U * fraction_bits);
  const Wide value = one / divisor;
  const Wide rest = one % divisor;
  return saturated(rest >= divisor - rest ? value + 1 : value, operand < 0);
}

}  // namespace

auto evaluate_fixed_function(Function function, uint8_t fraction_bits, int64_t operand) -> int64_t {
  switch (function) {
    case Function::Sqrt:
      return sqrt(operand, fraction_bits);
    case Function::Rsqrt:
      return rsqrt(operand, fraction_bits);
    case Function::Reciprocal:
      return reciprocal(operand, fraction_bits);
    case Function::Exp:
      return exp(operand, fraction_bits);
    case Function::Log:
      return log(operand, fraction_bits);
    case Function::Sigmoid:
      return sigmoid(operand, fraction_bits);
    case Function::Tanh:
      return tanh(operand, fraction_bits);
    case Function::Erf:
      return erf(operand, fraction_bits);
    case Function::Sin:
      return sin(operand, fraction_bits);
    case Function::Cos:
      return cos(operand, fraction_bits);
    case Function::Abs:
    case Function::Min:
    case Function::Max:
    case Function::Sort:
    case Function::SortBy:
    case Function::TopK:
      break;
  }
  TACET_CHECK(false, "not a function of one fixed-point number");
}

}  // namespace tacet::engine
