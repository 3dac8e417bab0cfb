#pragma once

#include "engine/he_runtime/client.h"
#include "engine/he_runtime/keys.h"
#include "engine/he_runtime/server.h"

/// For tests that run programs on ciphertexts.
namespace tacet::engine {

auto test_random() -> he::SecureRandom;

/// A client that made keys and encrypted its inputs, and the server that gets them.
struct Sides {
  Sides(const HeProgram& program, const HeValues& values, const he::ContextRef& context,
        uint64_t most_bytes = kMostPreparedBytes, HeEvaluations evaluations = HeEvaluations::Many);

  he::SecureRandom random = test_random();
  HeStatistics statistics;
  HeServer server;
  he::SecretKey secret;
  HeEvaluationKeys keys;
  std::vector<he::Ciphertext> inputs;
};

/// A program on ciphertexts, by client and server.
struct Evaluation {
  std::vector<he::Ciphertext> results;
  std::vector<double> errors;  ///< of reals: what each of the results may be wrong by
  Result<HeValues> outputs;
};

auto evaluate(const HeProgram& program, const HeValues& values, const he::ContextRef& context,
              uint64_t most_bytes = kMostPreparedBytes,
              HeEvaluations evaluations = HeEvaluations::Many) -> Evaluation;

/// Whether integers are equal, and reals as near as the estimate of the noise promises. The outputs
/// are whole ciphertexts in sequence.
void expect_near(const HeProgram& program, const Evaluation& evaluation, const HeValues& expected);

}  // namespace tacet::engine
