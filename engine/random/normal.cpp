// The standard normal distribution, exactly: Karney, "Sampling Exactly from the Normal
// Distribution", ACM Transactions on Mathematical Software 42(1), 2016. Only comparisons of uniform
// numbers decide, and as many of their bits are drawn as a comparison needs.

#include <bit>
#include <cmath>
#include <vector>

#include "engine/random/public_random.h"

namespace tacet::engine {
namespace {

/// A uniform number of the interval from 0 to 1 with as many digits, of 64 bits each, as were
/// requested.
class UniformNumber {
 public:
  auto digit(size_t i, PublicRandomStream& stream) -> uint64_t {
    while (digits_.size() <= i) {
      digits_.push_back(stream.next());
    }
    return digits_[i];
  }
  auto is_below(UniformNumber& other, PublicRandomStream& stream) -> bool {
    for (size_t i = 0;; ++i) {
      const uint64_t mine = digit(i, stream);
      const uint64_t others = other.digit(i, stream);
      if (mine != others) {
        return mine < others;
      }
    }
  }
  auto is_below_half(PublicRandomStream& stream) -> bool { return digit(0, stream) >> 63 == 0; }

 private:
  std::vector<uint64_t> digits_;
};

/// True with probability 1/√e: numbers below 1/2 that fall and fall; does an even number do so?
/// (Algorithm H.)
auto is_one_of_root_e(PublicRandomStream& stream) -> bool {
  UniformNumber last;
  if (!last.is_below_half(stream)) {
    return true;
  }
  for (bool is_even = false;; is_even = !is_even) {
    UniformNumber next;
    if (!next.is_below(last, stream)) {
      return is_even;
    }
    last = std::move(next);
  }
}

/// True with probability exp(-x (2k + x) / (2k + 2)). (Algorithm B.)
auto is_accepted(uint64_t k, UniformNumber& x, PublicRandomStream& stream) -> bool {
  UniformNumber fallen;
  UniformNumber* last = &x;  // not a copy: digits that are drawn later are of one number
  for (bool is_even = true;; is_even = !is_even) {
    UniformNumber next;
    if (!next.is_below(*last, stream)) {
      return is_even;
    }
    // Below (2k + x) / (2k + 2)?
    const uint64_t part = stream.below(2 * k + 2);
    if (part == 2 * k + 1) {
      return is_even;
    }
    if (part == 2 * k) {
      UniformNumber rest;
      if (!rest.is_below(x, stream)) {
        return is_even;
      }
    }
    fallen = std::move(next);
    last = &fallen;
  }
}

/// k + x, rounded to the nearest double. The digits of x are enough for its bits and one more;
/// a tie has probability zero, as there are infinitely many digits.
auto rounded(uint64_t k, UniformNumber& x, PublicRandomStream& stream) -> double {
  uint64_t whole = k;
  size_t n_digits = 0;
  int exponent = 0;
  while (whole == 0) {
    whole = x.digit(n_digits++, stream);
    exponent -= 64;
  }
  const int n_zeros = std::countl_zero(whole);
  uint64_t bits = whole;
  if (n_zeros != 0) {
    bits = whole << n_zeros | x.digit(n_digits, stream) >> (64 - n_zeros);
  }
  // 64 bits with the top one set, and something behind them: 53 stay.
  uint64_t significand = bits >> 11;
  significand += bits >> 10 & 1;
  return std::ldexp(static_cast<double>(significand), 11 - n_zeros + exponent);
}

}  // namespace

auto PublicRandomStream::normal() -> double {
  for (;;) {
    uint64_t k = 0;
    while (is_one_of_root_e(*this)) {
      ++k;
    }
    bool is_kept = true;
    for (uint64_t i = 0; is_kept && i < k * (k - 1); ++i) {  // nothing to do for k = 0 and 1
      is_kept = is_one_of_root_e(*this);
    }
    UniformNumber x;
    for (uint64_t i = 0; is_kept && i <= k; ++i) {
      is_kept = is_accepted(k, x, *this);
    }
    if (is_kept) {
      const bool is_negative = next() >> 63 != 0;
      const double number = rounded(k, x, *this);
      return is_negative ? -number : number;
    }
  }
}

}  // namespace tacet::engine
