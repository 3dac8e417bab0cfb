#pragma once

#include "engine/he/encryption.h"
#include "engine/he_runtime/statistics.h"
#include "engine/program/he/gather.h"

namespace tacet::engine {

/// An element of a register, by its place among all of them.
struct HeElement {
  uint32_t reg = 0;
  size_t at = 0;

  friend auto operator==(HeElement, HeElement) -> bool = default;
  friend auto operator<=>(HeElement, HeElement) = default;
};

/// Which ciphertexts the client sends: all elements of gathered ciphers, by register and place.
auto input_elements(const HeProgram& program) -> std::vector<HeElement>;

/// Which ciphertexts come back: what outputs read, each once, in the order of the outputs.
auto output_elements(const HeProgram& program) -> std::vector<HeElement>;

/// The client's ciphertexts, in the order of `input_elements`, from its arrays. The key is the
/// secret one, which makes less noise, or the public one. Adds to `statistics`.
auto encrypt_inputs(const HeProgram& program, const he::Context& context, const he::SecretKey& key,
                    const HeValues& values, he::SecureRandom& random, HeStatistics& statistics)
    -> Result<std::vector<he::Ciphertext>>;
auto encrypt_inputs(const HeProgram& program, const he::Context& context, const he::PublicKey& key,
                    const HeValues& values, he::SecureRandom& random, HeStatistics& statistics)
    -> Result<std::vector<he::Ciphertext>>;

/// The outputs, from the slots of `output_elements`.
auto outputs_of_slots(const HeProgram& program, std::vector<HeSlots> slots) -> HeValues;

/// The outputs, from ciphertexts in the order of `output_elements`. An error if one of them has no
/// noise budget left, measured.
auto decrypt_outputs(const HeProgram& program, const he::Context& context,
                     const he::SecretKey& secret, const std::vector<he::Ciphertext>& ciphertexts,
                     he::SecureRandom& random, HeStatistics& statistics,
                     const he::CkksAudience& audience = {}) -> Result<HeValues>;

}  // namespace tacet::engine
