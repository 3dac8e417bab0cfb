#pragma once

#include <fmt/format.h>

#include "base/value.h"
#include "engine/cggi/bootstrap.h"
#include "engine/cggi/encryption.h"
#include "engine/cggi/key_generation.h"
#include "engine/cggi/server_key.h"
#include "engine/cggi_model/choose_parameters.h"
#include "engine/cggi_model/gates.h"
#include "engine/secure_random/test_seed.h"

/// Keys that tests share.
namespace tacet::cggi {

/// Quick, without security, with a little noise.
inline auto toy_parameters(unsigned glwe_dimension = 2, unsigned polynomial_size = 256,
                           Decomposition rotation = {12, 2}) -> Parameters {
  return {.lwe_dimension = 24,
          .glwe_dimension = glwe_dimension,
          .polynomial_size = polynomial_size,
          .rotation = rotation,
          .key_switch = {4, 4},
          .lwe_variance = 0x1p-36,
          .glwe_variance = 0x1p-90,
          .security = Security::None};
}

/// What a program of a few gates runs with.
inline auto gate_parameters() -> Parameters {
  const DecisionCount decisions[] = {{gate_form(GateKind::Majority).decision, 1},
                                     {gate_form(GateKind::Xor3).decision, 1},
                                     {gate_form(GateKind::And).decision, 1}};
  return value(choose_parameters({.decisions = decisions, .log2_failure = -128})).parameters;
}

struct TestKeys {
  explicit TestKeys(const Parameters& parameters, Isa isa_ = best_isa(), uint64_t seed = 1)
      : isa(isa_),
        random(secure_random::seeded_random(secure_random::TestSeed::of(seed), isa_)),
        secret(value(generate_secret_key(parameters, random))),
        evaluation(generate_evaluation_key(secret, random, executor, isa)),
        server(value(ServerKey::make(evaluation, executor, isa))) {}

  [[nodiscard]] auto batching(size_t lock_step = kMaxLockStep) -> Batching {
    return {.executor = executor, .n_threads = 1, .lock_step = lock_step};
  }
  /// Encryptions of `messages`, and `n_more` ciphertexts to write to.
  auto encrypted(std::span<const Torus> messages, size_t n_more) -> Ciphertexts {
    Ciphertexts out(secret.parameters, secret.id, messages.size() + n_more);
    static_cast<void>(value(expand(encrypt(secret, messages, random, isa), 0, out, isa)));
    return out;
  }

  Isa isa;
  SequentialExecutor executor;
  SecureRandom random;
  SecretKey secret;
  EvaluationKey evaluation;
  ServerKey server;
};

/// The difference of two torus elements in turns.
inline auto turns(Torus a, Torus b) -> double {
  return static_cast<double>(static_cast<int64_t>(a - b)) * 0x1p-64;
}

}  // namespace tacet::cggi
