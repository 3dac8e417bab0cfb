#include "tests/dap/dap_client.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/serving/launch_debuggee.h"
#include "tests/harness/files.h"

namespace tacet::debugger {

static void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

static auto root() -> std::string {
  return harness::source_path(".").lexically_normal().parent_path().string();
}

auto test_launcher() -> Launcher {
  return [](const LaunchRequest& request, const std::function<void(LaunchOutput)>& output) {
    return cli::launch_debuggee(request, cli::ProgramModel(), output);
  };
}

DapClient::DapClient()
    : session_(test_launcher(), [this](const std::string& body) { keep(body); }) {}

void DapClient::keep(const std::string& body) {
  Json message = Json::parse(body);
  std::string line;
  if (message["type"] == "event") {
    line = fmt::format("event {}", message["event"].get<std::string>());
  } else {
    line = message["command"].get<std::string>();
    if (message["success"] == false) {
      line += fmt::format(" fails: {}", message["message"].get<std::string>());
      message.erase("body");
    }
  }
  if (message.contains("body")) {
    line += " " + message["body"].dump();
  }
  replace_all(line, root(), "$ROOT");
  received_.push_back(std::move(line));
}

void DapClient::send(std::string_view body, int n_slices) {
  session_.receive(body);
  for (int i = 0; session_.is_moving() && i != n_slices; ++i) {
    session_.advance();
  }
}

void DapClient::request(const std::string& command, std::string arguments, int n_slices) {
  replace_all(arguments, "$ROOT", root());
  send(fmt::format(R"({{"seq":{},"type":"request","command":"{}","arguments":{}}})", ++n_requests_,
                   command, arguments.empty() ? "{}" : arguments),
       n_slices);
}

auto DapClient::received() -> std::vector<std::string> {
  return std::exchange(received_, {});
}

}  // namespace tacet::debugger
