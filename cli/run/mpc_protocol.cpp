#include "cli/run/mpc_protocol.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/thread_executor.h"
#include "engine/mpc_model/programs/program_costs.h"
#include "engine/program/mpc/text.h"

namespace tacet::cli {

using mpc::PartyResult;
using mpc::PartyWork;
using net::Rank;

auto correlations_of(const ProtocolChoice& choice) -> mpc::CorrelationsKind {
  return choice.has_dealer() ? mpc::CorrelationsKind::Dealer : mpc::CorrelationsKind::Bfv;
}

auto count_of_parties(mpc::ProtocolKind protocol, size_t n_named) -> Rank {
  switch (protocol) {
    case mpc::ProtocolKind::Aby3:
    case mpc::ProtocolKind::Aby3Active:
      return 3;
    case mpc::ProtocolKind::Rep4:
      return 4;
    case mpc::ProtocolKind::Ref:
    case mpc::ProtocolKind::Semi2k:
      break;
  }
  return static_cast<Rank>(std::clamp<size_t>(n_named, 2, 16));
}

auto truncation_of(const RunOptions& options) -> mpc::Truncation {
  return options.truncation == RunTruncation::Probabilistic ? mpc::Truncation::Probabilistic
                                                            : mpc::Truncation::Exact;
}

auto times_with(const RunOptions& options, net::TimeLimits times) -> net::TimeLimits {
  const auto set = [](std::chrono::milliseconds& time, uint64_t seconds) {
    time = seconds == 0 ? time : std::chrono::seconds(seconds);
  };
  set(times.connect, options.connect_seconds);
  set(times.silence, options.silence_seconds);
  set(times.patience, options.patience_seconds);
  return times;
}

auto works_of(const engine::MpcProgram& program, const std::vector<engine::MpcCells>& inputs,
              const RunOptions& options, const engine::PublicRandomKey& key,
              const ProtocolChoice& choice, Rank n_parties) -> std::vector<PartyWork> {
  PartyWork same{.protocol = protocol_of(choice.protocol),
                 .program = engine::to_text(program),
                 .truncation = truncation_of(options),
                 .random_key = key,
                 .records_events = !options.trace.empty(),
                 .correlations = correlations_of(choice),
                 .n_threads = std::max(1U, thread_count(options.n_threads) / n_parties)};
  for (size_t i = 0; i < program.parties.size(); ++i) {
    same.ranks.push_back(static_cast<Rank>(i) % n_parties);
  }
  std::vector<PartyWork> works(n_parties, same);
  for (Rank rank = 0; rank < n_parties; ++rank) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const engine::MpcInput& input = program.inputs[i];
      const Rank owner = input.owner.has_value() ? same.ranks[input.owner.index] : 0;
      const bool is_known = !program.registers[input.reg].type.is_secret() || owner == rank;
      works[rank].inputs.push_back(is_known ? std::optional(inputs[i]) : std::nullopt);
    }
    works[rank].inputs.resize(program.inputs.size());  // shares of encrypted results come later
  }
  return works;
}

auto costs_of(const std::vector<PartyResult>& results, mpc::ProtocolKind protocol) -> MpcCosts {
  MpcCosts costs{.protocol = protocol, .n_parties = static_cast<Rank>(results.size())};
  for (const PartyResult& result : results) {
    costs.rounds = std::max(costs.rounds, result.rounds);
    costs.bytes_sent = std::max(costs.bytes_sent, result.bytes_sent);
    costs.messages = std::max(costs.messages, result.messages);
    costs.seconds = std::max(costs.seconds, result.seconds);
    costs.n_instructions = result.n_instructions;
    costs.log_slack = std::max(costs.log_slack, result.log_slack);
    if (const std::optional<mpc::HandOverCosts>& encrypted = result.hand_overs) {
      mpc::HandOverCosts& most = costs.encrypted ? *costs.encrypted : costs.encrypted.emplace();
      most.rounds = std::max(most.rounds, encrypted->rounds);
      most.bytes_sent = std::max(most.bytes_sent, encrypted->bytes_sent);
      most.key_bytes_sent = std::max(most.key_bytes_sent, encrypted->key_bytes_sent);
      most.seconds = std::max(most.seconds, encrypted->seconds);
    }
  }
  costs.traffic = results.front().traffic;
  costs.operations = results.front().operations;
  return costs;
}

auto costs_for(mpc::ProtocolKind protocol, Rank n_parties)
    -> std::unique_ptr<mpc_model::ProtocolCosts> {
  switch (protocol) {
    case mpc::ProtocolKind::Ref:
      return mpc_model::ref_costs(n_parties);
    case mpc::ProtocolKind::Semi2k:
      return mpc_model::semi2k_costs(n_parties);
    case mpc::ProtocolKind::Aby3Active:
      return mpc_model::aby3_active_costs();
    case mpc::ProtocolKind::Rep4:
      return mpc_model::rep4_costs();
    case mpc::ProtocolKind::Aby3:
      break;
  }
  return mpc_model::aby3_costs();
}

auto rounds_on(PhaseLine& line, const engine::MpcProgram& program, mpc::ProtocolKind protocol,
               Rank n_parties) -> mpc::RoundWatch {
  auto shown = line.begin("rounds of the parties:");
  if (!shown) {
    return {};
  }
  // A million instructions are simulated in less time than a thousand rounds take.
  const mpc_model::LineCost cost =
      cost_of_program(*costs_for(protocol, n_parties), program, {.most_instructions = 1'000'000})
          .total;
  const bool is_known = !cost.certainty.is_of_iterations && !cost.certainty.is_cut;
  return [shown = std::move(shown), n_expected = is_known ? cost.cost.rounds : 0](uint64_t n) {
    shown(n, n_expected == 0 ? 0 : std::max(n, n_expected));
  };
}

auto protocol_names() -> std::vector<std::string> {
  std::vector<std::string> names;
  for (const mpc::ProtocolKind protocol :
       {mpc::ProtocolKind::Ref, mpc::ProtocolKind::Semi2k, mpc::ProtocolKind::Aby3,
        mpc::ProtocolKind::Rep4, mpc::ProtocolKind::Aby3Active}) {
    names.emplace_back(mpc::protocol_name(protocol));
  }
  return names;
}

}  // namespace tacet::cli
