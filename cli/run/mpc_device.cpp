#include "cli/run/mpc_device.h"

#include <fmt/format.h>
#include <unistd.h>

#include <set>

#include "cli/own_process.h"
#include "cli/run/mpc_protocol.h"
#include "cli/run/mpc_trace.h"
#include "cli/run/party_plan.h"
#include "engine/mpc/device/parties_device.h"

namespace tacet::cli {

using mpc::PartyResult;
using mpc::PartyWork;
using net::Rank;

namespace {

/// How long parties wait that all run here.
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

}  // namespace

auto run_on_mpc(const engine::MpcProgram& program, const std::vector<engine::MpcCells>& inputs,
                const RunOptions& options, const engine::PublicRandomKey& key, PhaseLine& line)
    -> Result<MpcDeviceRun> {
  Result<ProtocolSetting> setting = find_protocol_setting(options);
  if (!setting) {
    return setting.error();
  }
  const mpc::ProtocolKind protocol = protocol_of(setting->choice.protocol);
  const Rank n_parties = count_of_parties(protocol, program.parties.size());
  const std::vector<PartyWork> works =
      works_of(program, inputs, options, key, setting->choice, n_parties);
  const mpc::RoundWatch watch = rounds_on(line, program, protocol, n_parties);
  mpc::LocalOutcome outcome =
      are_threads(options) ? mpc::run_on_threads(works, watch)
                           : mpc::run_as_processes(works, {own_path(), std::string(kPartyOfRun)},
                                                   times_for(options, setting->workspace), watch);
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
  Result<ProtocolSetting> setting = find_protocol_setting(options);
  if (!setting) {
    return setting.error();
  }
  std::set<std::string> names;
  for (const std::optional<engine::MpcProgram>& program : programs) {
    if (program) {
      names.insert(program->parties.begin(), program->parties.end());
    }
  }
  mpc::PartiesPlan plan{.protocol = protocol_of(setting->choice.protocol),
                        .correlations = correlations_of(setting->choice),
                        .truncation = truncation_of(options),
                        .random_key = key,
                        .records_events = !options.trace.empty()};
  plan.n_parties = count_of_parties(plan.protocol, names.size());
  if (!are_threads(options)) {
    plan.command = {own_path(), std::string(kPartyOfSession)};
    plan.times = times_for(options, setting->workspace);
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

auto serve_party_of_run() -> int {
  return net::serve_as_child(mpc::run_party_process);
}

auto serve_party_of_session() -> int {
  return net::serve_as_child(mpc::run_session_party);
}

}  // namespace tacet::cli
