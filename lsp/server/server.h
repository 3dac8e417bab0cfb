#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "lsp/ide/analysis_host.h"
#include "lsp/protocol/frame.h"
#include "lsp/server/event_loop.h"
#include "lsp/server/outbox.h"
#include "lsp/server/session_options.h"
#include "lsp/server/worker_pool.h"

namespace tacet::lsp {

struct Session;

/// One session with one client: reads messages, applies edits in order, hands requests
/// to the workers and sends what they answer. Everything happens on the loop's thread
/// but the handlers themselves, which see one immutable revision each.
class Server {
 public:
  /// `ended` is called once, when the process should exit; see `exit_code`.
  Server(EventLoop& loop, WorkerPool& pool, ide::AnalysisHost& host, Outbox::Send send,
         std::function<void()> ended, SessionOptions options = {});
  ~Server();
  Server(const Server&) = delete;
  auto operator=(const Server&) -> Server& = delete;

  /// One piece of the client's input.
  void receive(const Frame& frame);

  /// The input so far is dealt with: time to start what can wait for the last edit.
  void input_drained();

  /// The client disconnected without `exit`.
  void input_closed();

  /// 0 after an orderly `shutdown`, else 1. Nothing while the session lasts.
  [[nodiscard]] auto exit_code() const -> std::optional<int>;

 private:
  std::unique_ptr<Session> session_;
};

}  // namespace tacet::lsp
