// A server's own numbers, from arrays to hidden results, and a client's, from arrays to
// ciphertexts.

#include "base/value.h"
#include "engine/he/key_generation.h"
#include "engine/he_runtime/server.h"
#include "engine/program/he/text.h"
#include "engine/secure_random/test_seed.h"
#include "tests/constant_time/secret.h"

namespace tacet::engine {
namespace {

using constant_time::is_secret;
using constant_time::make_secret;

/// The client adds up the products: their slots are masked by numbers whose sum is zero.
constexpr std::string_view kProgram = R"(he_program 1
slots 2 x 128
modulus 7681
primes 4

input x[128] from client
input w[128] from server

cipher a = x[i] over (i:128)
native v = w[i] over (i:128)
plain p
cipher r
p = encode v
r = mul a, p

output sum over (i:128) [] = r at 0, i
)";

void run(he::Scheme scheme, Isa isa, constant_time::Cases& cases) {
  const he::ContextRef context =
      he::Context::make(value(he::insecure_test_parameters({.scheme = scheme,
                                                            .ring_dimension = 256,
                                                            .data_prime_bits = {50, 50, 50, 50},
                                                            .special_prime_bits = {50},
                                                            .plain_modulus = 7681})),
                        {.isa = isa, .n_threads = 1});
  secure_random::TestSeed seed = secure_random::TestSeed::of(1);
  make_secret(std::span(seed.entropy));
  he::SecureRandom random = secure_random::seeded_random(seed, isa);
  HeValues values{{"x", std::vector<double>(128, 3)}, {"w", std::vector<double>(128, -5)}};
  for (auto& [name, numbers] : values) {
    make_secret(std::span(numbers));
  }
  const HeProgram program = value(parse_he_program(kProgram));
  const he::SecretKey key = he::generate_secret_key(*context, random);
  const HeServer server = value(HeServer::make(program, context, values));
  const HeEvaluationKeys keys = value(make_evaluation_keys(server.facts(), *context, key, random));
  HeStatistics statistics;
  std::vector<he::Ciphertext> inputs =
      value(encrypt_inputs(program, *context, key, values, random, statistics));
  const std::vector<he::Ciphertext> results =
      value(server.answer(std::move(inputs), keys, random, statistics));
  const he::Rows& rows = results.at(0).parts[0];
  cases.expect(is_secret(std::span(rows.row(0), rows.n())), "hidden results");
}

}  // namespace
}  // namespace tacet::engine

auto main() -> int {
  tacet::constant_time::Cases cases;
  for (const tacet::Isa isa : tacet::supported_isas()) {
    for (const auto scheme : {tacet::he::Scheme::Bfv, tacet::he::Scheme::Bgv}) {
      tacet::engine::run(scheme, isa, cases);
    }
  }
  return cases.exit_code();
}
