#include "tests/fuzz/server_session.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <utility>

#include "base/check.h"
#include "lsp/ide/analysis_host.h"

namespace tacet::fuzz {

/// A session takes milliseconds; what takes this long hangs.
static constexpr std::chrono::seconds kPatience(20);

static auto rich_capabilities() -> Json {
  return Json::parse(R"({
    "general": {},
    "window": {"workDoneProgress": true, "showDocument": {"support": true}},
    "workspace": {
      "configuration": true,
      "didChangeConfiguration": {"dynamicRegistration": true},
      "didChangeWatchedFiles": {"dynamicRegistration": true},
      "workspaceEdit": {"documentChanges": true, "snippetEditSupport": true},
      "diagnostics": {"refreshSupport": true}, "semanticTokens": {"refreshSupport": true},
      "inlayHint": {"refreshSupport": true}, "codeLens": {"refreshSupport": true}},
    "textDocument": {
      "hover": {"contentFormat": ["markdown"]},
      "signatureHelp": {"signatureInformation": {"documentationFormat": ["markdown"],
                        "parameterInformation": {"labelOffsetSupport": true}}},
      "completion": {
        "completionList": {"itemDefaults": ["editRange"]},
        "completionItem": {"snippetSupport": true, "labelDetailsSupport": true,
                           "insertReplaceSupport": true, "documentationFormat": ["markdown"],
                           "insertTextModeSupport": {"valueSet": [1, 2]},
                           "resolveSupport": {"properties": ["additionalTextEdits"]}}},
      "codeAction": {"codeActionLiteralSupport": {}, "dataSupport": true,
                     "resolveSupport": {"properties": ["edit"]}},
      "documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
      "definition": {"linkSupport": true}, "declaration": {"linkSupport": true},
      "typeDefinition": {"linkSupport": true}, "implementation": {"linkSupport": true},
      "inlayHint": {"resolveSupport": {"properties": ["textEdits", "tooltip"]}},
      "publishDiagnostics": {"relatedInformation": true},
      "foldingRange": {"lineFoldingOnly": true}}})");
}

static auto initialize_params(const SessionStart& start) -> Json {
  Json capabilities = start.is_rich ? rich_capabilities() : Json{{"textDocument", Json::object()}};
  capabilities["general"]["positionEncodings"] = {start.encoding};
  if (start.pulls) {
    capabilities["textDocument"]["diagnostic"] = {{"markupMessageSupport", start.marks_up}};
  }
  Json folders = Json::array();
  for (const std::string& root : start.roots) {
    folders.push_back({{"uri", "file://" + root}, {"name", "root"}});
  }
  return {{"capabilities", std::move(capabilities)},
          {"workspaceFolders", std::move(folders)},
          {"initializationOptions", start.settings}};
}

ServerSession::ServerSession(const SessionStart& start)
    : host_(std::make_unique<ide::AnalysisHost>()), settings_(start.settings) {
  server_ = std::make_unique<lsp::Server>(
      loop_, pool_, *host_, [this](std::string_view body) { receive(body); }, [] {},
      // A fresh server, to which this one is compared, sees no typing.
      lsp::SessionOptions{.typing_pause = {}});
  request("initialize", initialize_params(start));
  notify("initialized", Json::object());
}

ServerSession::~ServerSession() {
  server_->input_closed();
  TACET_CHECK(pool_.stop(kPatience), "a worker does not end");
}

auto ServerSession::request(std::string_view method, Json params) -> int64_t {
  const int64_t id = ++n_requests_;
  open_.insert(id);
  send({{"id", id}, {"method", method}, {"params", std::move(params)}});
  return id;
}

void ServerSession::notify(std::string_view method, Json params) {
  send({{"method", method}, {"params", std::move(params)}});
}

void ServerSession::send(Json message) {
  message["jsonrpc"] = "2.0";
  send_body(lsp::to_text(message));
}

void ServerSession::send_body(std::string_view body) {
  reader_.feed(lsp::frame(body));
  while (auto next = reader_.next()) {
    server_->receive(*next);
  }
}

void ServerSession::poll() {
  loop_.context().poll_one();
  answer_server();
}

auto ServerSession::answer(int64_t id) -> Json {
  wait([&] { return answers_.contains(id); }, [&] { return fmt::format("request {}", id); });
  return answers_.at(id);
}

void ServerSession::wait_for_push(const std::string& uri, int64_t version,
                                  const Json& diagnostics) {
  wait(
      [&] {
        const Json& last = pushed_[uri];
        return last.is_object() && last.value("version", int64_t{-1}) == version &&
               last["diagnostics"] == diagnostics;
      },
      [&] {
        return fmt::format("{} of version {}\nexpected {}\npushed   {}", uri, version,
                           lsp::to_text(diagnostics), lsp::to_text(pushed_[uri]));
      });
}

void ServerSession::settle() {
  Json status;
  wait([&] { return open_.empty() && requests_.empty(); },
       [&] { return fmt::format("{} requests", open_.size()); });
  wait(
      [&] {
        status = status_now();
        return status["reads"] == 0 && requests_.empty();
      },
      [&] { return "reads: " + lsp::to_text(status); });
}

auto ServerSession::settle_searches() -> bool {
  constexpr std::chrono::seconds kPatienceOfSearches(5);
  settle();
  const auto limit = std::chrono::steady_clock::now() + kPatienceOfSearches;
  while (status_now()["background"] != 0) {
    loop_.context().run_one_for(std::chrono::milliseconds(100));
    answer_server();
    if (std::chrono::steady_clock::now() > limit) {
      return false;
    }
  }
  settle();
  return true;
}

/// What the server says of itself; it answers this at once.
auto ServerSession::status_now() -> Json {
  const int64_t id = request("tacet/serverStatus", nullptr);
  Json status = answers_.at(id);
  answers_.erase(id);
  return status;
}

template <class Done, class Text>
void ServerSession::wait(const Done& is_done, const Text& for_what) {
  input_drained();
  answer_server();
  const auto limit = std::chrono::steady_clock::now() + kPatience;
  while (!is_done()) {
    loop_.context().run_one_for(std::chrono::seconds(1));
    answer_server();
    TACET_CHECK(std::chrono::steady_clock::now() < limit,
                fmt::format("waits in vain for {}", for_what()).c_str());
  }
}

void ServerSession::receive(std::string_view body) {
  Json message = Json::parse(body);
  if (message.contains("method")) {
    const std::string method = message["method"];
    if (method == "textDocument/publishDiagnostics") {
      pushed_[message["params"]["uri"]] = message["params"];
    } else if (method == "window/logMessage") {
      const std::string text = message["params"]["message"];
      TACET_CHECK(text.find("internal error") == std::string::npos, text.c_str());
    }
    if (message.contains("id")) {
      requests_.push_back(std::move(message));
    }
    return;
  }
  if (message["id"].is_number_integer()) {
    const int64_t id = message["id"];
    TACET_CHECK(open_.erase(id) == 1, "an answer to what was not asked, or a second one");
    answers_[id] = message.contains("result") ? std::move(message["result"])
                                              : Json{{"error", std::move(message["error"])}};
  }
}

void ServerSession::answer_server() {
  while (!requests_.empty()) {
    const Json request = std::move(requests_.front());
    requests_.pop_front();
    Json response = {{"id", request["id"]}};
    if (request["method"] == "workspace/configuration") {
      response["result"] = {settings_};
    } else if (++n_server_requests_ % 7 == 0) {
      response["error"] = {{"code", -32601}, {"message", "no"}};
    } else {
      response["result"] = nullptr;
    }
    send(std::move(response));
  }
}

}  // namespace tacet::fuzz
