#include <algorithm>
#include <nlohmann/json.hpp>

#include "lsp/protocol/decode.h"
#include "lsp/server/server.h"
#include "lsp/server/version.h"

namespace tacet::lsp {

void Server::initialize(const Request& request) {
  auto decoded = decode_initialize(*request.params);
  if (!decoded) {
    outbox_.error(request.id, invalid_params(decoded.error().message));
    return;
  }
  auto client = std::make_shared<Client>();
  client->capabilities = decoded->capabilities;
  client->settings = decoded->settings;
  if (!client->capabilities.position_encodings.empty()) {
    client->encoding = client->capabilities.position_encodings.front();
  }
  client_ = std::move(client);
  state_ = State::Running;
  workspace_uris_ = std::move(decoded->workspace_uris);
  outbox_.set_trace(decoded->trace);
  outbox_.result(request.id, encode_initialize_result(client_->encoding, token_legend(), kVersion));
  apply_lint();
  if (decoded->process_id) {
    parent_ = std::make_unique<ParentWatch>(loop_, *decoded->process_id, [this] { end(1); });
  }
}

void Server::shutdown(const Request& request) {
  state_ = State::ShutDown;
  outbox_.result(request.id, kNoResult);
}

void Server::exit(const Json&) {
  end(state_ == State::ShutDown ? 0 : 1);
}

void Server::set_trace(const Json& params) {
  auto trace = decode_set_trace(params);
  if (!trace) {
    outbox_.log(MessageType::Warning, "$/setTrace: " + trace.error().message);
    return;
  }
  outbox_.set_trace(*trace);
}

void Server::cancel_request(const Json& params) {
  auto id = decode_cancel(params);
  if (!id) {
    outbox_.log(MessageType::Warning, "$/cancelRequest: " + id.error().message);
    return;
  }
  auto found = std::find_if(pending_.begin(), pending_.end(),
                            [&](const auto& entry) { return entry.second.id == *id; });
  if (found != pending_.end()) {
    found->second.token.cancel();
    pending_.erase(found);
    outbox_.error(*id, {ErrorCode::RequestCancelled, "the request was cancelled", {}});
  }
  cancel_run(*id);
}

}  // namespace tacet::lsp
