#include "engine/he_runtime/part_parameters.h"

namespace tacet::engine {

auto parameters_of(const HeBundle& bundle, const HeBundlePart& part) -> Result<he::Parameters> {
  return he::make_parameters({.scheme = bundle.scheme,
                              .ring_dimension = part.program.ring_dimension(),
                              .data_prime_bits = part.data_prime_bits,
                              .special_prime_bits = part.special_prime_bits,
                              .plain_modulus = part.program.modulus,
                              .security = bundle.security,
                              .n_key_holders = bundle.n_key_holders});
}

}  // namespace tacet::engine
