#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/choice_option.h"
#include "cli/commands/commands.h"
#include "cli/parties/party_records.h"
#include "cli/run/core_dumps.h"
#include "cli/run/link_times_file.h"
#include "cli/run/mpc_device.h"
#include "cli/run/party_plan.h"
#include "cli/run/run_options.h"
#include "cli/run/run_program.h"

namespace tacet::cli {

namespace {

enum class PartyAction : uint8_t { Keygen, Measure, Run, Allow, Allowed, Forbid, Audit };

struct PartyOptions {
  PartyAction action = PartyAction::Keygen;
  std::shared_ptr<RunOptions> run = std::make_shared<RunOptions>();
  std::string folder = ".";
  int n_days = 3650;
};

auto party_usage_error(Invocation& invocation, std::string_view message) -> ExitCode {
  invocation.error(message);
  return ExitCode::Usage;
}

auto make_keys(const PartyOptions& options, Invocation& invocation) -> ExitCode {
  if (!options.run->values.empty()) {
    return party_usage_error(invocation, "`tacet party keygen` takes exactly one name");
  }
  Result<std::string> written =
      write_credentials(options.run->file, options.folder, options.n_days);
  if (!written) {
    invocation.error(written.error().message);
    return ExitCode::Failed;
  }
  invocation.out.write(*written);
  return ExitCode::Done;
}

auto measure_party(const PartyOptions& options, Invocation& invocation) -> ExitCode {
  const RunOptions& run = *options.run;
  if (run.party.empty() || !run.values.empty()) {
    return party_usage_error(invocation,
                             "`tacet party measure` takes a folder or a program of the workspace, "
                             "and `--party NAME`, the name of this party in tacet.toml");
  }
  Result<std::string> report = measure_links_of(run.file, run.party, run.party_key);
  if (!report) {
    invocation.error(report.error().message);
    return ExitCode::Failed;
  }
  invocation.out.write(*report);
  return ExitCode::Done;
}

/// Prints what an action has to report, or why it failed.
auto report_action(Result<std::string> report, Invocation& invocation) -> ExitCode {
  if (!report) {
    invocation.error(report.error().message);
    return ExitCode::Failed;
  }
  invocation.out.write(*report);
  return ExitCode::Done;
}

auto list_allowed(const PartyOptions& options, Invocation& invocation) -> ExitCode {
  const RunOptions& run = *options.run;
  if (run.party.empty() || !run.values.empty()) {
    return party_usage_error(invocation,
                             "`tacet party allowed` takes a folder or a program of the workspace, "
                             "and `--party NAME`, the name of this party in tacet.toml");
  }
  return report_action(allowed_programs(run.file, run.party, run.party_key), invocation);
}

auto forbid_programs_of(const PartyOptions& options, Invocation& invocation) -> ExitCode {
  const RunOptions& run = *options.run;
  if (run.party.empty() || run.values.empty()) {
    return party_usage_error(
        invocation,
        "`tacet party forbid` takes a folder or a program of the workspace, the digests to remove, "
        "as `tacet party allowed` lists them, and `--party NAME`, the name of this party in "
        "tacet.toml");
  }
  return report_action(forbid_programs(run.file, run.party, run.party_key, run.values), invocation);
}

auto run_party(const PartyOptions& options, RunPurpose purpose, Invocation& invocation)
    -> ExitCode {
  if (options.run->party.empty()) {
    return party_usage_error(
        invocation,
        fmt::format("`tacet party {}` needs `--party NAME`, the name of this party in tacet.toml",
                    purpose == RunPurpose::Allow ? "allow" : "run"));
  }
  options.run->device = RunDevice::Mpc;
  options.run->purpose = purpose;
  const ExitCode code = run_program(*options.run, invocation);
  if (code != ExitCode::Done && purpose == RunPurpose::Run && !options.run->beginning->has_met) {
    report_failure_to_others(*options.run);
  }
  return code;
}

auto declare_party(CLI::App& app) -> Action {
  auto options = std::make_shared<PartyOptions>();
  add_choice(app, "action", {"keygen", "measure", "run", "allow", "allowed", "forbid", "audit"},
             "keygen: create a key and a certificate; measure: measure the links between the "
             "parties; run: run one party; allow: show what a run costs and discloses, and allow "
             "it; allowed: list what is allowed; forbid: remove from that list; audit: verify a "
             "log of runs",
             &options->action)
      ->required();
  app.add_option("file", options->run->file,
                 "keygen: the name of the party; run, allow: the program; measure, allowed, "
                 "forbid: a folder with tacet.toml; audit: the log")
      ->required()
      ->type_name("FILE");
  app.add_option("--party", options->run->party, "The name of this party in tacet.toml")
      ->type_name("NAME");
  app.add_option("--key", options->run->party_key,
                 "The private key (default: the .key file next to the certificate)")
      ->type_name("FILE");
  app.add_option("--folder", options->folder, "keygen: the output folder")->type_name("FOLDER");
  app.add_option("--days", options->n_days,
                 "keygen: validity of the certificate in days (default: 3650)")
      ->type_name("N")
      ->check(CLI::Range(1, 36500));
  app.add_option("--audit", options->run->audit,
                 "run: append a line about the run to this log (default: from tacet.toml)")
      ->type_name("FILE");
  app.add_option("--note", options->run->note, "allow: a note for the list")->type_name("TEXT");
  app.add_flag("--any-public-inputs", options->run->allows_any_public,
               "allow: whatever the values of public inputs are, not only the given ones");
  add_plan_options(app, options->run);
  add_run_options(app, options->run);
  return [options](Invocation& invocation) {
    forbid_core_dumps();
    switch (options->action) {
      case PartyAction::Keygen:
        return make_keys(*options, invocation);
      case PartyAction::Measure:
        return measure_party(*options, invocation);
      case PartyAction::Run:
        return run_party(*options, options->run->purpose, invocation);
      case PartyAction::Allow:
        return run_party(*options, RunPurpose::Allow, invocation);
      case PartyAction::Allowed:
        return list_allowed(*options, invocation);
      case PartyAction::Forbid:
        return forbid_programs_of(*options, invocation);
      case PartyAction::Audit:
        return report_action(verified_audit_log(options->run->file, options->run->values),
                             invocation);
    }
    return ExitCode::Usage;
  };
}

}  // namespace

auto party_command() -> Command {
  Command command;
  command.name = "party";
  command.summary =
      "create keys for a party, measure links, plan, allow and run one party of a multi-party "
      "computation, and verify logs of runs";
  command.examples =
      "# once on each machine; then exchange the certificates\n"
      "tacet party keygen alice\n"
      "# at the same time on each machine: how fast are the links?\n"
      "tacet party measure . --party alice\n"
      "# what would it cost and disclose? then allow it, on each machine\n"
      "tacet party run examples/mpc/millionaires.tacet --party alice --plan\n"
      "tacet party allow examples/mpc/millionaires.tacet --party alice\n"
      "# at the same time on each machine, each with its own inputs\n"
      "tacet party run examples/mpc/millionaires.tacet --party alice --input alice_has=@alice.json";
  command.details =
      "`keygen` writes NAME.key and NAME.crt, readable only by their owner. The parties are listed "
      "in `tacet.toml`, which must be the same for all of them: one table `[[mpc.party]]` each, "
      "with name, address (HOST:PORT) and certificate. They communicate over TLS 1.3 and "
      "authenticate each other by these certificates alone. `run` takes the same arguments as "
      "`tacet run`, with the inputs of this party; the other parties run the same program. Values "
      "on the command line are visible to other users of the machine: pass secrets as `@FILE` or "
      "`@-`, or omit them to enter them at a prompt without echo. `measure`, started by all "
      "parties at "
      "the same time, prints latency and bandwidth of each link; `tacet explore` then predicts and "
      "adds what the slowest of them cost. A party that has a list of allowed runs, NAME.allowed "
      "next "
      "to its key, takes part in no others. If one party fails, all parties exit with an error "
      "that "
      "names it; a party that cannot start notifies the others. What parties learn, and what they "
      "are "
      "trusted with, is in docs/security/parties.md.";
  command.declare = declare_party;
  return command;
}

}  // namespace tacet::cli
