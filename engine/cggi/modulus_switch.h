#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/cggi_model/parameters.h"

namespace tacet::cggi {

/// What steers a rotation: an LWE ciphertext in multiples of 1/(2 N) turns.
struct SwitchedCiphertext {
  std::vector<uint32_t> mask;  ///< modulo 2 N
  uint32_t body = 0;
};

/// Rounds an LWE ciphertext modulo 2^32, mask before body, to multiples of 2^log2_tables / (2 N).
///
/// The mask is rounded to the nearest multiple. With binary keys the mean of what this adds to the
/// phase is half the sum of the rounding errors, which is public: the body is corrected by it
/// (`ModulusSwitch::Centred`). The body is rounded down: it then decides as an exact one would, as
/// all other terms are multiples and the cases of a table begin at multiples.
void switch_modulus(std::span<const uint32_t> ciphertext, unsigned polynomial_size,
                    unsigned log2_tables, SwitchedCiphertext& out);

}  // namespace tacet::cggi
