#include "lsp/server/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "lsp/server/background.h"
#include "lsp/server/barrier.h"
#include "lsp/server/configuration.h"
#include "lsp/server/lifecycle.h"
#include "lsp/server/push_diagnostics.h"
#include "lsp/server/requests.h"
#include "lsp/server/run_command.h"
#include "lsp/server/session.h"
#include "lsp/server/status.h"
#include "lsp/server/text_sync.h"
#include "lsp/server/virtual_documents.h"
#include "lsp/server/workspace.h"
#include "lsp/server/workspace_changes.h"

namespace tacet::lsp {

namespace {

using TakeNotification = void (*)(Session& session, const Json& params);

struct NotificationHandler {
  std::string_view method;
  TakeNotification take;
};

constexpr std::array kNotifications = {
    NotificationHandler{"initialized", initialized},
    NotificationHandler{"$/setTrace", set_trace},
    NotificationHandler{"$/cancelRequest", cancel_request},
    NotificationHandler{"window/workDoneProgress/cancel", cancel_progress},
    NotificationHandler{"textDocument/didOpen", did_open},
    NotificationHandler{"textDocument/didChange", did_change},
    NotificationHandler{"textDocument/didSave", did_save},
    NotificationHandler{"textDocument/didClose", did_close},
    NotificationHandler{"workspace/didChangeWatchedFiles", did_change_watched_files},
    NotificationHandler{"workspace/didChangeConfiguration", did_change_configuration},
    NotificationHandler{"workspace/didChangeWorkspaceFolders", did_change_workspace_folders},
};

template <class Handlers>
auto find_method(const Handlers& handlers, std::string_view method) -> decltype(handlers.data()) {
  const auto found = std::find_if(handlers.begin(), handlers.end(),
                                  [&](const auto& handler) { return handler.method == method; });
  return found == handlers.end() ? nullptr : &*found;
}

void receive_message(Session& session, Malformed& malformed) {
  session.outbox.error(malformed.id, malformed.error);
}

void receive_message(Session& session, Response& response) {
  if (!session.outbox.receive(response)) {
    session.outbox.log(MessageType::Warning,
                       fmt::format("received a response to request {}, which was never sent",
                                   id_text(response.id)));
  }
}

void receive_message(Session& session, Notification& notification) {
  session.outbox.trace(fmt::format("received notification {}", notification.method));
  if (notification.method == "exit") {
    exit_session(session);
    return;
  }
  const NotificationHandler* handler = find_method(kNotifications, notification.method);
  if (session.state == SessionState::Running && handler != nullptr) {
    handler->take(session, *notification.params);
  }
}

/// Why the session is in no state to answer a request, if it is not.
auto refusal(const Session& session, std::string_view method) -> std::optional<ResponseError> {
  if (session.state == SessionState::New && method != "initialize") {
    return ResponseError{ErrorCode::ServerNotInitialized, "the session is not initialized", {}};
  }
  if (session.state == SessionState::Running && method == "initialize") {
    return ResponseError{ErrorCode::InvalidRequest, "the session is already initialized", {}};
  }
  if (session.state == SessionState::ShutDown) {
    return ResponseError{ErrorCode::InvalidRequest, "the session was shut down", {}};
  }
  return std::nullopt;
}

auto find_request(const Session& session, std::string_view method) -> const RequestHandler* {
  const RequestHandler* handler = find_handler(method);
  return handler != nullptr ? handler : find_method(session.options.more_handlers, method);
}

void receive_message(Session& session, Request& request) {
  session.outbox.trace(
      fmt::format("received request {} ({})", request.method, id_text(request.id)));
  if (auto error = refusal(session, request.method)) {
    session.outbox.error(request.id, *error);
  } else if (request.method == "initialize") {
    initialize(session, request);
  } else if (request.method == "shutdown") {
    shutdown(session, request);
  } else if (request.method == "tacet/serverStatus") {
    report_status(session, request);
  } else if (is_run(request)) {
    run_program(session, request);
  } else if (const RequestHandler* handler = find_request(session, request.method)) {
    if (request.method == "workspace/textDocumentContent") {
      note_content_request(session, *request.params);
    }
    start_request(session, request, *handler);
  } else {
    session.outbox.error(
        request.id,
        {ErrorCode::MethodNotFound, fmt::format("unknown method {}", request.method), {}});
  }
}

void receive_body(Session& session, std::string_view body) {
  Message message = parse_message(body);
  if (message.was_repaired) {
    session.outbox.log(MessageType::Warning,
                       "a message contained invalid bytes or escapes, which were read as U+FFFD");
  }
  std::visit([&](auto& content) { receive_message(session, content); }, message.content);
}

}  // namespace

Server::Server(EventLoop& loop, WorkerPool& pool, ide::AnalysisHost& host, Outbox::Send send,
               std::function<void()> ended, SessionOptions options)
    : session_(std::make_unique<Session>(loop, pool, host, std::move(send), std::move(ended),
                                         std::move(options),
                                         [this] { start_diagnostics(*session_); })) {
  session_->host.set_background([this](ide::BackgroundTask task) {
    session_->loop.post([this, task = std::move(task)] { start_background(*session_, task); });
  });
}

Server::~Server() {
  session_->host.set_background({});
}

void Server::receive(const Frame& frame) {
  if (session_->exit_code) {
    return;
  }
  if (const auto* error = std::get_if<FrameError>(&frame)) {
    session_->outbox.error({}, {ErrorCode::ParseError, error->message, {}});
    return;
  }
  std::string report =
      behind_barrier([&] { receive_body(*session_, std::get<std::string>(frame)); });
  if (!report.empty()) {
    session_->outbox.log(MessageType::Error, "internal error: " + report);
  }
}

void Server::input_drained() {
  lsp::input_drained(*session_);
}

void Server::input_closed() {
  exit_session(*session_);
}

auto Server::exit_code() const -> std::optional<int> {
  return session_->exit_code;
}

}  // namespace tacet::lsp
