#pragma once

#include "engine/distribution/distribution.h"
#include "engine/he_distributed/share_run.h"
#include "engine/he_distributed/work_of_plans.h"

namespace tacet::engine {

/// One part of a bundle with all that a server has for it.
struct RankPart {
  const HeProgram* program = nullptr;
  he::ContextRef context;                  ///< with threads of its own if it has several
  HeValues values;                         ///< the server's numbers
  const HeEvaluationKeys* keys = nullptr;  ///< of the client
  std::vector<he::Ciphertext> inputs;      ///< of the client, in the order of `input_elements`
  bool hides_results = false;              ///< the caller will (`HeServer::hide`)
};

/// How ranks compute.
struct RankOptions {
  he::OperationTimes times;
  distribution::Machines machines;                     ///< their number is that of the link
  std::string version;                                 ///< of Tacet
  uint64_t most_plaintext_bytes = kMostPreparedBytes;  ///< on each rank
  unsigned n_threads = 1;                              ///< of a rank that serves
  KeyCache cache{"", 0};                               ///< likewise
  he::InsecureParameters insecure = he::InsecureParameters::Refuse;
};

/// What a distributed evaluation gave.
struct RankRun {
  std::vector<ShareOfPart> parts;  ///< with results, equal to those of `HeServer::evaluate`
  std::vector<RankReport> reports;
  distribution::Prediction prediction;
};

/// Says which phase of a run begins, and hears its progress.
using RankPhases = std::function<HeProgress(std::string phase)>;

/// The root's side: spreads the programs over all ranks, sends them what they need, does its own
/// share and collects the results. The words of the results are those of one machine. After an
/// error of any rank, which is named, no rank computes any more.
auto evaluate_on_ranks(RankLink& link, std::vector<RankPart> parts, const RankOptions& options,
                       const RankPhases& phases) -> Result<RankRun>;

/// The side of every other rank: does what the root says, once. It needs no files. An error is one
/// that the root reports, too.
auto serve_rank(RankLink& link, const RankOptions& options) -> Status;

}  // namespace tacet::engine
