#pragma once

#include <cstdint>
#include <string>

#include "compiler/front/names/body_names.h"

namespace tacet::linter {

/// What closing a channel adds to one run of the place, not counting loops around it.
struct Cost {
  int64_t selections = 0;   ///< of single elements by a secret condition
  int64_t comparisons = 0;  ///< of secret numbers
  int64_t iterations = 0;   ///< of a loop that runs to its end whatever the secret is
};

/// The cost on a device, as a sentence for a note.
///
/// The model is coarse on purpose: it counts what the rewrite adds before anything is optimised.
/// On `mpc`, with three parties and 64-bit rings, a selection is a product of shares: 8 bytes from
/// each party; a comparison is a sign taken from bits: 8 rounds and about 100 bytes from each
/// party. What is independent shares its rounds. On `he` a selection is a product of ciphertexts
/// and one level of depth; a comparison has no operation of its own.
auto cost_text(const Cost& cost, names::Device device) -> std::string;

}  // namespace tacet::linter
