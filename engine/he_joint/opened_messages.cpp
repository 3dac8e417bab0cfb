#include "engine/he_joint/opened_messages.h"

#include "engine/he/digest.h"
#include "engine/he/key_generation.h"
#include "engine/he/noise.h"
#include "engine/he/sampling.h"
#include "engine/secure_random/samplers.h"

namespace tacet::he::joint {

auto fresh_subject(FreshNumber number) -> Digest {
  return subject_of("fresh ciphertext", {number});
}

auto opened_subject(const Context& context, std::string_view what, const Ciphertext& ciphertext,
                    unsigned bits, FreshNumber number) -> Digest {
  Digester digester;
  digester.add(what);
  digester.add_bytes(digest_of(context, ciphertext));
  digester.add(bits);
  digester.add(number);
  return digester.finish();
}

auto draw_share(const Context& context, SecureRandom& random) -> Plaintext {
  Plaintext share{.rows = context.rows(1, Wipe::Yes), .parameters = context.parameters().digest()};
  secure_random::sample_uniform(random, context.plain_modulus().value,
                                std::span(share.rows.row(0), context.n()), context.isa());
  return share;
}

static auto negated(const Context& context, const Plaintext& share) -> Plaintext {
  Plaintext result = share;
  context.kernels().negate(result.rows.row(0), share.rows.row(0), context.n(),
                           context.plain_modulus());
  return result;
}

auto opened_share(const Context& context, const Rows& secret, const Ciphertext& ciphertext,
                  unsigned bits, const Plaintext& share, SecureRandom& random) -> Polynomial {
  Polynomial opened = flooded_share(context, secret, ciphertext, bits, random);
  add_to_rows(context, negated(context, share), ciphertext.metadata.correction, opened.rows);
  return opened;
}

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

}  // namespace tacet::he::joint
