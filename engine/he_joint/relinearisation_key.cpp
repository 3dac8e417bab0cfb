#include <algorithm>

#include "engine/he/digest.h"
#include "engine/he_joint/key_shares.h"

namespace tacet::he::joint {
namespace {

auto relinearisation_subject(size_t n_primes) -> Digest {
  return subject_of("relinearisation key", {n_primes});
}

auto first_sum(const Context& context, const Session& session, std::span<const Message> first,
               size_t n_primes) -> Result<Message> {
  return sum_of(context, session,
                {.step = Step::RelinearisationFirst,
                 .subject = relinearisation_subject(n_primes),
                 .participants = session.parties(),
                 .shapes = key_shapes(2 * context.n_digits(n_primes), n_primes)},
                first);
}

/// The second round is about the sums of the first: a party that added others sends nothing that
/// fits.
auto second_subject(const Context& context, const Message& first) -> Digest {
  Digester digester;
  digester.add("relinearisation key, second round");
  digester.add_bytes(first.subject);
  for (const Polynomial& polynomial : first.polynomials) {
    for (size_t i = 0; i < polynomial.rows.n_rows(); ++i) {
      digester.add_bytes(std::as_bytes(std::span(polynomial.rows.row(i), context.n())));
    }
  }
  return digester.finish();
}

}  // namespace

auto share_relinearisation_first(const Context& context, Party& party, SecureRandom& random,
                                 size_t n_primes) -> Result<RelinearisationFirst> {
  if (Status status = check_session(context, party.session()); !status) {
    return status.error();
  }
  if (Status status = check_primes(context, n_primes); !status) {
    return status.error();
  }
  n_primes = n_primes == 0 ? context.n_data() : n_primes;
  const Digest subject = relinearisation_subject(n_primes);
  if (Status status = party.claim(Step::RelinearisationFirst, subject); !status) {
    return status.error();
  }
  const KeySwitchKey uniform = uniform_halves(context, party.session(), subject, n_primes);
  const size_t n_digits = uniform.n_digits;
  SmallPolynomial ephemeral = SmallPolynomial::ternary(context, random);
  const std::vector<SmallPolynomial> errors = errors_for(context, 2 * n_digits, random);
  Message message = party.message(Step::RelinearisationFirst, subject, party.session().parties());
  message.polynomials = empty_polynomials(context, key_shapes(2 * n_digits, n_primes));
  for_each_row(context, uniform, [&](size_t i, size_t digit, size_t prime) {
    const ring::Kernels& kernels = context.kernels();
    const Modulus& q = context.modulus(prime);
    const uint64_t* a = uniform.row(1, digit, i);
    const uint64_t* secret = party.secret().row(prime);
    uint64_t* first = message.polynomials[2 * digit].rows.row(i);
    uint64_t* second = message.polynomials[2 * digit + 1].rows.row(i);
    Rows u = context.rows(1, Wipe::Yes);
    ephemeral.residues(context, prime, u.row(0));
    context.transform(u.row(0), prime);
    kernels.negate(u.row(0), u.row(0), context.n(), q);
    write_error(context, errors[2 * digit], prime, first);
    kernels.multiply_add(first, a, u.row(0), first, context.n(), q);
    add_gadget(context, n_primes, digit, i, secret, first);
    write_error(context, errors[2 * digit + 1], prime, second);
    kernels.multiply_add(second, a, secret, second, context.n(), q);
  });
  return RelinearisationFirst{.message = std::move(message),
                              .ephemeral = EphemeralSecret(std::move(ephemeral), n_primes)};
}

auto share_relinearisation_second(const Context& context, Party& party, EphemeralSecret ephemeral,
                                  std::span<const Message> first, SecureRandom& random)
    -> Result<Message> {
  const size_t n_primes = ephemeral.n_primes();
  Result<Message> sum = first_sum(context, party.session(), first, n_primes);
  if (!sum) {
    return sum.error();
  }
  const Digest subject = second_subject(context, *sum);
  // About no more than one sum, which the ephemeral secret masks.
  if (Status status = party.claim(Step::RelinearisationSecond, relinearisation_subject(n_primes));
      !status) {
    return status.error();
  }
  const size_t n_digits = context.n_digits(n_primes);
  const std::vector<SmallPolynomial> errors = errors_for(context, n_digits, random);
  Message message = party.message(Step::RelinearisationSecond, subject, party.session().parties());
  message.polynomials = empty_polynomials(context, key_shapes(n_digits, n_primes));
  const size_t n_rows = n_primes + context.n_special();
  context.for_each(n_digits * n_rows, [&](size_t task) {
    const ring::Kernels& kernels = context.kernels();
    const size_t i = task % n_rows;
    const size_t digit = task / n_rows;
    const size_t prime = context.prime_of_row(n_primes, i);
    const Modulus& q = context.modulus(prime);
    const uint64_t* secret = party.secret().row(prime);
    uint64_t* out = message.polynomials[digit].rows.row(i);
    Rows u = context.rows(1, Wipe::Yes);
    ephemeral.polynomial().residues(context, prime, u.row(0));
    context.transform(u.row(0), prime);
    kernels.subtract(u.row(0), u.row(0), secret, context.n(), q);
    write_error(context, errors[digit], prime, out);
    kernels.multiply_add(out, sum->polynomials[2 * digit].rows.row(i), secret, out, context.n(), q);
    kernels.multiply_add(out, sum->polynomials[2 * digit + 1].rows.row(i), u.row(0), out,
                         context.n(), q);
  });
  return message;
}

auto combine_relinearisation_key(const Context& context, const Session& session,
                                 std::span<const Message> first, std::span<const Message> second,
                                 size_t n_primes) -> Result<RelinearisationKey> {
  if (Status status = check_session(context, session); !status) {
    return status.error();
  }
  if (Status status = check_primes(context, n_primes); !status) {
    return status.error();
  }
  n_primes = n_primes == 0 ? context.n_data() : n_primes;
  Result<Message> sum = first_sum(context, session, first, n_primes);
  if (!sum) {
    return sum.error();
  }
  const size_t n_digits = context.n_digits(n_primes);
  Result<Message> key_sum = sum_of(context, session,
                                   {.step = Step::RelinearisationSecond,
                                    .subject = second_subject(context, *sum),
                                    .participants = session.parties(),
                                    .shapes = key_shapes(n_digits, n_primes)},
                                   second);
  if (!key_sum) {
    return key_sum.error();
  }
  const size_t n_rows = n_primes + context.n_special();
  RelinearisationKey key{.key = {.rows = context.rows(2 * n_digits * n_rows),
                                 .seed = {},
                                 .n_primes = n_primes,
                                 .n_digits = n_digits},
                         .key_id = session.key_id(),
                         .parameters = context.parameters().digest()};
  context.for_each(n_digits * n_rows, [&](size_t task) {
    const size_t i = task % n_rows;
    const size_t digit = task / n_rows;
    std::copy_n(key_sum->polynomials[digit].rows.row(i), context.n(), key.key.row(0, digit, i));
    std::copy_n(sum->polynomials[2 * digit + 1].rows.row(i), context.n(), key.key.row(1, digit, i));
  });
  return key;
}

}  // namespace tacet::he::joint
