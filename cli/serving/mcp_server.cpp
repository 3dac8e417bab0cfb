#include "cli/serving/mcp_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "include/tacet.h"

namespace tacet::cli {

using nlohmann::json;

namespace {

constexpr std::array<std::string_view, 3> kRevisions = {"2024-11-05", "2025-03-26", "2025-06-18"};

/// Calls that run at the same time; more are refused.
constexpr size_t kMostCalls = 16;

constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;

auto message_text(const json& message) -> std::string {
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

auto initialised(const json& params) -> json {
  const std::string wanted = params.value("protocolVersion", "");
  const bool is_known = std::find(kRevisions.begin(), kRevisions.end(), wanted) != kRevisions.end();
  return {
      {"protocolVersion", is_known ? wanted : std::string(kRevisions.back())},
      {"capabilities", {{"tools", json::object()}}},
      {"serverInfo", {{"name", "tacet"}, {"version", tacet_version()}}},
      {"instructions",
       "Tools for Tacet, a language in which programs compute on encrypted and secret-shared data. "
       "Check a program after every change; `explain` has a page for each diagnostic."}};
}

auto result_of(const McpAnswer& answer) -> json {
  json result = {{"content", json::array({{{"type", "text"}, {"text", answer.text}}})},
                 {"isError", answer.is_error}};
  if (!answer.data.empty()) {
    result["structuredContent"] = json::parse(answer.data);
  }
  return result;
}

}  // namespace

McpServer::~McpServer() {
  {
    const std::lock_guard lock(mutex_);
    for (auto& [id, running] : running_) {
      running.token.cancel();
    }
  }
  wait();
}

void McpServer::wait() {
  for (;;) {
    std::thread thread;
    {
      const std::lock_guard lock(mutex_);
      if (running_.empty()) {
        return;
      }
      thread = std::move(running_.begin()->second.thread);
    }
    thread.join();
    const std::lock_guard lock(mutex_);
    std::erase_if(running_, [](const auto& running) { return !running.second.thread.joinable(); });
  }
}

void McpServer::answer(const json& id, json result) {
  const std::string line =
      message_text({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
  const std::lock_guard lock(send_mutex_);
  send_(line);
}

void McpServer::refuse(const json& id, int code, const std::string& message) {
  const std::string line = message_text(
      {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
  const std::lock_guard lock(send_mutex_);
  send_(line);
}

void McpServer::take(const std::string& line) {
  const json message = json::parse(line, nullptr, false);
  if (message.is_discarded()) {
    refuse(nullptr, kParseError, "the line is no JSON");
    return;
  }
  if (!message.is_object() || !message.contains("method") || !message["method"].is_string()) {
    // An answer is to no question of ours; anything else is no message.
    if (!message.is_object() || !(message.contains("result") || message.contains("error"))) {
      refuse(nullptr, kInvalidRequest, "a message is an object with a `method`");
    }
    return;
  }
  const auto method = message["method"].get<std::string>();
  const json params = message.value("params", json::object());
  if (!params.is_object()) {
    refuse(message.value("id", json()), kInvalidParams, "`params` must be an object");
  } else if (!message.contains("id")) {
    notify(method, params);
  } else if (!message["id"].is_string() && !message["id"].is_number_integer()) {
    refuse(nullptr, kInvalidRequest, "an `id` is a string or an integer");
  } else {
    request(method, message["id"], params);
  }
}

void McpServer::request(const std::string& method, const json& id, const json& params) {
  if (method == "initialize") {
    answer(id, initialised(params));
  } else if (method == "ping") {
    answer(id, json::object());
  } else if (method == "tools/list") {
    answer(id, {{"tools", mcp_tools()}});
  } else if (method == "tools/call") {
    call(id, params);
  } else {
    refuse(id, kMethodNotFound, fmt::format("no method `{}`", method));
  }
}

void McpServer::notify(const std::string& method, const json& params) {
  if (method != "notifications/cancelled" || !params.contains("requestId")) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (const auto found = running_.find(params["requestId"].dump()); found != running_.end()) {
    found->second.token.cancel();
  }
}

void McpServer::join_done() {
  const std::lock_guard lock(mutex_);
  for (auto at = running_.begin(); at != running_.end();) {
    if (at->second.is_done) {
      at->second.thread.join();  // it does nothing any more
      at = running_.erase(at);
    } else {
      ++at;
    }
  }
}

void McpServer::call(const json& id, const json& params) {
  const json name = params.value("name", json());
  const json arguments = params.value("arguments", json::object());
  if (!name.is_string() || !is_mcp_tool(name.get<std::string>())) {
    refuse(id, kInvalidParams, fmt::format("no tool {}", message_text(name)));
    return;
  }
  if (!arguments.is_object()) {
    refuse(id, kInvalidParams, "`arguments` must be an object");
    return;
  }
  join_done();
  const std::string key = id.dump();
  const std::lock_guard lock(mutex_);
  if (running_.find(key) != running_.end() || running_.size() == kMostCalls) {
    refuse(id, kInvalidRequest,
           running_.size() == kMostCalls ? "too many calls at the same time"
                                         : "a call with this `id` is running");
    return;
  }
  Running& running = running_[key];
  running.thread = std::thread(
      [this, id, key, name = name.get<std::string>(), arguments, token = running.token] {
        const McpAnswer given = call_mcp_tool(name, arguments, limits_, token);
        if (!token.is_cancelled()) {
          answer(id, result_of(given));
        }
        const std::lock_guard done(mutex_);
        if (const auto self = running_.find(key); self != running_.end()) {
          self->second.is_done = true;
        }
      });
}

}  // namespace tacet::cli
