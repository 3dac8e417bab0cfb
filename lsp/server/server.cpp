#include "lsp/server/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "compiler/core/query/revision.h"
#include "lsp/server/barrier.h"

namespace tacet::lsp {

Server::Server(EventLoop& loop, WorkerPool& pool, ide::AnalysisHost& host, Outbox::Send send,
               std::function<void()> ended, std::string program, SessionBounds bounds)
    : loop_(loop),
      pool_(pool),
      host_(host),
      outbox_(std::move(send)),
      ended_(std::move(ended)),
      bounds_(bounds),
      gate_limit_(loop),
      program_(std::move(program)),
      schedule_(loop, [this] { start_diagnostics(); }) {
  host_.set_background([this](ide::BackgroundTask task) {
    loop_.post([this, task = std::move(task)] { start_background(task); });
  });
}

Server::~Server() {
  host_.set_background({});
}

void Server::receive(const Frame& frame) {
  if (exit_code_) {
    return;
  }
  if (const auto* error = std::get_if<FrameError>(&frame)) {
    outbox_.error({}, {ErrorCode::ParseError, error->message, {}});
    return;
  }
  std::string report = behind_barrier([&] { receive_body(std::get<std::string>(frame)); });
  if (!report.empty()) {
    outbox_.log(MessageType::Error, "internal error: " + report);
  }
}

void Server::receive_body(std::string_view body) {
  Message message = parse_message(body);
  if (message.was_repaired) {
    outbox_.log(MessageType::Warning,
                "a message contained invalid bytes or escapes, which were read as U+FFFD");
  }
  std::visit([&](auto& content) { receive_message(content); }, message.content);
}

void Server::receive_message(Malformed& malformed) {
  outbox_.error(malformed.id, malformed.error);
}

void Server::receive_message(Response& response) {
  if (!outbox_.receive(response)) {
    outbox_.log(MessageType::Warning,
                fmt::format("received a response to request {}, which was never sent",
                            id_text(response.id)));
  }
}

void Server::receive_message(Notification& notification) {
  outbox_.trace(fmt::format("received notification {}", notification.method));
  if (notification.method == "exit") {
    exit(*notification.params);
    return;
  }
  NotificationHandler handler = find_notification(notification.method);
  if (state_ == State::Running && handler != nullptr) {
    (this->*handler)(*notification.params);
  }
}

auto Server::find_notification(std::string_view method) -> NotificationHandler {
  static constexpr std::array<std::pair<std::string_view, NotificationHandler>, 11> kHandlers = {{
      {"initialized", &Server::initialized},
      {"$/setTrace", &Server::set_trace},
      {"$/cancelRequest", &Server::cancel_request},
      {"window/workDoneProgress/cancel", &Server::cancel_progress},
      {"textDocument/didOpen", &Server::did_open},
      {"textDocument/didChange", &Server::did_change},
      {"textDocument/didSave", &Server::did_save},
      {"textDocument/didClose", &Server::did_close},
      {"workspace/didChangeWatchedFiles", &Server::did_change_watched_files},
      {"workspace/didChangeConfiguration", &Server::did_change_configuration},
      {"workspace/didChangeWorkspaceFolders", &Server::did_change_workspace_folders},
  }};
  auto found = std::find_if(kHandlers.begin(), kHandlers.end(),
                            [&](const auto& entry) { return entry.first == method; });
  return found == kHandlers.end() ? nullptr : found->second;
}

/// Why the session is in no state to answer a request, if it is not.
auto Server::refusal(std::string_view method) const -> std::optional<ResponseError> {
  if (state_ == State::New && method != "initialize") {
    return ResponseError{ErrorCode::ServerNotInitialized, "the session is not initialized", {}};
  }
  if (state_ == State::Running && method == "initialize") {
    return ResponseError{ErrorCode::InvalidRequest, "the session is already initialized", {}};
  }
  if (state_ == State::ShutDown) {
    return ResponseError{ErrorCode::InvalidRequest, "the session was shut down", {}};
  }
  return std::nullopt;
}

void Server::receive_message(Request& request) {
  outbox_.trace(fmt::format("received request {} ({})", request.method, id_text(request.id)));
  if (auto error = refusal(request.method)) {
    outbox_.error(request.id, *error);
  } else if (request.method == "initialize") {
    initialize(request);
  } else if (request.method == "shutdown") {
    shutdown(request);
  } else if (request.method == "tacet/serverStatus") {
    tell_status(request);
  } else if (is_run(request)) {
    run_program(request);
  } else if (const RequestHandler* handler = find_handler(request.method)) {
    start_request(request, *handler);
  } else {
    outbox_.error(
        request.id,
        {ErrorCode::MethodNotFound, fmt::format("unknown method {}", request.method), {}});
  }
}

auto Server::make_context(CancellationToken token) -> RequestContext {
  flush();
  return {host_.analysis(std::move(token)), documents_.snapshot(), client_, token_cache_, bounds_};
}

/// Runs a handler on a worker; nothing if its revision is gone.
static auto run_handler(const RequestHandler& handler, const RequestContext& context,
                        const Json& params) -> std::optional<Answer> {
  try {
    return answer_behind_barrier([&] { return handler.run(context, params); });
  } catch (const query::Cancelled&) {
    return std::nullopt;
  }
}

void Server::start_request(const Request& request, const RequestHandler& handler) {
  const uint64_t number = ++n_requests_;
  pending_.emplace(number, Pending{request.id, &handler, request.params, {}});
  run_request(number);
}

/// Sends parts of a result, as long as the request is pending; none if the client wants no parts.
auto Server::part_sender(uint64_t number, const Json& params) -> std::function<void(std::string)> {
  const auto token = params.is_object() ? params.find("partialResultToken") : params.end();
  if (token == params.end() || !(token->is_string() || token->is_number_integer())) {
    return {};
  }
  return [this, number, token = to_text(*token)](const std::string& value) {
    loop_.post([this, number, message = fmt::format(R"({{"token":{},"value":{}}})", token, value)] {
      if (pending_.contains(number) && !exit_code_) {
        outbox_.notify("$/progress", message);
      }
    });
  };
}

void Server::run_request(uint64_t number) {
  auto found = pending_.find(number);
  if (found == pending_.end() || exit_code_) {
    return;
  }
  const Pending& pending = found->second;
  // Shared: the function must be copyable.
  auto context = std::make_shared<RequestContext>(make_context(pending.token));
  context->send_part = part_sender(number, *pending.params);
  pool_.submit(pending.handler->priority,
               [this, number, pending, context = std::move(context)]() mutable {
                 if (pending.token.is_cancelled()) {
                   return;
                 }
                 auto answer = run_handler(*pending.handler, *context, *pending.params);
                 context.reset();
                 loop_.post([this, number, answer = std::move(answer)] {
                   if (answer) {
                     finish_request(number, *answer);
                   } else {
                     // Other files were read meanwhile; what an edit superseded is pending no more.
                     run_request(number);
                   }
                 });
               });
}

void Server::finish_request(uint64_t number, const Answer& answer) {
  auto found = pending_.find(number);
  if (found == pending_.end() || exit_code_) {
    return;
  }
  const Pending pending = std::move(found->second);
  pending_.erase(found);
  const auto* error = std::get_if<ResponseError>(&answer);
  if (error == nullptr) {
    outbox_.result(pending.id, std::get<std::string>(answer));
    return;
  }
  if (error->code == ErrorCode::InternalError) {
    outbox_.log(MessageType::Error,
                fmt::format("{} failed: {}", pending.handler->method, error->message));
  }
  outbox_.error(pending.id, *error);
}

void Server::end(int code) {
  if (!exit_code_) {
    exit_code_ = code;
    for (auto& [number, pending] : pending_) {
      pending.token.cancel();
    }
    diagnostics_token_.cancel();
    cancel_background();
    cancel_runs();
    end_token_.cancel();
    ended_();
  }
}

void Server::input_closed() {
  end(state_ == State::ShutDown ? 0 : 1);
}

void Server::input_drained() {
  if (n_gates_ == 0 && std::exchange(needs_diagnostics_, false) && !exit_code_) {
    schedule_.changed();
  }
}

}  // namespace tacet::lsp
