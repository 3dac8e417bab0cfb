#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/value.h"
#include "compiler/he/lower/compile.h"
#include "engine/he/parameters.h"
#include "engine/he_runtime/run_encrypted.h"
#include "engine/program/he/clear.h"
#include "engine/program/he/residues.h"

/// For tests that run what was compiled for encryption.
namespace tacet::he_lower {

/// The parameters that a part was compiled for.
inline auto parameters_of(const Encryption& part) -> he::Parameters {
  return value(he::make_parameters({.scheme = part.scheme,
                                    .ring_dimension = part.ring_dimension,
                                    .data_prime_bits = part.data_prime_bits,
                                    .special_prime_bits = part.special_prime_bits,
                                    .plain_modulus = part.program.modulus,
                                    .security = part.security,
                                    .n_key_holders = part.n_key_holders}));
}

/// The result of the parts together, where `run_part` gives the outputs of each for its residues of
/// `inputs`.
template <class RunPart>
auto combined_result(const Compiled& compiled, const engine::HeIntegers& inputs,
                     const RunPart& run_part) -> std::vector<int64_t> {
  std::vector<engine::HeValues> residues;
  std::vector<uint64_t> moduli;
  for (const Encryption& part : compiled.parts) {
    residues.push_back(run_part(part, engine::residues_of(inputs, part.program.modulus)));
    moduli.push_back(part.program.modulus);
  }
  return engine::combine_residues(residues, moduli).begin()->second;
}

/// The same in plaintext, with rubbish by `seed` in slots that do not matter.
inline auto clear_result(const Compiled& compiled, const engine::HeIntegers& inputs, uint64_t seed)
    -> std::vector<int64_t> {
  return combined_result(compiled, inputs,
                         [&](const Encryption& part, const engine::HeValues& values) {
                           return value(engine::run_in_the_clear(part.program, values, seed));
                         });
}

/// The same really encrypted, with new keys.
inline auto encrypted_result(const Compiled& compiled, const engine::HeIntegers& inputs)
    -> std::vector<int64_t> {
  he::SecureRandom random = value(he::SecureRandom::from_system(best_isa()));
  return combined_result(
      compiled, inputs, [&](const Encryption& part, const engine::HeValues& values) {
        return value(engine::run_encrypted(part.program, values,
                                           he::Context::make(parameters_of(part)), random))
            .outputs;
      });
}

}  // namespace tacet::he_lower
