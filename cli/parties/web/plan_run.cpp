#include "cli/parties/plan_run.h"

namespace tacet::cli {

auto plan_run(const PlannedProgram& /*planned*/, const RunOptions& /*options*/,
              const std::function<engine::PublicRandomKey()>& /*key*/, Invocation& invocation)
    -> ExitCode {
  invocation.error("parties cannot run in a page; use `tacet run --plan` on a machine of yours");
  return ExitCode::Failed;
}

}  // namespace tacet::cli
