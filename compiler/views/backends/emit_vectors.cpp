#include <fmt/format.h>

#include "compiler/views/backends/he_targets.h"

namespace tacet::backends {

auto emit_vectors(Target target, const engine::HeBundle& bundle,
                  const std::vector<PartPrimes>& primes, const Origin& origin) -> Result<Emission> {
  for (const engine::HeBundlePart& part : bundle.parts) {
    if (engine::facts_of(part.program).n_bootstrapped_primes != 0) {
      return Error{
          fmt::format("`{}` needs bootstrapping, which code for {} does not have; `tacet build` "
                      "compiles it for "
                      "Tacet's own engine",
                      bundle.name, display_name(target))};
    }
  }
  switch (target) {
    case Target::NodeSeal:
      return emit_node_seal(bundle, primes, origin);
    case Target::Seal:
      return emit_seal(bundle, primes, origin);
    case Target::OpenFhe:
      return emit_openfhe(bundle, primes, origin);
    case Target::Lattigo:
      return emit_lattigo(bundle, primes, origin);
    case Target::HeirMlir:
      return emit_heir(bundle, primes, origin);
    case Target::TfheRs:
    case Target::MpSpdz:
      break;
  }
  return Error{fmt::format("{} does not compute on vectors", display_name(target))};
}

}  // namespace tacet::backends
