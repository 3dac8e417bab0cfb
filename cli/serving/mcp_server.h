#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "cli/serving/mcp_tools.h"

namespace tacet::cli {

/// The Model Context Protocol for programmatic assistants: JSON-RPC, a message on each line.
/// Revisions 2024-11-05, 2025-03-26 and 2025-06-18. Tools run on threads of their own, so that
/// calls can be cancelled.
class McpServer {
 public:
  /// `send` is given a line at a time, without its end, by one thread at a time.
  McpServer(McpLimits limits, std::function<void(const std::string&)> send)
      : limits_(std::move(limits)), send_(std::move(send)) {}
  McpServer(const McpServer&) = delete;
  auto operator=(const McpServer&) -> McpServer& = delete;
  /// Cancels what is running and waits for it.
  ~McpServer();

  /// Takes a line that a client sent. What is wrong with it is answered.
  void take(const std::string& line);

  /// Waits until every call has been answered.
  void wait();

 private:
  struct Running {
    std::thread thread;
    CancellationToken token;
    bool is_done = false;
  };

  void answer(const nlohmann::json& id, nlohmann::json result);
  void refuse(const nlohmann::json& id, int code, const std::string& message);
  void request(const std::string& method, const nlohmann::json& id, const nlohmann::json& params);
  void notify(const std::string& method, const nlohmann::json& params);
  void call(const nlohmann::json& id, const nlohmann::json& params);
  void join_done();

  McpLimits limits_;
  std::function<void(const std::string&)> send_;
  std::mutex send_mutex_;
  std::mutex mutex_;                        ///< of `running_`
  std::map<std::string, Running> running_;  ///< by the text of a call's id
};

}  // namespace tacet::cli
