// The operations of BFV in the module for browsers: medians in milliseconds, as JSON. The parameters
// are those of SEAL's `CoeffModulus::BFVDefault(8192)`, but for four bits of the modulus that Tacet holds too
// many for 128 bits of security.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/key_generation.h"

using namespace tacet;
using namespace tacet::he;

static auto median_of(const std::function<bool()>& body) -> double {
  using Clock = std::chrono::steady_clock;
  constexpr size_t kRuns = 41;
  std::vector<double> times;
  for (size_t i = 0; i < kRuns; ++i) {
    const auto begin = Clock::now();
    if (!body()) {
      std::fprintf(stderr, "an operation failed\n");
      std::exit(1);
    }
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[kRuns / 2];
}

auto main() -> int {
  Result<secure_random::SecureRandom> random = secure_random::SecureRandom::from_system(best_isa());
  Result<Parameters> parameters = make_parameters({.scheme = Scheme::Bfv,
                                                   .ring_dimension = 8192,
                                                   .data_prime_bits = {43, 43, 43, 42},
                                                   .special_prime_bits = {43},
                                                   .plain_modulus = 1032193});
  if (!random || !parameters) {
    std::fprintf(stderr, "%s\n", parameters.error().message.c_str());
    return 1;
  }
  const ContextRef context = Context::make(*parameters);
  const SecretKey secret = generate_secret_key(*context, *random);
  Result<RelinearisationKey> relinearisation = generate_relinearisation_key(*context, secret, *random);
  const uint64_t element = galois_element_of(*context, 1);
  Result<RotationKeys> rotations = generate_rotation_keys(*context, secret, {&element, 1}, *random);
  const IntegerEncoder encoder(*context);
  std::vector<int64_t> slots(context->n());
  for (size_t i = 0; i < slots.size(); ++i) {
    slots[i] = static_cast<int64_t>(i % 700);
  }
  Result<Plaintext> plaintext = encoder.encode(slots);
  Result<Ciphertext> a = encrypt(*context, secret, *plaintext, *random);
  Result<Ciphertext> square = multiply(*context, *a, *a);
  Result<Ciphertext> product = relinearise(*context, *square, *relinearisation);
  Result<Plaintext> result = decrypt(*context, secret, *product, *random);
  Result<std::vector<int64_t>> decoded = encoder.decode(*result);
  for (size_t i = 0; i < slots.size(); ++i) {
    if ((*decoded)[i] != slots[i] * slots[i]) {
      std::fprintf(stderr, "slot %zu is wrong\n", i);
      return 1;
    }
  }
  const std::pair<const char*, std::function<bool()>> operations[] = {
      {"multiply", [&] { return static_cast<bool>(multiply(*context, *a, *a)); }},
      {"relinearise",
       [&] { return static_cast<bool>(relinearise(*context, *square, *relinearisation)); }},
      {"rotate", [&] { return static_cast<bool>(rotate(*context, *a, 1, *rotations)); }},
      {"encrypt",
       [&] { return static_cast<bool>(encrypt(*context, secret, *plaintext, *random)); }},
      {"decrypt", [&] { return static_cast<bool>(decrypt(*context, secret, *product, *random)); }},
  };
  std::string line;
  for (const auto& [name, body] : operations) {
    line += (line.empty() ? "{\"" : ", \"") + std::string(name) +
            "\": " + std::to_string(median_of(body));
  }
  std::printf("%s}\n", line.c_str());
  return 0;
}
