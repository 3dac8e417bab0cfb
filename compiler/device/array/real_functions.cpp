#include "compiler/device/array/real_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "base/elementary.h"

namespace tacet::array {

auto real_value(FunctionKind kind, double x) -> double {
  switch (kind) {
    case FunctionKind::Ramp:
      return std::max(x, 0.0);
    case FunctionKind::Step:
      return x > 0 ? 1 : 0;
    case FunctionKind::Sqrt:
      return std::sqrt(std::max(x, 0.0));
    case FunctionKind::Rsqrt:
      return 1 / std::sqrt(x);
    case FunctionKind::Reciprocal:
      return 1 / x;
    case FunctionKind::Exp:
      return elementary::exp(x);
    case FunctionKind::Log:
      return elementary::log(x);
    case FunctionKind::Sigmoid:
      return x < 0 ? elementary::exp(x) / (1 + elementary::exp(x)) : 1 / (1 + elementary::exp(-x));
    case FunctionKind::Tanh:
      return elementary::tanh(x);
    case FunctionKind::Erf:
      return elementary::erf(x);
    case FunctionKind::Sin:
      return elementary::sin(x);
    case FunctionKind::Cos:
      return elementary::cos(x);
    case FunctionKind::Promise:
    case FunctionKind::Masked:
    case FunctionKind::Equal:
    case FunctionKind::Less:
    case FunctionKind::Select:
    case FunctionKind::Divide:
    case FunctionKind::Remainder:
    case FunctionKind::FloorDivide:
    case FunctionKind::Modulo:
    case FunctionKind::BitAnd:
    case FunctionKind::BitOr:
    case FunctionKind::BitXor:
      break;
  }
  TACET_CHECK(false, "no function of one real");
  return 0;
}

auto domain_fault(FunctionKind kind, RealInterval x) -> std::string {
  const bool needs_sign = kind == FunctionKind::Reciprocal;
  const bool needs_positive = kind == FunctionKind::Rsqrt || kind == FunctionKind::Log;
  if (needs_sign && x.contains(0)) {
    return fmt::format("may be 0: its range is {:.6g} to {:.6g}", x.low, x.high);
  }
  if (needs_positive && x.low <= 0) {
    return fmt::format("may be {}: its range is {:.6g} to {:.6g}", x.low < 0 ? "negative" : "0",
                       x.low, x.high);
  }
  return {};
}

/// Whether some x = first + n * 2 pi is in an interval, or nearly.
static auto has_angle(RealInterval x, double first) -> bool {
  constexpr double kTurn = 2 * std::numbers::pi;
  const double slack = 4e-15 * (1 + std::max(std::abs(x.low), std::abs(x.high)));
  const double least = std::ceil((x.low - slack - first) / kTurn);
  return least * kTurn + first <= x.high + slack;
}

/// All but `sin` and `cos` are monotone on intervals in their domain.
auto image(FunctionKind kind, RealInterval x) -> RealInterval {
  const double a = real_value(kind, x.low);
  const double b = real_value(kind, x.high);
  // What is computed may be inside.
  const auto [low, high] = std::minmax(a, b);
  const auto off = [](double value) {
    return std::isfinite(value) ? 0x1p-49 * std::abs(value) : 0;
  };
  RealInterval values{std::nextafter(low - off(low), -INFINITY),
                      std::nextafter(high + off(high), INFINITY)};
  if (kind == FunctionKind::Sin || kind == FunctionKind::Cos) {
    const double top = kind == FunctionKind::Sin ? std::numbers::pi / 2 : 0;
    values.high = has_angle(x, top) ? 1 : std::min(values.high, 1.0);
    values.low = has_angle(x, top - std::numbers::pi) ? -1 : std::max(values.low, -1.0);
  }
  return values;
}

auto spread(FunctionKind kind, RealInterval x, double distance) -> double {
  if (distance == 0) {
    return 0;
  }
  const RealInterval values = image(kind, x);
  const double most = values.high - values.low;
  const double nearest = std::min(std::abs(x.low), std::abs(x.high));  // of those next to a pole
  const auto at_slope = [&](double slope) { return std::min(slope * distance, most); };
  switch (kind) {
    case FunctionKind::Ramp:
    case FunctionKind::Tanh:
      return at_slope(1);
    case FunctionKind::Sin:
    case FunctionKind::Cos:
      return at_slope(1);
    case FunctionKind::Erf:
      return at_slope(std::numbers::inv_sqrtpi * 2);
    case FunctionKind::Sigmoid:
      return at_slope(0.25);
    case FunctionKind::Step:
      return most;
    case FunctionKind::Sqrt:
      return std::min(x.low > 0 ? at_slope(0.5 / std::sqrt(x.low)) : most, std::sqrt(distance));
    case FunctionKind::Rsqrt:
      return at_slope(0.5 / (nearest * std::sqrt(nearest)));
    case FunctionKind::Reciprocal:
      return at_slope(1 / (nearest * nearest));
    case FunctionKind::Exp:
      return at_slope(values.high);
    case FunctionKind::Log:
      return at_slope(1 / nearest);
    case FunctionKind::Promise:
    case FunctionKind::Masked:
    case FunctionKind::Equal:
    case FunctionKind::Less:
    case FunctionKind::Select:
    case FunctionKind::Divide:
    case FunctionKind::Remainder:
    case FunctionKind::FloorDivide:
    case FunctionKind::Modulo:
    case FunctionKind::BitAnd:
    case FunctionKind::BitOr:
    case FunctionKind::BitXor:
      break;
  }
  TACET_CHECK(false, "no function of one real");
  return 0;
}

}  // namespace tacet::array
