// A secret key, stored and read again. With the portable kernels alone: memcheck's fused
// multiply-add rounds twice, so that other transforms do not give back the key there.

#include "engine/he/key_generation.h"
#include "engine/he/serialisation.h"
#include "engine/secure_random/test_seed.h"
#include "tests/constant_time/secret.h"

namespace tacet::he {
namespace {

using constant_time::is_secret;
using constant_time::make_public;
using constant_time::make_secret;

void run(Isa isa, constant_time::Cases& cases) {
  const auto parameters = insecure_test_parameters({.scheme = Scheme::Bfv,
                                                    .ring_dimension = 256,
                                                    .data_prime_bits = {40, 50},
                                                    .special_prime_bits = {50},
                                                    .plain_modulus = 65537});
  const ContextRef context = Context::make(parameters.value(), {.isa = isa});
  SecureRandom random = secure_random::seeded_random(secure_random::TestSeed::of(2), isa);
  SecretKey key = generate_secret_key(*context, random);
  const auto words = [](SecretKey& of) { return std::span(of.rows.row(0), 3 * of.rows.n()); };

  make_secret(words(key));
  Result<SecureBytes> bytes = serialise(*context, key);
  cases.expect(bytes.has_value(), "serialise");
  // Behind the header and the key's name, before the checksum.
  const auto coefficients = std::span(*bytes).subspan(kObjectHeaderSize + 8, context->n() / 4);
  cases.expect(is_secret(coefficients), "stored coefficients");

  make_public(std::span(*bytes));
  make_secret(coefficients);
  Result<SecretKey> again = deserialise_secret_key(*context, *bytes);
  cases.expect(again.has_value(), "deserialise");
  cases.expect(is_secret(words(*again)), "loaded key");
  make_public(words(key));
  make_public(words(*again));
  cases.expect(key.rows == again.value().rows, "the same key");
}

}  // namespace
}  // namespace tacet::he

auto main() -> int {
  tacet::constant_time::Cases cases;
  tacet::he::run(tacet::Isa::Scalar, cases);
  return cases.exit_code();
}
