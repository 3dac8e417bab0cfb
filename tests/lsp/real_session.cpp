#include "tests/lsp/real_session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>
#include <utility>

#include "lsp/ide/analysis_host.h"

namespace tacet::lsp {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "tacet-lsp-XXXXXX").string();
  path_ = mkdtemp(name.data()) == nullptr ? "" : name;
  EXPECT_FALSE(path_.empty());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void TemporaryFolder::write(const std::string& name, std::string_view text) const {
  std::filesystem::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << text;
}

RealSession::RealSession(Json capabilities, const std::string& root) {
  Json params = {{"processId", nullptr}, {"capabilities", std::move(capabilities)}};
  if (!root.empty()) {
    params["workspaceFolders"] = {{{"uri", "file://" + root}, {"name", "root"}}};
  }
  EXPECT_FALSE(ask("initialize", std::move(params)).is_null());
  notify("initialized", Json::object());
}

void RealSession::open(const std::string& uri, std::string_view text) {
  notify(
      "textDocument/didOpen",
      {{"textDocument", {{"uri", uri}, {"languageId", "tacet"}, {"version", 1}, {"text", text}}}});
}

void RealSession::insert(const std::string& uri, int line, int column, std::string_view text) {
  const Json at = {{"line", line}, {"character", column}};
  notify("textDocument/didChange",
         {{"textDocument", {{"uri", uri}, {"version", ++version_}}},
          {"contentChanges", {{{"range", {{"start", at}, {"end", at}}}, {"text", text}}}}});
}

void RealSession::notify(std::string_view method, Json params) {
  client_.send(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}.dump());
}

auto RealSession::ask(std::string_view method, Json params) -> Json {
  const int id = ++n_requests_;
  client_.send(
      Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}
          .dump());
  return take(
      [&](const Json& message) { return !message.contains("method") && message["id"] == id; });
}

auto RealSession::ask_of(std::string_view method, const std::string& uri) -> Json {
  return ask(method, {{"textDocument", {{"uri", uri}}}});
}

auto RealSession::ask_at(std::string_view method, const std::string& uri, int line, int column)
    -> Json {
  return ask(method, {{"textDocument", {{"uri", uri}}},
                      {"position", {{"line", line}, {"character", column}}}});
}

auto RealSession::wait_for(std::string_view method) -> Json {
  return take([&](const Json& message) { return message.value("method", "") == method; });
}

auto RealSession::pushed(const std::string& uri, const std::function<bool(const Json&)>& is_wanted)
    -> Json {
  const Json found = take([&](const Json& message) {
    return message.value("method", "") == "textDocument/publishDiagnostics" &&
           message["params"]["uri"] == uri && is_wanted(message["params"]["diagnostics"]);
  });
  return found.is_null() ? Json() : found["params"]["diagnostics"];
}

void RealSession::settle() {
  while (!ask("tacet/serverStatus", nullptr)["result"].value("quiescent", true)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void RealSession::answer(const Json& request, Json result) {
  client_.send(
      Json{{"jsonrpc", "2.0"}, {"id", request["id"]}, {"result", std::move(result)}}.dump());
}

auto RealSession::end() -> int {
  EXPECT_TRUE(ask("shutdown", nullptr).contains("result"));
  notify("exit", nullptr);
  return client_.exit_code().value_or(-1);
}

auto RealSession::take(const std::function<bool(const Json&)>& is_wanted) -> Json {
  for (auto message = kept_.begin(); message != kept_.end(); ++message) {
    if (is_wanted(*message)) {
      Json found = std::move(*message);
      kept_.erase(message);
      return found;
    }
  }
  while (auto body = client_.receive()) {
    Json message = Json::parse(*body);
    if (is_wanted(message)) {
      return message;
    }
    kept_.push_back(std::move(message));
  }
  ADD_FAILURE() << "what was waited for did not come";
  return {};
}

}  // namespace tacet::lsp
