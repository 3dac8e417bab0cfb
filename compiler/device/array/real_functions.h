#pragma once

#include <string>

#include "compiler/device/array/program.h"

/// What the functions of one real number are, and how they behave on intervals.
namespace tacet::array {

/// All reals from low to high.
struct RealInterval {
  double low = 0;
  double high = 0;

  [[nodiscard]] auto contains(double x) const -> bool { return low <= x && x <= high; }
};

/// f(x), off by at most 2^-50 of itself, and the same bits on every machine. Outside of its domain
/// anything.
auto real_value(FunctionKind kind, double x) -> double;

/// Why `kind` is not computed on an interval: a clause that fits behind "because", in which `what`
/// is the operand; empty if it is.
auto domain_fault(FunctionKind kind, RealInterval x) -> std::string;

/// The least interval that holds f of all numbers of an interval in its domain.
auto image(FunctionKind kind, RealInterval x) -> RealInterval;

/// How far apart f of two numbers may be that are `distance` apart and both in an interval, which
/// is in the domain. A jump counts in full.
auto spread(FunctionKind kind, RealInterval x, double distance) -> double;

}  // namespace tacet::array
