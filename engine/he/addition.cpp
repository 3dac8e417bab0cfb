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

enum class SumKind { Add, Subtract };

void combine_rows(const Context& context, SumKind operation, uint64_t* a, const uint64_t* b,
                  size_t prime) {
  const auto loop = operation == SumKind::Add ? context.kernels().add : context.kernels().subtract;
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
  CiphertextMetadata& metadata = a.metadata;
  metadata.correction =
      ring::multiply(metadata.correction, factor < 0 ? ring::negate(residue, t) : residue, t);
  metadata.noise += std::log2(std::max(1.0, static_cast<double>(magnitude)));
  metadata.bound = context.bounds().multiple(metadata.bound, static_cast<double>(magnitude));
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

/// The metadata of a sum. The cost of scales that are not quite equal is counted as noise.
auto sum_metadata(const Context& context, const CiphertextMetadata& a, const CiphertextMetadata& b)
    -> CiphertextMetadata {
  CiphertextMetadata result = a;
  result.noise = add_logarithms(a.noise, b.noise);
  result.bound = context.bounds().sum(a.bound, b.bound);
  const double difference = std::abs(a.scale - b.scale) * b.magnitude;
  if (context.scheme() == Scheme::Ckks && difference != 0) {
    result.noise = add_logarithms(result.noise, std::log2(difference));
    result.bound = add_logarithms(result.bound, std::log2(difference));
  }
  result.n_noise_factors = std::max(a.n_noise_factors, b.n_noise_factors);
  result.magnitude += b.magnitude;
  return result;
}

/// A plaintext as a summand. Its noise is rounding: of the encoding for CKKS, of Q m / t for BFV.
auto summand_metadata(const Context& context, const Plaintext& b) -> CiphertextMetadata {
  const bool is_ckks = context.scheme() == Scheme::Ckks;
  return {.scale = b.scale,
          .magnitude = b.magnitude,
          .noise = rounding_noise(b.scale, b.magnitude),
          .bound = is_ckks ? rounding_bound(b.scale, b.magnitude) : 0};
}

void combine_parts(const Context& context, SumKind operation, Ciphertext& a, const Ciphertext& b) {
  const size_t n_shared = std::min(a.parts.size(), b.parts.size());
  a.metadata = sum_metadata(context, a.metadata, b.metadata);
  a.seed.reset();
  for (size_t k = a.parts.size(); k < b.parts.size(); ++k) {
    a.parts.push_back(context.rows(a.n_primes()));
  }
  for_each_row(context, b.parts.size(), a.n_primes(), [&](size_t part, size_t i) {
    uint64_t* out = a.parts[part].row(i);
    const uint64_t* in = b.parts[part].row(i);
    if (part < n_shared) {
      combine_rows(context, operation, out, in, i);
    } else if (operation == SumKind::Add) {
      std::copy_n(in, context.n(), out);
    } else {
      context.kernels().negate(out, in, context.n(), context.modulus(i));
    }
  });
}

auto add_or_subtract(const Context& context, SumKind operation, Ciphertext a, const Ciphertext& b)
    -> Result<Ciphertext> {
  if (Status status = check_operands(context, a, b); !status) {
    return status.error();
  }
  if (Status status = check_scales(context, a.metadata.scale, b.metadata.scale); !status) {
    return status.error();
  }
  if (a.metadata.correction == b.metadata.correction) {
    combine_parts(context, operation, a, b);
    return a;
  }
  const SmallFactors factors =
      small_factors(a.metadata.correction, b.metadata.correction, context.plain_modulus());
  Ciphertext aligned = b;
  multiply_by_integer(context, a, factors.for_a);
  multiply_by_integer(context, aligned, factors.for_b);
  combine_parts(context, operation, a, aligned);
  return a;
}

auto add_or_subtract(const Context& context, SumKind operation, Ciphertext a, const Plaintext& b)
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
  if (Status status = check_scales(context, a.metadata.scale, b.scale); !status) {
    return status.error();
  }
  a.metadata = sum_metadata(context, a.metadata, summand_metadata(context, b));
  context.for_each(a.n_primes(), [&](size_t i) {
    uint64_t* out = a.parts[0].row(i);
    if (is_ckks) {
      combine_rows(context, operation, out, b.rows.row(i), i);
      return;
    }
    Rows message = context.rows(1);
    message.clear();
    add_message(context, b, a.n_primes(), i, a.metadata.correction, message.row(0));
    context.transform(message.row(0), i);
    combine_rows(context, operation, out, message.row(0), i);
  });
  return a;
}

}  // namespace

auto add(const Context& context, Ciphertext a, const Ciphertext& b) -> Result<Ciphertext> {
  return add_or_subtract(context, SumKind::Add, std::move(a), b);
}

auto subtract(const Context& context, Ciphertext a, const Ciphertext& b) -> Result<Ciphertext> {
  return add_or_subtract(context, SumKind::Subtract, std::move(a), b);
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
  return add_or_subtract(context, SumKind::Add, std::move(a), b);
}

auto subtract_plain(const Context& context, Ciphertext a, const Plaintext& b)
    -> Result<Ciphertext> {
  return add_or_subtract(context, SumKind::Subtract, std::move(a), b);
}

}  // namespace tacet::he
