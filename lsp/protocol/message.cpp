#include "lsp/protocol/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/line_index.h"
#include "lsp/protocol/repair.h"

namespace tacet::lsp {

static auto malformed(ErrorCode code, std::string message, RequestId id = {}) -> Message {
  return {Malformed{std::move(id), {code, std::move(message), {}}}};
}

/// The id of a request; nothing if the value cannot be one.
static auto read_id(const Json& value) -> std::optional<RequestId> {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX}) {
    return std::nullopt;
  }
  if (value.is_number_integer()) {
    return value.get<int64_t>();
  }
  return std::nullopt;
}

static auto take(Json& object, const char* member) -> Params {
  auto found = object.find(member);
  return std::make_shared<const Json>(found == object.end() ? Json() : std::move(*found));
}

static auto read_response(Json& object, RequestId id) -> Message {
  Response response{std::move(id), take(object, "result"), {}};
  if (auto error = object.find("error"); error != object.end()) {
    auto text = error->is_object() ? error->find("message") : error->end();
    bool has_text = error->is_object() && text != error->end() && text->is_string();
    response.error = has_text ? text->get<std::string>() : "no reason given";
  }
  return {std::move(response)};
}

static auto read_object(Json& object) -> Message {
  auto id = object.find("id");
  auto method = object.find("method");
  std::optional<RequestId> request_id;
  if (id != object.end()) {
    request_id = read_id(*id);
    if (!request_id && !(id->is_null() && method == object.end())) {
      return malformed(ErrorCode::InvalidRequest, "`id` is neither an integer nor a string");
    }
  }
  if (method == object.end()) {
    if (id != object.end() && (object.contains("result") || object.contains("error"))) {
      return read_response(object, request_id.value_or(RequestId{}));
    }
    return malformed(ErrorCode::InvalidRequest, "message without a method",
                     request_id.value_or(RequestId{}));
  }
  if (!method->is_string()) {
    return malformed(ErrorCode::InvalidRequest, "`method` is not a string",
                     request_id.value_or(RequestId{}));
  }
  auto name = method->get<std::string>();
  if (request_id) {
    return {Request{*std::move(request_id), std::move(name), take(object, "params")}};
  }
  return {Notification{std::move(name), take(object, "params")}};
}

static auto read_value(Json& value) -> Message {
  if (value.is_array()) {
    return malformed(ErrorCode::InvalidRequest, "LSP does not support message batches");
  }
  if (!value.is_object()) {
    return malformed(ErrorCode::InvalidRequest, "message is not an object");
  }
  return read_object(value);
}

auto parse_message(std::string_view body) -> Message {
  Json value = Json::parse(body, nullptr, false);
  bool was_repaired = false;
  if (value.is_discarded()) {
    std::string repaired = repair_json(body);
    was_repaired = repaired != body;
    try {
      value = Json::parse(repaired);
    } catch (const Json::exception& error) {
      // The library's text begins with its own name and number in brackets.
      std::string_view what = error.what();
      size_t prefix = what.find("] ");
      what.remove_prefix(prefix == std::string_view::npos ? 0 : prefix + 2);
      Message message = malformed(ErrorCode::ParseError, fmt::format("malformed JSON: {}", what));
      message.was_repaired = was_repaired;
      return message;
    }
  }
  Message message = read_value(value);
  message.was_repaired = was_repaired;
  return message;
}

/// Is one of eight characters a control character, `"` or `\`? May say yes where none is.
static auto may_have_special(uint64_t chunk) -> bool {
  constexpr uint64_t kOnes = 0x0101010101010101ULL;
  const auto is_less = [](uint64_t x, uint64_t limit) { return (x - kOnes * limit) & ~x; };
  const auto is = [&](char c) {
    return is_less(chunk ^ (kOnes * static_cast<unsigned char>(c)), 1);
  };
  return ((is_less(chunk, ' ') | is('"') | is('\\')) & (0x80 * kOnes)) != 0;
}

auto is_plain_json(std::string_view text) -> bool {
  uint64_t chunk = 0;
  size_t at = 0;
  while (at + sizeof chunk <= text.size()) {
    std::memcpy(&chunk, text.data() + at, sizeof chunk);
    if (may_have_special(chunk)) {
      break;
    }
    at += sizeof chunk;
  }
  const bool has_special = std::any_of(
      text.begin() + static_cast<ptrdiff_t>(at), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\\'; });
  return !has_special && find_invalid_utf8(text) == text.size();
}

/// The escape of a control character, `"` or `\`.
static auto escape_of(char c) -> std::string {
  switch (c) {
    case '"':
      return R"(\")";
    case '\\':
      return R"(\\)";
    case '\b':
      return R"(\b)";
    case '\f':
      return R"(\f)";
    case '\n':
      return R"(\n)";
    case '\r':
      return R"(\r)";
    case '\t':
      return R"(\t)";
    default:
      return fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  }
}

auto json_string(std::string_view text) -> std::string {
  if (find_invalid_utf8(text) != text.size()) {
    return to_text(Json(text));
  }
  std::string out;
  out.reserve(text.size() + 8);
  out += '"';
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\\') {
      out += text.substr(begin, i - begin);
      out += escape_of(c);
      begin = i + 1;
    }
  }
  out += text.substr(begin);
  return out += '"';
}

/// `parts` one behind the other, which may be megabytes: copied once.
static auto joined(std::initializer_list<std::string_view> parts) -> std::string {
  size_t size = 0;
  for (const std::string_view part : parts) {
    size += part.size();
  }
  std::string out;
  out.reserve(size);
  for (const std::string_view part : parts) {
    out += part;
  }
  return out;
}

auto id_text(const RequestId& id) -> std::string {
  if (const auto* number = std::get_if<int64_t>(&id)) {
    return fmt::to_string(*number);
  }
  if (const auto* text = std::get_if<std::string>(&id)) {
    return json_string(*text);
  }
  return "null";
}

auto encode_result(const RequestId& id, std::string_view result) -> std::string {
  return joined({R"({"jsonrpc":"2.0","id":)", id_text(id), R"(,"result":)", result, "}"});
}

auto encode_error(const RequestId& id, const ResponseError& error) -> std::string {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{{"code":{},"message":{}{}{}}}}})",
                     id_text(id), static_cast<int>(error.code), json_string(error.message),
                     error.data.empty() ? "" : ",\"data\":", error.data);
}

auto encode_notification(std::string_view method, std::string_view params) -> std::string {
  return joined({R"({"jsonrpc":"2.0","method":")", method, R"(","params":)", params, "}"});
}

auto encode_request(int64_t id, std::string_view method, std::string_view params) -> std::string {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})", id, method,
                     params);
}

}  // namespace tacet::lsp
