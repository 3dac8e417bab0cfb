#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lsp/protocol/json.h"

namespace tacet::lsp {

/// The `id` of a request; the first alternative stands for `null`, which only answers
/// to unreadable messages carry.
using RequestId = std::variant<std::monostate, int64_t, std::string>;

/// The error codes of JSON-RPC and LSP that Tacet sends.
enum class ErrorCode : int {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  InternalError = -32603,
  ServerNotInitialized = -32002,
  RequestFailed = -32803,
  ServerCancelled = -32802,
  ContentModified = -32801,
  RequestCancelled = -32800,
};

/// Why a request got no result.
struct ResponseError {
  ErrorCode code = ErrorCode::InternalError;
  std::string message;
  /// The JSON text of the `data` member; empty if there is none.
  std::string data;
};

/// Parameters are never null: a message without them has the JSON value `null`.
using Params = std::shared_ptr<const Json>;

struct Request {
  RequestId id;
  std::string method;
  Params params;
};

struct Notification {
  std::string method;
  Params params;
};

/// The client's answer to a request of ours. An error is reported by its message alone.
struct Response {
  RequestId id;
  Params result;
  std::optional<std::string> error;
};

/// A body that is no message, and the answer it gets.
struct Malformed {
  RequestId id;
  ResponseError error;
};

/// What one body holds.
struct Message {
  std::variant<Request, Notification, Response, Malformed> content;
  /// The body held bytes or escapes that stand for no character. They were read as
  /// U+FFFD, one for each byte or lone surrogate.
  bool was_repaired = false;
};

/// Reads one body. Every input gives a message; what cannot be read is `Malformed`.
auto parse_message(std::string_view body) -> Message;

/// The body of an answer; `result` is JSON text.
auto encode_result(const RequestId& id, std::string_view result) -> std::string;
auto encode_error(const RequestId& id, const ResponseError& error) -> std::string;

/// The bodies of what the server starts itself; `params` is JSON text.
auto encode_notification(std::string_view method, std::string_view params) -> std::string;
auto encode_request(int64_t id, std::string_view method, std::string_view params) -> std::string;

/// `text` as a JSON string with its quotes.
auto json_string(std::string_view text) -> std::string;
/// Is `json_string(text)` the very text between two quotes?
auto is_plain_json(std::string_view text) -> bool;

/// For people: `3`, `"abc"`, `null`.
auto id_text(const RequestId& id) -> std::string;

}  // namespace tacet::lsp
