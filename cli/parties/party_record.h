#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/parties/audit_log.h"
#include "cli/run/mpc_device.h"

namespace tacet::cli {

/// How the run of a party ended.
struct PartyEnding {
  std::string failed_party{};  ///< if it is the fault of one
  std::string reason{};        ///< empty if it completed
  std::vector<MpcLink> links{};
  std::optional<uint64_t> rounds{};
};

/// What a party checks before a run, and records about it.
class PartyRecord {
 public:
  /// Before it meets the others: whether this party has allowed the run, and can record it, if it
  /// does. An error says what is missing; the log then has a line that it refused.
  static auto begin(const engine::MpcProgram& program, const MpcSeat& seat,
                    const std::vector<std::optional<engine::MpcCells>>& inputs,
                    const RunOptions& options) -> Result<PartyRecord>;

  /// The same of what is not a program of the MPC machine: `run` says what, and `results` who
  /// learns what if it completes. `command` is the one that allows it.
  static auto begin(AuditedRun run, std::vector<AuditedRun::Result> results,
                    const RunOptions& options, const std::string& command) -> Result<PartyRecord>;

  /// Of the run, for the parties to compare.
  [[nodiscard]] auto digest() const -> const std::string& { return digest_; }

  /// Appends the line. Results are for nobody to see before.
  auto end(PartyEnding ending) -> Status;

 private:
  std::string path_;  ///< of the log, or empty
  std::string digest_;
  AuditedRun run_;
  std::vector<AuditedRun::Result> results_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace tacet::cli
