// Numbers are encrypted, 3 a b + a is computed without decrypting them, and the result is decrypted
// and held against what it should be.

#include <fmt/format.h>

#include <cstdlib>

#include "base/cpu.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/key_generation.h"
#include "engine/he/noise.h"

namespace he = tacet::he;

/// What an operation gave, or the end of the program with the reason why it gave nothing.
template <class T>
auto or_exit(tacet::Result<T> result) -> T {
  if (!result) {
    fmt::print(stderr, "{}\n", result.error().message);
    std::exit(1);
  }
  return std::move(result).value();
}

auto main() -> int {
  // The largest modulus that has 128 bits of security in this ring; integers modulo a prime of 20
  // bits in 8192 slots.
  const auto parameters = or_exit(he::make_parameters(he::default_request(he::Scheme::Bfv, 8192)));
  const auto context_ref = he::Context::make(parameters);
  const he::Context& context = *context_ref;
  fmt::print("BFV, N = {}, {:.0f} bits of modulus, t = {}\n", context.n(),
             parameters.modulus_bits(), parameters.plain_modulus());

  auto random = or_exit(tacet::secure_random::SecureRandom::from_system(tacet::best_isa()));
  const he::SecretKey secret_key = he::generate_secret_key(context, random);
  const he::PublicKey public_key = or_exit(he::generate_public_key(context, secret_key, random));
  const auto relinearisation_key =
      or_exit(he::generate_relinearisation_key(context, secret_key, random));

  const he::IntegerEncoder encoder(context);
  std::vector<int64_t> a, b;
  for (int64_t i = 0; i < static_cast<int64_t>(context.n()); ++i) {
    a.push_back(i % 100);
    b.push_back(50 - i % 71);
  }
  const auto encrypt = [&](const std::vector<int64_t>& numbers) {
    return or_exit(he::encrypt(context, public_key, or_exit(encoder.encode(numbers)), random));
  };
  const he::Ciphertext encrypted_a = encrypt(a);
  const he::Ciphertext encrypted_b = encrypt(b);

  const std::vector<int64_t> threes(context.n(), 3);
  const auto three = or_exit(he::prepare_factor(context, or_exit(encoder.encode(threes)),
                                                context.n_data(), he::Secrecy::Public));
  he::Ciphertext product = or_exit(he::multiply(context, encrypted_a, encrypted_b));
  product = or_exit(he::relinearise(context, std::move(product), relinearisation_key));
  product = or_exit(he::multiply_plain(context, std::move(product), three));
  const he::Ciphertext result = or_exit(he::add(context, std::move(product), encrypted_a));
  fmt::print("bits of noise to spare: {:.0f} fresh, {:.0f} left, {:.0f} measured with the key\n",
             he::estimated_budget(context, encrypted_a), he::estimated_budget(context, result),
             or_exit(he::measured_budget(context, secret_key, result)));

  const std::vector<int64_t> decrypted =
      or_exit(encoder.decode(or_exit(he::decrypt(context, secret_key, result, random))));
  for (size_t i = 0; i < a.size(); ++i) {
    if (decrypted[i] != 3 * a[i] * b[i] + a[i]) {
      fmt::print(stderr, "slot {} is {}\n", i, decrypted[i]);
      return 1;
    }
  }
  fmt::print("3 a b + a is right in all {} slots\n", a.size());
  return 0;
}
