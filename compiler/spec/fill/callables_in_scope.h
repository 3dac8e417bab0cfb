#pragma once

#include <vector>

#include "compiler/front/types/signature.h"
#include "compiler/spec/fill/surroundings.h"

namespace tacet::fill {

struct CallablesInScope {
  std::vector<Callable> kernels;  ///< that run on devices
  std::vector<Callable> callees;  ///< that the coordinator calls
};

/// What a function with this signature may call in its file: what its specification calls first,
/// then by name. Linear in the number of items that the file sees.
auto callables_in_scope(const program::FrontendSnapshot& snapshot, FileId file,
                        const types::Signature& own) -> CallablesInScope;

}  // namespace tacet::fill
