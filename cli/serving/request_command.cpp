#include <CLI/CLI.hpp>

#include "cli/choice_option.h"
#include "cli/run/core_dumps.h"
#include "cli/service/request_run.h"
#include "cli/serving/all_commands.h"

namespace tacet::cli {

namespace {

void declare_connection(CLI::App& app, service::RequestOptions& options) {
  app.add_option("--connect", options.address, "The address of the service")
      ->required()
      ->type_name("HOST:PORT");
  app.add_option("--server", options.certificate,
                 "The certificate of the service; no other is accepted")
      ->required()
      ->type_name("FILE.crt");
  app.add_option("--key", options.key,
                 "The private key that the client authenticates with, with its certificate, "
                 "FILE.crt, next to it")
      ->required()
      ->type_name("FILE.key");
  app.add_option("--keys", options.keys_folder,
                 "The folder of the keys for encryption, made by the first request and kept for "
                 "later ones (default: FILE.keys)")
      ->type_name("FOLDER");
  app.add_option("--connect-timeout", options.connect_seconds,
                 "Maximum time to connect and authenticate (default: 30 s)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 24 * 3600).description(""));
  app.add_option("--timeout", options.answer_seconds,
                 "Maximum time to wait for an answer (default: 600 s)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 7 * 24 * 3600).description(""));
  app.add_option("--results-limit", options.most_results_mib,
                 "Maximum size of the encrypted results (default: 1024 MiB)")
      ->type_name("MIB")
      ->check(CLI::Range(1, 1 << 20).description(""));
}

auto declare_request(CLI::App& app) -> Action {
  auto options = std::make_shared<service::RequestOptions>();
  RunOptions& run = options->run;
  app.add_option("file", run.file,
                 "The program, as `tacet build` wrote it; the service has the same")
      ->required()
      ->type_name("FILE");
  app.add_option("values", run.values,
                 "The client's inputs in order: JSON, @FILE (.json, .csv, .tsv, .npy, .npz), "
                 "@FILE:NAME for a column or member, @-, or @random")
      ->type_name("VALUE");
  app.add_option("--input", run.inputs,
                 "An input by name; @FILE alone gives inputs the columns or members of their names")
      ->type_name("NAME=VALUE|@FILE")
      ->allow_extra_args(false);
  declare_connection(app, *options);
  app.add_option("--threads", run.n_threads, "Number of threads (default: one per core)")
      ->type_name("N");
  app.add_flag("--stats", run.wants_statistics, "Report the cost of the client's side");
  app.add_option(
         "-o,--output", run.output,
         "Write the results to this file instead of printing them; the name ends with .csv, "
         ".tsv, .json, .npy or .npz")
      ->type_name("FILE");
  add_choice(app, "--format", {"human", "json"}, "How to print results", &run.format);
  return [options](Invocation& invocation) {
    forbid_core_dumps();
    return service::run_request(*options, invocation);
  };
}

}  // namespace

auto request_command() -> Command {
  Command command;
  command.name = "request";
  command.summary = "have a service evaluate a program on encrypted inputs";
  command.examples =
      "tacet request distance.he @here.json --connect localhost:7443 --server server.crt --key "
      "alice.key";
  command.details =
      "Encrypts the inputs, sends them to a service (`tacet serve`), and decrypts and prints the "
      "results. The first request makes keys in a folder and sends the evaluation keys; later "
      "requests send them again only if the service does not hold them any more. The connection is "
      "TLS 1.3; client and service know each other by exactly their certificates (`tacet party "
      "keygen`). If the service is busy, the request is repeated until --timeout. Results are "
      "rejected unless they belong to this request. Values on the command line are visible to "
      "other users of the machine: pass secrets as @FILE or @-.";
  command.declare = declare_request;
  return command;
}

}  // namespace tacet::cli
