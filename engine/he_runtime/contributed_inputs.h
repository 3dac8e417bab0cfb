#pragma once

#include <optional>

#include "engine/he_runtime/client.h"

/// Inputs under a joint key, which several encrypt who each have some of a program's arrays.
namespace tacet::engine {

/// Under a joint key, which ciphertexts the numbers of one array of the client's side are parts of:
/// the places in `input_elements`.
auto contributed_places(const HeProgram& program, const std::string& array) -> std::vector<size_t>;

/// That array's part of these ciphertexts: a ciphertext of the program's is the sum of those of all
/// its arrays (`contributing_arrays`). Of integers.
auto encrypt_contribution(const HeProgram& program, const he::Context& context,
                          const he::PublicKey& key, const std::string& array,
                          const std::vector<double>& numbers, he::SecureRandom& random,
                          HeStatistics& statistics) -> Result<std::vector<he::Ciphertext>>;

/// The sums of these parts for all arrays, in the order of `input_elements`: what those who have
/// the arrays send, added up.
auto encrypt_inputs_jointly(const HeProgram& program, const he::Context& context,
                            const he::PublicKey& key, const HeValues& values,
                            he::SecureRandom& random, HeStatistics& statistics)
    -> Result<std::vector<he::Ciphertext>>;

/// Adds the parts of one array to what was added up before; `sums` begins empty.
auto add_contribution(const HeProgram& program, const he::Context& context,
                      const std::string& array, std::vector<he::Ciphertext> parts,
                      std::vector<std::optional<he::Ciphertext>>& sums) -> Status;

/// What was added up, if every element has its parts.
auto added_up(std::vector<std::optional<he::Ciphertext>> sums)
    -> Result<std::vector<he::Ciphertext>>;

}  // namespace tacet::engine
