// The dot product of two encrypted vectors: one product of ciphertexts, and a sum over slots by
// rotations, each of which adds a ciphertext to itself moved by half of what is left.

#include <fmt/format.h>

#include <cstdlib>

#include "base/cpu.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/key_generation.h"
#include "engine/he/noise.h"

namespace he = tacet::he;

template <class T>
auto or_exit(tacet::Result<T> result) -> T {
  if (!result) {
    fmt::print(stderr, "{}\n", result.error().message);
    std::exit(1);
  }
  return std::move(result).value();
}

/// The sum of all slots, in every slot.
auto sum_of_slots(const he::Context& context, he::Ciphertext a, const he::RotationKeys& keys)
    -> he::Ciphertext {
  for (auto steps = static_cast<int64_t>(context.n() / 4); steps >= 1; steps /= 2) {
    const he::Ciphertext moved = or_exit(he::rotate(context, a, steps, keys));
    a = or_exit(he::add(context, std::move(a), moved));
  }
  // Slots form two rows; every slot of each now has the row's sum.
  const he::Ciphertext swapped = or_exit(he::swap_rows(context, a, keys));
  return or_exit(he::add(context, std::move(a), swapped));
}

auto main() -> int {
  const auto context_ref =
      he::Context::make(or_exit(he::make_parameters(he::default_request(he::Scheme::Bgv, 8192))));
  const he::Context& context = *context_ref;
  auto random = or_exit(tacet::secure_random::SecureRandom::from_system(tacet::best_isa()));
  const he::SecretKey key = he::generate_secret_key(context, random);

  // After the product a prime is dropped, which takes most of its noise away: the keys for what
  // follows need not know that prime, and are smaller.
  const size_t n_primes = context.n_data() - 1;
  const auto relinearisation_key = or_exit(he::generate_relinearisation_key(context, key, random));
  std::vector<uint64_t> elements = {he::galois_element_of_swap(context)};
  for (auto steps = static_cast<int64_t>(context.n() / 4); steps >= 1; steps /= 2) {
    elements.push_back(he::galois_element_of(context, steps));
  }
  const auto rotation_keys =
      or_exit(he::generate_rotation_keys(context, key, elements, random, n_primes));

  std::vector<int64_t> a, b;
  int64_t expected = 0;
  for (size_t i = 0; i < context.n(); ++i) {
    a.push_back(static_cast<int64_t>(i * 7 % 11) - 5);
    b.push_back(static_cast<int64_t>(i * i % 11) - 4);
    expected += a.back() * b.back();
  }
  const he::IntegerEncoder encoder(context);
  const auto encrypt = [&](const std::vector<int64_t>& numbers) {
    return or_exit(he::encrypt(context, key, or_exit(encoder.encode(numbers)), random));
  };
  he::Ciphertext product = or_exit(he::multiply(context, encrypt(a), encrypt(b)));
  product = or_exit(he::relinearise(context, std::move(product), relinearisation_key));
  product = or_exit(he::drop_prime(context, std::move(product)));
  const he::Ciphertext sum = sum_of_slots(context, std::move(product), rotation_keys);
  fmt::print("{} rotations of {} slots, {:.0f} bits of noise to spare\n", elements.size(),
             context.n(), he::estimated_budget(context, sum));

  const auto slots = or_exit(encoder.decode(or_exit(he::decrypt(context, key, sum, random))));
  for (const int64_t slot : slots) {
    if (slot != expected) {
      fmt::print(stderr, "the dot product is {}, not {}\n", slot, expected);
      return 1;
    }
  }
  fmt::print("the dot product is {}, which is right\n", expected);
  return 0;
}
