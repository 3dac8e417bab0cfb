#include "engine/he_model/noise_bounds.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/he_model/noise_model.h"

namespace tacet::he {

NoiseBounds::NoiseBounds(Scheme scheme, size_t ring_dimension, double plain_modulus,
                         std::vector<double> data_bits, std::vector<double> special_bits,
                         unsigned n_key_holders)
    : scheme_(scheme),
      log_n_(std::log2(static_cast<double>(ring_dimension))),
      n_key_holders_(n_key_holders),
      log_t_(scheme == Scheme::Ckks ? 0 : std::log2(plain_modulus)),
      special_bits_(std::move(special_bits)),
      data_bits_(std::move(data_bits)),
      modulus_bits_(data_bits_.size() + 1) {
  std::partial_sum(data_bits_.begin(), data_bits_.end(), modulus_bits_.begin() + 1);
}

/// Of rounding the parts: r_0 + r_1 s + r_2 s^2 with |r_i| <= 1/2, |s| <= h, |s^2| <= h^2 N for h
/// key holders.
auto NoiseBounds::rounding(size_t degree) const -> double {
  const double n = std::exp2(log_n_) * n_key_holders_;
  return std::log2(0.5 * (1 + n + (degree > 1 ? n * n : 0)));
}

/// Of a key for switching: e, or s e_0 + u e_1 + e_2 of a joint one from the square.
auto NoiseBounds::key_error(KeyOrigin origin) const -> double {
  const double error = std::log2(kErrorBound * n_key_holders_);
  if (n_key_holders_ == 1 || origin == KeyOrigin::Image) {
    return error;
  }
  return error + std::log2(2 * std::exp2(log_n_) * n_key_holders_ + 1);
}

auto NoiseBounds::fresh_symmetric() const -> double {
  // Of several key holders, each encrypts its share.
  return std::log2((kErrorBound + 1) * n_key_holders_);
}

auto NoiseBounds::fresh_public() const -> double {
  // u e + e_0 + s e_1
  return std::log2(kErrorBound * (1 + 2 * std::exp2(log_n_) * n_key_holders_) + 1);
}

auto NoiseBounds::fresh_sum(size_t n_encryptions) const -> double {
  // With what each further one adds beside its noise (`sum`).
  const double n = std::log2(static_cast<double>(n_encryptions));
  return n_encryptions == 1 ? fresh_public() : add_logarithms(fresh_public() + n, n);
}

auto NoiseBounds::sum(double a, double b) const -> double {
  // BFV, BGV: the sum of messages is more than its residue by a multiple of t, and roundings of
  // Q m / t add up.
  const double both = add_logarithms(a, b);
  return scheme_ == Scheme::Ckks ? both : add_logarithms(both, 1);
}

auto NoiseBounds::product(double a, double b) const -> double {
  const double n = std::exp2(log_n_);
  if (scheme_ == Scheme::Bgv) {
    // (m_1 + t e_1)(m_2 + t e_2), |m| <= t / 2; m_1 m_2 is more than its residue by a multiple of t
    // of up to N t / 4.
    const double linear = log_n_ + log_t_ - 1 + add_logarithms(a, b);
    const double carry = add_logarithms(log_n_ + log_t_ - 2, 0);
    return add_logarithms(add_logarithms(linear, log_n_ + log_t_ + a + b), carry);
  }
  // With phases Q m / t + e + Q k: |k| <= (h N + 3) / 2 where all parts are near zero. The second
  // factor is first rounded, to a modulus of at least half the size, and so are the parts in the
  // end, off by no more than one.
  const double second = add_logarithms(b, rounding(1) + 1);
  const double each = add_logarithms(add_logarithms(a, second), 0);
  const double of_messages = log_n_ + log_t_ - 1 + each;
  const double of_carries = log_n_ + log_t_ + std::log2((n * n_key_holders_ + 3) / 2) + each;
  const double of_both = log_n_ + std::min(a, second);  // t |e_1| |e_2| / Q, t |e| < Q / 2
  return add_logarithms(add_logarithms(of_messages, of_carries),
                        add_logarithms(of_both, rounding(2) + 1));
}

auto NoiseBounds::product(double a, double largest_a, double b, double largest_b) const -> double {
  const double left = std::log2(std::max(largest_a, 1.0)) + b;
  const double right = std::log2(std::max(largest_b, 1.0)) + a;
  return log_n_ + add_logarithms(add_logarithms(left, right), a + b);
}

auto NoiseBounds::plain_product(double a, double largest) const -> double {
  // Roundings of Q m / t, or the multiple of t that the product of messages has, count as half.
  return add_logarithms(log_n_ + std::log2(std::max(largest, 1.0)) + add_logarithms(a, -1), 0);
}

auto NoiseBounds::multiple(double a, double factor) const -> double {
  return add_logarithms(std::log2(std::max(std::abs(factor), 1.0)) + add_logarithms(a, -1), 0);
}

auto NoiseBounds::switched(double a, size_t n_primes, KeyOrigin origin) const -> double {
  // Digits of up to half the product of their primes, against the special primes' product.
  const double special = std::accumulate(special_bits_.begin(), special_bits_.end(), 0.0);
  const size_t size = std::max<size_t>(special_bits_.size(), 1);
  double digits = -HUGE_VAL;
  for (size_t start = 0; start < n_primes; start += size) {
    const size_t end = std::min(start + size, n_primes);
    digits = add_logarithms(digits, modulus_bits_[end] - modulus_bits_[start]);
  }
  const double error = digits - 1 + log_n_ + key_error(origin) - special;
  return sum(a, add_logarithms(error, rounding(1)));
}

auto NoiseBounds::dropped(double a, size_t n_primes, size_t degree) const -> double {
  return add_logarithms(add_logarithms(a - data_bits_[n_primes - 1], rounding(degree)), 0);
}

auto NoiseBounds::hiding_bits(double a, size_t n_ciphertexts) const -> double {
  // What the server draws itself may be bounded as it nearly always is: of e_0 - u e + s e_1, with
  // |e| <= 21 h and |s| <= h for h key holders, each coefficient is a sum of independent numbers,
  // and beyond ten times 3.24 (1 + h sqrt(N)) + 21 h sqrt(N) with a probability below 2^-71
  // (Hoeffding).
  const double root_n = std::exp2(log_n_ / 2) * n_key_holders_;
  const double deviation = std::sqrt(kErrorVariance);
  const double zero = std::log2(10 * (deviation * (1 + root_n) + kErrorBound * root_n));
  const double distance = kHidingBits + std::log2(kMostHiddenParts);
  return std::ceil(distance + log_n_ + std::log2(static_cast<double>(n_ciphertexts)) +
                   add_logarithms(a, zero) + 0.01);
}

auto NoiseBounds::hidden_budget(double a, size_t n_primes, size_t n_ciphertexts) const -> double {
  // Drawn near zero: half of what the bits hold, and less than twice that with the noise.
  return modulus_bits_[n_primes] - 1 - log_t_ - hiding_bits(a, n_ciphertexts);
}

auto NoiseBounds::flooding_bits(double a) const -> double {
  // Each coefficient moves by at most 2^a of 2^bits values.
  return std::ceil(kHidingBits + log_n_ + a + 0.01);
}

auto NoiseBounds::flooded(double a, unsigned n_shares) const -> double {
  return add_logarithms(a, flooding_bits(a) - 1 + std::log2(n_shares));
}

auto NoiseBounds::flooded_budget(double a, size_t n_primes, unsigned n_shares) const -> double {
  return modulus_bits_[n_primes] - 1 - log_t_ - flooded(a, n_shares);
}

}  // namespace tacet::he
