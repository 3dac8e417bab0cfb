#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/cancellation.h"
#include "lsp/ide/analysis.h"
#include "lsp/protocol/frame.h"
#include "lsp/protocol/message.h"
#include "lsp/server/diagnostics_schedule.h"
#include "lsp/server/documents/document_store.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/outbox.h"
#include "lsp/server/parent_watch.h"
#include "lsp/server/worker_pool.h"

namespace tacet::lsp {

/// One session with one client: reads messages, applies edits in order, hands requests
/// to the workers and sends what they answer. Everything happens on the loop's thread
/// but the handlers themselves, which see one immutable revision each.
class Server {
 public:
  /// `ended` is called once, when the process should exit; see `exit_code`.
  Server(EventLoop& loop, WorkerPool& pool, ide::AnalysisHost& host, Outbox::Send send,
         std::function<void()> ended);
  ~Server();

  /// One piece of the client's input.
  void receive(const Frame& frame);

  /// The input so far is dealt with: time to start what can wait for the last edit.
  void input_drained();

  /// The client is gone without saying so.
  void input_closed();

  /// 0 after an orderly `shutdown`, else 1. Nothing while the session goes on.
  [[nodiscard]] auto exit_code() const -> std::optional<int> { return exit_code_; }

 private:
  enum class State : uint8_t { New, Running, ShutDown };
  using NotificationHandler = void (Server::*)(const Json& params);

  /// A request that a worker has.
  struct Pending {
    std::string method;
    CancellationToken token;
    std::chrono::steady_clock::time_point since;
  };

  // Dispatch: server.cpp.
  void receive_body(std::string_view body);
  void receive_message(Request& request);
  void receive_message(Notification& notification);
  void receive_message(Response& response);
  void receive_message(Malformed& malformed);
  void start_request(const Request& request, const RequestHandler& handler);
  void finish_request(const RequestId& id, uint64_t number, const Answer& answer);
  auto refusal(std::string_view method) const -> std::optional<ResponseError>;
  auto make_context(CancellationToken token) -> RequestContext;
  void end(int code);

  // Beginning and end of the session: lifecycle.cpp.
  void initialize(const Request& request);
  void shutdown(const Request& request);
  void initialized(const Json& params);
  void exit(const Json& params);
  void set_trace(const Json& params);
  void cancel_request(const Json& params);

  // Text: text_sync.cpp.
  void did_open(const Json& params);
  void did_change(const Json& params);
  void did_save(const Json& params);
  void did_close(const Json& params);
  void edited();
  void supersede_requests();
  /// Tells the analysis of every edit since the last time.
  void flush();

  // Pushed diagnostics: push_diagnostics.cpp.
  void start_diagnostics();
  void publish(const std::shared_ptr<const DocumentView>& view, std::string diagnostics);
  void clear_diagnostics(const std::string& uri);

  static auto find_notification(std::string_view method) -> NotificationHandler;

  EventLoop& loop_;
  WorkerPool& pool_;
  ide::AnalysisHost& host_;
  Outbox outbox_;
  std::function<void()> ended_;
  std::optional<int> exit_code_;

  State state_ = State::New;
  std::shared_ptr<const Client> client_;
  std::unique_ptr<ParentWatch> parent_;

  DocumentStore documents_;
  std::shared_ptr<TokenCache> token_cache_ = std::make_shared<TokenCache>();
  /// Documents whose out-of-range edits were reported.
  std::map<std::string, bool, std::less<>> reported_;

  /// By a number of our own: a client may use an id twice.
  std::map<uint64_t, std::pair<RequestId, Pending>> pending_;
  uint64_t n_requests_ = 0;

  DiagnosticsSchedule schedule_;
  bool needs_diagnostics_ = false;
  CancellationToken diagnostics_token_;
  /// What was last published, by URI.
  struct Published {
    std::weak_ptr<const DocumentView> view;
    std::string diagnostics;
  };
  std::map<std::string, Published, std::less<>> published_;
};

}  // namespace tacet::lsp
