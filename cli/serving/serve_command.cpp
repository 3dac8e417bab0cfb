#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "cli/choice_option.h"
#include "cli/memory_limit.h"
#include "cli/run/core_dumps.h"
#include "cli/service/service.h"
#include "cli/serving/all_commands.h"
#include "cli/thread_executor.h"

namespace tacet::cli {

namespace {

struct ServeOptions {
  std::string file;
  std::vector<std::string> values;
  std::vector<std::string> inputs;
  std::vector<std::string> more_programs;
  std::string listen;
  std::string status = "127.0.0.1:9417";
  std::string key;
  std::string clients;
  service::LogLevel log_level = service::LogLevel::Info;
  service::Limits limits;
  unsigned n_workers = 0;
  unsigned n_threads = 1;
  // In MiB; 0 if nothing is said.
  uint64_t memory_mib = 0;
  uint64_t key_cache_mib = 0;
  uint64_t keys_limit_mib = 0;
  uint64_t request_limit_mib = 64;
  // In KiB.
  uint64_t slowest_kib = 64;
  uint64_t bandwidth_kib = 0;
  // In seconds.
  double handshake = 10;
  double transfer = 30;
  double idle = 600;
  double admission = 60;
  double evaluation = 600;
  double drain = 30;
};

auto milliseconds_of_option(double seconds) -> service::milliseconds {
  return service::milliseconds(static_cast<int64_t>(seconds * 1000));
}

/// The memory of a service: a half for keys, a quarter for messages, a quarter for the rest, such
/// as what evaluations need.
void divide_memory(const ServeOptions& options, service::Limits& limits) {
  const uint64_t all = options.memory_mib == 0 ? default_memory_limit() : options.memory_mib << 20;
  limits.key_bytes = options.key_cache_mib == 0 ? all / 2 : options.key_cache_mib << 20;
  limits.message_bytes = all / 4;
  limits.most_keys =
      std::min(limits.message_bytes,
               options.keys_limit_mib == 0 ? limits.key_bytes : options.keys_limit_mib << 20);
  limits.most_request = std::min(limits.message_bytes, options.request_limit_mib << 20);
}

auto limits_of(const ServeOptions& options) -> service::Limits {
  service::Limits limits = options.limits;
  divide_memory(options, limits);
  limits.n_workers = thread_count(options.n_workers);
  limits.slowest = options.slowest_kib << 10;
  limits.client_bandwidth = options.bandwidth_kib << 10;
  limits.handshake = milliseconds_of_option(options.handshake);
  limits.transfer = milliseconds_of_option(options.transfer);
  limits.idle = milliseconds_of_option(options.idle);
  limits.admission = milliseconds_of_option(options.admission);
  limits.evaluation = milliseconds_of_option(options.evaluation);
  limits.drain = milliseconds_of_option(options.drain);
  return limits;
}

/// The inputs of each program: `PROGRAM.NAME=VALUE` are those of one of `--program`, the others of
/// the first.
auto program_requests(const ServeOptions& options)
    -> Result<std::vector<service::ServedProgramRequest>> {
  const auto request_of = [&](const std::string& path) {
    return service::ServedProgramRequest{
        .path = path,
        .values = {},
        .inputs = {},
        .n_threads = options.n_threads,
        .memory_mib = options.memory_mib == 0 ? default_memory_limit() >> 20 : options.memory_mib};
  };
  std::vector<service::ServedProgramRequest> requests = {request_of(options.file)};
  requests.front().values = options.values;
  std::vector<std::string> stems = {std::filesystem::path(options.file).stem().string()};
  for (const std::string& path : options.more_programs) {
    requests.push_back(request_of(path));
    const std::string stem = std::filesystem::path(path).stem().string();
    if (std::find(stems.begin(), stems.end(), stem) != stems.end()) {
      return Error{
          fmt::format("two programs are called `{}`; their files need different names", stem)};
    }
    stems.push_back(stem);
  }
  for (const std::string& input : options.inputs) {
    const size_t dot = input.substr(0, input.find('=')).find('.');
    const bool is_named = dot != std::string::npos && input.front() != '@';
    const auto stem =
        is_named ? std::find(stems.begin(), stems.end(), input.substr(0, dot)) : stems.begin();
    if (stem == stems.end()) {
      return Error{fmt::format("`--input {}`: there is no program `{}`",
                               input.substr(0, input.find('=')), input.substr(0, dot))};
    }
    requests[static_cast<size_t>(stem - stems.begin())].inputs.push_back(
        is_named ? input.substr(dot + 1) : input);
  }
  return requests;
}

auto make_setup(const ServeOptions& options, Invocation& invocation)
    -> Result<service::ServiceSetup> {
  service::ServiceSetup setup{.listen = {},
                              .own = {},
                              .clients_folder = options.clients,
                              .limits = limits_of(options),
                              .programs = {}};
  Result<service::ServiceAddress> listen = service::parse_service_address(options.listen);
  if (!listen) {
    return listen.error();
  }
  setup.listen = std::move(*listen);
  if (options.status != "off") {
    Result<service::ServiceAddress> status = service::parse_service_address(options.status);
    if (!status) {
      return status.error();
    }
    setup.status = std::move(*status);
  }
  Result<net::Credentials> own = service::read_credentials(options.key);
  if (!own) {
    return own.error();
  }
  setup.own = std::move(*own);
  // Before the programs, which may take long.
  if (auto clients = service::read_admitted_clients(options.clients); !clients) {
    return clients.error();
  }
  Result<std::vector<service::ServedProgramRequest>> requests = program_requests(options);
  if (!requests) {
    return requests.error();
  }
  for (const service::ServedProgramRequest& request : *requests) {
    auto program = service::load_served_program(request, invocation);
    if (!program) {
      return program.error();
    }
    setup.programs.push_back(std::move(*program));
  }
  return setup;
}

auto run_service(const ServeOptions& options, Invocation& invocation) -> ExitCode {
  Result<service::ServiceSetup> setup = make_setup(options, invocation);
  if (!setup) {
    invocation.error(setup.error().message);
    return ExitCode::Failed;
  }
  service::EventLog log(options.log_level, [&](std::string_view line) {
    invocation.err.write(line);
    invocation.err.flush();
  });
  Result<service::ServiceEnd> end = service::serve(std::move(*setup), log);
  if (!end) {
    invocation.error(end.error().message);
    return ExitCode::Failed;
  }
  return *end == service::ServiceEnd::Drained ? ExitCode::Done : ExitCode::Failed;
}

void declare_limits(CLI::App& app, ServeOptions& options) {
  const auto count = [&](const char* name, uint32_t& value, const char* description) {
    app.add_option(name, value, description)
        ->type_name("N")
        ->check(CLI::Range(1, 1 << 20).description(""));
  };
  const auto size = [&](const char* name, uint64_t& value, const char* unit,
                        const char* description) {
    app.add_option(name, value, description)
        ->type_name(unit)
        ->check(CLI::Range(1, 1 << 30).description(""));
  };
  const auto time = [&](const char* name, double& value, const char* description) {
    app.add_option(name, value, description)
        ->type_name("SECONDS")
        ->check(CLI::Range(0.05, 7 * 24 * 3600.0).description(""));
  };
  service::Limits& limits = options.limits;
  app.add_option("--workers", options.n_workers,
                 "Number of requests that are evaluated at the same time (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""));
  app.add_option("--threads", options.n_threads, "Number of threads of one evaluation (default: 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""));
  size("--memory-limit", options.memory_mib, "MIB",
       "Memory of the service (default: three quarters of the memory of the machine, or of its "
       "control group): half for keys, a quarter for messages, the rest for evaluations");
  size("--key-cache", options.key_cache_mib, "MIB",
       "Memory of evaluation keys (default: half of --memory-limit); those that were used least "
       "recently are evicted");
  size("--keys-limit", options.keys_limit_mib, "MIB",
       "Maximum size of the evaluation keys of a client, as they are sent (default: the memory for "
       "them)");
  size("--request-limit", options.request_limit_mib, "MIB",
       "Maximum size of the inputs of a request (default: 64 MiB)");
  count("--queue", limits.most_requests,
        "Maximum number of requests that are accepted and not answered yet; others wait on their "
        "connections (default: 256)");
  count("--connections", limits.most_connections, "Maximum number of connections (default: 4096)");
  count("--client-connections", limits.client_connections,
        "Maximum number of connections of a client (default: 16)");
  count("--client-requests", limits.client_requests,
        "Maximum number of requests of a client that are accepted and not answered yet (default: "
        "8)");
  count("--client-keys", limits.client_keys,
        "Maximum number of sets of evaluation keys held for a client (default: 4)");
  app.add_option("--client-rate", limits.client_rate,
                 "Maximum number of requests a second from a client (default: any)")
      ->type_name("N")
      ->check(CLI::Range(0.001, 1e9).description(""));
  size("--client-bandwidth", options.bandwidth_kib, "KIB",
       "Maximum number of KiB a second from a client (default: any)");
  time("--handshake-timeout", options.handshake,
       "Maximum time for a client to authenticate (default: 10 s)");
  time("--transfer-timeout", options.transfer,
       "Maximum time for a message to arrive or to be read, beyond its size by --slowest (default: "
       "30 s)");
  size("--slowest", options.slowest_kib, "KIB",
       "Number of KiB a second that a client has to send and receive (default: 64)");
  time("--idle-timeout", options.idle,
       "Maximum time without a message or a running request (default: 600 s)");
  time("--queue-timeout", options.admission,
       "Maximum time that a message waits to be accepted (default: 60 s)");
  time("--evaluation-timeout", options.evaluation,
       "Maximum time of the evaluation of a request (default: 600 s)");
  time("--drain-timeout", options.drain,
       "Maximum time for accepted requests after SIGTERM (default: 30 s)");
}

auto declare_serve(CLI::App& app) -> Action {
  auto options = std::make_shared<ServeOptions>();
  app.add_option("file", options->file, "The program, as `tacet build` wrote it")
      ->required()
      ->type_name("FILE");
  app.add_option("values", options->values,
                 "The server's inputs in order: JSON, @FILE (.json, .csv, .tsv, .npy, .npz), "
                 "@FILE:NAME for a column or member, or @-")
      ->type_name("VALUE");
  app.add_option("--input", options->inputs,
                 "An input of the server by name; PROGRAM.NAME=VALUE for another program")
      ->type_name("[PROGRAM.]NAME=VALUE|@FILE")
      ->allow_extra_args(false);
  app.add_option("--program", options->more_programs, "Another program; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--listen", options->listen, "The address for clients; port 0 selects a free port")
      ->required()
      ->type_name("HOST:PORT");
  app.add_option("--key", options->key,
                 "The private key of the service, with its certificate, FILE.crt, next to it")
      ->required()
      ->type_name("FILE.key");
  app.add_option("--clients", options->clients,
                 "The folder of the clients' certificates, NAME.crt; read again on SIGHUP")
      ->required()
      ->type_name("FOLDER");
  app.add_option("--status", options->status,
                 "The address for /metrics, /health and /ready by HTTP, or off (default: "
                 "127.0.0.1:9417)")
      ->type_name("HOST:PORT");
  add_choice(app, "--log", {"error", "warning", "info", "debug"},
             "The least urgent events that are logged (default: info)", &options->log_level);
  declare_limits(app, *options);
  return [options](Invocation& invocation) {
    forbid_core_dumps();
    return within_memory(options->memory_mib, invocation,
                         [&] { return run_service(*options, invocation); });
  };
}

}  // namespace

auto serve_command() -> Command {
  Command command;
  command.name = "serve";
  command.summary = "evaluate compiled programs on encrypted inputs for many clients";
  command.examples =
      "# once: a key of the service; clients send their certificates, which go into a folder\n"
      "tacet party keygen server\n"
      "tacet serve distance.he @points.json --listen 0.0.0.0:7443 --key server.key --clients "
      "clients";
  command.details =
      "Clients (`tacet request`) connect over TLS 1.3 and authenticate by exactly the certificates "
      "of the folder. Each sends its evaluation keys once; they are held, for that client alone, "
      "until others need the memory. Requests of a client that exceed a limit wait on its "
      "connection or are refused with the reason; memory is bounded by --memory-limit whatever "
      "clients send. Events are logged on stderr, a JSON object a line, without inputs, keys or "
      "ciphertexts. On SIGTERM or SIGINT the service accepts nothing more, answers what it has "
      "accepted, and ends: with exit code 0, or 1 if --drain-timeout was too short. A second "
      "signal, more than a second later, ends it at once.";
  command.declare = declare_serve;
  return command;
}

}  // namespace tacet::cli
