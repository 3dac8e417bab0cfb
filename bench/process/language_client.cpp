#include "bench/process/language_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <utility>

extern char** environ;

namespace tacet::bench {

/// How long the server may be silent before it counts as hung.
static constexpr int kPatienceMs = 60'000;

auto milliseconds_since(Clock::time_point begin) -> double {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

auto json_text(std::string_view text) -> std::string {
  return nlohmann::json(text).dump();
}

auto uri_of(const std::string& path) -> std::string {
  return "file://" + path;
}

void fail(const std::string& what) {
  fmt::print(stderr, "process_bench: {}\n", what);
  std::exit(1);
}

static auto open_pipe() -> std::array<int, 2> {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    fail(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  }
  return ends;
}

LanguageClient::LanguageClient(const std::string& program, const std::string& root,
                               std::string_view capabilities) {
  const auto [server_in, to_server] = open_pipe();
  const auto [from_server, server_out] = open_pipe();
  to_server_ = to_server;
  from_server_ = from_server;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, server_in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, server_out, STDOUT_FILENO);
  std::string name = program;
  std::string verb = "lsp";
  std::array<char*, 3> arguments = {name.data(), verb.data(), nullptr};
  started_ = Clock::now();
  const int error =
      posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments.data(), environ);
  if (error != 0) {
    fail(fmt::format("cannot start {}: {}", program, std::strerror(error)));
  }
  posix_spawn_file_actions_destroy(&actions);
  close(server_in);
  close(server_out);
  const auto id =
      send_request("initialize", fmt::format(R"({{"processId":{},"rootUri":{},"capabilities":{}}})",
                                             getpid(), json_text(uri_of(root)), capabilities));
  initialized_ = wait_for_answer(id);
  notify("initialized", "{}");
}

LanguageClient::~LanguageClient() {
  wait_for_answer(send_request("shutdown", "null"));
  notify("exit", "null");
  int status = 0;
  waitpid(process_, &status, 0);
  close(to_server_);
  close(from_server_);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fail("the server did not end in order");
  }
}

auto LanguageClient::offers(std::string_view capability) const -> bool {
  return nlohmann::json::parse(initialized_)["result"]["capabilities"].contains(capability);
}

void LanguageClient::notify(std::string_view method, std::string_view params) {
  send(fmt::format(R"({{"jsonrpc":"2.0","method":"{}","params":{}}})", method, params));
}

auto LanguageClient::send_request(std::string_view method, std::string_view params) -> int64_t {
  send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})", ++n_requests_,
                   method, params));
  return n_requests_;
}

void LanguageClient::send(const std::string& body) {
  const std::string bytes = fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
  for (size_t n_sent = 0; n_sent < bytes.size();) {
    const ssize_t n = write(to_server_, bytes.data() + n_sent, bytes.size() - n_sent);
    if (n < 0 && errno != EINTR) {
      fail(fmt::format("cannot write to the server: {}", std::strerror(errno)));
    }
    n_sent += n < 0 ? 0 : static_cast<size_t>(n);
  }
}

auto LanguageClient::receive() -> std::string {
  if (kept_.empty()) {
    return next_message();
  }
  auto message = std::move(kept_.front());
  kept_.pop_front();
  return message;
}

/// Where a message says what it is. Looking through all of a large answer would take longer than
/// many an answer, and is not to be measured.
static auto head_of(std::string_view message) -> std::string_view {
  constexpr size_t kHead = 256;
  return message.substr(0, kHead);
}

/// What the server asks is agreed to.
auto LanguageClient::next_message() -> std::string {
  std::string message = read_message();
  const std::string_view head = head_of(message);
  if (head.find("\"method\":\"window/workDoneProgress/create\"") != std::string::npos) {
    const auto parsed = nlohmann::json::parse(message);
    send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":null}})", parsed["id"].dump()));
  }
  const bool is_of_index = head.find("\"token\":\"tacet/index/") != std::string_view::npos;
  was_indexed_ =
      was_indexed_ || (is_of_index && head.find("\"kind\":\"end\"") != std::string_view::npos);
  return message;
}

auto LanguageClient::read_message() -> std::string {
  static constexpr std::string_view kHeader = "Content-Length: ";
  for (;;) {
    const size_t end = received_.find("\r\n\r\n");
    if (end != std::string::npos) {
      const size_t length = std::strtoul(received_.c_str() + kHeader.size(), nullptr, 10);
      const size_t begin = end + 4;
      if (received_.size() >= begin + length) {
        std::string message = received_.substr(begin, length);
        received_.erase(0, begin + length);
        return message;
      }
    }
    pollfd wanted{from_server_, POLLIN, 0};
    if (poll(&wanted, 1, kPatienceMs) == 0) {
      fail("the server says nothing");
    }
    std::array<char, size_t{1} << 16> bytes;
    const ssize_t n = read(from_server_, bytes.data(), bytes.size());
    if (n == 0 || (n < 0 && errno != EINTR)) {
      fail("the server is gone");
    }
    received_.append(bytes.data(), n < 0 ? 0 : static_cast<size_t>(n));
  }
}

auto LanguageClient::wait_for_answer(int64_t id) -> std::string {
  const std::string head = fmt::format(R"({{"jsonrpc":"2.0","id":{},)", id);
  for (;;) {
    auto message = next_message();
    const std::string_view behind = std::string_view(message).substr(0, head.size() + 9);
    const bool is_answer = behind.ends_with("\"result\":") || behind.ends_with("\"error\":{");
    if (message.starts_with(head) && is_answer) {
      return message;
    }
    kept_.push_back(std::move(message));
  }
}

auto LanguageClient::memory_mb(std::string_view key) const -> double {
  std::ifstream status(fmt::format("/proc/{}/status", process_));
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(key)) {
      return static_cast<double>(std::strtol(line.c_str() + key.size(), nullptr, 10)) / 1024;
    }
  }
  return 0;
}

/// The processor time that a process has used, in ticks of the system.
static auto used_time(int process) -> int64_t {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string stat{std::istreambuf_iterator<char>(file), {}};
  // The name, in parentheses, may hold anything; eleven fields lie between it and the two times.
  std::istringstream fields(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
  std::string skipped;
  for (int i = 0; i < 11; ++i) {
    fields >> skipped;
  }
  int64_t user = 0;
  int64_t system = 0;
  fields >> user >> system;
  return user + system;
}

void LanguageClient::wait_until_idle() const {
  int64_t before = -1;
  for (int64_t now = used_time(process_); now != before;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    before = std::exchange(now, used_time(process_));
  }
}

}  // namespace tacet::bench
