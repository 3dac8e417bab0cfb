#include "lsp/server/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "compiler/core/query/revision.h"
#include "lsp/protocol/decode.h"
#include "lsp/server/barrier.h"
#include "lsp/server/run_command.h"

namespace tacet::lsp {

/// Runs a handler on a worker; nothing if its revision is outdated.
static auto run_handler(const RequestHandler& handler, const RequestContext& context,
                        const Json& params) -> std::optional<Answer> {
  try {
    return answer_behind_barrier([&] { return handler.run(context, params); });
  } catch (const query::Cancelled&) {
    return std::nullopt;
  }
}

/// Sends parts of a result, as long as the request is pending; none if the client wants no parts.
static auto part_sender(Session& session, uint64_t number, const Json& params)
    -> std::function<void(std::string)> {
  const auto token = params.is_object() ? params.find("partialResultToken") : params.end();
  if (token == params.end() || !(token->is_string() || token->is_number_integer())) {
    return {};
  }
  return [&session, number, token = to_text(*token)](const std::string& value) {
    session.loop.post(
        [&session, number, message = fmt::format(R"({{"token":{},"value":{}}})", token, value)] {
          if (session.pending.contains(number) && !session.exit_code) {
            session.outbox.notify("$/progress", message);
          }
        });
  };
}

static void finish_request(Session& session, uint64_t number, const Answer& answer) {
  auto found = session.pending.find(number);
  if (found == session.pending.end() || session.exit_code) {
    return;
  }
  const PendingRequest pending = std::move(found->second);
  session.pending.erase(found);
  const auto* error = std::get_if<ResponseError>(&answer);
  if (error == nullptr) {
    session.outbox.result(pending.id, std::get<std::string>(answer));
    return;
  }
  if (error->code == ErrorCode::InternalError) {
    session.outbox.log(MessageType::Error,
                       fmt::format("{} failed: {}", pending.handler->method, error->message));
  }
  session.outbox.error(pending.id, *error);
}

static void run_request(Session& session, uint64_t number) {
  auto found = session.pending.find(number);
  if (found == session.pending.end() || session.exit_code) {
    return;
  }
  const PendingRequest& pending = found->second;
  // Shared: the function must be copyable.
  auto context = std::make_shared<RequestContext>(make_context(session, pending.token));
  context->send_part = part_sender(session, number, *pending.params);
  session.pool.submit(pending.handler->priority,
                      [&session, number, pending, context = std::move(context)]() mutable {
                        if (pending.token.is_cancelled()) {
                          return;
                        }
                        auto answer = run_handler(*pending.handler, *context, *pending.params);
                        context.reset();
                        session.loop.post([&session, number, answer = std::move(answer)] {
                          if (answer) {
                            finish_request(session, number, *answer);
                          } else {
                            // Other files were read meanwhile; what an edit superseded is pending
                            // no more.
                            run_request(session, number);
                          }
                        });
                      });
}

void start_request(Session& session, const Request& request, const RequestHandler& handler) {
  const uint64_t number = ++session.n_requests;
  session.pending.emplace(number, PendingRequest{request.id, &handler, request.params, {}});
  run_request(session, number);
}

/// What the client of a request hears that an edit supersedes.
static auto superseded(OnEdit on_edit) -> ResponseError {
  const char* const message = "the text changed in the meantime";
  return on_edit == OnEdit::Retries
             ? ResponseError{ErrorCode::ServerCancelled, message, R"({"retriggerRequest":true})"}
             : ResponseError{ErrorCode::ContentModified, message, ""};
}

void supersede_requests(Session& session) {
  for (auto& [number, pending] : std::exchange(session.pending, {})) {
    pending.token.cancel();
    session.outbox.error(pending.id, superseded(pending.handler->on_edit));
  }
}

void cancel_request(Session& session, const Json& params) {
  auto id = read_params(session, "$/cancelRequest", params, decode_cancel, MessageType::Warning);
  if (!id) {
    return;
  }
  auto found = std::find_if(session.pending.begin(), session.pending.end(),
                            [&](const auto& entry) { return entry.second.id == *id; });
  if (found != session.pending.end()) {
    found->second.token.cancel();
    session.pending.erase(found);
    session.outbox.error(*id, {ErrorCode::RequestCancelled, "the request was cancelled", {}});
  }
  cancel_run(session, *id);
}

}  // namespace tacet::lsp
