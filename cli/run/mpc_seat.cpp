#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/run/mpc_protocol.h"
#include "cli/run/party_plan.h"

namespace tacet::cli {

using net::Rank;

void report_failure_to_others(const RunOptions& options) {
  Result<std::optional<project::Workspace>> workspace = workspace_around(options);
  if (!workspace || !*workspace) {
    return;
  }
  Result<ProtocolChoice> choice = choose_protocol(options, *workspace);
  const bool has_dealer = choice && choice->has_dealer() && (*workspace)->manifest.mpc.dealer;
  const Dealer dealer = has_dealer ? Dealer::Included : Dealer::None;
  Result<net::MeetingPlan> plan = plan_party(**workspace, options.party, options.party_key, dealer);
  if (!plan) {
    plan = plan_party_without_key(**workspace, options.party, dealer);
  }
  if (plan) {
    plan->failure = options.beginning->excuse;
    plan->times = times_with(options, plan->times);
    static_cast<void>(net::meet(std::move(*plan)));
  }
}

auto find_seat(const engine::MpcProgram& program, const RunOptions& options, SeatKey key)
    -> Result<MpcSeat> {
  Result<ProtocolSetting> setting = find_protocol_setting(options);
  if (!setting) {
    return setting.error();
  }
  const std::optional<project::Workspace>& workspace = setting->workspace;
  const ProtocolChoice& choice = setting->choice;
  if (!workspace) {
    return Error{"no tacet.toml found for the program; it must list the parties"};
  }
  const Dealer dealer = choice.has_dealer() ? Dealer::Included : Dealer::None;
  Result<net::MeetingPlan> plan =
      key == SeatKey::Read ? plan_party(*workspace, options.party, options.party_key, dealer)
                           : plan_party_without_key(*workspace, options.party, dealer);
  if (!plan) {
    return plan.error();
  }
  MpcSeat seat{.plan = std::move(*plan)};
  const net::TimeLimits times = times_with(options, seat.plan.times);
  seat.rank = seat.plan.rank;
  seat.protocol = choice.protocol;
  seat.has_dealer = choice.has_dealer();
  seat.plan.times = seat.is_dealer() ? mpc::times_of_dealer(times) : times;
  const bool is_for_three =
      seat.protocol == RunProtocol::Aby3 || seat.protocol == RunProtocol::Aby3Active;
  if (is_for_three && seat.plan.parties.size() != 3) {
    return Error{fmt::format(
        "{} requires three parties, but tacet.toml lists {}; semi2k supports any number",
        mpc::protocol_name(protocol_of(seat.protocol)), seat.plan.parties.size())};
  }
  if (seat.protocol == RunProtocol::Rep4 && seat.plan.parties.size() != 4) {
    return Error{fmt::format("rep4 requires four parties, but tacet.toml lists {}",
                             seat.plan.parties.size())};
  }
  for (const std::string& name : program.parties) {
    const auto& parties = seat.plan.parties;
    const auto end = parties.end() - (seat.has_dealer ? 1 : 0);
    const auto found = std::find_if(
        parties.begin(), end, [&](const net::PartyAddress& party) { return party.name == name; });
    if (found == end) {
      return Error{fmt::format("party `{}` of the program is not in tacet.toml", name)};
    }
    seat.ranks.push_back(static_cast<Rank>(found - parties.begin()));
  }
  return seat;
}

auto is_given_to(const MpcSeat& seat, const engine::MpcProgram& program, size_t index, Rank rank)
    -> bool {
  const engine::MpcInput& input = program.inputs[index];
  const Rank owner = input.owner.has_value() ? seat.ranks[input.owner.index] : 0;
  return !program.registers[input.reg].type.is_secret() || owner == rank;
}

auto seats_here(const engine::MpcProgram& program, const RunOptions& options) -> Result<MpcSeat> {
  Result<ProtocolSetting> setting = find_protocol_setting(options);
  if (!setting) {
    return setting.error();
  }
  MpcSeat seat{.plan = {}};
  seat.protocol = setting->choice.protocol;
  seat.has_dealer = setting->choice.has_dealer();
  const Rank n_parties = count_of_parties(protocol_of(seat.protocol), program.parties.size());
  for (Rank rank = 0; rank < n_parties; ++rank) {
    const bool is_named = rank < program.parties.size();
    seat.plan.parties.emplace_back().name =
        is_named ? program.parties[rank] : fmt::format("party {}", rank);
  }
  if (seat.has_dealer) {
    seat.plan.parties.emplace_back().name = "dealer";
  }
  for (size_t i = 0; i < program.parties.size(); ++i) {
    seat.ranks.push_back(static_cast<Rank>(i) % n_parties);
  }
  return seat;
}

auto protocol_word(RunProtocol protocol) -> std::string {
  return std::string(mpc::protocol_name(protocol_of(protocol)));
}

auto truncation_word(const RunOptions& options) -> std::string {
  return options.truncation == RunTruncation::Exact ? "exact" : "probabilistic";
}

auto correlations_word(const MpcSeat& seat) -> std::string {
  return std::string(mpc::correlations_name(seat.has_dealer ? mpc::CorrelationsKind::Dealer
                                                            : mpc::CorrelationsKind::Bfv));
}

auto public_inputs_text(const engine::MpcProgram& program,
                        const std::vector<std::optional<engine::MpcCells>>& inputs) -> std::string {
  std::string known;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (!program.registers[program.inputs[i].reg].type.is_secret()) {
      known += fmt::format("{}\n", fmt::join(*inputs[i], " "));
    }
  }
  return known;
}

auto is_given_by(const MpcSeat& seat, const engine::MpcProgram& program, size_t index) -> bool {
  return is_given_to(seat, program, index, seat.rank);
}

}  // namespace tacet::cli
