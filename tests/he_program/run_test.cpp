// Every evaluator against the plaintext one, and that one against results from elsewhere.

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>

#include "base/value.h"
#include "engine/he/encoding.h"
#include "engine/he/evaluation.h"
#include "engine/he/noise.h"
#include "engine/he_runtime/run_encrypted.h"
#include "engine/program/he/clear.h"
#include "engine/program/he/states.h"
#include "engine/program/he/text.h"
#include "engine/program/he/walk.h"
#include "engine/secure_random/test_seed.h"
#include "tests/harness/golden.h"
#include "tests/he_program/he_fixture.h"
#include "tests/he_program/random_he_program.h"
#include "tests/he_program/two_sides.h"

namespace tacet::engine {
namespace {

/// Test parameters that a program fits.
auto context_for(const HeProgram& program, he::Scheme scheme, unsigned n_threads)
    -> he::ContextRef {
  he::ParameterRequest request{.scheme = scheme,
                               .ring_dimension = size_t{2} * program.n_columns,
                               .data_prime_bits = {},
                               .special_prime_bits = {48},
                               .plain_modulus = program.modulus};
  request.data_prime_bits.assign(program.n_primes, program.is_integer() ? 46 : program.scale_bits);
  request.data_prime_bits.front() = program.is_integer() ? 46 : 50;
  return he::Context::make(value(he::insecure_test_parameters(request)),
                           {.isa = best_isa(), .n_threads = n_threads});
}

auto equal(const he::Ciphertext& a, const he::Ciphertext& b) -> bool {
  return a.parts == b.parts && a.metadata.correction == b.metadata.correction &&
         a.metadata.noise == b.metadata.noise && a.metadata.scale == b.metadata.scale &&
         a.metadata.magnitude == b.metadata.magnitude;
}

class HeRunOf : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(HeRunOf, ClearResultsAreThoseFromElsewhere) {
  const HeFixture fixture = read_he_fixture(GetParam());
  const HeProgram program = value(parse_he_program(fixture.program));
  EXPECT_EQ(value(run_in_the_clear(program, fixture.inputs)), fixture.outputs);
  // Slots that do not matter may hold anything.
  for (const uint64_t seed : {1U, 2U, 3U}) {
    EXPECT_EQ(value(run_in_the_clear(program, fixture.inputs, seed)), fixture.outputs);
  }
}

TEST_P(HeRunOf, EncryptedResultsAreThoseFromElsewhere) {
  const HeFixture fixture = read_he_fixture(GetParam());
  const HeProgram program = value(parse_he_program(fixture.program));
  for (const he::Scheme scheme : {he::Scheme::Bfv, he::Scheme::Bgv}) {
    he::SecureRandom random = test_random();
    const HeRun run = value(
        run_encrypted(fixture.program, fixture.inputs, context_for(program, scheme, 2), random));
    EXPECT_EQ(run.outputs, fixture.outputs) << he::scheme_name(scheme);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, HeRunOf, testing::ValuesIn(he_fixture_paths("run")),
                         harness::name_of_file);

auto options_for(he::Scheme scheme) -> RandomHeOptions {
  return scheme == he::Scheme::Ckks
             ? RandomHeOptions{.n_columns = 64, .scale_bits = 38, .n_primes = 5, .n_statements = 20}
             : RandomHeOptions{.n_columns = 64, .modulus = 257, .n_primes = 5};
}

class RandomPrograms : public testing::TestWithParam<he::Scheme> {};

TEST_P(RandomPrograms, EncryptedIsClear) {
  // More threads than processors, too.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 8);
  std::mt19937_64 random(11);
  size_t n_noisy = 0;
  size_t n_precise = 0;
  constexpr size_t kPrograms = 100;
  for (size_t i = 0; i < kPrograms; ++i) {
    const HeProgram program = random_he_program(random, options_for(GetParam()));
    const HeValues values = random_he_values(random, program);
    const HeValues expected = value(run_in_the_clear(program, values));
    const Evaluation alone = evaluate(program, values, context_for(program, GetParam(), 1));
    if (!alone.outputs) {
      ASSERT_NE(alone.outputs.error().message.find("noise"), std::string::npos)
          << alone.outputs.error().message;
      ++n_noisy;
    } else {
      ASSERT_NO_FATAL_FAILURE(expect_near(program, alone, expected));
      n_precise += std::all_of(alone.errors.begin(), alone.errors.end(),
                               [](double error) { return error < 1e-4; })
                       ? 1
                       : 0;
    }
    // The words do not depend on the number of threads.
    for (const unsigned n_threads : {2U, 4U, 8U}) {
      const Evaluation shared =
          evaluate(program, values, context_for(program, GetParam(), n_threads));
      ASSERT_TRUE(std::equal(shared.results.begin(), shared.results.end(), alone.results.begin(),
                             alone.results.end(), equal))
          << n_threads << " threads\n"
          << to_text(program);
    }
    // Nor on how much of what the server encodes is kept.
    for (const uint64_t most_bytes : {uint64_t{0}, uint64_t{2 * 8 * 128 * 5}}) {
      const Evaluation streamed =
          evaluate(program, values, context_for(program, GetParam(), 2), most_bytes);
      ASSERT_TRUE(std::equal(streamed.results.begin(), streamed.results.end(),
                             alone.results.begin(), alone.results.end(), equal))
          << most_bytes << " bytes\n"
          << to_text(program);
    }
    const Evaluation once = evaluate(program, values, context_for(program, GetParam(), 2),
                                     kMostPreparedBytes, HeEvaluations::One);
    ASSERT_TRUE(std::equal(once.results.begin(), once.results.end(), alone.results.begin(),
                           alone.results.end(), equal))
        << to_text(program);
  }
  EXPECT_LE(n_noisy, kPrograms / 5);
  if (GetParam() == he::Scheme::Ckks) {
    EXPECT_GE(n_precise, kPrograms / 2);
  }
}

/// log2 of the most that a coefficient of a result's phase is off by, a bit more: of integers
/// measured; of reals, whose messages are part of the phase, once the right one is subtracted,
/// encoded anew.
auto noise_bits(const he::Context& context, const he::SecretKey& secret, he::Ciphertext result,
                const std::vector<double>& expected) -> double {
  double scale_bits = 0;
  if (context.scheme() == he::Scheme::Ckks) {
    const he::Plaintext message = value(he::ComplexEncoder(context).encode(
        std::span(expected), result.metadata.scale, result.n_primes(), result.metadata.magnitude));
    result = value(he::subtract_plain(context, std::move(result), message));
  } else {
    scale_bits = std::log2(static_cast<double>(context.plain_modulus().value));
  }
  return context.noise().modulus_bits(result.n_primes()) - 1 - scale_bits -
         value(he::measured_budget(context, secret, result));
}

TEST_P(RandomPrograms, NoiseIsWithinItsBounds) {
  std::mt19937_64 random(23);
  size_t n_bounded = 0;
  RandomHeOptions options = options_for(GetParam());
  options.has_sums = false;
  for (size_t i = 0; i < 60; ++i) {
    const HeProgram program = random_he_program(random, options);
    // Numbers that make messages and plaintexts as large as can be, too.
    HeValues values = random_he_values(random, program);
    for (auto& [name, numbers] : values) {
      if (i % 3 == 0 && program.is_integer()) {
        std::fill(numbers.begin(), numbers.end(), 128);
      } else if (i % 3 == 0) {
        std::fill(numbers.begin(), numbers.end(),
                  *std::max_element(numbers.begin(), numbers.end()));
      }
    }
    const he::ContextRef context = context_for(program, GetParam(), 1);
    he::SecureRandom secret_random = test_random();
    const HeServer server = value(HeServer::make(program, context, values));
    const he::SecretKey secret = he::generate_secret_key(*context, secret_random);
    const HeEvaluationKeys keys =
        value(make_evaluation_keys(server.facts(), *context, secret, secret_random));
    HeStatistics statistics;
    const auto results = value(server.evaluate(
        value(encrypt_inputs(program, *context, secret, values, secret_random, statistics)), keys,
        statistics));
    const HeValues expected = value(run_in_the_clear(program, values));
    for (size_t k = 0; k < results.size(); ++k) {
      const he::Ciphertext& result = results[k];
      const double room = he::estimated_budget(*context, result);
      const double log_t =
          program.is_integer() ? std::log2(static_cast<double>(program.modulus)) : 0;
      const double left =
          context->noise().modulus_bits(result.n_primes()) - 1 - log_t - result.metadata.bound;
      if (left < 1 || room < 1) {
        continue;
      }
      ++n_bounded;
      // BGV's message is less than what its noise is measured with.
      EXPECT_LE(noise_bits(*context, secret, result, expected.at(program.outputs[k].name)),
                result.metadata.bound + 0.1)
          << to_text(program);
      EXPECT_GE(result.metadata.bound, result.metadata.noise);
    }
  }
  EXPECT_GT(n_bounded, 20U);
}

/// What the random programs consist of: every instruction of every kind that there is.
TEST_P(RandomPrograms, HaveEveryInstruction) {
  std::mt19937_64 random(11);
  HeCounts counts;
  size_t n_with_tables = 0;
  size_t n_of_degree_two = 0;
  for (size_t i = 0; i < 100; ++i) {
    const HeProgram program = random_he_program(random, options_for(GetParam()));
    random_he_values(random, program);
    HeStates states(program);
    HeWalk walk(program);
    while (walk.next()) {
      const HeStatement& instruction = walk.instruction();
      counts.add(instruction.opcode, operation_kind(program, instruction));
      n_with_tables += instruction.table == kNoTable ? 0 : 1;
      (void)states.apply(instruction, walk.variables());
      n_of_degree_two += states.of(instruction.result, walk.variables()).degree - 1;
    }
  }
  const bool is_real = GetParam() == he::Scheme::Ckks;
  using enum HeOpcode;
  std::vector<HeOpcode> of_ciphers = {Relinearise, Drop};
  std::vector<HeOpcode> of_all = {Add, Sub, Mul, Negate, Rotate, Copy};
  (is_real ? of_ciphers : of_all).push_back(is_real ? Truncate : Swap);
  for (const HeOpcode opcode : of_ciphers) {
    EXPECT_GT(counts.of(opcode, HeOperationKind::Cipher), 5) << he_mnemonic(opcode);
  }
  for (const HeOpcode opcode : of_all) {
    for (const auto kind :
         {HeOperationKind::Cipher, HeOperationKind::Plain, HeOperationKind::Native}) {
      EXPECT_GT(counts.of(opcode, kind), 5)
          << he_mnemonic(opcode) << " " << he_operation_kind_name(kind);
    }
  }
  for (const HeOpcode opcode : {Add, Sub, Mul}) {
    EXPECT_GT(counts.of(opcode, HeOperationKind::CipherPlain), 5) << he_mnemonic(opcode);
  }
  EXPECT_GT(counts.of(Encode, HeOperationKind::Native), 5);
  EXPECT_GT(n_with_tables, 5);
  EXPECT_GT(n_of_degree_two, 5);
}

INSTANTIATE_TEST_SUITE_P(Schemes, RandomPrograms,
                         testing::Values(he::Scheme::Bfv, he::Scheme::Bgv, he::Scheme::Ckks),
                         [](const auto& tested) {
                           return std::string(he::scheme_name(tested.param));
                         });

constexpr const char* kReals = R"(
he_program 1
slots 1 x 512
reals 40
primes 3

input a[512] from client
input w[512] from server
cipher x = a[k] over (k:512)
native n = w[k] over (k:512)
plain p
cipher y

p = encode n
x = mul x, p
x = drop x
y = rotate x, 3
x = add x, y
y = mul x, x
y = relinearise y
y = drop y
y = sub p, y

output o[512] over (k:512) [k] = y at 0, k
)";

TEST(HeRun, RealsAreNearTheClearResult) {
  const HeProgram program = value(parse_he_program(kReals));
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  HeValues values;
  for (const char* name : {"a", "w"}) {
    for (int i = 0; i < 512; ++i) {
      values[name].push_back(number(random));
    }
  }
  he::SecureRandom secrets = test_random();
  const HeRun run =
      value(run_encrypted(program, values, context_for(program, he::Scheme::Ckks, 1), secrets));
  const HeValues expected = value(run_in_the_clear(program, values));
  for (size_t i = 0; i < 512; ++i) {
    EXPECT_NEAR(run.outputs.at("o")[i], expected.at("o")[i], 1e-6) << i;
  }
}

TEST(HeRun, RealsOfTheServerAreNotSent) {
  const HeProgram program = value(parse_he_program(kReals));
  const he::ContextRef context = context_for(program, he::Scheme::Ckks, 1);
  const HeValues values = {{"a", std::vector<double>(512, 0.5)},
                           {"w", std::vector<double>(512, -0.25)}};
  Sides sides(program, values, context);
  const auto results =
      sides.server.answer(std::move(sides.inputs), sides.keys, sides.random, sides.statistics);
  ASSERT_FALSE(results);
  EXPECT_NE(results.error().message.find("reveal the server's inputs"), std::string::npos);
}

auto fixture_named(const std::string& name) -> HeFixture {
  for (HeFixture& fixture : read_he_fixtures("run")) {
    if (fixture.path.stem() == name) {
      return std::move(fixture);
    }
  }
  ADD_FAILURE() << name;
  return {};
}

TEST(HeRun, KeysHaveThePrimesOfWhatIsRotated) {
  const HeProgram program = value(parse_he_program(R"(he_program 1
slots 2 x 64
modulus 257
primes 4

input x[64] from client

cipher a = x[c] over (c:64) repeat
cipher b
cipher r

b = rotate a, 3
b = drop b, 2
r = rotate b, 5
r = rotate r, 3

output out[64] over (c:64) [c] = r at 0, c
)"));
  const HeFacts facts = facts_of(program);
  EXPECT_EQ(facts.rotations, (std::map<uint32_t, uint32_t>{{3, 4}, {5, 2}}));
  const he::ContextRef context = context_for(program, he::Scheme::Bgv, 1);
  he::SecureRandom random = test_random();
  const he::SecretKey secret = he::generate_secret_key(*context, random);
  HeEvaluationKeys keys = value(make_evaluation_keys(facts, *context, secret, random));
  EXPECT_EQ(keys.rotations.find(he::galois_element_of(*context, 3))->n_primes, 4);
  EXPECT_EQ(keys.rotations.find(he::galois_element_of(*context, 5))->n_primes, 2);
  EXPECT_TRUE(check_keys(facts, *context, keys));
  HeFacts more = facts;
  more.rotations[5] = 3;
  EXPECT_FALSE(check_keys(more, *context, keys));
  HeValues values;
  for (int i = 0; i < 64; ++i) {
    values["x"].push_back(i);
  }
  const HeRun run = value(run_encrypted(program, values, context, random));
  EXPECT_EQ(run.outputs, value(run_in_the_clear(program, values)));
}

TEST(HeRun, StatisticsCountOperations) {
  const HeFixture fixture = fixture_named("matvec_16");
  const HeProgram program = value(parse_he_program(fixture.program));
  const HeFacts facts = facts_of(program);
  EXPECT_EQ(facts.rotations.size(), 15);
  EXPECT_EQ(facts.depth, 0);
  EXPECT_FALSE(facts.needs_swap);
  EXPECT_FALSE(facts.needs_relinearisation);
  he::SecureRandom random = test_random();
  const HeRun run = value(
      run_encrypted(program, fixture.inputs, context_for(program, he::Scheme::Bgv, 1), random));
  const HeStatistics& statistics = run.statistics;
  EXPECT_EQ(statistics.counts.of(HeOpcode::Rotate, HeOperationKind::Cipher), 15);
  EXPECT_EQ(statistics.counts.of(HeOpcode::Mul, HeOperationKind::CipherPlain), 16);
  EXPECT_EQ(statistics.counts.of(HeOpcode::Add, HeOperationKind::Cipher), 15);
  EXPECT_EQ(statistics.n_hoisted, 1);
  EXPECT_EQ(statistics.n_factors, 16);
  EXPECT_EQ(statistics.n_encrypted, 1);
  EXPECT_EQ(statistics.n_decrypted, 1);
  EXPECT_GT(statistics.compute_seconds, 0);
  EXPECT_GT(statistics.encode_seconds, 0);
  EXPECT_GT(statistics.encrypt_seconds, 0);
  EXPECT_GT(statistics.decrypt_seconds, 0);
}

TEST(HeRun, MemoryIsReused) {
  // A chain of a hundred sums needs no more room than one of two.
  const auto peak = [](int n) {
    const std::string text =
        "he_program 1\nslots 2 x 512\nmodulus 65537\nprimes 2\ninput a[4] from client\n"
        "cipher x = a[k] over (k:4)\ncipher y\ny = negate x\nfor i: " +
        std::to_string(n) + " {\n  y = add y, x\n}\noutput o[4] over (k:4) [k] = y at 0, k\n";
    const HeProgram program = value(parse_he_program(text));
    he::SecureRandom random = test_random();
    return value(run_encrypted(program, {{"a", {1, 2, 3, 4}}},
                               context_for(program, he::Scheme::Bgv, 1), random))
        .statistics.peak_bytes;
  };
  EXPECT_EQ(peak(2), peak(100));
}

TEST(HeRun, WhatDoesNotFitIsRefused) {
  const HeFixture fixture = fixture_named("dot_product");
  const HeProgram program = value(parse_he_program(fixture.program));
  const he::ContextRef context = context_for(program, he::Scheme::Bfv, 1);
  he::SecureRandom random = test_random();
  const auto says = [](const auto& result, const char* what) {
    return !result && result.error().message.find(what) != std::string::npos;
  };
  HeProgram other = program;
  other.modulus = 257;
  EXPECT_TRUE(says(HeServer::make(other, context, fixture.inputs), "modulo 257"));
  other = program;
  other.n_primes += 1;
  EXPECT_TRUE(says(HeServer::make(other, context, fixture.inputs), "primes"));
  HeValues values = fixture.inputs;
  values.begin()->second.pop_back();
  EXPECT_TRUE(says(run_encrypted(program, values, context, random), "but got"));
  EXPECT_TRUE(says(run_encrypted(program, {}, context, random), "no values"));

  const HeServer server = value(HeServer::make(program, context, fixture.inputs));
  const he::SecretKey secret = he::generate_secret_key(*context, random);
  HeStatistics statistics;
  const auto inputs =
      value(encrypt_inputs(program, *context, secret, fixture.inputs, random, statistics));
  const HeEvaluationKeys keys =
      value(make_evaluation_keys(server.facts(), *context, secret, random));
  EXPECT_TRUE(says(server.evaluate({}, keys, statistics), "takes 2 ciphertexts"));
  EXPECT_TRUE(says(server.evaluate(inputs, {}, statistics), "needs a relinearisation key"));
  HeEvaluationKeys few = keys;
  few.rotations.entries.pop_back();
  EXPECT_TRUE(says(server.evaluate(inputs, few, statistics), "needs a key for"));
  std::vector<he::Ciphertext> dropped = inputs;
  dropped[0] = value(he::drop_prime(*context, std::move(dropped[0])));
  EXPECT_TRUE(says(server.evaluate(dropped, keys, statistics), "primes"));
  EXPECT_TRUE(says(decrypt_outputs(program, *context, secret, {}, random, statistics),
                   "returns 1 ciphertexts"));
  EXPECT_TRUE(server.evaluate(inputs, keys, statistics));
}

}  // namespace
}  // namespace tacet::engine
