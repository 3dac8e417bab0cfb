// `tacet serve` under load, beside the engine alone, on the same cores.
// usage: measure_service TACET [n_clients] [seconds]
//
// First the engine evaluates ciphertexts on as many threads as the service has workers, in turns
// with the service, which gets the same ciphertexts by TLS from connections of this process: rates,
// and the processor time of an evaluation and of a request. Clients and service share the cores, so
// the time of the service's process says what it would do with the cores to itself. Then n_clients
// clients with certificates of their own send keys and requests at once, to a service that can hold
// the keys of few of them: every request has to be answered.

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "cli/run/arithmetic_client.h"
#include "cli/run/built_program.h"
#include "cli/service/request_client.h"

namespace tacet::service {
namespace {

namespace fs = std::filesystem;
constexpr unsigned kWorkers = 2;

void must(bool holds, const std::string& what) {
  if (!holds) {
    fmt::print(stderr, "measure_service: {}\n", what);
    std::exit(1);
  }
}

template <class T>
auto take(Result<T> result) -> T {
  must(static_cast<bool>(result), result ? "" : result.error().message);
  return std::move(*result);
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
}

auto matrix() -> std::string {
  std::string text = "[";
  for (int i = 0; i < 64; ++i) {
    text += i == 0 ? "[" : ",[";
    for (int j = 0; j < 64; ++j) {
      text += fmt::format("{}{}", j == 0 ? "" : ",", (i * 7 + j * 13) % 256);
    }
    text += "]";
  }
  return text + "]";
}

/// `tacet serve` as a process.
class ServiceProcess {
 public:
  ServiceProcess(const std::string& tacet, const fs::path& folder,
                 const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {tacet,
                                          "serve",
                                          (folder / "program.he").string(),
                                          "@" + (folder / "tests.json").string(),
                                          "--listen",
                                          "127.0.0.1:0",
                                          "--status",
                                          "off",
                                          "--key",
                                          (folder / "server.key").string(),
                                          "--clients",
                                          (folder / "clients").string(),
                                          "--workers",
                                          std::to_string(kWorkers)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    std::vector<char*> argv;
    for (std::string& argument : arguments) {
      argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    const std::string log = (folder / "log").string();
    fs::remove(log);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    must(::posix_spawn(&process_, argv[0], &actions, nullptr, argv.data(), environ) == 0,
         "cannot start the service");
    posix_spawn_file_actions_destroy(&actions);
    for (int i = 0; i < 600 && port_ == 0; ++i) {
      std::this_thread::sleep_for(milliseconds(50));
      std::stringstream text;
      text << std::ifstream(log).rdbuf();
      const std::string key = R"("address":"127.0.0.1:)";
      const size_t at = text.str().find(key);
      if (at != std::string::npos) {
        port_ = static_cast<uint16_t>(std::atoi(text.str().c_str() + at + key.size()));
      }
    }
    must(port_ != 0, "the service does not listen");
  }
  ServiceProcess(const ServiceProcess&) = delete;
  auto operator=(const ServiceProcess&) -> ServiceProcess& = delete;
  ~ServiceProcess() {
    ::kill(process_, SIGTERM);
    int status = 0;
    ::waitpid(process_, &status, 0);
    must(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the service did not drain");
  }

  [[nodiscard]] auto port() const -> uint16_t { return port_; }
  /// Of all its threads.
  [[nodiscard]] auto cpu_seconds() const -> double {
    std::ifstream file(fmt::format("/proc/{}/stat", process_));
    std::string field;
    std::getline(file, field, ')');
    double ticks = 0;
    for (int i = 3; i <= 15 && file >> field; ++i) {
      ticks += i >= 14 ? std::atof(field.c_str()) : 0;
    }
    return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  [[nodiscard]] auto peak_mib() const -> double {
    std::ifstream file(fmt::format("/proc/{}/status", process_));
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("VmHWM:")) {
        return std::atof(line.c_str() + 6) / 1024;
      }
    }
    return 0;
  }

 private:
  pid_t process_ = -1;
  uint16_t port_ = 0;
};

/// Sends one request until it is answered, and keys when they are wanted. How often that was.
auto request_until_answered(RequestClient& client, std::span<const std::byte> keys,
                            const cli::FileDigest& digest, std::span<const std::byte> inputs)
    -> size_t {
  size_t n_sent = 0;
  while (true) {
    auto answer = take(client.request(inputs));
    if (std::holds_alternative<he::Bytes>(answer)) {
      return n_sent;
    }
    std::optional<Refusal> refusal = std::get<Refusal>(answer);
    if (refusal->reason == RefusalReason::UnknownKeys) {
      refusal = take(client.store_keys(digest, keys));
      ++n_sent;
    }
    if (refusal) {
      must(refusal->retry_milliseconds > 0, refusal->text);
      std::this_thread::sleep_for(milliseconds(refusal->retry_milliseconds));
    }
  }
}

struct Rate {
  double per_second = 0;
  double cpu_milliseconds = 0;  ///< of one
};

auto own_cpu_seconds() -> double {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Calls `body` on so many threads until the time is over.
template <class Body, class Cpu>
auto measure(unsigned n_threads, double seconds, const Body& body, const Cpu& cpu) -> Rate {
  std::atomic<size_t> n_done = 0;
  const double cpu_before = cpu();
  const auto begin = Clock::now();
  const auto end = begin + milliseconds(static_cast<int64_t>(1000 * seconds));
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < n_threads; ++i) {
    threads.emplace_back([&, i] {
      while (Clock::now() < end) {
        body(i);
        ++n_done;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
  const auto n = static_cast<double>(n_done);
  return {n / elapsed, 1000 * (cpu() - cpu_before) / n};
}

auto run(const std::string& tacet, size_t n_clients, double seconds) -> int {
  std::string name = (fs::temp_directory_path() / "measure-service-XXXXXX").string();
  must(::mkdtemp(name.data()) != nullptr, "cannot make a folder");
  const fs::path folder = name;
  write_file(folder / "tests.json", matrix());
  must(
      std::system(fmt::format("{} build {}/tests/schedule/programs/distance_64.tlhe -o "
                              "{}/program.he --range point=0..256 --range tests=0..256 > /dev/null",
                              tacet, TACET_SOURCE_DIR, name)
                      .c_str()) == 0,
      "cannot build the program");
  fs::create_directory(folder / "clients");
  const net::Credentials server = take(net::make_credentials("server", 1));
  write_file(folder / "server.key", server.private_key);
  write_file(folder / "server.crt", server.certificate);
  std::vector<net::Credentials> clients;
  for (size_t i = 0; i < n_clients; ++i) {
    const std::string client = fmt::format("client{}", i);
    clients.push_back(take(net::make_credentials(client, 1)));
    write_file(folder / "clients" / (client + ".crt"), clients.back().certificate);
  }

  std::string text;
  cli::Output output(text);
  const cli::ProgramModel model;
  cli::Invocation invocation{output, output, {}, {}, model, {}};
  cli::PhaseLine line(invocation);
  const auto bundle =
      std::get<engine::HeBundle>(take(cli::read_built_program((folder / "program.he").string())));
  cli::HeCosts costs = cli::costs_of(bundle, cli::HeSide::Both, 1);
  const auto client = take(cli::ArithmeticClient::make(bundle, costs, line));
  const cli::FileDigest digest = cli::digest_of_file(client.keys());
  std::vector<int64_t> point(64, 17);
  engine::HeIntegers own;
  own["point"].assign(point.begin(), point.end());
  const he::Bytes inputs = take(client.encrypt(own, costs));

  // The engine alone.
  engine::HeIntegers tests;
  for (int i = 0; i < 64 * 64; ++i) {
    tests["tests"].push_back((i / 64 * 7 + i % 64 * 13) % 256);
  }
  const engine::HeBundlePart& part = bundle.parts.front();
  must(bundle.parts.size() == 1, "the program has several parts");
  const he::ContextRef context = take(cli::make_context(bundle, part, 1));
  const engine::HeServer engine_server =
      take(engine::HeServer::make(part.program, context, engine::values_for(bundle, part, tests)));
  he::SecureRandom key_random = take(he::SecureRandom::from_system(best_isa()));
  const he::SecretKey secret = he::generate_secret_key(*context, key_random);
  const engine::HeEvaluationKeys keys =
      take(engine::make_evaluation_keys(engine_server.facts(), *context, secret, key_random));
  engine::HeStatistics encryption;
  const std::vector<he::Ciphertext> ciphertexts =
      take(engine::encrypt_inputs(part.program, *context, secret,
                                  engine::values_for(bundle, part, own), key_random, encryption));
  const auto evaluate = [&](unsigned) {
    he::SecureRandom random = take(he::SecureRandom::from_system(best_isa()));
    engine::HeStatistics statistics;
    take(engine_server.answer(ciphertexts, keys, random, statistics));
  };

  {
    const ServiceProcess service(tacet, folder, {"--client-connections", "64"});
    constexpr unsigned kConnections = 8;
    std::vector<std::unique_ptr<RequestClient>> connections;
    for (unsigned i = 0; i < kConnections; ++i) {
      connections.push_back(take(RequestClient::connect({.address = {"127.0.0.1", service.port()},
                                                         .own = clients.front(),
                                                         .certificate = server.certificate})));
    }
    const auto request = [&](unsigned i) {
      request_until_answered(*connections[i], client.keys(), digest, inputs);
    };
    request(0);
    fmt::print("inputs {} bytes, keys {} bytes\n", inputs.size(), client.keys().size());
    for (int round = 0; round < 3; ++round) {
      const Rate alone = measure(kWorkers, seconds, evaluate, own_cpu_seconds);
      const Rate served =
          measure(kConnections, seconds, request, [&] { return service.cpu_seconds(); });
      fmt::print(
          "engine {:.0f}/s, {:.2f} ms of processor each; service {:.0f}/s, {:.2f} ms each; rates "
          "{:.2f}, processor time {:.2f}\n",
          alone.per_second, alone.cpu_milliseconds, served.per_second, served.cpu_milliseconds,
          served.per_second / alone.per_second, alone.cpu_milliseconds / served.cpu_milliseconds);
    }
    fmt::print("peak memory {:.0f} MiB\n", service.peak_mib());
  }

  const ServiceProcess service(tacet, folder, {"--key-cache", "256", "--memory-limit", "1024"});
  std::atomic<size_t> n_answered = 0;
  std::atomic<size_t> n_keys = 0;
  constexpr size_t kRequests = 5;
  const auto begin = Clock::now();
  std::vector<std::thread> threads;
  for (const net::Credentials& own_credentials : clients) {
    threads.emplace_back([&, credentials = own_credentials] {
      const auto connection = take(RequestClient::connect({.address = {"127.0.0.1", service.port()},
                                                           .own = credentials,
                                                           .certificate = server.certificate,
                                                           .connect = milliseconds(300'000)}));
      for (size_t i = 0; i < kRequests; ++i) {
        n_keys += request_until_answered(*connection, client.keys(), digest, inputs);
        ++n_answered;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  fmt::print(
      "{} clients at once: {} of {} requests answered in {:.1f} s, keys sent {} times, peak "
      "memory {:.0f} MiB\n",
      n_clients, n_answered.load(), kRequests * n_clients,
      std::chrono::duration<double>(Clock::now() - begin).count(), n_keys.load(),
      service.peak_mib());
  fs::remove_all(folder);
  return n_answered == kRequests * n_clients ? 0 : 1;
}

}  // namespace
}  // namespace tacet::service

auto main(int argc, char** argv) -> int {
  if (argc < 2) {
    fmt::print(stderr, "usage: measure_service TACET [n_clients] [seconds]\n");
    return 2;
  }
  return tacet::service::run(argv[1], argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1000,
                             argc > 3 ? std::atof(argv[3]) : 10);
}
