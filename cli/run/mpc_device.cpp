#include "cli/run/mpc_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/own_process.h"
#include "cli/parties/party_record.h"
#include "cli/run/mpc_trace.h"
#include "cli/run/party_plan.h"
#include "cli/version_info.h"
#include "engine/mpc/device/parties_device.h"
#include "engine/mpc_model/programs/program_costs.h"
#include "engine/mpc_model/protocol_costs.h"
#include "engine/net/credentials.h"
#include "engine/program/mpc/text.h"

namespace tacet::cli {

using mpc::PartyResult;
using mpc::PartyWork;
using net::Rank;

auto workspace_around(const RunOptions& options) -> Result<std::optional<project::Workspace>> {
  std::vector<std::string> warnings;
  const std::string path = std::filesystem::absolute(options.file).lexically_normal().string();
  return project::find_workspace(path.substr(0, path.rfind('/')), warnings);
}

namespace {

auto protocol_of(RunProtocol protocol) -> mpc::ProtocolKind {
  switch (protocol) {
    case RunProtocol::Ref:
      return mpc::ProtocolKind::Ref;
    case RunProtocol::Semi2k:
      return mpc::ProtocolKind::Semi2k;
    case RunProtocol::Rep4:
      return mpc::ProtocolKind::Rep4;
    case RunProtocol::Aby3Active:
      return mpc::ProtocolKind::Aby3Active;
    case RunProtocol::Aby3:
      break;
  }
  return mpc::ProtocolKind::Aby3;
}

auto find_protocol(std::string_view name) -> std::optional<RunProtocol> {
  for (const RunProtocol protocol : {RunProtocol::Ref, RunProtocol::Semi2k, RunProtocol::Aby3,
                                     RunProtocol::Rep4, RunProtocol::Aby3Active}) {
    if (mpc::protocol_name(protocol_of(protocol)) == name) {
      return protocol;
    }
  }
  return std::nullopt;
}

/// How parties compute: as the command line says, or else the workspace around the program.
struct ProtocolChoice {
  RunProtocol protocol = RunProtocol::Aby3;
  RunCorrelations correlations = RunCorrelations::Bfv;

  [[nodiscard]] auto has_dealer() const -> bool {
    return protocol == RunProtocol::Semi2k && correlations == RunCorrelations::Dealer;
  }
};

auto choose_protocol(const RunOptions& options, const std::optional<project::Workspace>& workspace)
    -> Result<ProtocolChoice> {
  ProtocolChoice choice{options.protocol, options.correlations};
  if (!workspace) {
    return choice;
  }
  const project::MpcSettings& settings = workspace->manifest.mpc;
  if (!options.names_protocol && !settings.protocol.empty()) {
    const std::optional<RunProtocol> protocol = find_protocol(settings.protocol);
    if (!protocol) {
      return Error{fmt::format("tacet.toml: unknown protocol `{}`", settings.protocol)};
    }
    choice.protocol = *protocol;
  }
  if (!options.names_correlations && settings.correlations == "dealer") {
    choice.correlations = RunCorrelations::Dealer;
  }
  return choice;
}

auto correlations_of(const ProtocolChoice& choice) -> mpc::CorrelationsKind {
  return choice.has_dealer() ? mpc::CorrelationsKind::Dealer : mpc::CorrelationsKind::Bfv;
}

/// Three of `aby3` and `aby3-active`, four of `rep4`; else as many as are named, and two at least.
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

/// What the command line says of how long is waited, else `times`.
auto times_with(const RunOptions& options, net::TimeLimits times) -> net::TimeLimits {
  const auto set = [](std::chrono::milliseconds& time, uint64_t seconds) {
    time = seconds == 0 ? time : std::chrono::seconds(seconds);
  };
  set(times.connect, options.connect_seconds);
  set(times.silence, options.silence_seconds);
  set(times.patience, options.patience_seconds);
  return times;
}

/// The same of parties that all run here.
auto times_for(const RunOptions& options, const std::optional<project::Workspace>& workspace)
    -> net::TimeLimits {
  return times_with(options, workspace ? times_of(workspace->manifest.mpc) : net::TimeLimits());
}

/// Another program than `tacet` does not know the arguments that make it a party.
auto are_threads(const RunOptions& options) -> bool {
  return options.in_process || !owns_process();
}

/// The path of this program, to start it again.
auto own_path() -> std::string {
  std::string path(4096, '\0');
  const ssize_t n = readlink("/proc/self/exe", path.data(), path.size());
  path.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return path;
}

auto works_of(const engine::MpcProgram& program, const std::vector<engine::MpcCells>& inputs,
              const RunOptions& options, const engine::PublicRandomKey& key,
              const ProtocolChoice& choice, Rank n_parties) -> std::vector<PartyWork> {
  PartyWork same{.protocol = protocol_of(choice.protocol),
                 .program = engine::to_text(program),
                 .truncation = truncation_of(options),
                 .random_key = key,
                 .records_events = !options.trace.empty(),
                 .correlations = correlations_of(choice)};
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

/// Shows rounds beside how many the program is expected to take, if that is known before it runs.
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

}  // namespace

auto run_on_mpc(const engine::MpcProgram& program, const std::vector<engine::MpcCells>& inputs,
                const RunOptions& options, const engine::PublicRandomKey& key, PhaseLine& line)
    -> Result<MpcDeviceRun> {
  Result<std::optional<project::Workspace>> workspace = workspace_around(options);
  if (!workspace) {
    return workspace.error();
  }
  Result<ProtocolChoice> choice = choose_protocol(options, *workspace);
  if (!choice) {
    return choice.error();
  }
  const mpc::ProtocolKind protocol = protocol_of(choice->protocol);
  const Rank n_parties = count_of_parties(protocol, program.parties.size());
  const std::vector<PartyWork> works = works_of(program, inputs, options, key, *choice, n_parties);
  const mpc::RoundWatch watch = rounds_on(line, program, protocol, n_parties);
  mpc::LocalOutcome outcome =
      are_threads(options) ? mpc::run_on_threads(works, watch)
                           : mpc::run_as_processes(works, {own_path(), std::string(kPartyOfRun)},
                                                   times_for(options, *workspace), watch);
  line.end();
  stop_if_cancelled();
  if (!outcome.failure.empty()) {
    return Error{outcome.failure};
  }
  const PartyResult& first = outcome.results.front();
  if (first.fault != engine::MpcRunFault::None) {
    return Error{fmt::format("{} on line {}", engine::fault_text(first.fault),
                             program.code[first.instruction].line)};
  }
  if (!options.trace.empty()) {
    if (Status written = write_mpc_trace(options.trace, {&program, 1}, outcome.results); !written) {
      return written.error();
    }
  }
  MpcDeviceRun run{.outputs = {}, .costs = costs_of(outcome.results, protocol)};
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    for (PartyResult& result : outcome.results) {
      if (result.outputs[i]) {
        run.outputs.push_back(std::move(*result.outputs[i]));
        break;
      }
    }
  }
  return run;
}

auto make_parties_device(const engine::CoordinatorProgram& coordinator,
                         std::vector<std::optional<engine::MpcProgram>> programs,
                         const RunOptions& options, const engine::PublicRandomKey& key)
    -> Result<std::unique_ptr<engine::Device>> {
  Result<std::optional<project::Workspace>> workspace = workspace_around(options);
  if (!workspace) {
    return workspace.error();
  }
  Result<ProtocolChoice> choice = choose_protocol(options, *workspace);
  if (!choice) {
    return choice.error();
  }
  std::set<std::string> names;
  for (const std::optional<engine::MpcProgram>& program : programs) {
    if (program) {
      names.insert(program->parties.begin(), program->parties.end());
    }
  }
  mpc::PartiesPlan plan{.protocol = protocol_of(choice->protocol),
                        .correlations = correlations_of(*choice),
                        .truncation = truncation_of(options),
                        .random_key = key,
                        .records_events = !options.trace.empty()};
  plan.n_parties = count_of_parties(plan.protocol, names.size());
  if (!are_threads(options)) {
    plan.command = {own_path(), std::string(kPartyOfSession)};
    plan.times = times_for(options, *workspace);
  }
  std::unique_ptr<engine::Device> device =
      std::make_unique<mpc::PartiesDevice>(coordinator, std::move(programs), std::move(plan));
  return device;
}

auto end_parties(engine::Device& device, const RunOptions& options)
    -> Result<std::optional<MpcCosts>> {
  auto& parties = static_cast<mpc::PartiesDevice&>(device);
  Result<std::optional<mpc::PartiesDevice::Finished>> finished = parties.end();
  if (!parties.failure().empty()) {
    return Error{parties.failure()};
  }
  if (!finished) {
    return finished.error();
  }
  if (!*finished) {
    return std::optional<MpcCosts>();
  }
  if (!options.trace.empty()) {
    if (Status written =
            write_mpc_trace(options.trace, (*finished)->programs, (*finished)->results);
        !written) {
      return written.error();
    }
  }
  return std::optional(costs_of((*finished)->results, parties.protocol()));
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
  Result<std::optional<project::Workspace>> workspace = workspace_around(options);
  if (!workspace) {
    return workspace.error();
  }
  if (!*workspace) {
    return Error{"no tacet.toml found for the program; it must list the parties"};
  }
  Result<ProtocolChoice> choice = choose_protocol(options, *workspace);
  if (!choice) {
    return choice.error();
  }
  const Dealer dealer = choice->has_dealer() ? Dealer::Included : Dealer::None;
  Result<net::MeetingPlan> plan =
      key == SeatKey::Read ? plan_party(**workspace, options.party, options.party_key, dealer)
                           : plan_party_without_key(**workspace, options.party, dealer);
  if (!plan) {
    return plan.error();
  }
  MpcSeat seat{.plan = std::move(*plan)};
  const net::TimeLimits times = times_with(options, seat.plan.times);
  seat.rank = seat.plan.rank;
  seat.protocol = choice->protocol;
  seat.has_dealer = choice->has_dealer();
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

/// Does the party of `rank` need a value for the input?
static auto is_given_to(const MpcSeat& seat, const engine::MpcProgram& program, size_t index,
                        Rank rank) -> bool {
  const engine::MpcInput& input = program.inputs[index];
  const Rank owner = input.owner.has_value() ? seat.ranks[input.owner.index] : 0;
  return !program.registers[input.reg].type.is_secret() || owner == rank;
}

auto seats_here(const engine::MpcProgram& program, const RunOptions& options) -> Result<MpcSeat> {
  Result<std::optional<project::Workspace>> workspace = workspace_around(options);
  if (!workspace) {
    return workspace.error();
  }
  Result<ProtocolChoice> choice = choose_protocol(options, *workspace);
  if (!choice) {
    return choice.error();
  }
  MpcSeat seat{.plan = {}};
  seat.protocol = choice->protocol;
  seat.has_dealer = choice->has_dealer();
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

auto is_given_by(const MpcSeat& seat, const engine::MpcProgram& program, size_t index) -> bool {
  return is_given_to(seat, program, index, seat.rank);
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
  ending.rounds = result.rounds;
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

auto serve_party_of_run() -> int {
  return net::serve_as_child(mpc::run_party_process);
}

auto serve_party_of_session() -> int {
  return net::serve_as_child(mpc::run_session_party);
}

}  // namespace tacet::cli
