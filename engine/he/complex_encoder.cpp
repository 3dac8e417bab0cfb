#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "base/declassify.h"
#include "base/wipe.h"
#include "engine/he/checks.h"
#include "engine/he/encoding.h"
#include "engine/he/magnitude.h"
#include "engine/ring/ntt_tables.h"

namespace tacet::he {

using Complex = std::complex<double>;

// A real polynomial of degree below N takes at ζ^e, e = 1 modulo 4, the value that the complex one
// with the coefficients p_k + i p_{k + N/2} takes there, as ζ^(e N/2) = i. So half the length
// suffices: N/2 complex coefficients, and X^(N/2) - i splits like X^N + 1 does in `NttTables`.

ComplexEncoder::ComplexEncoder(const Context& context) : context_(&context) {
  const size_t n = context.n();
  const size_t half = n / 2;
  // At each node X^length = ζ^exponent; half of it below on the left, and the negative on the
  // right.
  std::vector<uint64_t> exponents(2 * half);
  roots_.resize(half);
  exponents[1] = half;
  for (size_t node = 1; node < half; ++node) {
    exponents[2 * node] = exponents[node] / 2;
    exponents[2 * node + 1] = exponents[node] / 2 + n;
    const double angle =
        std::numbers::pi * static_cast<double>(exponents[2 * node]) / static_cast<double>(n);
    roots_[node] = {std::cos(angle), std::sin(angle)};
  }
  std::vector<uint32_t> place_of(2 * n);
  for (size_t i = 0; i < half; ++i) {
    place_of[exponents[half + i]] = static_cast<uint32_t>(i);
  }
  uint64_t exponent = 1;
  for (size_t i = 0; i < half; ++i) {
    places_.push_back(place_of[exponent]);
    exponent = exponent * 5 & (2 * n - 1);
  }
}

/// a * b without the rules for infinities.
static auto times(Complex a, Complex b) -> Complex {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

void ComplexEncoder::transform(std::span<Complex> values) const {
  size_t n_blocks = 1;
  for (size_t length = values.size(); length > 1; length /= 2, n_blocks *= 2) {
    for (size_t block = 0; block < n_blocks; ++block) {
      const Complex root = roots_[n_blocks + block];
      Complex* low = values.data() + block * length;
      Complex* high = low + length / 2;
      for (size_t i = 0; i < length / 2; ++i) {
        const Complex product = times(high[i], root);
        high[i] = low[i] - product;
        low[i] += product;
      }
    }
  }
}

void ComplexEncoder::transform_back(std::span<Complex> values) const {
  size_t n_blocks = values.size() / 2;
  for (size_t length = 2; length <= values.size(); length *= 2, n_blocks /= 2) {
    for (size_t block = 0; block < n_blocks; ++block) {
      const Complex root = std::conj(roots_[n_blocks + block]);
      Complex* low = values.data() + block * length;
      Complex* high = low + length / 2;
      for (size_t i = 0; i < length / 2; ++i) {
        const Complex difference = low[i] - high[i];
        low[i] += high[i];
        high[i] = times(difference, root);
      }
    }
  }
  const double scale = 1.0 / static_cast<double>(values.size());
  for (Complex& value : values) {
    value *= scale;
  }
}

/// The coefficients times `scale`, rounded.
static auto rounded(std::span<const Complex> values, double scale) -> SecureVector<int64_t> {
  const size_t half = values.size();
  SecureVector<int64_t> coefficients(2 * half);
  for (size_t i = 0; i < half; ++i) {
    coefficients[i] = std::llrint(scale * values[i].real());
    coefficients[half + i] = std::llrint(scale * values[i].imag());
  }
  return coefficients;
}

auto ComplexEncoder::rounded_message(std::span<const Complex> slots, double scale,
                                     double bound) const -> Result<RoundedMessage> {
  const size_t n = context_->n();
  if (context_->scheme() != Scheme::Ckks) {
    return Error{
        fmt::format("complex numbers can be encoded only for CKKS, but the parameters are for {}",
                    scheme_name(context_->scheme()))};
  }
  if (slots.size() > n / 2) {
    return Error{fmt::format("got {} numbers for {} slots", slots.size(), n / 2)};
  }
  const double size = scale * bound;
  if (!(scale >= 1 && bound > 0 && size < 0x1p1000)) {
    return Error{
        fmt::format("scale {} and bound {}: the scale must be at least 1, the bound positive, and "
                    "their product below 2^1000",
                    scale, bound)};
  }
  std::vector<Complex, WipingAllocator<Complex>> values(n / 2);
  const double square = bound * bound * (1 + 0x1p-40);
  bool fits = true;
  for (size_t i = 0; i < slots.size(); ++i) {
    const double norm = slots[i].real() * slots[i].real() + slots[i].imag() * slots[i].imag();
    fits = fits & (norm <= square);  // false for NaN
    values[places_[i]] = slots[i];
  }
  // Only whether some number is too large is revealed.
  if (!declassified(fits)) {
    return Error{fmt::format("a number exceeds the declared bound {} or is not finite", bound)};
  }
  transform_back(values);
  // Coefficients of more bits than a double has are multiples of a power of two.
  const int log_unit = std::max(0, std::ilogb(size) - 60);
  return RoundedMessage{.coefficients = rounded(values, std::ldexp(scale, -log_unit)),
                        .log_unit = log_unit,
                        .scale = scale,
                        .magnitude = bound};
}

/// Row i is modulo `prime_of_row(n_primes, i)`.
auto ComplexEncoder::rows_of(const RoundedMessage& message, size_t n_rows, size_t n_primes) const
    -> Result<Rows> {
  const size_t n = context_->n();
  if (n_primes > context_->n_data()) {
    return Error{fmt::format("requested a plaintext for {} primes, but there are only {}", n_primes,
                             context_->n_data())};
  }
  const SecureVector<int64_t>& coefficients = message.coefficients;
  const int log_unit = message.log_unit;
  Rows rows = context_->rows(n_rows, Wipe::Yes);
  context_->for_each(n_rows, [&](size_t at) {
    const size_t prime = context_->prime_of_row(n_primes, at);
    const Modulus& q = context_->modulus(prime);
    const uint64_t shift = ((uint64_t{1} << 62) / q.value + 1) * q.value;
    uint64_t* row = rows.row(at);
    for (size_t i = 0; i < n; ++i) {
      row[i] = ring::reduce(static_cast<uint64_t>(coefficients[i]) + shift, q);
    }
    if (log_unit > 0) {
      const uint64_t unit = ring::power(2, static_cast<uint64_t>(log_unit), q);
      context_->kernels().multiply_constant(row, row, unit, n, q);
    }
    context_->transform(row, prime);
  });
  return rows;
}

auto ComplexEncoder::encode(std::span<const Complex> slots, double scale, size_t n_primes,
                            double bound) const -> Result<Plaintext> {
  const size_t m = n_primes == 0 ? context_->n_data() : n_primes;
  const Result<RoundedMessage> message = rounded_message(slots, scale, bound);
  return message ? with_primes(message.value(), m) : Result<Plaintext>(message.error());
}

auto ComplexEncoder::round(std::span<const double> slots, double scale, double bound) const
    -> Result<RoundedMessage> {
  const std::vector<Complex, WipingAllocator<Complex>> values(slots.begin(), slots.end());
  return rounded_message(values, scale, bound);
}

auto ComplexEncoder::with_primes(const RoundedMessage& message, size_t n_primes) const
    -> Result<Plaintext> {
  Result<Rows> rows = rows_of(message, n_primes, n_primes);
  if (!rows) {
    return rows.error();
  }
  return Plaintext{.rows = std::move(*rows),
                   .scale = message.scale,
                   .magnitude = message.magnitude,
                   .parameters = context_->parameters().digest()};
}

auto ComplexEncoder::encode_extended(std::span<const Complex> slots, double scale, size_t n_primes,
                                     double bound) const -> Result<Rows> {
  const Result<RoundedMessage> message = rounded_message(slots, scale, bound);
  return message ? rows_of(message.value(), n_primes + context_->n_special(), n_primes)
                 : Result<Rows>(message.error());
}

auto ComplexEncoder::encode(std::span<const double> slots, double scale, size_t n_primes,
                            double bound) const -> Result<Plaintext> {
  const std::vector<Complex, WipingAllocator<Complex>> values(slots.begin(), slots.end());
  return encode(values, scale, n_primes, bound);
}

auto ComplexEncoder::decode(const Plaintext& plaintext) const -> Result<std::vector<Complex>> {
  if (context_->scheme() != Scheme::Ckks) {
    return Error{
        fmt::format("complex numbers can be decoded only for CKKS, but the parameters are for {}",
                    scheme_name(context_->scheme()))};
  }
  if (Status status = check_plaintext(*context_, plaintext); !status) {
    return status.error();
  }
  const size_t half = context_->n() / 2;
  Rows coefficients = plaintext.rows;
  context_->for_each(coefficients.n_rows(),
                     [&](size_t i) { context_->transform_back(coefficients.row(i), i); });
  const SecureVector<double> numbers = as_doubles(*context_, coefficients, 1 / plaintext.scale);
  std::vector<Complex, WipingAllocator<Complex>> values(half);
  for (size_t i = 0; i < half; ++i) {
    values[i] = {numbers[i], numbers[half + i]};
  }
  transform(values);
  std::vector<Complex> slots(half);
  for (size_t i = 0; i < half; ++i) {
    slots[i] = values[places_[i]];
  }
  return slots;
}

}  // namespace tacet::he
