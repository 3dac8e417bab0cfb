#include "cli/run/ranks.h"

namespace tacet::cli {

struct Ranks::State {};

static constexpr const char* kOneMachine = "a page is one machine";

auto is_distributed(const RunOptions& options) -> bool {
  return options.is_distributed;
}

auto mistake_of_ranks(const RunOptions& /*options*/) -> std::string {
  return {};
}

auto is_first_process() -> bool {
  return true;
}

auto Ranks::join(const RunOptions& /*options*/) -> Result<std::shared_ptr<Ranks>> {
  return Error{kOneMachine};
}

Ranks::Ranks(std::unique_ptr<State> state) : state_(std::move(state)) {}
Ranks::~Ranks() = default;

auto Ranks::is_root() const -> bool {
  return true;
}

auto Ranks::serve(const RunOptions& /*options*/) -> ExitCode {
  return ExitCode::Failed;
}

auto Ranks::answer(const engine::HeBundle& /*bundle*/, const engine::HeIntegers& /*values*/,
                   const GivenFiles& /*files*/, const RunOptions& /*options*/, HeCosts& /*costs*/,
                   PhaseLine& /*line*/) -> Result<he::Bytes> {
  return Error{kOneMachine};
}

auto distribution_text(const engine::HeBundle& /*bundle*/, const RunOptions& /*options*/)
    -> Result<std::string> {
  return Error{kOneMachine};
}

}  // namespace tacet::cli
