#include "engine/cggi_runtime/client.h"

#include <fmt/format.h>

namespace tacet::engine {

auto encrypt_inputs(const CggiProgram& program, const cggi::SecretKey& secret,
                    const CggiValues& values, cggi::SecureRandom& random, Isa isa)
    -> Result<cggi::FreshCiphertexts> {
  Result<SecureVector<uint8_t>> bits = input_bits(program, CggiOwner::Client, values);
  if (!bits) {
    return bits.error();
  }
  return cggi::encrypt_bits(secret, *bits, random, isa);
}

auto decrypt_results(const CggiProgram& program, const cggi::SecretKey& secret,
                     const cggi::Ciphertexts& results) -> Result<CggiValues> {
  const size_t n = program.outputs.size();
  if (results.size() != n) {
    return Error{fmt::format("there are {} encrypted bits instead of {}", results.size(), n)};
  }
  Result<SecureVector<uint8_t>> bits = cggi::decrypt_bits(secret, results, 0, n);
  if (!bits) {
    return bits.error();
  }
  return results_of_bits(program, *bits);
}

}  // namespace tacet::engine
