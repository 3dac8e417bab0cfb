#include "engine/he/magnitude.h"

#include <cmath>

namespace tacet::he {
namespace {

/// Numbers by their digits to the mixed radices 1, q_0, q_0 q_1 … (Garner), the uppermost of which
/// determine the sign. Constant-time.
class MixedRadix {
 public:
  MixedRadix(const Context& context, size_t n_primes) : context_(&context), n_primes_(n_primes) {
    // 1 / (q_0 … q_{j-1}) modulo q_j, and the digits of (Q - 1) / 2.
    for (size_t j = 0; j < n_primes; ++j) {
      const Modulus& q = context.modulus(j);
      uint64_t product = 1;
      for (size_t i = 0; i < j; ++i) {
        product = ring::multiply(product, context.modulus(i).value % q.value, q);
      }
      inverses_.push_back(ring::invert(product, q));
      half_.push_back(q.value / 2);
    }
  }

  auto value(const Rows& rows, size_t i) -> long double {
    digits_.resize(n_primes_);
    for (size_t j = 0; j < n_primes_; ++j) {
      const Modulus& q = context_->modulus(j);
      // What the digits so far make modulo q_j.
      uint64_t known = 0;
      for (size_t k = j; k-- > 0;) {
        const Modulus& radix = context_->modulus(k);
        known = ring::add(ring::multiply(known, radix.value % q.value, q),
                          ring::reduce(digits_[k], q), q);
      }
      digits_[j] = ring::multiply(ring::subtract(rows.row(j)[i], known, q), inverses_[j], q);
    }
    // (Q - 1) / 2 has the digits (q_j - 1) / 2; the uppermost digit that differs from that decides.
    uint64_t negative = 0;
    for (size_t j = 0; j < n_primes_; ++j) {
      const uint64_t above = (half_[j] - digits_[j]) >> 63;
      const uint64_t same = ((digits_[j] ^ half_[j]) - 1) >> 63;
      negative = above | (same & negative);
    }
    // A negative number is -1 less the number of the complements of its digits.
    long double sum = 0;
    for (size_t j = n_primes_; j-- > 0;) {
      const uint64_t q = context_->modulus(j).value;
      const uint64_t complement = q - 1 - 2 * digits_[j];
      const uint64_t digit = digits_[j] + (complement & (0 - negative));
      sum = sum * static_cast<long double>(static_cast<int64_t>(q)) +
            static_cast<long double>(static_cast<int64_t>(digit));
    }
    const auto sign = static_cast<long double>(1 - 2 * static_cast<int>(negative));
    return sign * sum - static_cast<long double>(static_cast<int64_t>(negative));
  }

 private:
  const Context* context_;
  size_t n_primes_;
  std::vector<uint64_t> inverses_, half_, digits_;
};

}  // namespace

auto as_doubles(const Context& context, const Rows& rows, double factor) -> SecureVector<double> {
  MixedRadix radix(context, rows.n_rows());
  SecureVector<double> result(rows.n());
  for (size_t i = 0; i < rows.n(); ++i) {
    result[i] = static_cast<double>(radix.value(rows, i) * static_cast<long double>(factor));
  }
  return result;
}

auto magnitude_bits(const Context& context, const Rows& rows) -> double {
  MixedRadix radix(context, rows.n_rows());
  long double largest = 0;
  for (size_t i = 0; i < rows.n(); ++i) {
    largest = std::max(largest, std::abs(radix.value(rows, i)));
  }
  return largest == 0 ? -1 : static_cast<double>(std::log2(largest));
}

}  // namespace tacet::he
