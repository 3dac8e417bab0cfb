#pragma once

#include "engine/he_runtime/plan.h"
#include "engine/he_runtime/progress.h"
#include "engine/he_runtime/slot_codec.h"

namespace tacet::engine {

/// What a clear node of a plan has become. Clear vectors are kept only if ciphertexts meet them, or
/// factors that are made when they are needed.
struct PreparedNode {
  HeSlots slots;
  double bound = 0;  ///< of reals, by the declaration: it reveals nothing of the server's numbers
  he::Plaintext plaintext;
  he::PlainFactor factor;
  bool is_streamed = false;  ///< a factor that is made anew for each use
};

/// A factor of a plan, from the clear vector that is encoded for it. `scale` is 1 for integers.
auto make_factor(const he::Context& context, const SlotCodec& codec, const PreparedNode& clear,
                 double scale, uint32_t n_encoded, uint32_t n_primes) -> Result<he::PlainFactor>;

/// Makes the clear nodes of a plan on the context's threads. Other entries of the result are empty,
/// and so are factors that would take more than `most_bytes` in all, those that are used least
/// first, and encodings that only such factors need (`make_factor`).
auto prepare(const HeProgram& program, const Plan& plan, const he::Context& context,
             const SlotCodec& codec, const HeValues& values, uint64_t most_bytes,
             const HeProgress& progress) -> Result<std::vector<PreparedNode>>;

}  // namespace tacet::engine
