#include "compiler/views/backends/other_moduli.h"

#include <fmt/format.h>

#include "base/primes.h"
#include "engine/program/he/clear.h"
#include "engine/program/he/residues.h"

namespace tacet::backends {

using engine::HeBundle;
using engine::HeIntegers;

/// Numbers in the ranges of inputs: the least, the greatest, and some between, by `round`.
static auto sample_inputs(const HeBundle& bundle, uint64_t round) -> HeIntegers {
  HeIntegers inputs;
  uint64_t state = 0x9e3779b97f4a7c15 * (round + 1);
  for (const engine::HeArray& array : bundle.parts.front().program.arrays) {
    for (const engine::HeField& field : bundle.inputs) {
      if (field.name != array.name) {
        continue;
      }
      std::vector<int64_t>& numbers = inputs[field.name];
      const uint64_t width = static_cast<uint64_t>(field.high) - static_cast<uint64_t>(field.low);
      for (size_t i = 0; i < engine::n_elements(array.extents); ++i) {
        state = state * 6364136223846793005 + 1442695040888963407;
        const uint64_t offset = round == 0            ? 0
                                : round == 1          ? width
                                : width == UINT64_MAX ? state >> 11
                                                      : (state >> 11) % (width + 1);
        numbers.push_back(static_cast<int64_t>(static_cast<uint64_t>(field.low) + offset));
      }
    }
  }
  return inputs;
}

static auto results_in_plaintext(const HeBundle& bundle, const HeIntegers& inputs)
    -> Result<HeIntegers> {
  std::vector<engine::HeValues> outputs;
  std::vector<uint64_t> moduli;
  for (const engine::HeBundlePart& part : bundle.parts) {
    moduli.push_back(part.program.modulus);
    Result<engine::HeValues> values =
        engine::run_in_the_clear(part.program, engine::residues_of(inputs, part.program.modulus));
    if (!values) {
      return values.error();
    }
    outputs.push_back(std::move(*values));
  }
  return engine::combine_residues(outputs, moduli);
}

auto with_moduli_for_rings(const HeBundle& bundle, size_t ring_dimension) -> Result<HeBundle> {
  HeBundle changed = bundle;
  std::vector<uint64_t> taken;
  bool is_changed = false;
  for (engine::HeBundlePart& part : changed.parts) {
    const uint64_t modulus = part.program.modulus;
    constexpr uint64_t kLimit = uint64_t{1} << 49;
    part.program.modulus = least_prime(modulus, kLimit, 2 * ring_dimension, taken);
    if (part.program.modulus == 0) {
      return Error{fmt::format("no plaintext modulus above {} has slots in rings of dimension {}",
                               modulus, ring_dimension)};
    }
    taken.push_back(part.program.modulus);
    is_changed = is_changed || part.program.modulus != modulus;
  }
  constexpr uint64_t kRounds = 4;
  for (uint64_t round = 0; is_changed && round < kRounds; ++round) {
    const HeIntegers inputs = sample_inputs(bundle, round);
    const Result<HeIntegers> before = results_in_plaintext(bundle, inputs);
    const Result<HeIntegers> after = results_in_plaintext(changed, inputs);
    if (!before || !after || before.value() != after.value()) {
      return Error{fmt::format(
          "`{}` has constants for its plaintext modulus, {}, which has no slots in larger rings",
          bundle.name, bundle.parts.front().program.modulus)};
    }
  }
  return changed;
}

}  // namespace tacet::backends
