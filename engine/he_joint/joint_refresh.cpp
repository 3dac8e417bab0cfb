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
#include "engine/he_joint/flooding.h"
#include "engine/secure_random/samplers.h"

namespace tacet::he::joint {
namespace {

/// Whose uniform polynomial it is.
auto fresh_subject(FreshNumber number) -> Digest {
  return subject_of("fresh ciphertext", {number});
}

/// What shares of an opened ciphertext are about.
auto opened_subject(const Context& context, std::string_view what, const Ciphertext& ciphertext,
                    unsigned bits, FreshNumber number) -> Digest {
  Digester digester;
  digester.add(what);
  digester.add_bytes(digest_of(context, ciphertext));
  digester.add(bits);
  digester.add(number);
  return digester.finish();
}

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

/// A uniform message modulo t.
auto draw_share(const Context& context, SecureRandom& random) -> Plaintext {
  Plaintext share{.rows = context.rows(1, Wipe::Yes), .parameters = context.parameters().digest()};
  secure_random::sample_uniform(random, context.plain_modulus().value,
                                std::span(share.rows.row(0), context.n()), context.isa());
  return share;
}

auto negated(const Context& context, const Plaintext& share) -> Plaintext {
  Plaintext result = share;
  context.kernels().negate(result.rows.row(0), share.rows.row(0), context.n(),
                           context.plain_modulus());
  return result;
}

/// Adds a message modulo t to a transformed polynomial over the first `n_primes` primes.
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

/// s_i c_1 - message, with noise.
auto opened_share(const Context& context, const Rows& secret, const Ciphertext& ciphertext,
                  unsigned bits, const Plaintext& share, SecureRandom& random) -> Polynomial {
  Polynomial opened = flooded_share(context, secret, ciphertext, bits, random);
  add_to_rows(context, negated(context, share), ciphertext.metadata.correction, opened.rows);
  return opened;
}

/// -s_i a + e_i over all data primes, to which the message is added.
auto fresh_share(const Context& context, const Session& session, const Rows& secret,
                 FreshNumber number, SecureRandom& random) -> Polynomial {
  Polynomial fresh = make_polynomial(context, {.n_primes = context.n_data()}, Wipe::Yes);
  const PublicSeed seed = session.seed_of(fresh_subject(number));
  const SmallPolynomial error = SmallPolynomial::error(context, random);
  context.for_each(context.n_data(), [&](size_t i) {
    const ring::Kernels& kernels = context.kernels();
    const Modulus& q = context.modulus(i);
    uint64_t* out = fresh.rows.row(i);
    Rows row = context.rows(2, Wipe::Yes);
    expand_row(context, seed, i, i, row.row(0));
    error.error_residues(context, i, row.row(1));
    context.transform(row.row(1), i);
    kernels.multiply(out, row.row(0), secret.row(i), context.n(), q);
    kernels.subtract(out, row.row(1), out, context.n(), q);
  });
  return fresh;
}

/// The ciphertext whose first part is `first`, and whose second belongs to the number.
auto fresh_ciphertext(const Context& context, const Session& session, FreshNumber number,
                      Rows first) -> Ciphertext {
  Ciphertext result{.parts = {},
                    .metadata = {.noise = context.noise().fresh_symmetric(),
                                 .bound = context.bounds().fresh_symmetric(),
                                 .key_id = session.key_id(),
                                 .parameters = context.parameters().digest()}};
  result.seed = session.seed_of(fresh_subject(number));
  result.parts.push_back(std::move(first));
  result.parts.push_back(expand_ciphertext_seed(context, *result.seed, context.n_data()));
  return result;
}

/// Adds a wide mask to the rows, or subtracts it.
void add_mask(const Context& context, const WideNoise& mask, bool is_subtracted,
              Rows& transformed) {
  context.for_each(transformed.n_rows(), [&](size_t i) {
    const Modulus& q = context.modulus(i);
    Rows row = context.rows(1, Wipe::Yes);
    mask.residues(q, row.row(0));
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

auto check_share(const Context& context, const Plaintext& share) -> Status {
  if (is_ckks(context)) {
    return Error{"shares of messages are modulo t, which CKKS does not have"};
  }
  return check_plaintext(context, share);
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

auto share_to_shares(const Context& context, const Party& party, const Ciphertext& ciphertext,
                     const DecryptionTerms& terms, SecureRandom& random) -> Result<OpenedShare> {
  if (is_ckks(context)) {
    return Error{"shares of messages are modulo t, which CKKS does not have"};
  }
  Result<Opening> opening = opening_of(context, party.session(), ciphertext, terms);
  if (!opening) {
    return opening.error();
  }
  Result<Rows> secret = party.part_of_secret(context, opening->participants);
  if (!secret) {
    return secret.error();
  }
  OpenedShare result{
      .message = party.message(Step::ToShares,
                               opened_subject(context, "to shares", ciphertext, opening->bits, 0),
                               opening->participants),
      .share = draw_share(context, random)};
  result.message.polynomials.push_back(
      opened_share(context, *secret, ciphertext, opening->bits, result.share, random));
  return result;
}

auto finish_share(const Context& context, const Session& session, unsigned number,
                  const Ciphertext& ciphertext, const DecryptionTerms& terms, Plaintext share,
                  std::span<const Message> messages) -> Result<Plaintext> {
  if (Status status = check_share(context, share); !status) {
    return status.error();
  }
  Result<Opening> opening = opening_of(context, session, ciphertext, terms);
  if (!opening) {
    return opening.error();
  }
  Result<Message> sum =
      sum_of(context, session,
             {.step = Step::ToShares,
              .subject = opened_subject(context, "to shares", ciphertext, opening->bits, 0),
              .participants = opening->participants,
              .shapes = {{.n_primes = ciphertext.n_primes()}}},
             messages);
  if (!sum) {
    return sum.error();
  }
  if (number != opening->participants.lowest()) {
    return share;
  }
  const Plaintext rest = message_of_phase(
      context, ciphertext, phase_with(context, ciphertext, std::move(sum->polynomials[0].rows)));
  context.kernels().add(share.rows.row(0), share.rows.row(0), rest.rows.row(0), context.n(),
                        context.plain_modulus());
  return share;
}

auto share_from_shares(const Context& context, Party& party, const Plaintext& share,
                       FreshNumber number, PartySet participants, SecureRandom& random)
    -> Result<Message> {
  for (const Status& status :
       {check_session(context, party.session()), check_share(context, share)}) {
    if (!status) {
      return status.error();
    }
  }
  Result<PartySet> all = participants_of(party.session(), participants);
  if (!all) {
    return all.error();
  }
  Result<Rows> secret = party.part_of_secret(context, *all);
  if (!secret) {
    return secret.error();
  }
  const Digest subject = fresh_subject(number);
  if (Status status = party.claim(Step::FromShares, subject); !status) {
    return status.error();
  }
  Message message = party.message(Step::FromShares, subject, *all);
  Polynomial fresh = fresh_share(context, party.session(), *secret, number, random);
  add_to_rows(context, share, 1, fresh.rows);
  message.polynomials.push_back(std::move(fresh));
  return message;
}

auto combine_from_shares(const Context& context, const Session& session, FreshNumber number,
                         PartySet participants, std::span<const Message> messages)
    -> Result<Ciphertext> {
  if (Status status = check_session(context, session); !status) {
    return status.error();
  }
  if (is_ckks(context)) {
    return Error{"shares of messages are modulo t, which CKKS does not have"};
  }
  Result<PartySet> all = participants_of(session, participants);
  if (!all) {
    return all.error();
  }
  Result<Message> sum = sum_of(context, session,
                               {.step = Step::FromShares,
                                .subject = fresh_subject(number),
                                .participants = *all,
                                .shapes = {{.n_primes = context.n_data()}}},
                               messages);
  if (!sum) {
    return sum.error();
  }
  return fresh_ciphertext(context, session, number, std::move(sum->polynomials[0].rows));
}

}  // namespace tacet::he::joint
