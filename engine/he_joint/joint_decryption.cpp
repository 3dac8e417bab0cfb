#include "engine/he_joint/joint_decryption.h"

#include <cmath>

#include "engine/he/checks.h"
#include "engine/he/digest.h"
#include "engine/he/noise.h"
#include "engine/he/sampling.h"
#include "engine/he_joint/flooding.h"

namespace tacet::he::joint {
namespace {

auto decryption_subject(const Context& context, const Ciphertext& ciphertext, unsigned bits)
    -> Digest {
  Digester digester;
  digester.add("decryption");
  digester.add_bytes(digest_of(context, ciphertext));
  digester.add(bits);
  return digester.finish();
}

auto switching_subject(const Context& context, const Ciphertext& ciphertext,
                       const PublicKey& receiver, unsigned bits) -> Digest {
  Digester digester;
  digester.add("key switching");
  digester.add_bytes(digest_of(context, ciphertext));
  digester.add_bytes(digest_of(context, receiver));
  digester.add(bits);
  return digester.finish();
}

auto check_receiver(const Context& context, const PublicKey& receiver) -> Status {
  return check_parameters(context, receiver.parameters, "receiver's public key");
}

auto check_mask(const Context& context, const Plaintext& mask) -> Status {
  if (context.scheme() == Scheme::Ckks) {
    return Error{"shares of CKKS decryptions have no masks"};
  }
  if (mask.rows.n_rows() != 1 || mask.rows.n() != context.n()) {
    return Error{"the mask is empty, or its size does not match the parameters"};
  }
  return check_parameters(context, mask.parameters, "mask");
}

}  // namespace

auto flooding_bits(const Context& context, const Session& session, const Ciphertext& ciphertext,
                   const DecryptionTerms& terms) -> Result<unsigned> {
  Result<Flooding> flooding = flooding_of(context, session, ciphertext, terms);
  if (!flooding) {
    return flooding.error();
  }
  return flooding->bits;
}

auto share_decryption(const Context& context, const Party& party, const Ciphertext& ciphertext,
                      const DecryptionTerms& terms, SecureRandom& random, DecryptionMask mask)
    -> Result<Message> {
  if (mask != nullptr) {
    if (Status status = check_mask(context, *mask); !status) {
      return status.error();
    }
  }
  Result<Flooding> flooding = flooding_of(context, party.session(), ciphertext, terms);
  if (!flooding) {
    return flooding.error();
  }
  Result<Rows> secret = party.part_of_secret(context, flooding->participants);
  if (!secret) {
    return secret.error();
  }
  Message message =
      party.message(Step::Decryption, decryption_subject(context, ciphertext, flooding->bits),
                    flooding->participants);
  message.polynomials.push_back(
      flooded_share(context, *secret, ciphertext, flooding->bits, random));
  if (mask != nullptr) {
    add_to_rows(context, *mask, ciphertext.metadata.correction, message.polynomials[0].rows);
  }
  return message;
}

auto combine_decryption(const Context& context, const Session& session,
                        const Ciphertext& ciphertext, const DecryptionTerms& terms,
                        std::span<const Message> shares) -> Result<DecryptedMessage> {
  Result<Flooding> flooding = flooding_of(context, session, ciphertext, terms);
  if (!flooding) {
    return flooding.error();
  }
  Result<Message> sum = sum_of(context, session,
                               {.step = Step::Decryption,
                                .subject = decryption_subject(context, ciphertext, flooding->bits),
                                .participants = flooding->participants,
                                .shapes = {{.n_primes = ciphertext.n_primes()}}},
                               shares);
  if (!sum) {
    return sum.error();
  }
  Rows phase = phase_with(context, ciphertext, std::move(sum->polynomials[0].rows));
  if (context.scheme() != Scheme::Ckks) {
    return DecryptedMessage{.plaintext = message_of_phase(context, ciphertext, std::move(phase))};
  }
  NoiseState state = noise_state(ciphertext);
  state.noise = flooding->deviation;
  return DecryptedMessage{.plaintext = {.rows = std::move(phase),
                                        .scale = ciphertext.metadata.scale,
                                        .magnitude = ciphertext.metadata.magnitude,
                                        .parameters = context.parameters().digest()},
                          .error = context.noise().error(state)};
}

auto share_key_switching(const Context& context, const Party& party, const Ciphertext& ciphertext,
                         const PublicKey& receiver, const DecryptionTerms& terms,
                         SecureRandom& random) -> Result<Message> {
  if (Status status = check_receiver(context, receiver); !status) {
    return status.error();
  }
  Result<Flooding> flooding = flooding_of(context, party.session(), ciphertext, terms);
  if (!flooding) {
    return flooding.error();
  }
  Result<Rows> secret = party.part_of_secret(context, flooding->participants);
  if (!secret) {
    return secret.error();
  }
  Message message = party.message(Step::KeySwitching,
                                  switching_subject(context, ciphertext, receiver, flooding->bits),
                                  flooding->participants);
  const size_t n_primes = ciphertext.n_primes();
  Polynomial first = flooded_share(context, *secret, ciphertext, flooding->bits, random);
  Polynomial second = make_polynomial(context, {.n_primes = n_primes});
  const SmallPolynomial mask = SmallPolynomial::ternary(context, random);
  const SmallPolynomial errors[] = {SmallPolynomial::error(context, random),
                                    SmallPolynomial::error(context, random)};
  context.for_each(n_primes, [&](size_t i) {
    const ring::Kernels& kernels = context.kernels();
    const Modulus& q = context.modulus(i);
    Rows u = context.rows(2, Wipe::Yes);
    mask.residues(context, i, u.row(0));
    context.transform(u.row(0), i);
    errors[0].error_residues(context, i, u.row(1));
    context.transform(u.row(1), i);
    kernels.add(first.rows.row(i), first.rows.row(i), u.row(1), context.n(), q);
    kernels.multiply_add(first.rows.row(i), receiver.parts[0].row(i), u.row(0), first.rows.row(i),
                         context.n(), q);
    errors[1].error_residues(context, i, second.rows.row(i));
    context.transform(second.rows.row(i), i);
    kernels.multiply_add(second.rows.row(i), receiver.parts[1].row(i), u.row(0), second.rows.row(i),
                         context.n(), q);
  });
  message.polynomials.push_back(std::move(first));
  message.polynomials.push_back(std::move(second));
  return message;
}

auto combine_key_switching(const Context& context, const Session& session,
                           const Ciphertext& ciphertext, const PublicKey& receiver,
                           const DecryptionTerms& terms, std::span<const Message> shares)
    -> Result<Ciphertext> {
  if (Status status = check_receiver(context, receiver); !status) {
    return status.error();
  }
  Result<Flooding> flooding = flooding_of(context, session, ciphertext, terms);
  if (!flooding) {
    return flooding.error();
  }
  const Shape shape{.n_primes = ciphertext.n_primes()};
  Result<Message> sum =
      sum_of(context, session,
             {.step = Step::KeySwitching,
              .subject = switching_subject(context, ciphertext, receiver, flooding->bits),
              .participants = flooding->participants,
              .shapes = {shape, shape}},
             shares);
  if (!sum) {
    return sum.error();
  }
  Ciphertext result{.parts = {}, .metadata = ciphertext.metadata};
  result.parts.push_back(phase_with(context, ciphertext, std::move(sum->polynomials[0].rows)));
  result.parts.push_back(std::move(sum->polynomials[1].rows));
  // The sum of as many encryptions of zero under the receiver's key as there are shares.
  const double n_shares = std::log2(flooding->participants.size());
  const double added_bound =
      add_logarithms(flooding->bound, context.bounds().fresh_public() + n_shares);
  CiphertextMetadata& metadata = result.metadata;
  metadata.key_id = receiver.key_id;
  metadata.n_noise_factors = 1;
  metadata.bound = add_logarithms(metadata.bound, added_bound);
  // Ten deviations are taken for the largest, which the uniform noise has at once.
  metadata.noise =
      context.scheme() == Scheme::Ckks
          ? add_logarithms(flooding->deviation, context.noise().fresh_public() + n_shares)
          : added_bound - std::log2(10);
  return result;
}

}  // namespace tacet::he::joint
