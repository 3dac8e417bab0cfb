#pragma once

#include <array>
#include <span>

#include "engine/cggi/bootstrap.h"
#include "engine/cggi_model/gates.h"

namespace tacet::cggi {

struct GateInput {
  uint32_t index = 0;  ///< of a ciphertext of a bit
  bool inverted = false;
};

struct Gate {
  GateKind kind{};
  std::array<GateInput, 3> inputs{};  ///< the first `gate_form(kind).n_inputs` of them
  uint32_t output = 0;
};

/// Evaluates gates that do not depend on each other, a level of a circuit: in lock step and on the
/// threads of `batching`. Errors as for `bootstrap`; an output may not be an input of the level.
auto evaluate(const ServerKey& key, std::span<const Gate> level, Ciphertexts& values,
              const Batching& batching) -> Status;

/// The bit `from`, or its inverse, becomes `to`. No bootstrap, no more noise.
void copy_bit(const GateInput& from, uint32_t to, Ciphertexts& values);

/// Whether one of some bits is set, of which at most one can be, becomes `to`. No bootstrap; the
/// noise of all adds up. `to` is none of them.
void sum_bits(std::span<const GateInput> from, uint32_t to, Ciphertexts& values);

/// A ciphertext that anyone can read.
void set_bit(uint8_t bit, uint32_t to, Ciphertexts& values);

}  // namespace tacet::cggi
