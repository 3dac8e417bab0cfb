#include "engine/he/key_generation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/declassify.h"
#include "engine/he/checks.h"
#include "engine/he/sampling.h"
#include "engine/ring/automorphism.h"

namespace tacet::he {
namespace {

auto draw_key_id(SecureRandom& random) -> KeyId {
  KeyId id = 0;
  random.fill_words(std::span(&id, 1));
  return declassified(id);  // a number of its own, drawn beside the key
}

/// A stream for each row of each digit: the same one however many primes the key is for.
auto stream_of_row(const Context& context, size_t digit, size_t prime) -> uint64_t {
  return digit * (context.n_data() + context.n_special()) + prime;
}

auto check_key_switching(const Context& context, const SecretKey& secret, size_t n_primes)
    -> Status {
  if (Status status = check_parameters(context, secret.parameters, "secret key"); !status) {
    return status;
  }
  if (context.n_special() == 0) {
    return Error{
        "keys for products and rotations need special primes, but the parameters have none; "
        "request some with `special_prime_bits`"};
  }
  if (n_primes > context.n_data()) {
    return Error{fmt::format("requested a key for {} data primes, but there are only {}", n_primes,
                             context.n_data())};
  }
  return std::monostate{};
}

/// The second half from `seed`, one row.
void expand_key_row(const Context& context, KeySwitchKey& key, size_t digit, size_t i) {
  const size_t prime = context.prime_of_row(key.n_primes, i);
  expand_row(context, *key.seed, stream_of_row(context, digit, prime), prime, key.row(1, digit, i));
}

}  // namespace

auto generate_switch_key(const Context& context, const Rows& from, const Rows& to, size_t n_primes,
                         SecureRandom& random) -> KeySwitchKey {
  const size_t n = context.n();
  const ring::Kernels& kernels = context.kernels();
  const size_t n_rows = n_primes + context.n_special();
  const size_t n_digits = context.n_digits(n_primes);
  KeySwitchKey key{.rows = context.rows(2 * n_digits * n_rows),
                   .seed = PublicSeed::draw(random),
                   .n_primes = n_primes,
                   .n_digits = n_digits};
  for (size_t digit = 0; digit < n_digits; ++digit) {
    const SmallPolynomial error = SmallPolynomial::error(context, random);
    context.for_each(n_rows, [&](size_t i) {
      const size_t prime = context.prime_of_row(n_primes, i);
      const Modulus& q = context.modulus(prime);
      uint64_t* out = key.row(0, digit, i);
      expand_key_row(context, key, digit, i);
      error.error_residues(context, prime, out);
      context.transform(out, prime);
      kernels.multiply_add(out, key.row(1, digit, i), to.row(prime), out, n, q);
      kernels.negate(out, out, n, q);
      if (i < n_primes && i / context.digit_size() == digit) {
        Rows product = context.rows(1, Wipe::Yes);
        kernels.multiply_constant(product.row(0), from.row(prime), context.special_product(prime),
                                  n, q);
        kernels.add(out, out, product.row(0), n, q);
      }
    });
  }
  return key;
}

auto generate_secret_key(const Context& context, SecureRandom& random) -> SecretKey {
  const size_t n_rows = context.n_data() + context.n_special();
  SecretKey key{.rows = context.rows(n_rows, Wipe::Yes),
                .id = draw_key_id(random),
                .parameters = context.parameters().digest()};
  const SmallPolynomial secret = SmallPolynomial::ternary(context, random);
  context.for_each(n_rows, [&](size_t i) {
    secret.residues(context, i, key.rows.row(i));
    context.transform(key.rows.row(i), i);
  });
  return key;
}

auto generate_public_key(const Context& context, const SecretKey& secret, SecureRandom& random)
    -> Result<PublicKey> {
  if (Status status = check_parameters(context, secret.parameters, "secret key"); !status) {
    return status.error();
  }
  const size_t n = context.n();
  PublicKey key{.parts = {context.rows(context.n_data()), {}},
                .seed = PublicSeed::draw(random),
                .key_id = secret.id,
                .parameters = context.parameters().digest()};
  expand_seed(context, key);
  const SmallPolynomial error = SmallPolynomial::error(context, random);
  context.for_each(context.n_data(), [&](size_t i) {
    const Modulus& q = context.modulus(i);
    uint64_t* out = key.parts[0].row(i);
    error.error_residues(context, i, out);
    context.transform(out, i);
    context.kernels().multiply_add(out, key.parts[1].row(i), secret.rows.row(i), out, n, q);
    context.kernels().negate(out, out, n, q);
  });
  return key;
}

auto generate_relinearisation_key(const Context& context, const SecretKey& secret,
                                  SecureRandom& random, size_t n_primes)
    -> Result<RelinearisationKey> {
  if (Status status = check_key_switching(context, secret, n_primes); !status) {
    return status.error();
  }
  const size_t n_rows = secret.rows.n_rows();
  Rows square = context.rows(n_rows, Wipe::Yes);
  context.for_each(n_rows, [&](size_t i) {
    context.kernels().multiply(square.row(i), secret.rows.row(i), secret.rows.row(i), context.n(),
                               context.modulus(i));
  });
  return RelinearisationKey{
      .key = generate_switch_key(context, square, secret.rows,
                                 n_primes == 0 ? context.n_data() : n_primes, random),
      .key_id = secret.id,
      .parameters = context.parameters().digest()};
}

auto generate_requested_keys(const Context& context, const SecretKey& secret,
                             std::vector<RotationKeyRequest> requests, SecureRandom& random,
                             const std::function<void(size_t, size_t)>& progress)
    -> Result<RotationKeys> {
  std::sort(requests.begin(), requests.end(), [](const auto& a, const auto& b) {
    return a.galois_element != b.galois_element ? a.galois_element < b.galois_element
                                                : a.n_primes > b.n_primes;
  });
  requests.erase(std::unique(requests.begin(), requests.end(),
                             [](const auto& a, const auto& b) {
                               return a.galois_element == b.galois_element;
                             }),
                 requests.end());
  RotationKeys keys{
      .entries = {}, .key_id = secret.id, .parameters = context.parameters().digest()};
  const size_t n_rows = secret.rows.n_rows();
  for (const auto& [element, n_primes] : requests) {
    if (Status status = check_key_switching(context, secret, n_primes); !status) {
      return status.error();
    }
    if (element % 2 == 0 || element >= 2 * context.n()) {
      return Error{fmt::format(
          "{} is not a Galois element of a ring of dimension {}: it must be odd and below {}",
          element, context.n(), 2 * context.n())};
    }
    const ring::Automorphism back(context.n(), ring::inverse_galois_element(context.n(), element));
    Rows image = context.rows(n_rows, Wipe::Yes);
    context.for_each(
        n_rows, [&](size_t i) { back.apply(context.kernels(), image.row(i), secret.rows.row(i)); });
    keys.entries.push_back(
        {.galois_element = element,
         .key = generate_switch_key(context, secret.rows, image, n_primes, random)});
    if (progress) {
      progress(keys.entries.size(), requests.size());
    }
  }
  return keys;
}

auto generate_rotation_keys(const Context& context, const SecretKey& secret,
                            std::span<const uint64_t> galois_elements, SecureRandom& random,
                            size_t n_primes, const std::function<void(size_t, size_t)>& progress)
    -> Result<RotationKeys> {
  if (Status status = check_key_switching(context, secret, n_primes); !status) {
    return status.error();
  }
  std::vector<RotationKeyRequest> requests;
  for (const uint64_t element : galois_elements) {
    requests.push_back({element, n_primes == 0 ? context.n_data() : n_primes});
  }
  return generate_requested_keys(context, secret, std::move(requests), random, progress);
}

void expand_seed(const Context& context, PublicKey& key) {
  key.parts[1] = expand_ciphertext_seed(context, key.seed, context.n_data());
}

void expand_seed(const Context& context, KeySwitchKey& key) {
  const size_t n_rows = key.n_primes + context.n_special();
  context.for_each(key.n_digits * n_rows, [&](size_t task) {
    expand_key_row(context, key, task % key.n_digits, task / key.n_digits);
  });
}

auto expand_ciphertext_seed(const Context& context, const PublicSeed& seed, size_t n_primes)
    -> Rows {
  Rows rows = context.rows(n_primes);
  context.for_each(n_primes, [&](size_t i) { expand_row(context, seed, i, i, rows.row(i)); });
  return rows;
}

}  // namespace tacet::he
