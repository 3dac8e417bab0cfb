#include "cli/joint/holders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/run/party_plan.h"
#include "cli/version_info.h"
#include "engine/net/credentials.h"

namespace tacet::cli {

using he::joint::PartySet;

namespace {

auto holder_number(const std::vector<std::string>& names, const std::string& name)
    -> std::optional<unsigned> {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt
                              : std::optional(static_cast<unsigned>(found - names.begin()));
}

auto unknown_holder(std::string_view option, const std::string& name,
                    const std::vector<std::string>& names) -> Error {
  return Error{
      fmt::format("`{} {}`: the holders of the key are {}", option, name, fmt::join(names, ", "))};
}

/// Those who decrypt; all if the command line names none.
auto find_participants(const Holders& holders, const JointOptions& options) -> Result<PartySet> {
  PartySet participants;
  for (const std::string& name : options.participants) {
    const std::optional<unsigned> number = holder_number(holders.names, name);
    if (!number) {
      return unknown_holder("--with", name, holders.names);
    }
    participants = participants | PartySet::of(*number);
  }
  if (participants == PartySet()) {
    return PartySet::first(static_cast<unsigned>(holders.names.size()));
  }
  return participants | PartySet::of(holders.own);
}

/// The plan of those who take part alone.
void keep_participants(Holders& holders) {
  std::vector<net::PartyAddress> kept;
  for (const unsigned number : holders.participants.members()) {
    kept.push_back(holders.plan.parties[number]);
  }
  holders.plan.parties = std::move(kept);
  holders.plan.rank = holders.rank_of(holders.own);
}

void set_limit(uint64_t seconds, std::chrono::milliseconds& time) {
  time = seconds == 0 ? time : std::chrono::seconds(seconds);
}

}  // namespace

auto Holders::rank_of(unsigned number) const -> net::Rank {
  return PartySet(participants.bits() & ((uint64_t{1} << number) - 1)).size();
}

auto find_holders(const engine::HeBundle& bundle, const JointOptions& options, HolderKey key)
    -> Result<Holders> {
  const RunOptions& run = *options.run;
  Result<project::Workspace> workspace = workspace_of_parties(run.file);
  if (!workspace) {
    return workspace.error();
  }
  Result<net::MeetingPlan> plan = key == HolderKey::Read
                                      ? plan_party(*workspace, run.party, run.party_key)
                                      : plan_party_without_key(*workspace, run.party);
  if (!plan) {
    return plan.error();
  }
  Holders holders;
  holders.plan = std::move(*plan);
  for (const net::PartyAddress& party : holders.plan.parties) {
    holders.names.push_back(party.name);
  }
  if (holders.names.size() != bundle.n_key_holders) {
    return Error{fmt::format("`{}` is for a key of {} holders, but tacet.toml lists {} parties",
                             run.file, bundle.n_key_holders, holders.names.size())};
  }
  holders.own = holders.plan.rank;
  Result<PartySet> participants = find_participants(holders, options);
  if (!participants) {
    return participants.error();
  }
  holders.participants = *participants;
  if (!options.receiver.empty()) {
    holders.receiver = holder_number(holders.names, options.receiver);
    if (!holders.receiver) {
      return unknown_holder("--to", options.receiver, holders.names);
    }
    if (!holders.participants.contains(*holders.receiver)) {
      return Error{fmt::format("`--to {}`: only holders that take part can learn the results",
                               options.receiver)};
    }
  }
  set_limit(run.connect_seconds, holders.plan.times.connect);
  set_limit(run.silence_seconds, holders.plan.times.silence);
  set_limit(run.patience_seconds, holders.plan.times.patience);
  return holders;
}

auto decryption_identity(const engine::HeBundle& bundle, const JointOptions& options,
                         const Holders& holders) -> Result<RunIdentity> {
  RunIdentity identity{
      .version = fmt::format("{} ({})", kVersion, kCommit),
      .protocol = fmt::format("joint decryption, {}", engine::scheme_word(bundle.scheme)),
      .truncation = {},
      .correlations = {},
      .program = engine::to_text(bundle),
      .public_inputs = options.receiver.empty() ? "results to all who decrypt"
                                                : "results to " + options.receiver};
  Result<project::Workspace> workspace = workspace_of_parties(options.run->file);
  Result<net::MeetingPlan> all = workspace ? plan_party_without_key(*workspace, options.run->party)
                                           : Result<net::MeetingPlan>(workspace.error());
  if (!all) {
    return all.error();
  }
  for (unsigned number = 0; number < holders.names.size(); ++number) {
    Result<std::string> fingerprint = net::fingerprint(all->parties[number].certificate);
    if (!fingerprint) {
      return Error{fmt::format("the certificate of `{}`: {}", holders.names[number],
                               fingerprint.error().message)};
    }
    identity.members.push_back({holders.names[number], std::move(*fingerprint)});
    identity.ranks.push_back(number);
  }
  return identity;
}

auto hexadecimal(std::span<const std::byte> bytes) -> std::string {
  std::string text;
  for (const std::byte byte : bytes) {
    text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  }
  return text;
}

auto meet_holders(Holders& holders, const JointOptions& options, std::string& failed)
    -> Result<std::unique_ptr<net::Links>> {
  keep_participants(holders);
  options.run->beginning->has_met = true;
  return meet_others(std::move(holders.plan), &failed);
}

auto traffic_of(const net::Links& links) -> std::vector<MpcLink> {
  std::vector<MpcLink> traffic;
  for (net::Rank peer = 0; peer < links.n_parties(); ++peer) {
    if (peer != links.rank()) {
      const net::LinkCounters counters = links.counters(peer);
      traffic.push_back({links.name(peer), counters.bytes_sent, counters.bytes_received});
    }
  }
  return traffic;
}

}  // namespace tacet::cli
