#include <fmt/format.h>

#include <cmath>

#include "engine/he/checks.h"
#include "engine/he/evaluation.h"
#include "engine/he/message.h"
#include "engine/he/noise.h"

namespace tacet::he {
namespace {

/// Scales may differ by this much of themselves: rescaling divides by primes that are not quite
/// powers of two. What it costs is counted as noise.
constexpr double kScaleTolerance = 0x1p-10;

enum class Operation { Add, Subtract };

void combine_rows(const Context& context, Operation operation, uint64_t* a, const uint64_t* b,
                  size_t prime) {
  const auto loop =
      operation == Operation::Add ? context.kernels().add : context.kernels().subtract;
  loop(a, a, b, context.n(), context.modulus(prime));
}

/// Calls `body(part, prime)` for every row of a ciphertext.
template <class Body>
void for_each_row(const Context& context, size_t n_parts, size_t n_primes, const Body& body) {
  context.for_each(n_parts * n_primes, [&](size_t i) { body(i / n_primes, i % n_primes); });
}

void multiply_by_integer(const Context& context, Ciphertext& a, int64_t factor) {
  const uint64_t magnitude = static_cast<uint64_t>(std::abs(factor));
  for_each_row(context, a.parts.size(), a.n_primes(), [&](size_t part, size_t i) {
    const Modulus& q = context.modulus(i);
    const uint64_t reduced = magnitude % q.value;
    const uint64_t residue = factor < 0 ? ring::negate(reduced, q) : reduced;
    context.kernels().multiply_constant(a.parts[part].row(i), a.parts[part].row(i), residue,
                                        context.n(), q);
  });
  const Modulus& t = context.plain_modulus();
  const uint64_t residue = magnitude % t.value;
  a.correction = ring::multiply(a.correction, factor < 0 ? ring::negate(residue, t) : residue, t);
  a.noise += std::log2(std::max(1.0, static_cast<double>(magnitude)));
  a.bound = context.bounds().multiple(a.bound, static_cast<double>(magnitude));
  a.seed.reset();
}

/// Factors f, g with f a = g b modulo t, neither above the root of t: the first step of Euclid's
/// algorithm for t and b / a that leaves less than that (Thue's lemma).
struct SmallFactors {
  int64_t for_a, for_b;
};

auto small_factors(uint64_t a, uint64_t b, const Modulus& t) -> SmallFactors {
  auto row = static_cast<int64_t>(t.value);
  auto next_row = static_cast<int64_t>(ring::multiply(b, ring::invert(a, t), t));
  int64_t coefficient = 0;
  int64_t next_coefficient = 1;
  // row = coefficient * (b / a) modulo t, for both.
  const double root = std::sqrt(t.as_double);
  while (static_cast<double>(next_row) > root) {
    const int64_t quotient = row / next_row;
    row -= quotient * next_row;
    coefficient -= quotient * next_coefficient;
    std::swap(row, next_row);
    std::swap(coefficient, next_coefficient);
  }
  return {.for_a = next_row, .for_b = next_coefficient};
}

auto check_scales(const Context& context, double a, double b) -> Status {
  if (context.scheme() == Scheme::Ckks && std::abs(a - b) > kScaleTolerance * std::min(a, b)) {
    return Error{
        fmt::format("the operands have different scales, 2^{:.2f} and 2^{:.2f}; rescale one, or "
                    "encode it with the scale of the other",
                    std::log2(a), std::log2(b))};
  }
  return std::monostate{};
}

/// The noise of a sum, with what it costs that the scales are not quite equal.
auto sum_noise(const Context& context, const Ciphertext& a, double noise, double scale,
               double magnitude) -> double {
  const double sum = add_logarithms(a.noise, noise);
  const double difference = std::abs(a.scale - scale) * magnitude;
  if (context.scheme() != Scheme::Ckks || difference == 0) {
    return sum;
  }
  return add_logarithms(sum, std::log2(difference));
}

/// The same for bounds.
auto sum_bound(const Context& context, const Ciphertext& a, double bound, double scale,
               double magnitude) -> double {
  const double sum = context.bounds().sum(a.bound, bound);
  const double difference = std::abs(a.scale - scale) * magnitude;
  return context.scheme() != Scheme::Ckks || difference == 0
             ? sum
             : add_logarithms(sum, std::log2(difference));
}

void combine_parts(const Context& context, Operation operation, Ciphertext& a,
                   const Ciphertext& b) {
  const size_t n_shared = std::min(a.parts.size(), b.parts.size());
  a.noise = sum_noise(context, a, b.noise, b.scale, b.magnitude);
  a.bound = sum_bound(context, a, b.bound, b.scale, b.magnitude);
  a.n_noise_factors = std::max(a.n_noise_factors, b.n_noise_factors);
  a.magnitude += b.magnitude;
  a.seed.reset();
  for (size_t k = a.parts.size(); k < b.parts.size(); ++k) {
    a.parts.push_back(context.rows(a.n_primes()));
  }
  for_each_row(context, b.parts.size(), a.n_primes(), [&](size_t part, size_t i) {
    uint64_t* out = a.parts[part].row(i);
    const uint64_t* in = b.parts[part].row(i);
    if (part < n_shared) {
      combine_rows(context, operation, out, in, i);
    } else if (operation == Operation::Add) {
      std::copy_n(in, context.n(), out);
    } else {
      context.kernels().negate(out, in, context.n(), context.modulus(i));
    }
  });
}

auto add_or_subtract(const Context& context, Operation operation, Ciphertext a, const Ciphertext& b)
    -> Result<Ciphertext> {
  if (Status status = check_operands(context, a, b); !status) {
    return status.error();
  }
  if (Status status = check_scales(context, a.scale, b.scale); !status) {
    return status.error();
  }
  if (a.correction == b.correction) {
    combine_parts(context, operation, a, b);
    return a;
  }
  const SmallFactors factors = small_factors(a.correction, b.correction, context.plain_modulus());
  Ciphertext aligned = b;
  multiply_by_integer(context, a, factors.for_a);
  multiply_by_integer(context, aligned, factors.for_b);
  combine_parts(context, operation, a, aligned);
  return a;
}

auto add_or_subtract(const Context& context, Operation operation, Ciphertext a, const Plaintext& b)
    -> Result<Ciphertext> {
  if (Status status = check_ciphertext(context, a); !status) {
    return status.error();
  }
  if (Status status = check_plaintext(context, b); !status) {
    return status.error();
  }
  const bool is_ckks = context.scheme() == Scheme::Ckks;
  if (is_ckks && b.rows.n_rows() < a.n_primes()) {
    return Error{
        fmt::format("the plaintext was encoded for {} primes, but the ciphertext has {}; encode it "
                    "for the same number",
                    b.rows.n_rows(), a.n_primes())};
  }
  if (Status status = check_scales(context, a.scale, b.scale); !status) {
    return status.error();
  }
  // Rounding: of the plaintext for CKKS, of Q m / t for BFV.
  a.noise = sum_noise(context, a, rounding_noise(b.scale, b.magnitude), b.scale, b.magnitude);
  a.bound = sum_bound(context, a, is_ckks ? rounding_bound(b.scale, b.magnitude) : 0, b.scale,
                      b.magnitude);
  a.magnitude += b.magnitude;
  context.for_each(a.n_primes(), [&](size_t i) {
    uint64_t* out = a.parts[0].row(i);
    if (is_ckks) {
      combine_rows(context, operation, out, b.rows.row(i), i);
      return;
    }
    Rows message = context.rows(1);
    message.clear();
    add_message(context, b, a.n_primes(), i, a.correction, message.row(0));
    context.transform(message.row(0), i);
    combine_rows(context, operation, out, message.row(0), i);
  });
  return a;
}

}  // namespace

auto add(const Context& context, Ciphertext a, const Ciphertext& b) -> Result<Ciphertext> {
  return add_or_subtract(context, Operation::Add, std::move(a), b);
}

auto subtract(const Context& context, Ciphertext a, const Ciphertext& b) -> Result<Ciphertext> {
  return add_or_subtract(context, Operation::Subtract, std::move(a), b);
}

auto negate(const Context& context, Ciphertext a) -> Result<Ciphertext> {
  if (Status status = check_ciphertext(context, a); !status) {
    return status.error();
  }
  a.seed.reset();
  for_each_row(context, a.parts.size(), a.n_primes(), [&](size_t part, size_t i) {
    uint64_t* row = a.parts[part].row(i);
    context.kernels().negate(row, row, context.n(), context.modulus(i));
  });
  return a;
}

auto add_plain(const Context& context, Ciphertext a, const Plaintext& b) -> Result<Ciphertext> {
  return add_or_subtract(context, Operation::Add, std::move(a), b);
}

auto subtract_plain(const Context& context, Ciphertext a, const Plaintext& b)
    -> Result<Ciphertext> {
  return add_or_subtract(context, Operation::Subtract, std::move(a), b);
}

}  // namespace tacet::he
