// A client that does anything: edits of every shape, several to a message, in all encodings, out of
// range and out of order, between requests of every kind, cancellations and nonsense, while files
// and folders of its workspace change under it. The texts are mirrored here; after each burst the
// server must answer as a fresh one that was given the mirrored texts, and tokens that the client
// assembled from edits must be all tokens. Every request must be answered once, and the session end
// in order.
//
// The input is the text of the first document, and the seed of everything that is done.

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "base/check.h"
#include "tests/fuzz/compare_servers.h"
#include "tests/fuzz/mirrored_text.h"
#include "tests/fuzz/random_folder.h"
#include "tests/fuzz/server_session.h"

namespace tacet::fuzz {
namespace {

using nlohmann::literals::operator""_json_pointer;

constexpr size_t kMaxText = 2048;
constexpr size_t kMaxGrown = 8192;

/// `text` as JSON can carry it.
auto as_json_text(std::string_view text) -> std::string {
  return Json::parse(lsp::to_text(Json(text))).get<std::string>();
}

constexpr std::string_view kSnippets[] = {
    "",
    "\n",
    "\r",
    "\r\n",
    "x",
    "é",
    "😀",
    "(",
    ")",
    "{",
    "}",
    ";",
    "// ",
    "/*",
    "*/",
    "\"",
    "\t",
    ".",
    "@",
    "\0",
    "?",
    "let ",
    "returns",
    "fn f(",
    "val ",
    "i64",
    " - > ",
    "#version 0.1.0\n",
    "-> ",
    "import other\n",
    "node(val.",
    "encode e.",
    "1",
    "\xEF\xBB\xBF",
    "val v(x: i64) -> i64 { returns x + 1 }\n",
    "sum(for i: 4 { a[i] })",
};

constexpr std::string_view kPositionRequests[] = {"textDocument/inlineCompletion",
                                                  "textDocument/hover",
                                                  "textDocument/completion",
                                                  "textDocument/definition",
                                                  "textDocument/declaration",
                                                  "textDocument/implementation",
                                                  "textDocument/references",
                                                  "textDocument/documentHighlight",
                                                  "textDocument/prepareRename",
                                                  "textDocument/rename",
                                                  "textDocument/signatureHelp",
                                                  "textDocument/typeDefinition",
                                                  "textDocument/onTypeFormatting",
                                                  "textDocument/linkedEditingRange",
                                                  "textDocument/prepareCallHierarchy",
                                                  "textDocument/prepareTypeHierarchy",
                                                  "tacet/obliviousForm",
                                                  "tacet/stage"};
constexpr std::string_view kDocumentRequests[] = {"textDocument/documentSymbol",
                                                  "textDocument/foldingRange",
                                                  "textDocument/diagnostic",
                                                  "textDocument/semanticTokens/full",
                                                  "textDocument/nonsense",
                                                  "textDocument/formatting",
                                                  "textDocument/codeLens",
                                                  "textDocument/documentLink",
                                                  "tacet/runnables",
                                                  "tacet/serverStatus"};
constexpr std::string_view kItemRequests[] = {
    "callHierarchy/incomingCalls", "callHierarchy/outgoingCalls", "typeHierarchy/supertypes",
    "typeHierarchy/subtypes", "textDocument/selectionRange"};
constexpr std::string_view kRangeRequests[] = {"experimental/joinLines",
                                               "experimental/moveItem",
                                               "textDocument/semanticTokens/range",
                                               "textDocument/rangeFormatting",
                                               "textDocument/rangesFormatting",
                                               "textDocument/codeAction",
                                               "textDocument/inlayHint"};
/// Requests about what the server has said before, or might have.
constexpr std::string_view kResolveRequests[] = {"codeLens/resolve", "inlayHint/resolve",
                                                 "codeAction/resolve", "completionItem/resolve",
                                                 "workspace/executeCommand"};
constexpr std::string_view kStages[] = {"hir",    "oblivious", "array", "schedule",   "circuit",
                                        "random", "program",   "mpc",   "layout-svg", "none"};

constexpr std::string_view kNonsense[] = {
    "",
    "{",
    "[]",
    "null",
    R"({"id":true,"method":"x"})",
    R"({"method":"textDocument/didChange","params":{"textDocument":{"uri":"mem:/none"},"contentChanges":[]}})",
    R"({"method":"textDocument/didChange","params":3})",
    R"({"method":"$/cancelRequest","params":{"id":"nobody"}})",
    R"({"method":"textDocument/didClose","params":{"textDocument":{"uri":"mem:/none"}}})",
    R"({"method":"unknown/notification"})",
    "\xff\xfe",
};

constexpr std::string_view kSettings[] = {
    R"({"inlayHints": {"tags": true, "types": false}})",
    R"({"inlayHints": {"tags": false, "types": true}, "format": {"width": 40}})",
    R"({"lint": {"levels": {"T1003": "allow"}}})",
    R"({"lint": {"levels": {"all": "warn"}, "obliviousness": "error"}})",
    R"({"lint": {"levels": {"nothing": 3}}, "codeLens": {"enable": false}})",
    R"({"semanticTokens": {"all": true}, "hover": {"pictures": false}})",
    R"({"inlayHints": {"parameters": false}, "completion": {"calls": false}})",
    "3",
};

/// One client at random.
class RandomClient {
 public:
  RandomClient(std::string_view text, uint64_t seed) : random_(seed) {
    static constexpr std::string_view kNames[] = {"utf-8", "utf-16", "utf-32"};
    const auto which = below(3);
    encoding_ = static_cast<PositionEncoding>(which);
    start_.encoding = kNames[which];
    // Pushing waits for the clock, so it has the smaller part of the runs.
    start_.pulls = below(8) != 0;
    start_.is_rich = below(2) == 0;
    start_.marks_up = start_.pulls && below(2) == 0;
    if (below(3) == 0) {
      folder_.emplace(random_);
      start_.roots = {folder_->root()};
    }
    session_.emplace(start_);
    open(folder_ ? folder_->any_uri() : "mem:/first.tacet", as_json_text(text));
    open("mem:/other.tacet", "#version 0.1.0\nval other(x: i64) -> i64 { returns x }\n");
  }

  void run() {
    const uint32_t n_bursts = 1 + below(3);
    for (uint32_t burst = 0; burst < n_bursts; ++burst) {
      const uint32_t n_steps = 1 + below(16);
      for (uint32_t i = 0; i < n_steps; ++i) {
        step();
      }
      compare();
    }
    session_->settle();
    session_->ask("shutdown", nullptr);
    session_->notify("exit", nullptr);
    TACET_CHECK(session_->exit_code() == 0, "an orderly session ends with 0");
  }

 private:
  auto below(uint32_t n) -> uint32_t { return static_cast<uint32_t>(random_() % n); }
  template <size_t n>
  auto one_of(const std::string_view (&choices)[n]) -> std::string_view {
    return choices[below(n)];
  }
  auto any_document() -> std::pair<const std::string, ClientDocument>& {
    auto document = documents_.begin();
    std::advance(document, below(static_cast<uint32_t>(documents_.size())));
    return *document;
  }

  void open(const std::string& uri, const std::string& text) {
    documents_.insert_or_assign(uri, ClientDocument{MirroredText(text)});
    session_->notify("textDocument/didOpen", item(uri, text, 1));
  }
  static auto item(const std::string& uri, const std::string& text, int64_t version) -> Json {
    return {{"textDocument",
             {{"uri", uri}, {"languageId", "tacet"}, {"version", version}, {"text", text}}}};
  }

  /// Closes a document, and opens it or another one.
  void close() {
    const std::string uri = any_document().first;
    const std::string text = documents_.at(uri).text.text();
    session_->notify("textDocument/didClose", {{"textDocument", {{"uri", uri}}}});
    documents_.erase(uri);
    open(folder_ && below(2) == 0 ? folder_->any_uri() : uri, text);
  }

  /// Mostly in the text, at the beginning of a character; sometimes far out.
  auto any_place(const MirroredText& text) -> LineColumn {
    LineColumn place = any_place_in(text, encoding_, random_);
    if (below(8) == 0) {
      place.column += below(1000000);
    }
    if (below(40) == 0) {
      place.line += 3;
    }
    return place;
  }
  static auto json(LineColumn place) -> Json {
    return {{"line", place.line}, {"character", place.column}};
  }

  void edit() {
    auto& [uri, document] = any_document();
    Json changes = Json::array();
    const uint32_t n_changes = below(6) == 0 ? below(5) : 1;
    for (uint32_t i = 0; i < n_changes; ++i) {
      const std::string text(one_of(kSnippets));
      if (below(40) == 0) {
        changes.push_back({{"text", text}});
        document.text.replace_all(text);
        continue;
      }
      const LineColumn begin = any_place(document.text);
      LineColumn end = begin;
      if (below(3) == 0) {
        end = any_place(document.text);
      }
      changes.push_back({{"range", {{"start", json(begin)}, {"end", json(end)}}}, {"text", text}});
      document.text.replace(begin, end, encoding_, text);
    }
    // Versions may skip, and what an impolite client sends may stand still.
    document.version += 1 + below(3);
    session_->notify("textDocument/didChange",
                     {{"textDocument", {{"uri", uri}, {"version", document.version}}},
                      {"contentChanges", changes}});
    if (document.text.text().size() > kMaxGrown) {
      open(uri, "#version 0.1.0\n");
    }
  }

  /// What the server was asked before, as a client resolves it: the parameters of an item of its
  /// answer, if it has come.
  auto any_item() -> std::optional<Json> {
    if (last_ == 0 || !session_->is_answered(last_)) {
      return std::nullopt;
    }
    Json answer = session_->answer(last_);
    if (answer.is_object() && answer.contains("items")) {
      answer = answer["items"];
    }
    if (!answer.is_array() || answer.empty()) {
      return std::nullopt;
    }
    return answer[below(static_cast<uint32_t>(answer.size()))];
  }

  void ask() {
    auto& [uri, document] = any_document();
    Json params = {{"textDocument", {{"uri", below(20) == 0 ? "mem:/none" : uri}}},
                   {"position", json(any_place(document.text))},
                   {"options", {{"tabSize", 4}, {"insertSpaces", true}}},
                   {"context", {{"diagnostics", Json::array()}}}};
    std::string_view method;
    switch (below(7)) {
      case 0:
        method = one_of(kPositionRequests);
        params["newName"] = one_of(kSnippets);
        params["stage"] = one_of(kStages);
        params["ch"] = "}";
        break;
      case 1:
        method = one_of(kRangeRequests);
        params["range"] = {{"start", json(any_place(document.text))},
                           {"end", json(any_place(document.text))}};
        params["ranges"] = {params["range"]};
        params["direction"] = below(2) == 0 ? "Up" : "Down";
        break;
      case 2:
        method = one_of(kDocumentRequests);
        break;
      case 3:
        method = one_of(kResolveRequests);
        params["data"] = {{"uri", uri}, {"of", below(40)}};
        params["kind"] = below(3);
        params["command"] = "tacet.showImplementations";
        params["arguments"] = {params["data"]};
        params = any_item().value_or(std::move(params));
        break;
      case 4: {
        method = one_of(kItemRequests);
        const Json at = params["position"];
        params["item"] = {{"uri", uri}, {"selectionRange", {{"start", at}, {"end", at}}}};
        params["positions"] = {at, json(any_place(document.text))};
        break;
      }
      case 5:
        method = "textDocument/semanticTokens/full/delta";
        params["previousResultId"] = document.tokens_id;
        break;
      default:
        ask_of_workspace(uri);
        return;
    }
    last_ = session_->request(method, below(30) == 0 ? Json(7) : std::move(params));
  }

  void ask_of_workspace(const std::string& uri) {
    switch (below(4)) {
      case 0:
        last_ = session_->request("workspace/symbol", {{"query", one_of(kSnippets)}});
        return;
      case 1:
        last_ = session_->request("workspace/diagnostic", {{"previousResultIds", Json::array()},
                                                           {"partialResultToken", "parts"}});
        return;
      case 2:
        last_ = session_->request(
            "workspace/willRenameFiles",
            {{"files", {{{"oldUri", uri}, {"newUri", folder_ ? folder_->any_uri() : uri + "x"}}}}});
        return;
      default:
        last_ = session_->request(
            "workspace/textDocumentContent",
            {{"uri", "tacet-stage:/" + std::string(one_of(kStages)) + "/" + uri}});
    }
  }

  void set_settings() {
    // A setting that is not sent stays: a fresh server gets the same ones in order.
    const Json settings = Json::parse(one_of(kSettings));
    if (!settings.is_object()) {
      session_->notify("workspace/didChangeConfiguration", {{"settings", settings}});
      return;
    }
    start_.settings.update(settings, true);
    if (const Json levels = settings.value("/lint/levels"_json_pointer, Json());
        !levels.is_null()) {
      start_.settings["lint"]["levels"] = levels;
    }
    session_->set_settings(start_.settings);
    session_->notify("workspace/didChangeConfiguration",
                     {{"settings", below(2) == 0 ? start_.settings : Json{{"tacet", settings}}}});
  }

  void change_folder() {
    if (!folder_) {
      return;
    }
    if (below(6) == 0) {
      const bool has_inner = start_.roots.size() == 2;
      const Json inner = {{{"uri", "file://" + folder_->inner()}, {"name", "lib"}}};
      if (has_inner) {
        start_.roots.pop_back();
      } else {
        start_.roots.push_back(folder_->inner());
      }
      session_->notify("workspace/didChangeWorkspaceFolders",
                       {{"event",
                         {{"added", has_inner ? Json::array() : inner},
                          {"removed", has_inner ? inner : Json::array()}}}});
      return;
    }
    folder_->change(any_document().second.text.text());
    if (below(2) == 0) {
      notify_of_folder();
    }
  }

  void notify_of_folder() {
    if (!folder_) {
      return;
    }
    Json changes = Json::array();
    for (const RandomFolder::Event& event : folder_->take_events()) {
      changes.push_back({{"uri", event.uri}, {"type", event.kind}});
    }
    session_->notify("workspace/didChangeWatchedFiles", {{"changes", std::move(changes)}});
  }

  void step() {
    switch (below(14)) {
      case 0:
      case 1:
      case 2:
        ask();
        return;
      case 3:
        session_->notify("$/cancelRequest", {{"id", last_ + below(2)}});
        return;
      case 4:
        session_->send_body(one_of(kNonsense));
        return;
      case 5:
        session_->input_drained();
        session_->poll();
        return;
      case 6:
        if (below(3) == 0) {
          set_settings();
        } else if (below(3) == 0) {
          close();
        }
        return;
      case 7:
      case 8:
        change_folder();
        return;
      default:
        edit();
        return;
    }
  }

  /// What the server says of everything as it came about, and a fresh one of how it is.
  void compare() {
    notify_of_folder();
    SessionStart start = start_;
    start.pulls = true;
    ServerSession fresh(start);
    for (const auto& [uri, document] : documents_) {
      fresh.notify("textDocument/didOpen", item(uri, document.text.text(), document.version));
    }
    ServerComparison(*session_, fresh, encoding_, random_).compare(documents_, start_.pulls);
  }

  std::mt19937_64 random_;
  PositionEncoding encoding_ = PositionEncoding::Utf16;
  SessionStart start_;
  std::optional<RandomFolder> folder_;
  std::optional<ServerSession> session_;
  ClientDocuments documents_;
  int64_t last_ = 0;
};

}  // namespace
}  // namespace tacet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  text = text.substr(0, tacet::fuzz::kMaxText);
  tacet::fuzz::RandomClient(text, std::hash<std::string_view>{}(text)).run();
  return 0;
}
