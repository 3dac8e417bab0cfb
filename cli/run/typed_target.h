#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/run/run_target.h"

namespace tacet::cli {

/// Is `option`, of `--size`, about a type parameter?
auto gives_type(const program::FrontendSnapshot& snapshot, const types::Signature& signature,
                std::string_view option) -> bool;

/// The instance of `item` for the types that `target` gives (`--size T=fxp`), or that its values
/// have: integers are `i64`, numbers with a fraction `fxp`, and those of NumPy files what they are
/// there. Its sizes are open. `item` itself if it has no type parameters.
auto typed_target(const program::FrontendSnapshot& snapshot, names::ItemId item,
                  const RunTarget& target) -> Result<names::ItemId>;

}  // namespace tacet::cli
