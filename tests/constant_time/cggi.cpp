// Keys, encryption and decryption of bits.

#include "base/value.h"
#include "engine/cggi/encryption.h"
#include "engine/cggi/key_generation.h"
#include "engine/secure_random/test_seed.h"
#include "tests/constant_time/secret.h"

namespace tacet::cggi {
namespace {

using constant_time::Cases;
using constant_time::is_secret;
using constant_time::make_public;
using constant_time::make_secret;

constexpr Parameters kParameters = {.lwe_dimension = 16,
                                    .glwe_dimension = 2,
                                    .polynomial_size = 128,
                                    .rotation = {12, 2},
                                    .key_switch = {4, 4},
                                    .lwe_variance = 0x1p-36,
                                    .glwe_variance = 0x1p-90,
                                    .security = Security::None};

void keys_and_bits(Cases& cases, Isa isa) {
  SecureRandom random = secure_random::seeded_random(secure_random::TestSeed::of(1), isa);
  SecretKey secret = value(generate_secret_key(kParameters, random));
  make_secret(std::span(secret.lwe));
  make_secret(std::span(secret.glwe));
  SequentialExecutor executor;
  EvaluationKey key = generate_evaluation_key(secret, random, executor, isa);
  cases.expect(is_secret(std::span(key.rotation_bodies)), "rotation key");
  cases.expect(is_secret(std::span(key.key_switch_bodies)), "key switching key");

  std::vector<uint8_t> bits = {0, 1, 1};
  make_secret(std::span(bits));
  FreshCiphertexts fresh = encrypt_bits(secret, bits, random, isa);
  cases.expect(is_secret(std::span(fresh.bodies)), "encryption");
  make_public(std::span(fresh.bodies));
  Ciphertexts values(kParameters, secret.id, bits.size());
  static_cast<void>(value(expand(fresh, 0, values, isa)));
  auto decrypted = value(decrypt_bits(secret, values, 0, bits.size()));
  cases.expect(is_secret(std::span(decrypted)), "decryption");
}

void drawn_keys(Cases& cases, Isa isa) {
  SecureRandom random = secure_random::seeded_random(secure_random::TestSeed::of(2), isa);
  std::vector<Torus> message = {encode_case(3, 16)};
  make_secret(std::span(message));
  const SecretKey secret = value(generate_secret_key(kParameters, random));
  FreshCiphertexts fresh = encrypt(secret, message, random, isa);
  cases.expect(is_secret(std::span(fresh.bodies)), "encryption of a case");
  std::vector<uint64_t> decoded = {decode_case(fresh.bodies[0], 16)};
  cases.expect(is_secret(std::span(decoded)), "decoding of a case");
}

}  // namespace
}  // namespace tacet::cggi

auto main() -> int {
  tacet::constant_time::Cases cases;
  for (const tacet::Isa isa : tacet::supported_isas()) {
    tacet::cggi::keys_and_bits(cases, isa);
    tacet::cggi::drawn_keys(cases, isa);
  }
  return cases.exit_code();
}
