#include "engine/program/he/arithmetic.h"

#include <algorithm>

namespace tacet::engine {
namespace {

template <class F>
auto each_slot(const HeSlots& a, const HeSlots& b, const F& f) -> HeSlots {
  HeSlots result(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    result[i] = f(a[i], b[i]);
  }
  return result;
}

}  // namespace

HeArithmetic::HeArithmetic(const HeProgram& program)
    : modulus_(static_cast<int64_t>(program.modulus)), n_columns_(program.n_columns) {}

auto HeArithmetic::near_zero(int64_t number) const -> double {
  int64_t rest = number % modulus_;
  rest += rest < 0 ? modulus_ : 0;
  rest -= rest > modulus_ / 2 ? modulus_ : 0;
  return static_cast<double>(rest);
}

auto HeArithmetic::reduce(double number) const -> double {
  return modulus_ == 0 ? number : near_zero(static_cast<int64_t>(number));
}

auto HeArithmetic::product(double a, double b) const -> double {
  if (modulus_ == 0) {
    return a * b;
  }
  const auto left = static_cast<int64_t>(a);
  const auto right = static_cast<int64_t>(b);
  // Factors are at most half the modulus, so below 2^32 the product fits.
  if (modulus_ < int64_t{1} << 32) {
    return near_zero(left * right);
  }
  return near_zero(static_cast<int64_t>(static_cast<__int128>(left) * right % modulus_));
}

auto HeArithmetic::add(const HeSlots& a, const HeSlots& b) const -> HeSlots {
  return each_slot(a, b, [this](double x, double y) { return reduce(x + y); });
}

auto HeArithmetic::subtract(const HeSlots& a, const HeSlots& b) const -> HeSlots {
  return each_slot(a, b, [this](double x, double y) { return reduce(x - y); });
}

auto HeArithmetic::multiply(const HeSlots& a, const HeSlots& b) const -> HeSlots {
  return each_slot(a, b, [this](double x, double y) { return product(x, y); });
}

auto HeArithmetic::negate(const HeSlots& a) const -> HeSlots {
  return each_slot(a, a, [this](double x, double) { return reduce(0 - x); });
}

auto HeArithmetic::rotate(const HeSlots& a, uint32_t steps) const -> HeSlots {
  HeSlots result = a;
  for (size_t row = 0; row < a.size(); row += n_columns_) {
    const auto begin = result.begin() + static_cast<ptrdiff_t>(row);
    std::rotate(begin, begin + steps, begin + static_cast<ptrdiff_t>(n_columns_));
  }
  return result;
}

auto HeArithmetic::swap_rows(const HeSlots& a) const -> HeSlots {
  HeSlots result = a;
  std::rotate(result.begin(), result.begin() + static_cast<ptrdiff_t>(n_columns_), result.end());
  return result;
}

auto HeArithmetic::apply(HeOpcode opcode, const HeSlots& a, const HeSlots* b, uint32_t steps) const
    -> HeSlots {
  switch (opcode) {
    case HeOpcode::Add:
      return add(a, *b);
    case HeOpcode::Sub:
      return subtract(a, *b);
    case HeOpcode::Mul:
      return multiply(a, *b);
    case HeOpcode::Negate:
      return negate(a);
    case HeOpcode::Rotate:
      return rotate(a, steps);
    case HeOpcode::Swap:
      return swap_rows(a);
    case HeOpcode::Relinearise:
    case HeOpcode::Drop:
    case HeOpcode::Truncate:
    case HeOpcode::Bootstrap:
    case HeOpcode::Copy:
    case HeOpcode::Encode:
    case HeOpcode::For:
    case HeOpcode::End:
      return a;
  }
  return a;
}

}  // namespace tacet::engine
