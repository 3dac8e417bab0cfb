#include "engine/he_joint/joint_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/he/digest.h"
#include "engine/ring/automorphism.h"

namespace tacet::he::joint {
namespace {

auto public_key_of(const Context& context, const Session& session) -> PublicKey {
  PublicKey key{.parts = {},
                .seed = session.seed_of(subject_of("public key")),
                .key_id = session.key_id(),
                .parameters = context.parameters().digest()};
  expand_seed(context, key);
  return key;
}

/// A key of which just the uniform halves are there.
auto uniform_halves(const Context& context, const Session& session, const Digest& subject,
                    size_t n_primes) -> KeySwitchKey {
  const size_t n_digits = context.n_digits(n_primes);
  KeySwitchKey key{.rows = context.rows(2 * n_digits * (n_primes + context.n_special())),
                   .seed = session.seed_of(subject),
                   .n_primes = n_primes,
                   .n_digits = n_digits};
  expand_seed(context, key);
  return key;
}

auto check_primes(const Context& context, size_t n_primes) -> Status {
  if (context.n_special() == 0) {
    return Error{
        "keys for products and rotations need special primes, but the parameters have none"};
  }
  if (n_primes > context.n_data()) {
    return Error{fmt::format("requested a key for {} data primes, but there are only {}", n_primes,
                             context.n_data())};
  }
  return std::monostate{};
}

/// Calls `body(row i, digit, prime)` for each row of each digit, on the context's threads.
template <class Body>
void for_each_row(const Context& context, const KeySwitchKey& key, const Body& body) {
  const size_t n_rows = key.n_primes + context.n_special();
  context.for_each(key.n_digits * n_rows, [&](size_t task) {
    const size_t i = task % n_rows;
    body(i, task / n_rows, context.prime_of_row(key.n_primes, i));
  });
}

auto errors_for(const Context& context, size_t n_digits, SecureRandom& random)
    -> std::vector<SmallPolynomial> {
  std::vector<SmallPolynomial> errors;
  for (size_t digit = 0; digit < n_digits; ++digit) {
    errors.push_back(SmallPolynomial::error(context, random));
  }
  return errors;
}

/// out = the transform of an error
void write_error(const Context& context, const SmallPolynomial& error, size_t prime,
                 uint64_t* out) {
  error.error_residues(context, prime, out);
  context.transform(out, prime);
}

/// out += g secret, where the gadget g of the digit is not zero modulo the prime of row i.
void add_gadget(const Context& context, size_t n_primes, size_t digit, size_t i,
                const uint64_t* secret, uint64_t* out) {
  if (i >= n_primes || i / context.digit_size() != digit) {
    return;
  }
  const Modulus& q = context.modulus(i);
  Rows product = context.rows(1, Wipe::Yes);
  context.kernels().multiply_constant(product.row(0), secret, context.special_product(i),
                                      context.n(), q);
  context.kernels().add(out, out, product.row(0), context.n(), q);
}

auto key_shapes(size_t n_polynomials, size_t n_primes) -> std::vector<Shape> {
  return std::vector<Shape>(n_polynomials, {.n_primes = n_primes, .is_extended = true});
}

auto empty_polynomials(const Context& context, const std::vector<Shape>& shapes)
    -> std::vector<Polynomial> {
  std::vector<Polynomial> result;
  for (const Shape shape : shapes) {
    result.push_back(make_polynomial(context, shape));
  }
  return result;
}

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

auto sorted_requests(const Context& context, std::vector<RotationKeyRequest> requests)
    -> Result<std::vector<RotationKeyRequest>> {
  for (RotationKeyRequest& request : requests) {
    if (Status status = check_primes(context, request.n_primes); !status) {
      return status.error();
    }
    if (request.galois_element % 2 == 0 || request.galois_element >= 2 * context.n()) {
      return Error{fmt::format(
          "{} is not a Galois element of a ring of dimension {}: it must be odd and below {}",
          request.galois_element, context.n(), 2 * context.n())};
    }
    request.n_primes = request.n_primes == 0 ? context.n_data() : request.n_primes;
  }
  std::sort(requests.begin(), requests.end(), [](const auto& a, const auto& b) {
    return a.galois_element != b.galois_element ? a.galois_element < b.galois_element
                                                : a.n_primes > b.n_primes;
  });
  requests.erase(std::unique(requests.begin(), requests.end(),
                             [](const auto& a, const auto& b) {
                               return a.galois_element == b.galois_element;
                             }),
                 requests.end());
  return requests;
}

auto rotation_subject(const RotationKeyRequest& request) -> Digest {
  return subject_of("rotation key", {request.galois_element, request.n_primes});
}

auto rotations_subject(const std::vector<RotationKeyRequest>& requests) -> Digest {
  Digester digester;
  digester.add("rotation keys");
  for (const RotationKeyRequest& request : requests) {
    digester.add(request.galois_element);
    digester.add(request.n_primes);
  }
  return digester.finish();
}

auto rotation_shapes(const Context& context, const std::vector<RotationKeyRequest>& requests)
    -> std::vector<Shape> {
  std::vector<Shape> shapes;
  for (const RotationKeyRequest& request : requests) {
    const std::vector<Shape> of_one =
        key_shapes(context.n_digits(request.n_primes), request.n_primes);
    shapes.insert(shapes.end(), of_one.begin(), of_one.end());
  }
  return shapes;
}

}  // namespace

auto share_public_key(const Context& context, Party& party, SecureRandom& random)
    -> Result<Message> {
  if (Status status = check_session(context, party.session()); !status) {
    return status.error();
  }
  const Digest subject = subject_of("public key");
  if (Status status = party.claim(Step::PublicKey, subject); !status) {
    return status.error();
  }
  const PublicKey uniform = public_key_of(context, party.session());
  const SmallPolynomial error = SmallPolynomial::error(context, random);
  Message message = party.message(Step::PublicKey, subject, party.session().parties());
  Polynomial share = make_polynomial(context, {.n_primes = context.n_data()});
  context.for_each(context.n_data(), [&](size_t i) {
    const Modulus& q = context.modulus(i);
    uint64_t* out = share.rows.row(i);
    write_error(context, error, i, out);
    context.kernels().multiply_add(out, uniform.parts[1].row(i), party.secret().row(i), out,
                                   context.n(), q);
    context.kernels().negate(out, out, context.n(), q);
  });
  message.polynomials.push_back(std::move(share));
  return message;
}

auto combine_public_key(const Context& context, const Session& session,
                        std::span<const Message> shares) -> Result<PublicKey> {
  if (Status status = check_session(context, session); !status) {
    return status.error();
  }
  Result<Message> sum = sum_of(context, session,
                               {.step = Step::PublicKey,
                                .subject = subject_of("public key"),
                                .participants = session.parties(),
                                .shapes = {{.n_primes = context.n_data()}}},
                               shares);
  if (!sum) {
    return sum.error();
  }
  PublicKey key = public_key_of(context, session);
  key.parts[0] = std::move(sum->polynomials[0].rows);
  return key;
}

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

auto share_rotation_keys(const Context& context, Party& party,
                         std::vector<RotationKeyRequest> requests, SecureRandom& random)
    -> Result<Message> {
  if (Status status = check_session(context, party.session()); !status) {
    return status.error();
  }
  Result<std::vector<RotationKeyRequest>> sorted = sorted_requests(context, std::move(requests));
  if (!sorted) {
    return sorted.error();
  }
  for (const RotationKeyRequest& request : *sorted) {
    if (Status status = party.claim(Step::RotationKeys, rotation_subject(request)); !status) {
      return status.error();
    }
  }
  Message message =
      party.message(Step::RotationKeys, rotations_subject(*sorted), party.session().parties());
  for (const RotationKeyRequest& request : *sorted) {
    const size_t n_primes = request.n_primes;
    const KeySwitchKey uniform =
        uniform_halves(context, party.session(), rotation_subject(request), n_primes);
    const std::vector<SmallPolynomial> errors = errors_for(context, uniform.n_digits, random);
    std::vector<Polynomial> halves =
        empty_polynomials(context, key_shapes(uniform.n_digits, n_primes));
    const ring::Automorphism back(
        context.n(), ring::inverse_galois_element(context.n(), request.galois_element));
    for_each_row(context, uniform, [&](size_t i, size_t digit, size_t prime) {
      const Modulus& q = context.modulus(prime);
      Rows image = context.rows(1, Wipe::Yes);
      back.apply(context.kernels(), image.row(0), party.secret().row(prime));
      uint64_t* out = halves[digit].rows.row(i);
      write_error(context, errors[digit], prime, out);
      context.kernels().multiply_add(out, uniform.row(1, digit, i), image.row(0), out, context.n(),
                                     q);
      context.kernels().negate(out, out, context.n(), q);
      add_gadget(context, n_primes, digit, i, party.secret().row(prime), out);
    });
    std::move(halves.begin(), halves.end(), std::back_inserter(message.polynomials));
  }
  return message;
}

auto combine_rotation_keys(const Context& context, const Session& session,
                           std::vector<RotationKeyRequest> requests,
                           std::span<const Message> shares) -> Result<RotationKeys> {
  if (Status status = check_session(context, session); !status) {
    return status.error();
  }
  Result<std::vector<RotationKeyRequest>> sorted = sorted_requests(context, std::move(requests));
  if (!sorted) {
    return sorted.error();
  }
  Result<Message> sum = sum_of(context, session,
                               {.step = Step::RotationKeys,
                                .subject = rotations_subject(*sorted),
                                .participants = session.parties(),
                                .shapes = rotation_shapes(context, *sorted)},
                               shares);
  if (!sum) {
    return sum.error();
  }
  RotationKeys keys{
      .entries = {}, .key_id = session.key_id(), .parameters = context.parameters().digest()};
  auto half = sum->polynomials.begin();
  for (const RotationKeyRequest& request : *sorted) {
    KeySwitchKey key =
        uniform_halves(context, session, rotation_subject(request), request.n_primes);
    for_each_row(context, key, [&](size_t i, size_t digit, size_t /*prime*/) {
      std::copy_n(half[static_cast<ptrdiff_t>(digit)].rows.row(i), context.n(),
                  key.row(0, digit, i));
    });
    half += static_cast<ptrdiff_t>(key.n_digits);
    keys.entries.push_back({.galois_element = request.galois_element, .key = std::move(key)});
  }
  return keys;
}

}  // namespace tacet::he::joint
