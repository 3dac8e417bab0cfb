#pragma once

#include <string>
#include <vector>

#include "base/cancellation.h"
#include "base/result.h"

namespace tacet::lsp {

struct ChildOutput {
  int exit_code = 0;  ///< 128 and the signal's number if one ended it
  std::string output;
  std::string errors;
};

/// Runs `arguments[0]`, a path, with the others, in `folder`, with nothing on its standard input,
/// and waits for its end. A cancelled one is killed. Of each stream at most 1 MiB is kept. An error
/// if it cannot be started.
auto run_child(const std::vector<std::string>& arguments, const std::string& folder,
               const CancellationToken& token) -> Result<ChildOutput>;

}  // namespace tacet::lsp
