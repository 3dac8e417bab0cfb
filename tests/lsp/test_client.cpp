#include "tests/lsp/test_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "lsp/server/run.h"
#include "tests/lsp/test_handlers.h"

namespace tacet::lsp {

TestClient::TestClient(std::string program) {
  int pair[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    ADD_FAILURE() << "no socket pair";
    return;
  }
  fd_ = pair[0];
  std::promise<int> promise;
  ended_ = promise.get_future();
  thread_ = std::thread(
      [this, fd = pair[1], program = std::move(program), result = std::move(promise)]() mutable {
        ServerOptions options;
        options.n_workers = 2;
        // What waits is tested where a setting says so.
        options.typing_pause = {};
        options.program = std::move(program);
        options.more_handlers = test_handlers();
        int code = serve(fd, fd, options, host_);
        close(fd);
        result.set_value(code);
      });
}

TestClient::~TestClient() {
  close(fd_);
  thread_.join();
}

void TestClient::send_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) {
      return;
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void TestClient::close_input() {
  shutdown(fd_, SHUT_WR);
}

auto TestClient::receive(std::chrono::milliseconds patience) -> std::optional<std::string> {
  for (;;) {
    if (auto next = reader_.next()) {
      return std::get<std::string>(*next);
    }
    pollfd waiting{fd_, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(patience.count())) <= 0) {
      return std::nullopt;
    }
    char buffer[65536];
    ssize_t n = recv(fd_, buffer, sizeof buffer, 0);
    if (n <= 0) {
      return std::nullopt;
    }
    reader_.feed({buffer, static_cast<size_t>(n)});
  }
}

auto TestClient::exit_code(std::chrono::milliseconds patience) -> std::optional<int> {
  return ended_.wait_for(patience) == std::future_status::ready ? std::optional(ended_.get())
                                                                : std::nullopt;
}

void TestClient::begin(std::string_view capabilities, std::string_view process_id) {
  send(fmt::format(R"({{"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
                   R"({{"processId":{},"capabilities":{}}}}})",
                   process_id, capabilities));
  send(R"({"jsonrpc":"2.0","method":"initialized","params":{}})");
  auto answer = receive();
  ASSERT_TRUE(answer && answer->find("\"result\"") != std::string::npos);
}

}  // namespace tacet::lsp
