#pragma once

#include "engine/he_runtime/plan.h"
#include "engine/he_runtime/progress.h"
#include "engine/he_runtime/slot_codec.h"

namespace tacet::engine {

/// How often a server evaluates its program.
enum class HeEvaluations : uint8_t { One, Many };

/// What a clear node of a plan has become. Clear vectors are kept only if ciphertexts meet them.
struct PreparedNode {
  HeSlots slots;
  double bound = 0;  ///< of reals, by the declaration: it reveals nothing of the server's numbers
  he::Plaintext plaintext;
  he::RoundedMessage rounded;  ///< instead of a plaintext, of reals that streamed factors are
  he::PlainFactor factor;
  bool is_streamed = false;  ///< a factor that is made anew for each use
};

/// A factor of a plan, from its encoding.
auto make_factor(const he::Context& context, const SlotCodec& codec, const PreparedNode& encoding,
                 uint32_t n_encoded, uint32_t n_primes) -> Result<he::PlainFactor>;

/// Makes the clear nodes of a plan on the context's threads. Other entries of the result are empty,
/// and so are factors that would take more than `most_bytes` in all, those that are used least
/// first, and, for one evaluation, those that are used once: memory for all primes of each costs
/// more than the transforms. Of these the encodings are kept (`make_factor`), a word for each
/// coefficient. Vectors are released when nothing needs them any more.
auto prepare(const HeProgram& program, const Plan& plan, const he::Context& context,
             const SlotCodec& codec, const HeValues& values, uint64_t most_bytes,
             HeEvaluations evaluations, const HeProgress& progress)
    -> Result<std::vector<PreparedNode>>;

}  // namespace tacet::engine
