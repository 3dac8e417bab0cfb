#pragma once

#include "engine/he_distributed/rank_job.h"
#include "engine/he_distributed/value_exchange.h"
#include "engine/he_runtime/server.h"

namespace tacet::engine {

/// A rank's share of one part of a bundle, ready to run.
struct ShareOfPart {
  HeServer server;
  std::unique_ptr<ValueExchange> exchange;
  const HeEvaluationKeys* keys = nullptr;
  std::vector<he::Ciphertext> inputs;  ///< of the root
  HeStatistics statistics{};
  std::vector<he::Ciphertext> results{};  ///< of the root, once it has run
};

/// Prepares a share: `plan` is the whole plan of the program.
auto make_share_of_part(RankSession& session, uint32_t part, const HeProgram& program,
                        const Plan& plan, const he::ContextRef& context, const HeValues& values,
                        const PlanShare& share, uint64_t most_plaintext_bytes)
    -> Result<ShareOfPart>;

/// Runs all shares of a rank at once: none waits for the values that another one waits for. After
/// an error the others end, and so do all ranks.
auto run_shares(RankSession& session, std::vector<ShareOfPart>& shares, const HeProgress& progress)
    -> Status;

/// What they did.
auto report_of(const std::vector<ShareOfPart>& shares) -> RankReport;

}  // namespace tacet::engine
