#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/net/meeting.h"
#include "engine/net/party_host.h"

/// A run whose parties are processes of this machine: a parent starts them, gives each its plan and
/// what it works on, talks to them, and gathers what they report.
namespace tacet::net {

struct ChildRun {
  /// The program of a child and its arguments; it calls `serve_as_child`.
  std::vector<std::string> command{};
  std::vector<MeetingPlan> plans{};  ///< of `plan_loopback_run`
  std::vector<std::string> work{};   ///< by rank; only that party gets it
  /// What parties say while their end is waited for; may be empty.
  std::function<void(Rank party, const std::string& message)> said{};
};

using ChildOutcome = PartiesOutcome;

/// Starts the parties. None lives longer than the parent, or than what is given back. A child that
/// ends without a report has failed. When one fails, the others are given three seconds to end by
/// themselves, and are killed then.
[[nodiscard]] auto start_child_parties(ChildRun run)
    -> std::variant<std::unique_ptr<PartyHost>, LinkError>;

/// Starts parties that get no further messages, and waits until all have ended. None is left when
/// this returns.
[[nodiscard]] auto run_child_parties(ChildRun run) -> ChildOutcome;

/// The other side: takes the orders of the parent, meets the other parties, works, reports. Returns
/// the exit code. The result is reported after all parties have finished.
[[nodiscard]] auto serve_as_child(const PartyBody& body) -> int;
[[nodiscard]] auto serve_as_child(const TalkingBody& body) -> int;

}  // namespace tacet::net
