#include "engine/he/encryption.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/wipe.h"
#include "engine/he/checks.h"
#include "engine/he/key_generation.h"
#include "engine/he/magnitude.h"
#include "engine/he/message.h"
#include "engine/he/noise.h"
#include "engine/he/sampling.h"
#include "engine/secure_random/samplers.h"

namespace tacet::he {
namespace {

/// How many primes an encryption of `plaintext` under a key of these parameters has.
auto level_of(const Context& context, const ParameterDigest& key, std::string_view what,
              const Plaintext& plaintext, size_t n_primes) -> Result<size_t> {
  if (Status status = check_parameters(context, key, what); !status) {
    return status.error();
  }
  if (Status status = check_plaintext(context, plaintext); !status) {
    return status.error();
  }
  if (context.scheme() == Scheme::Ckks) {
    return plaintext.rows.n_rows();
  }
  if (n_primes > context.n_data()) {
    return Error{fmt::format("requested an encryption modulo {} primes, but there are only {}",
                             n_primes, context.n_data())};
  }
  return n_primes == 0 ? context.n_data() : n_primes;
}

/// Writes the transform of an error with the message into `row`.
void error_with_message(const Context& context, const SmallPolynomial& error,
                        const Plaintext& plaintext, size_t n_primes, size_t prime, uint64_t* row) {
  error.error_residues(context, prime, row);
  if (context.scheme() != Scheme::Ckks) {
    add_message(context, plaintext, n_primes, prime, 1, row);
  }
  context.transform(row, prime);
  if (context.scheme() == Scheme::Ckks) {
    context.kernels().add(row, row, plaintext.rows.row(prime), context.n(), context.modulus(prime));
  }
}

auto empty_ciphertext(const Context& context, const Plaintext& plaintext, size_t n_primes,
                      KeyId key_id, bool is_symmetric) -> Ciphertext {
  const double noise =
      is_symmetric ? context.noise().fresh_symmetric() : context.noise().fresh_public();
  Ciphertext result{.parts = {},
                    .metadata = {.scale = plaintext.scale,
                                 .magnitude = plaintext.magnitude,
                                 .noise = noise,
                                 .bound = fresh_bound(context, is_symmetric, plaintext.scale,
                                                      plaintext.magnitude),
                                 .key_id = key_id,
                                 .parameters = context.parameters().digest()}};
  result.parts.push_back(context.rows(n_primes));
  return result;
}

/// parts[0] + parts[1] s + …, transformed.
auto phase_of(const Context& context, const SecretKey& key, const Ciphertext& ciphertext) -> Rows {
  const size_t n_primes = ciphertext.n_primes();
  Rows phase = context.rows(n_primes, Wipe::Yes);
  context.for_each(n_primes, [&](size_t i) {
    const uint64_t* higher = ciphertext.parts.back().row(i);
    for (size_t k = ciphertext.degree(); k-- > 0;) {
      context.kernels().multiply_add(phase.row(i), higher, key.rows.row(i),
                                     ciphertext.parts[k].row(i), context.n(), context.modulus(i));
      higher = phase.row(i);
    }
  });
  return phase;
}

void transform_back(const Context& context, Rows& rows) {
  context.for_each(rows.n_rows(), [&](size_t i) { context.transform_back(rows.row(i), i); });
}

/// Whether the noise, by its estimate, lets the message be found, when noise with a deviation of
/// 2^`added` is added to it.
auto check_budget(const Context& context, const Ciphertext& ciphertext, double added) -> Status {
  NoiseState state = noise_state(ciphertext);
  state.noise = added > 0 ? add_logarithms(state.noise, added) : state.noise;
  const double budget = context.noise().budget(state);
  // Estimates that came from outside may overflow to what is not a number: that is no budget.
  if (!(budget > 0)) {
    return Error{
        fmt::format("the noise may be too large to decrypt: the estimate exceeds the limit by "
                    "{:.0f} bits; use parameters with a larger modulus",
                    std::ceil(-budget) + (budget == 0 ? 1 : 0))};
  }
  return std::monostate{};
}

/// The sums of noise stay below 2^124.
constexpr double kMaxNoiseLevels = 118;

__extension__ using Int128 = __int128;

/// How many times the noise of `add_wide_noise` is doubled for a deviation of 2^`deviation_bits`.
auto wide_noise_levels(double deviation_bits) -> double {
  const double unit = std::log2(secure_random::kBinomialVariance * 4 / 3) / 2;
  return std::max(std::ceil(deviation_bits - unit), 0.0);
}

/// Adds normal noise of a standard deviation of at least 2^`deviation_bits` to the coefficients.
///
/// The sum of 2^k times independent binomial numbers, k from 0 to the number of levels, which is
/// normal but for its far ends and takes no branch.
void add_wide_noise(const Context& context, double deviation_bits, SecureRandom& random,
                    Rows& transformed) {
  const double levels = wide_noise_levels(deviation_bits);
  SecureVector<Int128> sum(context.n());
  SecureVector<int8_t> digits(context.n());
  for (unsigned k = 0; k <= levels; ++k) {
    secure_random::sample_binomial(random, digits, context.isa());
    for (size_t i = 0; i < sum.size(); ++i) {
      sum[i] = 2 * sum[i] + digits[i];
    }
  }
  context.for_each(transformed.n_rows(), [&](size_t prime) {
    const Modulus& q = context.modulus(prime);
    // A multiple of q above all the numbers, which are less than 2^124.
    const ring::Uint128 shift = ((ring::Uint128{1} << 124) / q.value + 1) * q.value;
    Rows row = context.rows(1, Wipe::Yes);
    for (size_t i = 0; i < sum.size(); ++i) {
      row.row(0)[i] = ring::reduce(static_cast<ring::Uint128>(sum[i]) + shift, q);
    }
    context.transform(row.row(0), prime);
    context.kernels().add(transformed.row(prime), transformed.row(prime), row.row(0), context.n(),
                          q);
  });
}

/// Whether the message is more than the noise that hides it.
auto check_hidden(const Context& context, const Ciphertext& ciphertext, double hiding_noise)
    -> Status {
  NoiseState state = noise_state(ciphertext);
  state.noise = hiding_noise;
  const double error = context.noise().error(state);
  if (error < ciphertext.metadata.magnitude && wide_noise_levels(hiding_noise) <= kMaxNoiseLevels) {
    return std::monostate{};
  }
  return Error{
      fmt::format("the result cannot be published: the noise that hides the key would change it by "
                  "{:.2g}, but it is at most {:.2g}; use a larger scale (`CkksAudience` sets the "
                  "number of results and bits of security), or decrypt only for the key holder",
                  error, ciphertext.metadata.magnitude)};
}

}  // namespace

auto hiding_bits(const Context& context, const CkksAudience& audience) -> double {
  const double n = static_cast<double>(context.n());
  return (audience.statistical_bits + std::log2(12 * audience.n_results * n)) / 2 + std::log2(10);
}

auto encrypt(const Context& context, const PublicKey& key, const Plaintext& plaintext,
             SecureRandom& random, size_t n_primes) -> Result<Ciphertext> {
  const Result<size_t> level = level_of(context, key.parameters, "public key", plaintext, n_primes);
  if (!level) {
    return level.error();
  }
  Ciphertext result = empty_ciphertext(context, plaintext, level.value(), key.key_id, false);
  result.parts.push_back(context.rows(level.value()));
  const SmallPolynomial mask = SmallPolynomial::ternary(context, random);
  const SmallPolynomial errors[] = {SmallPolynomial::error(context, random),
                                    SmallPolynomial::error(context, random)};
  context.for_each(level.value(), [&](size_t i) {
    const Modulus& q = context.modulus(i);
    Rows u = context.rows(1, Wipe::Yes);
    mask.residues(context, i, u.row(0));
    context.transform(u.row(0), i);
    error_with_message(context, errors[0], plaintext, level.value(), i, result.parts[0].row(i));
    errors[1].error_residues(context, i, result.parts[1].row(i));
    context.transform(result.parts[1].row(i), i);
    for (size_t k = 0; k < 2; ++k) {
      uint64_t* out = result.parts[k].row(i);
      context.kernels().multiply_add(out, key.parts[k].row(i), u.row(0), out, context.n(), q);
    }
  });
  return result;
}

auto encrypt(const Context& context, const SecretKey& key, const Plaintext& plaintext,
             SecureRandom& random, size_t n_primes) -> Result<Ciphertext> {
  const Result<size_t> level = level_of(context, key.parameters, "secret key", plaintext, n_primes);
  if (!level) {
    return level.error();
  }
  Ciphertext result = empty_ciphertext(context, plaintext, level.value(), key.id, true);
  result.seed = PublicSeed::draw(random);
  result.parts.push_back(expand_ciphertext_seed(context, *result.seed, level.value()));
  const SmallPolynomial error = SmallPolynomial::error(context, random);
  context.for_each(level.value(), [&](size_t i) {
    const Modulus& q = context.modulus(i);
    uint64_t* out = result.parts[0].row(i);
    Rows masked = context.rows(1, Wipe::Yes);
    error_with_message(context, error, plaintext, level.value(), i, out);
    context.kernels().multiply(masked.row(0), result.parts[1].row(i), key.rows.row(i), context.n(),
                               q);
    context.kernels().subtract(out, out, masked.row(0), context.n(), q);
  });
  return result;
}

auto decrypt(const Context& context, const SecretKey& key, const Ciphertext& ciphertext,
             SecureRandom& random, const CkksAudience& audience) -> Result<Plaintext> {
  if (Status status = check_key(context, key.parameters, key.id, ciphertext, "secret key");
      !status) {
    return status.error();
  }
  const bool is_hidden =
      context.scheme() == Scheme::Ckks && audience.kind == CkksAudience::Kind::Public;
  const double hiding_noise = ciphertext.metadata.noise + hiding_bits(context, audience);
  if (Status status = check_budget(context, ciphertext, is_hidden ? hiding_noise : 0); !status) {
    return status.error();
  }
  if (is_hidden) {
    if (Status status = check_hidden(context, ciphertext, hiding_noise); !status) {
      return status.error();
    }
  }
  Rows phase = phase_of(context, key, ciphertext);
  if (context.scheme() != Scheme::Ckks) {
    transform_back(context, phase);
    return message_of(context, std::move(phase), ciphertext.metadata.correction);
  }
  if (is_hidden) {
    add_wide_noise(context, hiding_noise, random, phase);
  }
  return Plaintext{.rows = std::move(phase),
                   .scale = ciphertext.metadata.scale,
                   .magnitude = ciphertext.metadata.magnitude,
                   .parameters = ciphertext.metadata.parameters};
}

auto measured_budget(const Context& context, const SecretKey& key, const Ciphertext& ciphertext)
    -> Result<double> {
  if (Status status = check_key(context, key.parameters, key.id, ciphertext, "secret key");
      !status) {
    return status.error();
  }
  Rows phase = phase_of(context, key, ciphertext);
  if (context.scheme() == Scheme::Bfv) {
    // [t phase]_Q is t times the noise, but for a rounding.
    context.for_each(phase.n_rows(), [&](size_t i) {
      const Modulus& q = context.modulus(i);
      context.kernels().multiply_constant(phase.row(i), phase.row(i),
                                          context.plain_modulus().value % q.value, context.n(), q);
    });
  }
  transform_back(context, phase);
  const double bits = context.noise().modulus_bits(phase.n_rows());
  return std::max(0.0, bits - 1 - std::max(0.0, magnitude_bits(context, phase)));
}

}  // namespace tacet::he
