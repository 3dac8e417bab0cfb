#include "cli/run/encrypted_parts.h"

namespace tacet::cli {

auto with_encrypted_parts(const program::FrontendSnapshot& /*snapshot*/, MpcCompilation compilation,
                          const std::vector<interpret::EntryParameter>& /*parameters*/,
                          const RunOptions& /*options*/, SourceSet& /*sources*/,
                          Invocation& /*invocation*/) -> JointCompilation {
  if (compilation.encrypted.empty()) {
    return {.program = std::move(compilation.program)};
  }
  return {.program = {},
          .problem = "parties cannot run in a page; use `tacet run` on a machine of yours"};
}

}  // namespace tacet::cli
