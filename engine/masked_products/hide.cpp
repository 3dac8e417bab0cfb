#include "engine/masked_products/hide.h"

#include <cmath>

#include "engine/he/evaluation.h"
#include "engine/he/message.h"
#include "engine/he/noise.h"
#include "engine/he/sampling.h"
#include "engine/masked_products/uniform_numbers.h"

namespace tacet::masked_products {
namespace {

constexpr unsigned kHidingBits = Slack::kNoiseBits;

/// Uniform numbers of [-2^133, 2^133), a coefficient each.
class WideNoise {
 public:
  WideNoise(const he::Context& context, he::SecureRandom& random)
      : numbers_(context, kHidingBits, random) {}

  /// Modulo a prime of the context.
  void residues(const he::Context& context, size_t prime, uint64_t* out) const {
    const Modulus& q = context.modulus(prime);
    numbers_.residues(context, q, out);
    const uint64_t centre = ring::power(2, kHidingBits - 1, q);
    for (size_t i = 0; i < context.n(); ++i) {
      out[i] = ring::subtract(out[i], centre, q);
    }
  }

 private:
  UniformNumbers numbers_;
};

/// log2 of its standard deviation.
auto wide_noise_deviation() -> double {
  return kHidingBits - std::log2(12.0) / 2;
}

}  // namespace

auto prepare_factor(const he::Context& context, const uint64_t* coefficients) -> he::Rows {
  he::Rows rows = context.rows(context.n_data(), he::Wipe::Yes);
  for (size_t i = 0; i < rows.n_rows(); ++i) {
    context.kernels().change_modulus(rows.row(i), coefficients, context.n(),
                                     context.plain_modulus(), context.modulus(i));
    context.transform(rows.row(i), i);
  }
  return rows;
}

auto hide(const he::Context& context, const he::PublicKey& key, he::Ciphertext sum,
          const uint64_t* mask, he::SecureRandom& random) -> Result<he::Ciphertext> {
  const size_t n = context.n();
  he::Plaintext message{.rows = context.rows(1, he::Wipe::Yes),
                        .parameters = context.parameters().digest()};
  std::copy_n(mask, n, message.rows.row(0));
  const WideNoise wide(context, random);
  const auto zero = he::SmallPolynomial::ternary(context, random);
  const auto error = he::SmallPolynomial::error(context, random);
  he::Rows rows = context.rows(2, he::Wipe::Yes);
  for (size_t i = 0; i < context.n_data(); ++i) {
    const Modulus& q = context.modulus(i);
    uint64_t* u = rows.row(0);
    uint64_t* added = rows.row(1);
    zero.residues(context, i, u);
    context.transform(u, i);
    for (size_t k = 0; k < 2; ++k) {
      if (k == 0) {
        wide.residues(context, i, added);
        he::add_message(context, message, context.n_data(), i, 1, added);
      } else {
        error.residues(context, i, added);
      }
      context.transform(added, i);
      context.kernels().multiply_add(added, key.parts[k].row(i), u, added, n, q);
      uint64_t* out = sum.parts[k].row(i);
      context.kernels().add(out, out, added, n, q);
    }
  }
  sum.metadata.noise = wide_noise_deviation();
  sum.metadata.n_noise_factors = 1;
  Result<he::Ciphertext> dropped = he::drop_prime(context, std::move(sum));
  return dropped ? he::drop_prime(context, std::move(dropped).value()) : std::move(dropped);
}

auto hidden_noise(const he::Context& context) -> double {
  double noise = wide_noise_deviation();
  for (size_t n_dropped = 0; n_dropped < 2; ++n_dropped) {
    noise = context.noise()
                .dropped({.noise = noise, .n_primes = context.n_data() - n_dropped}, 1)
                .noise;
  }
  return noise;
}

}  // namespace tacet::masked_products
