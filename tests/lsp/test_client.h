#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "lsp/ide/analysis_host.h"
#include "lsp/protocol/frame.h"
#include "lsp/protocol/json.h"

namespace tacet::lsp {

/// A client of a real server that runs on a thread of its own, over a socket pair.
class TestClient {
 public:
  /// `program` is what the server starts for `tacet.run`.
  explicit TestClient(std::string program = {});
  ~TestClient();
  TestClient(const TestClient&) = delete;
  auto operator=(const TestClient&) -> TestClient& = delete;

  void send_bytes(std::string_view bytes);
  void send(std::string_view body) { send_bytes(frame(body)); }
  /// Ends the server's input; its output can still be read.
  void close_input();

  /// The next message, or nothing if none comes or the server has ended.
  auto receive(std::chrono::milliseconds patience = std::chrono::seconds(20))
      -> std::optional<std::string>;

  /// What the server returned, or nothing if it still runs after `patience`.
  auto exit_code(std::chrono::milliseconds patience = std::chrono::seconds(20))
      -> std::optional<int>;

  /// `initialize` and `initialized` with these capabilities (JSON), and the answer read.
  void begin(std::string_view capabilities = "{}", std::string_view process_id = "null");

 private:
  ide::AnalysisHost host_;
  int fd_ = -1;
  std::future<int> ended_;
  std::thread thread_;
  FrameReader reader_;
};

}  // namespace tacet::lsp
