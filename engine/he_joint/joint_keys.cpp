#include "engine/he_joint/joint_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/he/digest.h"
#include "engine/he_joint/key_shares.h"
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
