#include "cli/joint/joint_runs.h"

namespace tacet::cli {

auto allow_decryption(const JointOptions& /*options*/, Invocation& invocation) -> ExitCode {
  invocation.error("a page holds no keys with others; use `tacet joint` on a machine of yours");
  return ExitCode::Failed;
}

auto decrypt_with_others(const JointOptions& /*options*/, Invocation& invocation) -> ExitCode {
  invocation.error("a page holds no keys with others; use `tacet joint` on a machine of yours");
  return ExitCode::Failed;
}

}  // namespace tacet::cli
