// Programs without primes: what is chosen for them must run, really encrypted, and leave the noise
// that was promised.

#include <gtest/gtest.h>

#include <algorithm>

#include "base/primes.h"
#include "base/value.h"
#include "compiler/he/lower/choose_encryption.h"
#include "engine/he/noise.h"
#include "engine/he_runtime/run_encrypted.h"
#include "engine/program/he/clear.h"
#include "engine/program/he/text.h"
#include "engine/secure_random/test_seed.h"
#include "tests/harness/golden.h"
#include "tests/he_compile/run_parts.h"
#include "tests/he_compile/straight_program.h"
#include "tests/he_program/he_fixture.h"
#include "tests/he_program/random_he_program.h"

namespace tacet::he_lower {
namespace {

auto test_random() -> he::SecureRandom {
  return secure_random::seeded_random(secure_random::TestSeed::of(7), best_isa());
}

/// The same program as a compiler makes it: no primes of its own, nothing dropped.
auto without_primes(engine::HeProgram program) -> engine::HeProgram {
  for (engine::HeRegister& reg : program.registers) {
    reg.n_primes = 0;
  }
  for (engine::HeStatement& statement : program.body) {
    if (statement.opcode == engine::HeOpcode::Drop) {
      statement.opcode = engine::HeOpcode::Copy;
      statement.count = 1;
    }
  }
  program.n_primes = 1;
  return program;
}

/// The least budget of the outputs: measured with the key, and as the engine estimates it.
struct Budgets {
  double measured = 1e9;
  double estimated = 1e9;
};

/// A client with its inputs and keys, and the server that it asks.
struct Session {
  Session(const Encryption& chosen, const engine::HeValues& values_)
      : program(chosen.program),
        values(values_),
        context(he::Context::make(parameters_of(chosen))) {}

  auto inputs() {
    return value(engine::encrypt_inputs(program, *context, secret, values, random, statistics));
  }
  /// That what the client decrypts is what the program computes.
  void expect_right(const std::vector<he::Ciphertext>& results) {
    EXPECT_EQ(
        value(engine::decrypt_outputs(program, *context, secret, results, random, statistics)),
        value(engine::run_in_the_clear(program, values)));
  }

  const engine::HeProgram& program;
  const engine::HeValues& values;
  he::ContextRef context;
  he::SecureRandom random = test_random();
  engine::HeServer server = value(engine::HeServer::make(program, context, values));
  he::SecretKey secret = he::generate_secret_key(*context, random);
  engine::HeEvaluationKeys keys =
      value(engine::make_evaluation_keys(server.facts(), *context, secret, random));
  engine::HeStatistics statistics;
};

/// Runs it under what was chosen, compares with the clear results, and looks at what is left.
auto budgets_of(const Encryption& chosen, const engine::HeValues& values) -> Budgets {
  Session session(chosen, values);
  const std::vector<he::Ciphertext> results =
      value(session.server.evaluate(session.inputs(), session.keys, session.statistics));
  Budgets budgets;
  for (const he::Ciphertext& result : results) {
    budgets.measured = std::min(
        budgets.measured, value(he::measured_budget(*session.context, session.secret, result)));
    budgets.estimated = std::min(budgets.estimated, he::estimated_budget(*session.context, result));
  }
  session.expect_right(results);
  return budgets;
}

void expect_sane(const Encryption& chosen, const engine::HeValues& values) {
  const Budgets budgets = budgets_of(chosen, values);
  EXPECT_GE(chosen.budget, 3);
  // The engine's estimate is that of the choice, or better where the factors that align messages
  // are smaller than the bound.
  EXPECT_GE(budgets.estimated, chosen.budget - 0.01) << engine::to_text(chosen.program);
  EXPECT_GE(budgets.measured, chosen.budget - 0.5) << engine::to_text(chosen.program);
  EXPECT_LE(budgets.estimated, budgets.measured + 0.5);
}

TEST(ChooseEncryption, RandomProgramsRun) {
  std::mt19937_64 random(11);
  size_t n_chosen = 0;
  size_t n_with_drops = 0;
  for (int i = 0; i < 24; ++i) {
    const uint32_t n_columns = i % 3 == 0 ? 4096 : 2048;
    const uint64_t modulus = least_prime(i % 2 == 0 ? 2 : 1 << 17, 1 << 20, 4 * n_columns);
    engine::HeProgram program =
        without_primes(engine::random_he_program(random, {.n_columns = n_columns,
                                                          .modulus = modulus,
                                                          .n_primes = 4,
                                                          .max_depth = n_columns == 4096 ? 2U : 1U,
                                                          .n_statements = 10}));
    for (const he::Scheme scheme : {he::Scheme::Bfv, he::Scheme::Bgv}) {
      SCOPED_TRACE(testing::Message() << "program " << i << " " << he::scheme_name(scheme));
      Result<Encryption> chosen =
          choose_encryption(program, modulus, {.scheme = scheme, .hiding = HideServerInputs::No});
      if (!chosen) {
        // Random programs multiply by plaintexts as they like.
        EXPECT_NE(chosen.error().message.find("bits too much noise"), std::string::npos);
        continue;
      }
      ++n_chosen;
      const engine::HeValues values = engine::random_he_values(random, chosen->program);
      expect_sane(*chosen, values);
      n_with_drops +=
          engine::facts_of(chosen->program)
                      .counts.of(engine::HeOpcode::Drop, engine::HeOperationKind::Cipher) > 0
              ? 1
              : 0;
    }
  }
  EXPECT_GE(n_chosen, 44U);
  EXPECT_GE(n_with_drops, 6U);
}

TEST(ChooseEncryption, LongProgramsRun) {
  // Not all shapes are tried for these, and groups are lowered together.
  std::mt19937_64 random(12);
  const engine::HeProgram program =
      straight_program({.n_columns = 4096, .n_statements = 400, .depth = 2});
  for (const he::Scheme scheme : {he::Scheme::Bfv, he::Scheme::Bgv}) {
    const Encryption chosen = value(choose_encryption(
        program, program.modulus, {.scheme = scheme, .hiding = HideServerInputs::No}));
    expect_sane(chosen, engine::random_he_values(random, chosen.program));
  }
}

TEST(ChooseEncryption, DeepProductsRun) {
  // A chain, and a sum of values of different depth, which BGV has to bring together.
  engine::HeProgram program = value(engine::parse_he_program(
      "he_program 1\nslots 2 x 4096\nmodulus 65537\nprimes 1\n"
      "input a[64] from client\ninput b[64] from server\n"
      "cipher x = a[i] over (i:64) repeat\ncipher sum\ncipher y\n"
      "native n = b[i] over (i:64) repeat\nplain w\n"
      "w = encode n\nsum = mul x, w\n"
      "for i: 3 {\n  x = mul x, x\n  x = relinearise x\n  y = rotate x, i\n"
      "  sum = add sum, y\n}\n"
      "output o[64] over (i:64) [i] = sum at 0, i\n"));
  std::mt19937_64 random(3);
  for (const he::Scheme scheme : {he::Scheme::Bfv, he::Scheme::Bgv}) {
    const Encryption chosen = value(
        choose_encryption(program, 65537, {.scheme = scheme, .hiding = HideServerInputs::No}));
    expect_sane(chosen, engine::random_he_values(random, chosen.program));
  }
}

/// The same program in a larger ring: what its rows of slots hold is repeated, as rotations do.
auto in_columns(engine::HeProgram program, uint32_t n_columns) -> engine::HeProgram {
  if (n_columns != program.n_columns) {
    for (engine::HeRegister& reg : program.registers) {
      for (engine::HeGather& gather : reg.gathers) {
        gather.is_repeated = true;
      }
    }
  }
  program.n_columns = n_columns;
  return program;
}

class ProgramByHand : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(ProgramByHand, Runs) {
  const engine::HeFixture fixture = engine::read_he_fixture(GetParam());
  const engine::HeProgram program = value(engine::parse_he_program(fixture.program));
  // The least ring that has a secure modulus of this size.
  std::optional<Encryption> chosen;
  std::string problem;
  for (uint32_t n_columns = std::max<uint32_t>(program.n_columns, 2048);
       !chosen && (program.modulus - 1) % (4 * n_columns) == 0; n_columns *= 2) {
    const engine::HeProgram wide = in_columns(program, n_columns);
    ASSERT_EQ(value(engine::run_in_the_clear(wide, fixture.inputs)), fixture.outputs);
    Result<Encryption> found =
        choose_encryption(wide, wide.modulus, {.scheme = {}, .hiding = HideServerInputs::No});
    problem = found ? "" : found.error().message;
    chosen = found ? std::optional(*found) : std::nullopt;
  }
  ASSERT_TRUE(chosen) << problem;
  expect_sane(*chosen, fixture.inputs);
}

INSTANTIATE_TEST_SUITE_P(Files, ProgramByHand, testing::ValuesIn(engine::he_fixture_paths("run")),
                         harness::name_of_file);

/// Runs it as client and server do, and looks at what is left once results are hidden.
void expect_hidden(const Encryption& chosen, const engine::HeValues& values) {
  Session session(chosen, values);
  Result<std::vector<he::Ciphertext>> results =
      session.server.answer(session.inputs(), session.keys, session.random, session.statistics);
  ASSERT_TRUE(results) << results.error().message << engine::to_text(chosen.program);
  session.expect_right(*results);
  EXPECT_EQ(session.statistics.hiding.n_ciphertexts, results->size());
  EXPECT_GE(chosen.budget, 3);
  // Dropping what is not needed costs half a bit.
  EXPECT_GE(session.statistics.budget_left, chosen.budget - 1) << engine::to_text(chosen.program);
}

TEST(ChooseEncryption, HiddenResultsHaveRoom) {
  std::mt19937_64 random(17);
  size_t n_chosen = 0;
  for (int i = 0; i < 12; ++i) {
    const uint32_t n_columns = 4096;
    const uint64_t modulus = least_prime(1 << 17, 1 << 20, 4 * n_columns);
    const engine::HeProgram program =
        without_primes(engine::random_he_program(random, {.n_columns = n_columns,
                                                          .modulus = modulus,
                                                          .n_primes = 4,
                                                          .max_depth = 1,
                                                          .n_statements = 8}));
    for (const he::Scheme scheme : {he::Scheme::Bfv, he::Scheme::Bgv}) {
      SCOPED_TRACE(testing::Message() << "program " << i << " " << he::scheme_name(scheme));
      Result<Encryption> chosen = choose_encryption(program, modulus, {.scheme = scheme});
      if (!chosen) {
        EXPECT_NE(chosen.error().message.find("bits too much noise"), std::string::npos);
        continue;
      }
      if (engine::has_server_inputs(chosen->program)) {
        ++n_chosen;
        expect_hidden(*chosen, engine::random_he_values(random, chosen->program));
      }
    }
  }
  EXPECT_GE(n_chosen, 22U);
}

TEST(ChooseEncryption, HiddenResultsAreRelinearised) {
  const engine::HeProgram program =
      value(engine::parse_he_program("he_program 1\nslots 2 x 4096\nmodulus 65537\nprimes 1\n"
                                     "input a[64] from client\ninput b[64] from server\n"
                                     "cipher x = a[i] over (i:64) repeat\ncipher y\n"
                                     "native n = b[i] over (i:64) repeat\nplain w\n"
                                     "w = encode n\ny = mul x, x\ny = mul y, w\n"
                                     "output o[64] over (i:64) [i] = y at 0, i\n"));
  std::mt19937_64 random(3);
  for (const he::Scheme scheme : {he::Scheme::Bfv, he::Scheme::Bgv}) {
    const Encryption chosen = value(choose_encryption(program, 65537, {.scheme = scheme}));
    EXPECT_TRUE(engine::facts_of(chosen.program).needs_relinearisation);
    expect_hidden(chosen, engine::random_he_values(random, chosen.program));
    const Encryption shown = value(
        choose_encryption(program, 65537, {.scheme = scheme, .hiding = HideServerInputs::No}));
    EXPECT_FALSE(engine::facts_of(shown.program).needs_relinearisation);
  }
}

}  // namespace
}  // namespace tacet::he_lower
