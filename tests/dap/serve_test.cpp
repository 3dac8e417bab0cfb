// The debugger over a socket: frames that are none, and a run that is paused while it moves.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "debugger/server/serve_debugger.h"
#include "lsp/protocol/frame.h"
#include "tests/dap/dap_client.h"
#include "tests/harness/files.h"

namespace tacet::debugger {
namespace {

class SocketClient {
 public:
  SocketClient() {
    int pair[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    fd_ = pair[0];
    code_ = std::async(std::launch::async, [fd = pair[1]] {
      const int code = serve_debugger(fd, fd, test_launcher());
      close(fd);
      return code;
    });
  }
  ~SocketClient() { close(fd_); }

  void send_bytes(const std::string& bytes) {
    EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void request(const std::string& command, const Json& arguments = Json::object()) {
    const Json message = {
        {"seq", ++seq_}, {"type", "request"}, {"command", command}, {"arguments", arguments}};
    send_bytes(lsp::frame(message.dump()));
  }
  /// The next message in which the member has this value.
  auto wait_for(const char* member, const std::string& value) -> Json {
    for (;;) {
      while (const auto next = frames_.next()) {
        const Json message = Json::parse(std::get<std::string>(*next));
        if (message.value(member, "") == value) {
          return message;
        }
      }
      pollfd waiting{fd_, POLLIN, 0};
      char buffer[65536];
      if (poll(&waiting, 1, 20'000) <= 0) {
        ADD_FAILURE() << "no " << value;
        return nullptr;
      }
      const ssize_t n = recv(fd_, buffer, sizeof buffer, 0);
      if (n <= 0) {
        ADD_FAILURE() << "closed before " << value;
        return nullptr;
      }
      frames_.feed({buffer, static_cast<size_t>(n)});
    }
  }
  void close_input() { shutdown(fd_, SHUT_WR); }
  auto exit_code() -> int { return code_.get(); }

 private:
  int fd_ = -1;
  int64_t seq_ = 0;
  lsp::FrameReader frames_;
  std::future<int> code_;
};

auto program() -> std::string {
  return harness::source_path("tests/dap/programs/match.tacet").string();
}

TEST(ServeDebugger, ContinuesBehindFramesThatAreNone) {
  SocketClient client;
  client.send_bytes("Content-Length: 99999999999999\r\n\r\n");
  EXPECT_NE(client.wait_for("event", "output").dump().find("exceeds the limit"), std::string::npos);
  client.send_bytes("GET / HTTP/1.1\r\n\r\n");
  client.send_bytes("Content-Length: -4\r\n\r\n");
  client.send_bytes(lsp::frame("{\"seq\":"));
  client.request("initialize");
  EXPECT_EQ(client.wait_for("command", "initialize")["success"], true);
  client.request("disconnect");
  client.wait_for("command", "disconnect");
  EXPECT_EQ(client.exit_code(), 0);
}

TEST(ServeDebugger, PausesARunThatMoves) {
  SocketClient client;
  client.request("initialize");
  client.request("launch",
                 {{"program", program()}, {"function", "count"}, {"values", {50'000'000}}});
  client.wait_for("event", "initialized");
  client.request("configurationDone");
  client.request("pause");
  EXPECT_EQ(client.wait_for("event", "stopped")["body"]["reason"], "pause");
  client.request("stackTrace");
  EXPECT_EQ(client.wait_for("command", "stackTrace")["body"]["totalFrames"], 1);
  client.request("stepBack");
  client.wait_for("event", "stopped");
  client.request("continue");
  client.request("stackTrace");
  EXPECT_EQ(client.wait_for("command", "stackTrace")["success"], false);
  client.request("terminate");
  client.wait_for("event", "terminated");
  client.close_input();
  EXPECT_EQ(client.exit_code(), 1);
}

TEST(ServeDebugger, EndsWithItsInput) {
  SocketClient client;
  client.request("initialize");
  client.request("launch",
                 {{"program", program()}, {"function", "count"}, {"values", {50'000'000}}});
  client.request("configurationDone");
  client.close_input();
  EXPECT_EQ(client.exit_code(), 1);
}

}  // namespace
}  // namespace tacet::debugger
