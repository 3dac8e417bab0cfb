#include "cli/parties/party_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>

#include "cli/find_files.h"
#include "cli/parties/consents.h"

namespace tacet::cli {

namespace {

/// Longer values of public inputs are not repeated in each line: the digest covers them.
constexpr size_t kMostRecorded = 16;

auto log_path_of(const project::Workspace& workspace, const RunOptions& options) -> std::string {
  if (!options.audit.empty()) {
    return absolute_path(options.audit);
  }
  const std::string& written = workspace.manifest.mpc.audit;
  return written.empty() ? written : (std::filesystem::path(workspace.root) / written).string();
}

void describe_values(const engine::MpcProgram& program, const MpcSeat& seat,
                     const std::vector<std::optional<engine::MpcCells>>& inputs, AuditedRun& run,
                     std::vector<AuditedRun::Result>& results) {
  const auto name_of = [&](engine::MpcPartyId party) {
    return party.has_value() ? seat.plan.parties[seat.ranks[party.index]].name : std::string();
  };
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const engine::MpcRegister& reg = program.registers[program.inputs[i].reg];
    AuditedRun::Input input{.name = reg.name, .type = engine::type_text(reg.type), .supplier = {}};
    if (reg.type.is_secret()) {
      const engine::MpcPartyId owner = program.inputs[i].owner;
      input.supplier = owner.has_value() ? name_of(owner) : seat.plan.parties[0].name;
    } else {
      input.is_of_all = true;
      input.value = inputs[i]->size() <= kMostRecorded
                        ? fmt::format("{}", fmt::join(*inputs[i], " "))
                        : fmt::format("{} numbers", inputs[i]->size());
    }
    run.inputs.push_back(std::move(input));
  }
  for (const engine::MpcOutput& output : program.outputs) {
    results.push_back({output.name, engine::type_text(program.registers[output.reg].type),
                       name_of(output.receiver)});
  }
}

}  // namespace

/// The command that allows what `options` run, for an error.
static auto command_to_allow(const RunOptions& options) -> std::string {
  std::string command = fmt::format("tacet party allow {}", options.file);
  if (!options.target.function.empty()) {
    command += " --fn " + options.target.function;
  }
  return fmt::format("`{} --party {}`, with the same public inputs and options,", command,
                     options.party);
}

auto PartyRecord::begin(const engine::MpcProgram& program, const MpcSeat& seat,
                        const std::vector<std::optional<engine::MpcCells>>& inputs,
                        const RunOptions& options) -> Result<PartyRecord> {
  Result<RunIdentity> identity = identity_of(program, seat, options, inputs);
  if (!identity) {
    return identity.error();
  }
  AuditedRun run{.started = utc_now(),
                 .party = options.party,
                 .file = options.file,
                 .function = options.beginning->function,
                 .identity = std::move(*identity),
                 .outcome = {}};
  std::vector<AuditedRun::Result> results;
  describe_values(program, seat, inputs, run, results);
  return begin(std::move(run), std::move(results), options, command_to_allow(options));
}

auto PartyRecord::begin(AuditedRun run, std::vector<AuditedRun::Result> results,
                        const RunOptions& options, const std::string& command)
    -> Result<PartyRecord> {
  PartyRecord record;
  Result<std::optional<project::Workspace>> workspace = workspace_around(options);
  if (!workspace || !*workspace) {
    return workspace ? Error{"no tacet.toml found for the program"} : workspace.error();
  }
  const RunDigests digests = digests_of(run.identity);
  record.digest_ = digests.of_run;
  record.path_ = log_path_of(**workspace, options);
  record.run_ = std::move(run);
  record.results_ = std::move(results);
  if (!record.path_.empty()) {
    if (Status writable = check_audit_log(record.path_); !writable) {
      options.beginning->excuse = "cannot write its audit log";
      return writable.error();
    }
  }
  if (Status allowed = missing_consent(**workspace, options, digests, command); !allowed) {
    options.beginning->excuse = "has not allowed this run";
    record.run_.outcome = "refused";
    if (Status recorded = record.end({.reason = "not allowed by this party"}); !recorded) {
      return recorded.error();
    }
    return allowed.error();
  }
  return record;
}

auto PartyRecord::end(PartyEnding ending) -> Status {
  if (path_.empty()) {
    return std::monostate{};
  }
  if (run_.outcome.empty()) {
    run_.outcome = ending.reason.empty() ? "completed" : "failed";
  }
  if (run_.outcome == "completed") {
    run_.results = std::move(results_);
  }
  run_.failed_party = std::move(ending.failed_party);
  run_.reason = std::move(ending.reason);
  run_.links = std::move(ending.links);
  run_.rounds = ending.rounds;
  run_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  return append_to_audit_log(path_, run_);
}

}  // namespace tacet::cli
