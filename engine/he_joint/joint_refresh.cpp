#include "engine/he_joint/joint_refresh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/he/checks.h"
#include "engine/he/digest.h"
#include "engine/he/key_generation.h"
#include "engine/he/message.h"
#include "engine/he/noise.h"
#include "engine/he/sampling.h"
#include "engine/he/wide_noise.h"
#include "engine/he_joint/opened_messages.h"
#include "engine/secure_random/samplers.h"

namespace tacet::he::joint {
namespace {

auto is_ckks(const Context& context) -> bool {
  return context.scheme() == Scheme::Ckks;
}

/// CKKS: the bits of a mask's coefficients. An error if the masked message may not fit the modulus.
auto mask_bits_of(const Context& context, const Ciphertext& ciphertext,
                  const DecryptionTerms& terms, PartySet participants) -> Result<unsigned> {
  const CiphertextMetadata& metadata = ciphertext.metadata;
  const double message = std::log2(std::max(metadata.magnitude * metadata.scale, 1.0));
  const double masked = add_logarithms(message, noise_bound_of(ciphertext, terms));
  const double budget = context.noise().modulus_bits(ciphertext.n_primes()) - 1 -
                        context.bounds().flooded(masked, participants.size());
  // So that the conversion to more primes is exact.
  constexpr double kMargin = 0.01;
  if (!(budget > kMargin)) {
    return Error{fmt::format(
        "the modulus is too small for a joint refresh: {} missing; masks have 2^40 N times the "
        "size of the message, so refresh while more primes are left",
        missing_bits(budget))};
  }
  return static_cast<unsigned>(context.bounds().flooding_bits(masked));
}

/// How a ciphertext is opened: with how many bits of noise, or of the mask for CKKS.
struct Opening {
  PartySet participants;
  unsigned bits = 0;
};

auto opening_of(const Context& context, const Session& session, const Ciphertext& ciphertext,
                const DecryptionTerms& terms) -> Result<Opening> {
  if (!is_ckks(context)) {
    Result<Flooding> flooding = flooding_of(context, session, ciphertext, terms);
    if (!flooding) {
      return flooding.error();
    }
    return Opening{.participants = flooding->participants, .bits = flooding->bits};
  }
  if (Status status = check_ciphertext(context, session, ciphertext); !status) {
    return status.error();
  }
  Result<PartySet> participants = participants_of(session, terms.participants);
  if (!participants) {
    return participants.error();
  }
  Result<unsigned> bits = mask_bits_of(context, ciphertext, terms, *participants);
  if (!bits) {
    return bits.error();
  }
  return Opening{.participants = *participants, .bits = *bits};
}

/// Adds a wide mask to the rows, or subtracts it.
void add_mask(const Context& context, const WideNoise& mask, bool is_subtracted,
              Rows& transformed) {
  context.for_each(transformed.n_rows(), [&](size_t i) {
    const Modulus& q = context.modulus(i);
    Rows row = context.rows(1, Wipe::Yes);
    mask.residues(context.kernels(), q, row.row(0));
    context.transform(row.row(0), i);
    const auto combine = is_subtracted ? context.kernels().subtract : context.kernels().add;
    combine(transformed.row(i), transformed.row(i), row.row(0), context.n(), q);
  });
}

/// s_i c_1 + e_i, and then the mask.
auto masked_share(const Context& context, const Rows& secret, const Ciphertext& ciphertext,
                  const WideNoise& mask, SecureRandom& random) -> Polynomial {
  Polynomial share = make_polynomial(context, {.n_primes = ciphertext.n_primes()}, Wipe::Yes);
  const SmallPolynomial error = SmallPolynomial::error(context, random);
  context.for_each(ciphertext.n_primes(), [&](size_t i) {
    uint64_t* out = share.rows.row(i);
    error.residues(context, i, out);
    context.transform(out, i);
    context.kernels().multiply_add(out, ciphertext.parts[1].row(i), secret.row(i), out, context.n(),
                                   context.modulus(i));
  });
  add_mask(context, mask, true, share.rows);
  return share;
}

/// The number near zero that each coefficient is, modulo all data primes, transformed.
auto extended(const Context& context, Rows transformed) -> Rows {
  const size_t m = transformed.n_rows();
  if (m == context.n_data()) {
    return transformed;
  }
  Rows result = context.rows(context.n_data());
  context.for_each(m, [&](size_t i) {
    std::copy_n(transformed.row(i), context.n(), result.row(i));
    context.transform_back(transformed.row(i), i);
  });
  const std::span<const Modulus> data(&context.modulus(0), context.n_data());
  const BaseConversion conversion(data.first(m), data.subspan(m));
  Rows terms = context.rows(m + 1);
  const Rows& residues = transformed;
  conversion.prepare(context.kernels(), residues.row_pointers(), terms.row_pointers(), context.n());
  const std::vector<uint64_t*> term_rows = terms.row_pointers();
  context.for_each(context.n_data() - m, [&](size_t i) {
    conversion.convert(context.kernels(), term_rows, i, result.row(m + i), context.n());
    context.transform(result.row(m + i), m + i);
  });
  return result;
}

}  // namespace

auto share_refresh(const Context& context, Party& party, const Ciphertext& ciphertext,
                   FreshNumber number, const DecryptionTerms& terms, SecureRandom& random)
    -> Result<Message> {
  Result<Opening> opening = opening_of(context, party.session(), ciphertext, terms);
  if (!opening) {
    return opening.error();
  }
  Result<Rows> secret = party.part_of_secret(context, opening->participants);
  if (!secret) {
    return secret.error();
  }
  if (Status status = party.claim(Step::FromShares, fresh_subject(number)); !status) {
    return status.error();
  }
  Message message = party.message(
      Step::Refresh, opened_subject(context, "refresh", ciphertext, opening->bits, number),
      opening->participants);
  Polynomial fresh = fresh_share(context, party.session(), *secret, number, random);
  if (is_ckks(context)) {
    const WideNoise mask(context.n(), opening->bits, random);
    message.polynomials.push_back(masked_share(context, *secret, ciphertext, mask, random));
    add_mask(context, mask, false, fresh.rows);
  } else {
    const Plaintext share = draw_share(context, random);
    message.polynomials.push_back(
        opened_share(context, *secret, ciphertext, opening->bits, share, random));
    add_to_rows(context, share, 1, fresh.rows);
  }
  message.polynomials.push_back(std::move(fresh));
  return message;
}

auto combine_refresh(const Context& context, const Session& session, const Ciphertext& ciphertext,
                     FreshNumber number, const DecryptionTerms& terms,
                     std::span<const Message> shares) -> Result<Ciphertext> {
  Result<Opening> opening = opening_of(context, session, ciphertext, terms);
  if (!opening) {
    return opening.error();
  }
  Result<Message> sum =
      sum_of(context, session,
             {.step = Step::Refresh,
              .subject = opened_subject(context, "refresh", ciphertext, opening->bits, number),
              .participants = opening->participants,
              .shapes = {{.n_primes = ciphertext.n_primes()}, {.n_primes = context.n_data()}}},
             shares);
  if (!sum) {
    return sum.error();
  }
  Rows masked = phase_with(context, ciphertext, std::move(sum->polynomials[0].rows));
  Rows first = std::move(sum->polynomials[1].rows);
  if (!is_ckks(context)) {
    add_to_rows(context, message_of_phase(context, ciphertext, std::move(masked)), 1, first);
    return fresh_ciphertext(context, session, number, std::move(first));
  }
  const Rows number_rows = extended(context, std::move(masked));
  context.for_each(first.n_rows(), [&](size_t i) {
    context.kernels().add(first.row(i), first.row(i), number_rows.row(i), context.n(),
                          context.modulus(i));
  });
  Ciphertext result = fresh_ciphertext(context, session, number, std::move(first));
  const CiphertextMetadata& before = ciphertext.metadata;
  result.metadata.scale = before.scale;
  result.metadata.magnitude = before.magnitude;
  // The errors of both halves.
  result.metadata.noise = add_logarithms(before.noise, context.noise().fresh_symmetric() + 1);
  result.metadata.n_noise_factors = before.n_noise_factors;
  result.metadata.bound = add_logarithms(before.bound, context.bounds().fresh_symmetric() + 1);
  return result;
}

}  // namespace tacet::he::joint
