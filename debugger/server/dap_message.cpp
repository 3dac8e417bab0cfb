#include "debugger/server/dap_message.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

namespace tacet::debugger {

/// Deeper values would take more stack than there is when they are written.
static constexpr int kMostDepth = 500;

static auto is_too_deep(std::string_view body) -> bool {
  int depth = 0;
  bool is_text = false;
  for (size_t i = 0; i < body.size() && depth <= kMostDepth; ++i) {
    if (body[i] == '"') {
      is_text = !is_text;
    } else if (is_text) {
      i += body[i] == '\\' ? 1 : 0;
    } else if (body[i] == '[' || body[i] == '{') {
      ++depth;
    } else if (body[i] == ']' || body[i] == '}') {
      --depth;
    }
  }
  return depth > kMostDepth;
}

auto parse_request(std::string_view body) -> Result<DapRequest> {
  if (is_too_deep(body)) {
    return Error{"the message is nested too deeply"};
  }
  auto message = std::make_shared<Json>(Json::parse(body, nullptr, false));
  if (message->is_discarded()) {
    return Error{"the message is no JSON"};
  }
  if (!message->is_object() || !message->contains("type") || (*message)["type"] != "request") {
    return Error{"the message is no request"};
  }
  DapRequest request;
  const auto seq = message->find("seq");
  const auto command = message->find("command");
  if (seq == message->end() || !seq->is_number_integer()) {
    return Error{"the request has no number `seq`"};
  }
  if (command == message->end() || !command->is_string()) {
    return Error{"the request has no `command`"};
  }
  request.seq = seq->get<int64_t>();
  request.command = command->get<std::string>();
  const auto arguments = message->find("arguments");
  if (arguments == message->end() || arguments->is_null()) {
    request.arguments = std::make_shared<const Json>(Json::object());
  } else if (arguments->is_object()) {
    request.arguments = std::shared_ptr<const Json>(message, &*arguments);
  } else {
    request.arguments = nullptr;
  }
  return request;
}

auto ArgumentReader::has(const char* member) const -> bool {
  const auto found = object_.find(member);
  return found != object_.end() && !found->is_null();
}

void ArgumentReader::fail(std::string message) {
  if (error_.empty()) {
    error_ = std::move(message);
  }
}

auto ArgumentReader::text(const char* member, std::string fallback) -> std::string {
  if (!has(member)) {
    return fallback;
  }
  const Json& value = object_[member];
  if (!value.is_string()) {
    fail(fmt::format("`{}` must be a string", member));
    return fallback;
  }
  return value.get<std::string>();
}

auto ArgumentReader::flag(const char* member, bool fallback) -> bool {
  if (!has(member)) {
    return fallback;
  }
  const Json& value = object_[member];
  if (!value.is_boolean()) {
    fail(fmt::format("`{}` must be true or false", member));
    return fallback;
  }
  return value.get<bool>();
}

auto ArgumentReader::number(const char* member, int64_t fallback, int64_t least, int64_t most)
    -> int64_t {
  if (!has(member)) {
    return fallback;
  }
  const Json& value = object_[member];
  const bool is_huge = value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{1} << 62;
  if (!value.is_number_integer() || is_huge || value.get<int64_t>() < least ||
      value.get<int64_t>() > most) {
    fail(fmt::format("`{}` must be an integer of at least {}", member, least));
    return fallback;
  }
  return value.get<int64_t>();
}

auto ArgumentReader::any(const char* member) -> const Json& {
  static const Json kNull;
  return has(member) ? object_[member] : kNull;
}

auto ArgumentReader::list(const char* member) -> const Json& {
  static const Json kEmpty = Json::array();
  if (!has(member)) {
    return kEmpty;
  }
  if (!object_[member].is_array()) {
    fail(fmt::format("`{}` must be an array", member));
    return kEmpty;
  }
  return object_[member];
}

auto ArgumentReader::object(const char* member) -> const Json& {
  static const Json kEmpty = Json::object();
  if (!has(member)) {
    return kEmpty;
  }
  if (!object_[member].is_object()) {
    fail(fmt::format("`{}` must be an object", member));
    return kEmpty;
  }
  return object_[member];
}

}  // namespace tacet::debugger
