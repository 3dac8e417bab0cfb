#include "lsp/server/lifecycle.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lsp/protocol/decode.h"
#include "lsp/server/configuration.h"
#include "lsp/server/session.h"
#include "lsp/server/version.h"

namespace tacet::lsp {

void initialize(Session& session, const Request& request) {
  auto decoded = decode_initialize(*request.params);
  if (!decoded) {
    session.outbox.error(request.id, invalid_params(decoded.error().message));
    return;
  }
  auto client = std::make_shared<Client>();
  client->capabilities = decoded->capabilities;
  client->settings = decoded->settings;
  if (!client->capabilities.position_encodings.empty()) {
    client->encoding = client->capabilities.position_encodings.front();
  }
  session.client = std::move(client);
  session.state = SessionState::Running;
  session.workspace_uris = std::move(decoded->workspace_uris);
  session.outbox.set_trace(decoded->trace);
  session.outbox.result(
      request.id, encode_initialize_result(session.client->encoding, token_legend(), kVersion));
  apply_lint(session);
  if (decoded->process_id) {
    session.parent = std::make_unique<ParentWatch>(session.loop, *decoded->process_id,
                                                   [&session] { end_session(session, 1); });
  }
}

void shutdown(Session& session, const Request& request) {
  session.state = SessionState::ShutDown;
  session.outbox.result(request.id, kNoResult);
}

void exit_session(Session& session) {
  end_session(session, session.state == SessionState::ShutDown ? 0 : 1);
}

void set_trace(Session& session, const Json& params) {
  auto trace = read_params(session, "$/setTrace", params, decode_set_trace, MessageType::Warning);
  if (!trace) {
    return;
  }
  session.outbox.set_trace(*trace);
}

}  // namespace tacet::lsp
