#include "engine/cggi_model/parameters.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace tacet::cggi {

auto least_variance(Security security, unsigned dimension, unsigned log2_modulus) -> double {
  switch (security) {
    case Security::None:
      return 0;
    case Security::Bits128:
      return std::exp2(4 - 2.0 * log2_modulus) +
             std::exp2(5.31469187675068 - 0.0497829131652661 * dimension);
  }
  return 0;
}

namespace {

/// Below it the curve is an extrapolation.
constexpr unsigned kLeastSecureDimension = 450;

auto check_sizes(const Parameters& p) -> Status {
  if (p.lwe_dimension < 1 || p.lwe_dimension > 4096) {
    return Error{fmt::format("LWE dimension {} is not in 1 … 4096", p.lwe_dimension)};
  }
  if (p.glwe_dimension < 1 || p.glwe_dimension > kMaxGlweDimension) {
    return Error{
        fmt::format("GLWE dimension {} is not in 1 … {}", p.glwe_dimension, kMaxGlweDimension)};
  }
  if (!std::has_single_bit(p.polynomial_size) || p.polynomial_size < kMinPolynomialSize ||
      p.polynomial_size > kMaxPolynomialSize) {
    return Error{fmt::format("polynomial size {} is not a power of two in {} … {}",
                             p.polynomial_size, kMinPolynomialSize, kMaxPolynomialSize)};
  }
  return std::monostate{};
}

auto check_decomposition(const Decomposition& d, unsigned max_bits, unsigned max_base,
                         std::string_view what) -> Status {
  if (d.log2_base < 1 || d.log2_base > max_base || d.n_levels < 1 ||
      d.n_levels > max_bits / d.log2_base) {
    return Error{fmt::format("decomposition of the {}: {} digits of {} bits are not supported",
                             what, d.n_levels, d.log2_base)};
  }
  return std::monostate{};
}

auto check_variance(double variance, double least, unsigned dimension, std::string_view what)
    -> Status {
  if (!(variance >= 0) || variance > 0.01) {
    return Error{fmt::format("the variance {} of {} errors is out of range", variance, what)};
  }
  // A millionth of a bit: what was computed and rounded once still passes.
  if (least > 0 && (dimension < kLeastSecureDimension || variance < least * 0.999999)) {
    return Error{fmt::format(
        "{} keys of {} bits with errors of variance 2^{:.2f} have less than 128 bits of security; "
        "the least variance is 2^{:.2f}",
        what, dimension, std::log2(variance), std::log2(least))};
  }
  return std::monostate{};
}

}  // namespace

auto check_parameters(const Parameters& p) -> Status {
  if (p.security != Security::None && p.security != Security::Bits128) {
    return Error{"unknown security level"};
  }
  if (Status status = check_sizes(p); !status) {
    return status;
  }
  if (Status status = check_decomposition(p.rotation, 62, 30, "rotation"); !status) {
    return status;
  }
  if (Status status = check_decomposition(p.key_switch, 30, 10, "key switch"); !status) {
    return status;
  }
  const double least_lwe = least_variance(p.security, p.lwe_dimension, kLog2SwitchedModulus);
  if (Status status = check_variance(p.lwe_variance, least_lwe, p.lwe_dimension, "LWE"); !status) {
    return status;
  }
  const unsigned dimension = p.extracted_dimension();
  const double least_glwe = least_variance(p.security, dimension, kLog2Modulus);
  return check_variance(p.glwe_variance, least_glwe, dimension, "GLWE");
}

}  // namespace tacet::cggi
