#include "engine/he/bootstrapping/sine.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "engine/he_model/bootstrapping.h"

namespace tacet::he {
namespace {

/// A number that is an integer, modulo q, however large.
auto residue_of(double number, const Modulus& q) -> uint64_t {
  constexpr int kMantissaBits = 53;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(number), &exponent);
  const auto mantissa = static_cast<uint64_t>(std::ldexp(fraction, kMantissaBits));
  const int shift = exponent - kMantissaBits;
  const uint64_t magnitude =
      shift >= 0
          ? ring::multiply(mantissa % q.value, ring::power(2, static_cast<uint64_t>(shift), q), q)
          : (mantissa >> -shift) % q.value;
  return number < 0 ? ring::negate(magnitude, q) : magnitude;
}

/// Adds a number to all slots.
void add_constant(const Context& context, Ciphertext& a, double number) {
  const double scaled = std::nearbyint(number * a.metadata.scale);
  context.for_each(a.n_primes(), [&](size_t i) {
    const Modulus& q = context.modulus(i);
    const uint64_t residue = residue_of(scaled, q);
    uint64_t* row = a.parts[0].row(i);
    for (size_t k = 0; k < context.n(); ++k) {
      row[k] = ring::add(row[k], residue, q);
    }
  });
}

class Evaluation {
 public:
  Evaluation(const Context& context, const Ciphertext& u, const RelinearisationKey& key)
      : context_(context), key_(key), powers_(kMostPower + 1) {
    powers_[1] = u;
  }

  auto run(double scale) -> Result<Ciphertext> {
    for (const size_t power : {2U, 3U, 4U, 5U, 6U, 7U, 8U, 16U}) {
      if (Status status = make_power(power); !status) {
        return status.error();
      }
    }
    const size_t n_primes = powers_[1].n_primes() - kCosineLevels;
    std::vector<double> scales(kDoublings + 1, scale);
    for (size_t i = kDoublings; i-- > 0;) {
      const double prime = context_.modulus(n_primes - i - 1).as_double;
      scales[i] = std::sqrt(scales[i + 1] * prime);
    }
    Result<Ciphertext> value = rescaled(cosine_coefficients(), n_primes, scales[0]);
    for (size_t i = 0; value && i < kDoublings; ++i) {
      value = doubled(*value);
    }
    return value;
  }

 private:
  static constexpr size_t kMostPower = 16;
  static constexpr size_t kLeaf = 8;  ///< polynomials with fewer coefficients need no products

  /// T_a T_b, twice, less T_|a - b|.
  auto make_power(size_t power) -> Status {
    const size_t high = (power + 1) / 2;
    const size_t low = power / 2;
    Result<Ciphertext> product = twice_product(powers_[high], powers_[low]);
    if (!product) {
      return product.error();
    }
    if (high == low) {
      add_constant(context_, *product, -1);
    } else {
      add_multiples({0, -1}, *product);
    }
    Result<Ciphertext> made = finished(std::move(*product));
    if (!made) {
      return made.error();
    }
    powers_[power] = std::move(*made);
    return std::monostate{};
  }

  auto doubled(const Ciphertext& a) -> Result<Ciphertext> {
    Result<Ciphertext> product = twice_product(a, a);
    if (!product) {
      return product;
    }
    add_constant(context_, *product, -1);
    return finished(std::move(*product));
  }

  auto product(const Ciphertext& a, const Ciphertext& b) -> Result<Ciphertext> {
    const size_t n_primes = std::min(a.n_primes(), b.n_primes());
    if (&a == &b) {
      return multiply(context_, a, a);
    }
    const Result<Ciphertext> left = truncate_to(context_, a, n_primes);
    const Result<Ciphertext> right = truncate_to(context_, b, n_primes);
    return !left    ? left.error()
           : !right ? right.error()
                    : multiply(context_, left.value(), right.value());
  }

  auto twice_product(const Ciphertext& a, const Ciphertext& b) -> Result<Ciphertext> {
    Result<Ciphertext> result = product(a, b);
    if (!result) {
      return result;
    }
    const size_t m = result->n_primes();
    context_.for_each(result->parts.size() * m, [&](size_t i) {
      uint64_t* row = result->parts[i / m].row(i % m);
      context_.kernels().add(row, row, row, context_.n(), context_.modulus(i % m));
    });
    return result;
  }

  auto finished(Ciphertext a) -> Result<Ciphertext> {
    Result<Ciphertext> linear = relinearise(context_, std::move(a), key_);
    return linear ? drop_prime(context_, std::move(*linear)) : linear;
  }

  /// Adds a sum of multiples of the powers to `sum`, at its scale.
  void add_multiples(const std::vector<double>& coefficients, Ciphertext& sum) {
    add_constant(context_, sum, coefficients[0]);
    const size_t m = sum.n_primes();
    context_.for_each(2 * m, [&](size_t task) {
      const size_t i = task % m;
      const Modulus& q = context_.modulus(i);
      uint64_t* row = sum.parts[task / m].row(i);
      std::vector<const uint64_t*> terms = {row};
      std::vector<uint64_t> constants = {1};
      for (size_t k = 1; k < coefficients.size(); ++k) {
        const double factor =
            std::nearbyint(coefficients[k] * sum.metadata.scale / powers_[k].metadata.scale);
        if (factor != 0) {
          terms.push_back(powers_[k].parts[task / m].row(i));
          constants.push_back(residue_of(factor, q));
        }
      }
      context_.kernels().combine(row, terms.data(), constants.data(), terms.size(), context_.n(),
                                 q);
    });
  }

  /// A polynomial with this scale, of degree one or two.
  auto unscaled(std::vector<double> coefficients, size_t n_primes, double scale)
      -> Result<Ciphertext> {
    if (coefficients.size() <= kLeaf) {
      Ciphertext sum{.parts = {}, .metadata = powers_[1].metadata};
      sum.metadata.scale = scale;
      for (size_t half = 0; half < 2; ++half) {
        Rows& rows = sum.parts.emplace_back(context_.rows(n_primes));
        for (size_t i = 0; i < n_primes; ++i) {
          std::fill_n(rows.row(i), context_.n(), 0);
        }
      }
      add_multiples(coefficients, sum);
      return sum;
    }
    size_t power = kLeaf;
    while (2 * power < coefficients.size()) {
      power *= 2;
    }
    // T_k = 2 T_power T_(k - power) - T_(2 power - k)
    std::vector<double> quotient = {coefficients[power]};
    for (size_t k = power + 1; k < coefficients.size(); ++k) {
      quotient.push_back(2 * coefficients[k]);
      coefficients[2 * power - k] -= coefficients[k];
    }
    coefficients.resize(power);
    Result<Ciphertext> factor =
        rescaled(std::move(quotient), n_primes, scale / powers_[power].metadata.scale);
    if (!factor) {
      return factor;
    }
    Result<Ciphertext> sum = product(*factor, powers_[power]);
    if (!sum) {
      return sum;
    }
    sum->metadata.scale = scale;  // but for rounding
    const Result<Ciphertext> rest = unscaled(std::move(coefficients), n_primes, scale);
    return rest ? add(context_, std::move(*sum), rest.value()) : rest;
  }

  auto rescaled(std::vector<double> coefficients, size_t n_primes, double scale)
      -> Result<Ciphertext> {
    Result<Ciphertext> value = unscaled(std::move(coefficients), n_primes + 1,
                                        scale * context_.modulus(n_primes).as_double);
    if (!value) {
      return value;
    }
    return value->degree() == 2 ? finished(std::move(*value))
                                : drop_prime(context_, std::move(*value));
  }

  const Context& context_;
  const RelinearisationKey& key_;
  std::vector<Ciphertext> powers_;  ///< T_k of u
};

}  // namespace

auto cosine_coefficients() -> std::vector<double> {
  constexpr size_t kNodes = 64;
  std::vector<double> coefficients(kCosineDegree + 1);
  for (size_t j = 0; j < kNodes; ++j) {
    const double angle =
        std::numbers::pi * (static_cast<double>(j) + 0.5) / static_cast<double>(kNodes);
    const double x = kSineRange * std::cos(angle);
    const double value =
        std::cos((2 * std::numbers::pi * x - std::numbers::pi / 2) / std::exp2(kDoublings));
    for (size_t k = 0; k <= kCosineDegree; ++k) {
      coefficients[k] += (k == 0 ? 1.0 : 2.0) / static_cast<double>(kNodes) * value *
                         std::cos(static_cast<double>(k) * angle);
    }
  }
  return coefficients;
}

auto sine(const Context& context, const Ciphertext& u, double scale, const RelinearisationKey& key)
    -> Result<Ciphertext> {
  return Evaluation(context, u, key).run(scale);
}

}  // namespace tacet::he
