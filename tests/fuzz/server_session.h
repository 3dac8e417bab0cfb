#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/ide/analysis_host.h"
#include "lsp/protocol/frame.h"
#include "lsp/server/event_loop.h"
#include "lsp/server/server.h"
#include "lsp/server/worker_pool.h"

namespace tacet::fuzz {

using lsp::Json;

/// What a client sends a server at the start.
struct SessionStart {
  std::string encoding = "utf-16";
  /// Pulls diagnostics instead of getting them pushed.
  bool pulls = true;
  /// Can everything that a client can, instead of next to nothing.
  bool is_rich = false;
  /// Takes Markdown in diagnostics that it asks for.
  bool marks_up = false;
  /// The folders of its workspace.
  std::vector<std::string> roots;
  Json settings = Json::object();
};

/// A server and what it said, in one thread but for its workers. What it asks of its client is
/// answered, one step later.
class ServerSession {
 public:
  explicit ServerSession(const SessionStart& start);
  ~ServerSession();
  ServerSession(const ServerSession&) = delete;
  auto operator=(const ServerSession&) -> ServerSession& = delete;

  auto request(std::string_view method, Json params) -> int64_t;
  void notify(std::string_view method, Json params);
  void send(Json message);
  void send_body(std::string_view body);
  /// What the client's settings are from now on; sends them unasked.
  void set_settings(Json settings) { settings_ = std::move(settings); }

  void input_drained() { server_->input_drained(); }
  /// Lets workers and timers get on for one step, if they have anything.
  void poll();

  /// The answer to a request: its `result`, or an object with its `error`.
  auto answer(int64_t id) -> Json;
  auto ask(std::string_view method, Json params) -> Json {
    return answer(request(method, std::move(params)));
  }
  /// Is the answer there? One that was cancelled has come, too.
  [[nodiscard]] auto is_answered(int64_t id) const -> bool { return answers_.contains(id); }
  /// Waits until the diagnostics pushed for a document are these.
  void wait_for_push(const std::string& uri, int64_t version, const Json& diagnostics);
  /// Waits for all answers, and until no file is being read.
  void settle();
  /// Waits until nothing is searched for, either; false if that takes more than some seconds.
  auto settle_searches() -> bool;
  [[nodiscard]] auto exit_code() const { return server_->exit_code(); }

 private:
  template <class Done, class Text>
  void wait(const Done& is_done, const Text& for_what);
  void receive(std::string_view body);
  void answer_server();
  auto status_now() -> Json;

  lsp::EventLoop loop_;
  lsp::WorkerPool pool_{2};
  std::unique_ptr<ide::AnalysisHost> host_;
  std::unique_ptr<lsp::Server> server_;
  lsp::FrameReader reader_;
  Json settings_;
  int64_t n_requests_ = 0;
  std::set<int64_t> open_;
  std::map<int64_t, Json> answers_;
  std::map<std::string, Json> pushed_;
  std::deque<Json> requests_;  ///< by the server, not answered yet
  uint32_t n_server_requests_ = 0;
};

}  // namespace tacet::fuzz
