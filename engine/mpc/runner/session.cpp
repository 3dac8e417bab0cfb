#include "engine/mpc/runner/session.h"

#include <fmt/format.h>

#include "base/check.h"
#include "engine/net/loopback.h"

namespace tacet::mpc {

namespace {

auto names_of(const SessionWork& work, Rank n_parties) -> std::vector<std::string> {
  std::vector<std::string> names;
  for (Rank rank = 0; rank < n_parties; ++rank) {
    names.push_back(fmt::format("party {}", rank));
  }
  if (work.has_dealer()) {
    names.emplace_back("the dealer");
  }
  return names;
}

/// The message to a party about a step.
auto step_for(const SessionStep& step, Rank rank) -> SessionStep {
  const auto* bring = std::get_if<BringStep>(&step);
  if (bring == nullptr || !bring->type.is_secret() || bring->owner == rank) {
    return step;
  }
  BringStep unknown = *bring;
  unknown.cells.reset();
  return unknown;
}

}  // namespace

auto Session::on_threads(const SessionWork& work, Rank n_parties)
    -> Result<std::unique_ptr<Session>> {
  std::vector<std::string> names = names_of(work, n_parties);
  std::unique_ptr<net::PartyHost> host = net::start_thread_parties(
      std::vector<std::string>(names.size(), encode(work)), run_session_party);
  return std::unique_ptr<Session>(new Session(std::move(host), std::move(names), n_parties));
}

auto Session::as_processes(const SessionWork& work, Rank n_parties,
                           std::vector<std::string> command, const net::TimeLimits& times)
    -> Result<std::unique_ptr<Session>> {
  std::vector<std::string> names = names_of(work, n_parties);
  Result<std::vector<net::MeetingPlan>> plans = net::plan_loopback_run(names, net::Encryption::Tls);
  if (!plans) {
    return plans.error();
  }
  for (net::MeetingPlan& plan : *plans) {
    plan.times = plan.rank < n_parties ? times : times_of_dealer(times);
  }
  auto started =
      net::start_child_parties({.command = std::move(command),
                                .plans = std::move(*plans),
                                .work = std::vector<std::string>(names.size(), encode(work))});
  if (net::LinkError* failure = std::get_if<net::LinkError>(&started)) {
    return Error{fmt::format("{}: {}", names[failure->party], failure->reason)};
  }
  return std::unique_ptr<Session>(
      new Session(std::move(std::get<0>(started)), std::move(names), n_parties));
}

auto Session::error_of(const net::LinkError& failure) const -> Error {
  return Error{fmt::format("{}: {}", names_[failure.party], failure.reason)};
}

auto Session::take(std::vector<SessionStep> steps) -> Result<SessionReply> {
  for (Rank rank = 0; rank < n_parties_; ++rank) {
    std::vector<SessionStep> own;
    for (const SessionStep& step : steps) {
      own.push_back(step_for(step, rank));
    }
    host_->send_order(rank, encode(own));
  }
  SessionReply all;
  for (Rank rank = 0; rank < n_parties_; ++rank) {
    auto heard = host_->hear(rank);
    if (net::LinkError* failure = std::get_if<net::LinkError>(&heard)) {
      return error_of(*failure);
    }
    Result<SessionReply> reply = decode_reply(std::get<0>(heard));
    if (!reply) {
      return reply.error();
    }
    if (rank == 0) {
      all = std::move(*reply);
      continue;
    }
    for (size_t i = 0; i < all.shown.size(); ++i) {
      if (!all.shown[i]) {
        all.shown[i] = std::move(reply->shown[i]);
      }
    }
  }
  return all;
}

auto Session::end() -> Result<std::vector<PartyResult>> {
  net::PartiesOutcome outcome = host_->end();
  if (outcome.failure) {
    return error_of(*outcome.failure);
  }
  std::vector<PartyResult> results;
  for (Rank rank = 0; rank < n_parties_; ++rank) {
    Result<PartyResult> result = decode_result(outcome.results[rank]);
    if (!result) {
      return result.error();
    }
    results.push_back(std::move(*result));
  }
  return results;
}

}  // namespace tacet::mpc
