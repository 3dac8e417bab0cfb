#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/choice_option.h"
#include "cli/commands/commands.h"
#include "cli/joint/joint_runs.h"
#include "cli/run/core_dumps.h"

namespace tacet::cli {

namespace {

/// Options of one action that another was given.
auto misplaced_option(const JointOptions& options) -> std::string_view {
  const bool is_keys = options.action == JointAction::Keys;
  if (options.threshold != 0 && !is_keys) {
    return "`--threshold` is for `tacet joint keys`: the keys have it";
  }
  if (!options.receiver.empty() && is_keys) {
    return "`--to` is for `tacet joint decrypt` and `allow`";
  }
  if (!options.participants.empty() && options.action != JointAction::Decrypt) {
    return "`--with` is for `tacet joint decrypt`";
  }
  return {};
}

void add_joint_times(CLI::App& app, const std::shared_ptr<JointOptions>& options) {
  const auto add_time = [&](const char* name, uint64_t& seconds, const char* description) {
    app.add_option(name, seconds, description)
        ->type_name("SECONDS")
        ->check(CLI::Range(1, 7 * 24 * 3600).description(""));
  };
  add_time("--connect", options->run->connect_seconds,
           "Maximum time to wait for the other holders to connect (default: from tacet.toml, or "
           "30 s)");
  add_time("--silence", options->run->silence_seconds,
           "Maximum time without any message from a holder (default: from tacet.toml, or 20 s)");
  add_time("--patience", options->run->patience_seconds,
           "Maximum time a holder may compute before sending data that others wait for (default: "
           "from tacet.toml, or 30 s)");
}

// Who takes part, in what, and with which files.
void declare_joint_options(CLI::App& app, const std::shared_ptr<JointOptions>& options) {
  RunOptions& run = *options->run;
  add_choice(app, "action", {"keys", "allow", "decrypt"},
             "keys: make the keys of a program together; allow: show what a decryption discloses, "
             "and allow it; decrypt: decrypt results together",
             &options->action)
      ->required();
  app.add_option("file", run.file, "The program, built with `--key-holders`")
      ->required()
      ->type_name("FILE");
  app.add_option("--party", run.party, "The name of this holder in tacet.toml")
      ->required()
      ->type_name("NAME");
  app.add_option("--key", run.party_key,
                 "The private key for connections (default: the .key file next to the certificate)")
      ->type_name("FILE");
  app.add_option("--threshold", options->threshold,
                 "keys: so many of the holders can decrypt together (default: all must)")
      ->type_name("N");
  app.add_option("--to", options->receiver,
                 "decrypt, allow: the only holder that learns the results (default: all who "
                 "decrypt)")
      ->type_name("NAME");
  app.add_option("--with", options->participants,
                 "decrypt: the holders that decrypt, if not all do; the same for all of them")
      ->type_name("NAME,NAME")
      ->delimiter(',');
  app.add_option("--exchange", run.exchange,
                 "The folder of keys, encrypted inputs and results (default: FILE.exchange)")
      ->type_name("FOLDER");
  app.add_option("--secret", run.secret_file,
                 "The file of this holder's share of the key (default: FILE.NAME.share)")
      ->type_name("SHARE");
  app.add_option("--audit", run.audit,
                 "decrypt: append a line about the decryption to this log (default: from "
                 "tacet.toml)")
      ->type_name("LOG");
  app.add_option("--note", run.note, "allow: a note for the list")->type_name("TEXT");
  app.add_option("-o,--output", run.output, "decrypt: write the results to this file")
      ->type_name("OUT");
  add_choice(app, "--format", {"human", "json"}, "decrypt: the output format", &run.format);
  app.add_option("--threads", run.n_threads, "Number of threads (default: one per core)")
      ->type_name("N");
  add_joint_times(app, options);
}

auto declare_joint(CLI::App& app) -> Action {
  auto options = std::make_shared<JointOptions>();
  declare_joint_options(app, options);
  return [options](Invocation& invocation) {
    forbid_core_dumps();
    if (const std::string_view problem = misplaced_option(*options); !problem.empty()) {
      invocation.error(problem);
      return ExitCode::Usage;
    }
    options->run->beginning->excuse = "cannot take part";
    switch (options->action) {
      case JointAction::Keys:
        return make_keys_with_others(*options, invocation);
      case JointAction::Allow:
        return allow_decryption(*options, invocation);
      case JointAction::Decrypt:
        return decrypt_with_others(*options, invocation);
    }
    return ExitCode::Usage;
  };
}

}  // namespace

auto joint_command() -> Command {
  Command command;
  command.name = "joint";
  command.summary =
      "make keys for encrypted computation that only several parties have together, and decrypt "
      "with them";
  command.examples =
      "# once: the program, the same file for all\n"
      "tacet build study.tacet --key-holders 3 -o study.he\n"
      "# at the same time on each holder's machine\n"
      "tacet joint keys study.he --party alice\n"
      "# who has an input encrypts it; the server computes\n"
      "tacet run study.he --role client --input a=@a.json\n"
      "tacet run study.he --role server\n"
      "# each holder allows the decryption; then all, at the same time\n"
      "tacet joint allow study.he --party alice\n"
      "tacet joint decrypt study.he --party alice";
  command.details =
      "The holders are the parties of `tacet.toml`, and connect as those of `tacet party run` do. "
      "`keys` writes FILE.exchange/keys, which everybody may have, and this holder's share, which "
      "must not leave its machine; without the shares of all holders, or of `--threshold` of them, "
      "nobody decrypts anything. `keys` and the results of the server are files that are copied "
      "between machines; `decrypt` compares them with those of the others before it sends "
      "anything. A holder that has a list of what it allows, NAME.allowed next to its key, "
      "decrypts nothing else. If one holder fails, all exit with an error that names it. What "
      "holders, server and inputs' owners are trusted with is in docs/security/encryption.md.";
  command.declare = declare_joint;
  return command;
}

}  // namespace tacet::cli
