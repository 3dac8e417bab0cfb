#pragma once

#include "compiler/views/backends/he_code.h"
#include "compiler/views/backends/target.h"

namespace tacet::backends {

/// A program for encrypted vectors as code for a library, with the primes of each part. An error
/// says what the library cannot do.
auto emit_vectors(Target target, const engine::HeBundle& bundle,
                  const std::vector<PartPrimes>& primes, const Origin& origin) -> Result<Emission>;

/// Used by it.
auto emit_node_seal(const engine::HeBundle& bundle, const std::vector<PartPrimes>& primes,
                    const Origin& origin) -> Result<Emission>;
auto emit_seal(const engine::HeBundle& bundle, const std::vector<PartPrimes>& primes,
               const Origin& origin) -> Result<Emission>;
auto emit_openfhe(const engine::HeBundle& bundle, const std::vector<PartPrimes>& primes,
                  const Origin& origin) -> Result<Emission>;
auto emit_lattigo(const engine::HeBundle& bundle, const std::vector<PartPrimes>& primes,
                  const Origin& origin) -> Result<Emission>;
auto emit_heir(const engine::HeBundle& bundle, const std::vector<PartPrimes>& primes,
               const Origin& origin) -> Result<Emission>;

}  // namespace tacet::backends
