#include "lsp/server/outbox.h"

#include <fmt/format.h>

#include <utility>

#include "lsp/protocol/encode.h"

namespace tacet::lsp {

void Outbox::result(const RequestId& id, std::string_view result) {
  trace(fmt::format("sending result of request {}", id_text(id)), result);
  send_(encode_result(id, result));
}

void Outbox::error(const RequestId& id, const ResponseError& error) {
  trace(fmt::format("sending error {} for request {}", static_cast<int>(error.code), id_text(id)),
        error.message);
  send_(encode_error(id, error));
}

void Outbox::notify(std::string_view method, std::string_view params) {
  trace(fmt::format("sending notification {}", method), params);
  send_(encode_notification(method, params));
}

void Outbox::request(std::string_view method, std::string_view params, OnResponse on_response) {
  const int64_t id = ++n_requests_;
  waiting_.emplace(id, std::move(on_response));
  trace(fmt::format("sending request {} ({})", method, id), params);
  send_(encode_request(id, method, params));
}

void Outbox::log(MessageType type, std::string_view message) {
  send_(encode_notification("window/logMessage", encode_log_message(type, message)));
}

auto Outbox::receive(const Response& response) -> bool {
  const auto* id = std::get_if<int64_t>(&response.id);
  auto found = id == nullptr ? waiting_.end() : waiting_.find(*id);
  if (found == waiting_.end()) {
    return false;
  }
  OnResponse on_response = std::move(found->second);
  waiting_.erase(found);
  if (on_response) {
    on_response(response);
  }
  return true;
}

void Outbox::trace(std::string_view message, std::string_view verbose) {
  if (trace_ != Trace::Off) {
    send_(encode_notification("$/logTrace",
                              encode_log_trace(message, trace_ == Trace::Verbose ? verbose : "")));
  }
}

}  // namespace tacet::lsp
