#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "lsp/protocol/message.h"
#include "lsp/protocol/received.h"
#include "lsp/protocol/sent.h"

namespace tacet::lsp {

/// Everything that goes to the client, with what the client wants to know about it
/// (`$/setTrace`). Main thread only.
class Outbox {
 public:
  using Send = std::function<void(std::string_view body)>;
  using OnResponse = std::function<void(const Response& response)>;

  explicit Outbox(Send send) : send_(std::move(send)) {}

  void result(const RequestId& id, std::string_view result);
  void error(const RequestId& id, const ResponseError& error);
  /// `params` is JSON text.
  void notify(std::string_view method, std::string_view params);
  void request(std::string_view method, std::string_view params, OnResponse on_response = {});
  void log(MessageType type, std::string_view message);

  /// Passes the client's answer to the requester; false if there is none.
  auto receive(const Response& response) -> bool;

  void set_trace(Trace trace) { trace_ = trace; }
  /// Sends a `$/logTrace` if the client wants one; `verbose` only if it wants that too.
  void trace(std::string_view message, std::string_view verbose = {});

 private:
  Send send_;
  Trace trace_ = Trace::Off;
  int64_t n_requests_ = 0;
  std::map<int64_t, OnResponse> waiting_;
};

}  // namespace tacet::lsp
