// Programs with `bootstrap`, really encrypted, against the plaintext evaluator.

#include <gtest/gtest.h>

#include <cmath>

#include "base/value.h"
#include "engine/he_runtime/run_encrypted.h"
#include "engine/program/he/clear.h"
#include "engine/program/he/text.h"
#include "tests/he_program/two_sides.h"

namespace tacet::engine {
namespace {

/// Squares over and over, with few primes: what is left is bootstrapped in between.
TEST(HeBootstrap, ProgramsNeverRunOutOfPrimes) {
  std::string text =
      "he_program 1\nslots 1 x 128\nreals 40\nprimes 7\ninput a[100] from client\n"
      "cipher x within 1.001 = a[k] over (k:100)\ncipher y within 1.001\n";
  text += "y = negate x\nfor i: 6 {\n";
  for (int square = 0; square < 3; ++square) {
    text += "  y = mul y, y\n  y = relinearise y\n  y = drop y\n";
  }
  text += "  y = bootstrap y\n}\noutput o[100] over (k:100) [k] = y at 0, k\n";
  const HeProgram program = value(parse_he_program(text));
  EXPECT_EQ(value(parse_he_program(to_text(program))), program);
  he::ParameterRequest request;
  request.scheme = he::Scheme::Ckks;
  request.ring_dimension = program.ring_dimension();
  request.data_prime_bits.assign(program.n_primes, program.scale_bits);
  request.data_prime_bits.front() = 50;
  request.data_prime_bits.resize(
      program.n_primes + he::bootstrapping_shape(program.ring_dimension()).n_own_primes(), 50);
  request.special_prime_bits = {50, 50, 50};
  const he::ContextRef context =
      he::Context::make(value(he::insecure_test_parameters(request)), {.n_threads = 2});
  HeValues values;
  for (int i = 0; i < 100; ++i) {
    values["a"].push_back(std::pow(0.5 + i / 200.0, 1.0 / (1 << 15)) * (i % 2 == 0 ? 1 : -1));
  }
  const Evaluation evaluation = evaluate(program, values, context);
  expect_near(program, evaluation, value(run_in_the_clear(program, values)));

  he::SecureRandom random = test_random();
  const auto says = [](const auto& result, const char* what) {
    return !result && result.error().message.find(what) != std::string::npos;
  };
  HeProgram other = program;
  other.n_primes += 1;
  EXPECT_TRUE(says(run_encrypted(other, values, context, random), "requires parameters with 19"));
  Sides sides(program, values, context);
  const auto answer = [&](const HeEvaluationKeys& keys) {
    return sides.server.evaluate(sides.inputs, keys, sides.statistics);
  };
  HeEvaluationKeys keys = sides.keys;
  keys.bootstrapping = {};
  EXPECT_TRUE(says(answer(keys), "keys for bootstrapping"));
  keys = sides.keys;
  keys.rotations.entries.pop_back();
  EXPECT_TRUE(says(answer(keys), "needs a key for the Galois element"));
  // Keys of somebody else; the first ones that are drawn are those of `sides`.
  (void)he::generate_secret_key(*context, random);
  const he::SecretKey secret = he::generate_secret_key(*context, random);
  const HeEvaluationKeys others =
      value(make_evaluation_keys(sides.server.facts(), *context, secret, random));
  keys = sides.keys;
  keys.rotations = others.rotations;
  EXPECT_TRUE(says(answer(keys), "different secret key than the rotation key"));
  keys = sides.keys;
  keys.bootstrapping = others.bootstrapping;
  EXPECT_TRUE(says(answer(keys), "different secret key than the bootstrapping key"));
}

}  // namespace
}  // namespace tacet::engine
