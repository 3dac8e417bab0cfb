#include <fmt/format.h>

#include <algorithm>

#include "cli/parties/party_record.h"
#include "cli/run/mpc_protocol.h"
#include "cli/run/party_plan.h"
#include "cli/thread_executor.h"
#include "cli/version_info.h"
#include "engine/mpc_model/programs/program_costs.h"
#include "engine/program/mpc/text.h"

namespace tacet::cli {

using mpc::PartyResult;
using mpc::PartyWork;
using net::Rank;

auto rehearse(const engine::MpcProgram& program, const MpcSeat& seat,
              const std::vector<engine::MpcCells>& inputs, const RunOptions& options,
              PhaseLine& line) -> Result<MpcRehearsal> {
  const ProtocolChoice choice{seat.protocol,
                              seat.has_dealer ? RunCorrelations::Dealer : RunCorrelations::Bfv};
  const mpc::ProtocolKind protocol = protocol_of(seat.protocol);
  const auto n_parties = static_cast<Rank>(seat.plan.parties.size() - (seat.has_dealer ? 1 : 0));
  std::vector<PartyWork> works =
      works_of(program, inputs, options, engine::PublicRandomKey{}, choice, n_parties);
  for (Rank rank = 0; rank < n_parties; ++rank) {
    works[rank].ranks = seat.ranks;
    for (size_t i = 0; i < inputs.size(); ++i) {
      works[rank].inputs[i] =
          is_given_to(seat, program, i, rank) ? std::optional(inputs[i]) : std::nullopt;
    }
  }
  const net::TimeLimits times{.patience = std::chrono::hours(24 * 365)};
  mpc::LocalOutcome outcome =
      mpc::run_on_threads(works, rounds_on(line, program, protocol, n_parties), times);
  line.end();
  stop_if_cancelled();
  if (!outcome.failure.empty()) {
    return Error{outcome.failure};
  }
  const mpc_model::LineCost cost = cost_of_program(*costs_for(protocol, n_parties), program).total;
  const mpc_model::Certainty& how = cost.certainty;
  MpcRehearsal rehearsal{.costs = costs_of(outcome.results, protocol),
                         .links = std::move(outcome.links)};
  rehearsal.is_certain = !how.is_average && !how.is_greatest && !how.is_of_iterations;
  const PartyResult& first = outcome.results.front();
  if (first.fault != engine::MpcRunFault::None) {
    rehearsal.fault = fmt::format("{} on line {}", engine::fault_text(first.fault),
                                  program.code[first.instruction].line);
  }
  return rehearsal;
}

/// The run of a party, from the meeting to its end, which `ending` hears of.
static auto run_with_others(const engine::MpcProgram& program, MpcSeat seat, const PartyWork& work,
                            PhaseLine& line, PartyEnding& ending) -> Result<MpcPartyRun> {
  Result<std::unique_ptr<net::Links>> met = meet_others(std::move(seat.plan), &ending.failed_party);
  if (!met) {
    ending.reason = met.error().message;
    return met.error();
  }
  net::Links& links = **met;
  const auto n_parties = static_cast<Rank>(links.n_parties() - (seat.has_dealer ? 1 : 0));
  const auto fails = [&](const net::LinkError& error) {
    ending.failed_party = links.name(error.party);
    ending.reason = describe(links, error);
    return Error{ending.reason};
  };
  auto outcome = mpc::run_party(links, work, rounds_on(line, program, work.protocol, n_parties));
  line.end();
  for (Rank peer = 0; peer < links.n_parties(); ++peer) {
    if (peer != links.rank()) {
      const net::LinkCounters counters = links.counters(peer);
      ending.links.push_back({links.name(peer), counters.bytes_sent, counters.bytes_received});
    }
  }
  stop_if_cancelled();
  if (const net::LinkError* error = std::get_if<net::LinkError>(&outcome)) {
    return fails(*error);
  }
  if (const net::LinkStatus failure = links.finish()) {
    return fails(*failure);
  }
  PartyResult& result = std::get<0>(outcome);
  ending.rounds = result.rounds + (result.hand_overs ? result.hand_overs->rounds : 0);
  result.outputs.resize(program.outputs.size());
  if (result.fault != engine::MpcRunFault::None) {
    ending.reason = fmt::format("{} on line {}", engine::fault_text(result.fault),
                                program.code[result.instruction].line);
    return Error{ending.reason};
  }
  MpcPartyRun run{.outputs = result.outputs, .costs = costs_of({result}, work.protocol)};
  run.costs.n_parties = n_parties;
  run.costs.links = ending.links;
  run.random_key = result.random_key;
  return run;
}

auto run_as_party(const engine::MpcProgram& program, MpcSeat seat,
                  std::vector<std::optional<engine::MpcCells>> inputs, const RunOptions& options,
                  const std::optional<engine::PublicRandomKey>& key, PhaseLine& line)
    -> Result<MpcPartyRun> {
  PartyWork work{.protocol = protocol_of(seat.protocol),
                 .program = engine::to_text(program),
                 .inputs = std::move(inputs),
                 .ranks = seat.ranks,
                 .truncation = truncation_of(options),
                 .random_key = key};
  work.n_threads = thread_count(options.n_threads);
  work.correlations = seat.has_dealer ? mpc::CorrelationsKind::Dealer : mpc::CorrelationsKind::Bfv;
  Result<PartyRecord> record = PartyRecord::begin(program, seat, work.inputs, options);
  if (!record) {
    return record.error();
  }
  // What all must have alike: the program, how it is run, and what everybody knows.
  seat.plan.agreement = {
      {"version of Tacet", fmt::format("{} ({})", kVersion, kCommit)},
      {"protocol", std::string(mpc::protocol_name(work.protocol))},
      {"truncation", truncation_word(options)},
      {"kind of correlations", std::string(mpc::correlations_name(work.correlations))},
      {"program", net::digest_of(work.program)},
      {"digest of public inputs", net::digest_of(public_inputs_text(program, work.inputs))},
      {"digest of the run, which covers the parties' certificates", record->digest()}};
  options.beginning->has_met = true;
  PartyEnding ending;
  Result<MpcPartyRun> run = run_with_others(program, std::move(seat), work, line, ending);
  if (Status recorded = record->end(std::move(ending)); !recorded) {
    return Error{fmt::format("{}; the results of the run are withheld", recorded.error().message)};
  }
  return run;
}

}  // namespace tacet::cli
