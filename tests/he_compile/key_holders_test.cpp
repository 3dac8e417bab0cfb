// Programs that were compiled for several holders of the key, run by all of them: results are those
// in plaintext, and the noise of what they decrypt is within the bound that they flood by.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/primes.h"
#include "base/value.h"
#include "compiler/he/lower/choose_encryption.h"
#include "engine/he/noise.h"
#include "engine/he_joint_runtime/decrypt_jointly.h"
#include "engine/he_joint_runtime/run_jointly.h"
#include "engine/he_runtime/contributed_inputs.h"
#include "engine/he_runtime/server.h"
#include "engine/program/he/clear.h"
#include "engine/program/he/text.h"
#include "tests/he_compile/plain_program.h"
#include "tests/he_compile/run_parts.h"
#include "tests/he_program/random_he_program.h"

namespace tacet::he_lower {
namespace {

/// What nobody has.
auto joint_secret(const he::Context& context, const engine::LocalHolders& holders)
    -> he::SecretKey {
  const std::vector<he::joint::Party>& parties = holders.parties;
  he::SecretKey sum{.rows = parties[0].secret(),
                    .id = parties[0].session().key_id(),
                    .parameters = context.parameters().digest()};
  for (size_t p = 1; p < parties.size(); ++p) {
    for (size_t i = 0; i < sum.rows.n_rows(); ++i) {
      context.kernels().add(sum.rows.row(i), sum.rows.row(i), parties[p].secret().row(i),
                            context.n(), context.modulus(i));
    }
  }
  return sum;
}

/// Runs a program for a joint key by all who hold it.
void expect_joint_run(const Encryption& chosen, const engine::HeValues& values) {
  const engine::HeBundlePart part{.data_prime_bits = chosen.data_prime_bits,
                                  .special_prime_bits = chosen.special_prime_bits,
                                  .budget = chosen.budget,
                                  .noise_bound = chosen.noise_bound,
                                  .program = chosen.program};
  const he::ContextRef context = he::Context::make(parameters_of(chosen));
  he::SecureRandom random = value(he::SecureRandom::from_system(best_isa()));
  const engine::HeServer server = value(engine::HeServer::make(part.program, context, values));
  engine::LocalHolders holders = value(engine::make_keys_here(server.facts(), *context));
  engine::HeStatistics statistics;
  std::vector<he::Ciphertext> inputs = value(engine::encrypt_inputs_jointly(
      part.program, *context, holders.keys.encryption, values, random, statistics));
  const std::vector<he::Ciphertext> results = value(
      chosen.is_unhidden ? server.evaluate(std::move(inputs), holders.keys, statistics)
                         : server.answer(std::move(inputs), holders.keys, random, statistics));
  const he::SecretKey secret = joint_secret(*context, holders);
  const double log_t = std::log2(static_cast<double>(part.program.modulus));
  for (const he::Ciphertext& result : results) {
    EXPECT_EQ(result.degree(), 1U);
    const double noise = context->noise().modulus_bits(result.n_primes()) - 1 - log_t -
                         value(he::measured_budget(*context, secret, result));
    EXPECT_LE(noise, chosen.noise_bound);
    EXPECT_LE(result.metadata.bound, chosen.noise_bound + 0.01);
  }
  EXPECT_EQ(value(engine::decrypt_here(part, *context, holders, results)),
            value(engine::run_in_the_clear(part.program, values)))
      << engine::to_text(part.program);
}

TEST(KeyHolders, RandomProgramsRun) {
  std::mt19937_64 random(21);
  size_t n_chosen = 0;
  for (int i = 0; i < 12; ++i) {
    const uint64_t modulus = least_prime(2, 1 << 20, 16384);
    const engine::HeProgram program = plain_program(random, modulus);
    const auto scheme = i % 2 == 0 ? he::Scheme::Bfv : he::Scheme::Bgv;
    SCOPED_TRACE(testing::Message() << "program " << i << " " << he::scheme_name(scheme));
    Result<Encryption> chosen =
        choose_encryption(program, modulus,
                          {.scheme = scheme,
                           .hiding = i % 4 < 2 ? HideServerInputs::No : HideServerInputs::Yes,
                           .n_key_holders = 2 + unsigned(i) % 3});
    if (!chosen) {
      EXPECT_NE(chosen.error().message.find("bits more than that of one"), std::string::npos)
          << chosen.error().message;
      continue;
    }
    ++n_chosen;
    EXPECT_GE(chosen->budget, 3);
    expect_joint_run(*chosen, engine::random_he_values(random, chosen->program));
  }
  EXPECT_GE(n_chosen, 6U);
}

TEST(KeyHolders, TakeALargerModulus) {
  std::mt19937_64 random(22);
  const uint64_t modulus = least_prime(2, 1 << 20, 16384);
  for (int i = 0; i < 6; ++i) {
    const engine::HeProgram program = plain_program(random, modulus);
    ChoiceOptions options{.scheme = he::Scheme::Bgv, .hiding = HideServerInputs::No};
    const Result<Encryption> alone = choose_encryption(program, modulus, options);
    options.n_key_holders = 3;
    const Result<Encryption> joint = choose_encryption(program, modulus, options);
    if (!alone || !joint) {
      continue;
    }
    const auto bits = [](const Encryption& chosen) {
      return std::accumulate(chosen.data_prime_bits.begin(), chosen.data_prime_bits.end(), 0U);
    };
    EXPECT_GE(bits(joint.value()), bits(alone.value()) + 30);
    EXPECT_EQ(joint.value().n_key_holders, 3U);
    EXPECT_GT(joint.value().noise_bound, 0);
  }
}

}  // namespace
}  // namespace tacet::he_lower
