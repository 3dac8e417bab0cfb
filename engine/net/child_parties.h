#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/net/meeting.h"

/// A run whose parties are processes of this machine: a parent starts them, gives each its plan and
/// what it works on, and gathers what they report.
namespace tacet::net {

/// What a party hands to its parent: a result, or why there is none.
struct PartyReport {
  LinkStatus failure{};
  std::string result{};
};

/// What is the same whoever the party is.
using PartyBody = std::function<PartyReport(Links& links, const std::string& work)>;

struct ChildRun {
  /// The program of a child and its arguments; it calls `serve_as_child`.
  std::vector<std::string> command{};
  std::vector<MeetingPlan> plans{};  ///< of `plan_loopback_run`
  std::vector<std::string> work{};   ///< by rank; only that party gets it
};

struct ChildOutcome {
  LinkStatus failure{};
  std::vector<std::string> results{};  ///< by rank; of all parties, or of none
};

/// Starts the parties and waits until all have ended. When one fails, the others are given three
/// seconds to end by themselves, and are killed then. None is left when this returns, and none
/// lives longer than the parent. A child that ends without a report has failed.
[[nodiscard]] auto run_child_parties(ChildRun run) -> ChildOutcome;

/// The other side: takes the orders of the parent, meets the other parties, works, reports. Returns
/// the exit code. The result is reported after all parties have finished.
[[nodiscard]] auto serve_as_child(const PartyBody& body) -> int;

}  // namespace tacet::net
