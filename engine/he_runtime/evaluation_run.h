#pragma once

#include "engine/he_runtime/ciphertext_exchange.h"
#include "engine/he_runtime/keys.h"
#include "engine/he_runtime/prepared.h"

namespace tacet::engine {

/// What one evaluation works on; all of it is only read.
struct EvaluationSetup {
  const Plan& plan;
  const std::vector<PreparedNode>& prepared;
  const he::Context& context;
  const SlotCodec& codec;
  const std::vector<double>& scales;  ///< of reals, by number of primes (`scales_of`)
  const HeEvaluationKeys& keys;
  const he::Bootstrapper* bootstrapper = nullptr;  ///< if anything is bootstrapped
  const HeProgress& progress;
  CiphertextExchange* exchange = nullptr;  ///< if the plan is a machine's share
};

/// Makes the ciphertexts of a plan from its inputs. The keys must be enough.
auto run_plan(const EvaluationSetup& setup, std::vector<he::Ciphertext> inputs)
    -> Result<std::vector<he::Ciphertext>>;

}  // namespace tacet::engine
