#pragma once

#include "engine/he_runtime/plan.h"
#include "engine/he_runtime/progress.h"
#include "engine/he_runtime/slot_codec.h"

namespace tacet::engine {

/// What a clear node of a plan has become. Clear vectors are kept only if ciphertexts meet them.
struct PreparedNode {
  HeSlots slots;
  double bound = 0;  ///< of reals, by the declaration: it reveals nothing of the server's numbers
  he::Plaintext plaintext;
  he::PlainFactor factor;
};

/// Makes all clear nodes of a plan on the context's threads. Other entries of the result are empty.
auto prepare(const HeProgram& program, const Plan& plan, const he::Context& context,
             const SlotCodec& codec, const HeValues& values, const HeProgress& progress)
    -> Result<std::vector<PreparedNode>>;

}  // namespace tacet::engine
