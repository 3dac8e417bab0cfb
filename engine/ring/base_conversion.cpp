#include "engine/ring/base_conversion.h"

#include <algorithm>

#include "base/check.h"

namespace tacet::ring {

auto product_modulo(std::span<const Modulus> primes, const Modulus& q) -> uint64_t {
  uint64_t product = 1 % q.value;
  for (const Modulus& prime : primes) {
    product = multiply(product, prime.value % q.value, q);
  }
  return product;
}

/// The product of all `primes` but number `skipped`, modulo `q`.
static auto punctured_product(std::span<const Modulus> primes, size_t skipped, const Modulus& q)
    -> uint64_t {
  return multiply(product_modulo(primes.first(skipped), q),
                  product_modulo(primes.subspan(skipped + 1), q), q);
}

BaseConversion::BaseConversion(std::span<const Modulus> from, std::span<const Modulus> to,
                               const Factors& factors)
    : from_(from.begin(), from.end()), to_(to.begin(), to.end()) {
  const auto factor = [](const std::vector<uint64_t>& values, size_t i, const Modulus& q) {
    return values.empty() ? 1 % q.value : values[i] % q.value;
  };
  TACET_CHECK(factors.before.empty() || factors.before.size() == from.size(),
              "a residue a prime of the base");
  TACET_CHECK(factors.after.empty() || factors.after.size() == to.size(), "a factor a target");
  for (size_t i = 0; i < from.size(); ++i) {
    const Modulus& q = from[i];
    const uint64_t inverse = invert(punctured_product(from, i, q), q);
    scales_.push_back(multiply(factor(factors.before, i, q), inverse, q));
    inverses_.push_back(q.inverse);
  }
  for (size_t j = 0; j < to.size(); ++j) {
    const Modulus& p = to[j];
    const uint64_t after = factor(factors.after, j, p);
    for (size_t i = 0; i < from.size(); ++i) {
      constants_.push_back(multiply(punctured_product(from, i, p), after, p));
    }
    constants_.push_back(negate(multiply(product_modulo(from, p), after, p), p));
  }
}

void BaseConversion::prepare(const Kernels& kernels, std::span<const uint64_t* const> x,
                             std::span<uint64_t* const> terms, size_t n) const {
  TACET_CHECK(x.size() == n_from() && terms.size() == n_from() + 1, "a row a prime");
  if (n_from() == 1 && scales_[0] == 1) {
    if (terms[0] != x[0]) {
      std::copy_n(x[0], n, terms[0]);
    }
    return;
  }
  for (size_t i = 0; i < n_from(); ++i) {
    kernels.multiply_constant(terms[i], x[i], scales_[i], n, from_[i]);
  }
  if (n_from() > 1) {
    kernels.round_sum(terms[n_from()], terms.data(), inverses_.data(), n_from(), n);
  }
}

void BaseConversion::convert(const Kernels& kernels, std::span<uint64_t* const> terms, size_t to,
                             uint64_t* out, size_t n) const {
  if (n_from() == 1) {
    const uint64_t after = constants_[2 * to];
    kernels.change_modulus(out, terms[0], n, from_[0], to_[to]);
    if (after != 1) {
      kernels.multiply_constant(out, out, after, n, to_[to]);
    }
    return;
  }
  const size_t n_terms = n_from() + 1;
  kernels.combine(out, terms.data(), &constants_[to * n_terms], n_terms, n, to_[to]);
}

}  // namespace tacet::ring
