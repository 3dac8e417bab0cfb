#include "engine/he_joint/flooding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/he/message.h"
#include "engine/he/noise.h"
#include "engine/he/wide_noise.h"

namespace tacet::he::joint {
namespace {

/// Bits that must be left above the noise, for what its logarithms are rounded by.
constexpr double kSlack = 1e-6;

/// An error of a decrypted CKKS message as large as the message leaves nothing of it.
auto check_precision(const Context& context, const Ciphertext& ciphertext, double deviation)
    -> Status {
  NoiseState state = noise_state(ciphertext);
  state.noise = deviation;
  const double error = context.noise().error(state);
  if (error < ciphertext.metadata.magnitude) {
    return std::monostate{};
  }
  return Error{fmt::format(
      "the shares' noise, which hides that of the result, would change it by {:.2g}, but it is at "
      "most {:.2g}; use a scale larger by at least {:.0f} bits",
      error, ciphertext.metadata.magnitude,
      std::ceil(std::log2(error / std::max(ciphertext.metadata.magnitude, 0x1p-1000))) + 1)};
}

}  // namespace

auto missing_bits(double budget) -> std::string {
  const double n = std::max(std::ceil(-budget), 1.0);
  return fmt::format("{:.0f} {}", n, n == 1 ? "bit is" : "bits are");
}

auto noise_bound_of(const Ciphertext& ciphertext, const DecryptionTerms& terms) -> double {
  return std::max(ciphertext.metadata.noise + std::log2(10), terms.noise_bound);
}

auto flooding_of(const Context& context, const Session& session, const Ciphertext& ciphertext,
                 const DecryptionTerms& terms) -> Result<Flooding> {
  if (Status status = check_ciphertext(context, session, ciphertext); !status) {
    return status.error();
  }
  Result<PartySet> participants = participants_of(session, terms.participants);
  if (!participants) {
    return participants.error();
  }
  const unsigned n_shares = participants->size();
  const NoiseBounds& bounds = context.bounds();
  const double noise = noise_bound_of(ciphertext, terms);
  const double bits = bounds.flooding_bits(noise);
  const double bound = bounds.flooded(noise, n_shares);
  const bool is_ckks = context.scheme() == Scheme::Ckks;
  double budget = bounds.flooded_budget(noise, ciphertext.n_primes(), n_shares);
  if (is_ckks) {
    const CiphertextMetadata& metadata = ciphertext.metadata;
    const double message = std::log2(std::max(metadata.magnitude * metadata.scale, 1.0));
    budget =
        context.noise().modulus_bits(ciphertext.n_primes()) - 1 - add_logarithms(message, bound);
  }
  // What came from outside may be no number.
  if (!(budget > kSlack)) {
    return Error{fmt::format(
        "the modulus is too small for a joint decryption: {} missing; each share needs noise of "
        "{:.0f} bits to hide that of the result, up to {:.0f} bits; use larger or more primes, or "
        "decrypt before the program drops primes",
        missing_bits(budget), bits, std::max(noise, 0.0))};
  }
  const double uniform = bits + std::log2(n_shares / 12.0) / 2;
  const Flooding result{.participants = *participants,
                        .bits = static_cast<unsigned>(bits),
                        .bound = bound,
                        .deviation = add_logarithms(ciphertext.metadata.noise, uniform)};
  if (is_ckks) {
    if (Status status = check_precision(context, ciphertext, result.deviation); !status) {
      return status.error();
    }
  }
  return result;
}

auto flooded_share(const Context& context, const Rows& secret, const Ciphertext& ciphertext,
                   unsigned bits, SecureRandom& random) -> Polynomial {
  Polynomial share = make_polynomial(context, {.n_primes = ciphertext.n_primes()}, Wipe::Yes);
  context.for_each(ciphertext.n_primes(), [&](size_t i) {
    context.kernels().multiply(share.rows.row(i), ciphertext.parts[1].row(i), secret.row(i),
                               context.n(), context.modulus(i));
  });
  add_noise(context, WideNoise(context.n(), bits, random), share.rows);
  return share;
}

auto phase_with(const Context& context, const Ciphertext& ciphertext, Rows share) -> Rows {
  context.for_each(share.n_rows(), [&](size_t i) {
    context.kernels().add(share.row(i), share.row(i), ciphertext.parts[0].row(i), context.n(),
                          context.modulus(i));
  });
  return share;
}

auto message_of_phase(const Context& context, const Ciphertext& ciphertext, Rows phase)
    -> Plaintext {
  context.for_each(phase.n_rows(), [&](size_t i) { context.transform_back(phase.row(i), i); });
  return message_of(context, std::move(phase), ciphertext.metadata.correction);
}

void add_to_rows(const Context& context, const Plaintext& message, uint64_t correction,
                 Rows& transformed) {
  context.for_each(transformed.n_rows(), [&](size_t i) {
    Rows row = context.rows(1, Wipe::Yes);
    std::fill_n(row.row(0), context.n(), 0);
    add_message(context, message, transformed.n_rows(), i, correction, row.row(0));
    context.transform(row.row(0), i);
    context.kernels().add(transformed.row(i), transformed.row(i), row.row(0), context.n(),
                          context.modulus(i));
  });
}

}  // namespace tacet::he::joint
