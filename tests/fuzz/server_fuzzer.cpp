// A client that does anything: edits of every shape, several to a message, in all encodings, out of
// range and out of order, between requests of every kind, cancellations and nonsense. The texts are
// mirrored here; after each burst the diagnostics must be those of a fresh server that was given
// the mirrored text. Every request must be answered once, and the session end in order.
//
// The input is the text of the first document, and the seed of everything that is done.

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>

#include "base/check.h"
#include "lsp/ide/compiler_host.h"
#include "lsp/protocol/frame.h"
#include "lsp/server/event_loop.h"
#include "lsp/server/server.h"
#include "tests/fuzz/mirrored_text.h"

namespace tacet::lsp {
namespace {

constexpr size_t kMaxText = 2048;
constexpr size_t kMaxGrown = 8192;

/// `text` as JSON can carry it.
auto as_json_text(std::string_view text) -> std::string {
  return Json::parse(to_text(Json(text))).get<std::string>();
}

/// A server and what it said, in one thread but for its workers.
class Session {
 public:
  Session() {
    server_ = std::make_unique<Server>(
        loop_, pool_, *host_, [this](std::string_view body) { receive(body); }, [] {});
  }
  ~Session() {
    server_->input_closed();
    TACET_CHECK(pool_.stop(std::chrono::seconds(30)), "a worker does not end");
  }

  void begin(std::string_view encoding, bool pulls) {
    Json capabilities = {{"general", {{"positionEncodings", Json::array({encoding})}}},
                         {"textDocument", Json::object()}};
    if (pulls) {
      capabilities["textDocument"]["diagnostic"] = Json::object();
    }
    request("initialize", {{"capabilities", capabilities}});
    notify("initialized", Json::object());
  }

  auto request(std::string_view method, Json params) -> int64_t {
    const int64_t id = ++n_requests_;
    open_.insert(id);
    send({{"id", id}, {"method", method}, {"params", std::move(params)}});
    return id;
  }
  void notify(std::string_view method, Json params) {
    send({{"method", method}, {"params", std::move(params)}});
  }
  void send(Json message) {
    message["jsonrpc"] = "2.0";
    send_body(to_text(message));
  }
  void send_body(std::string_view body) {
    reader_.feed(frame(body));
    while (auto next = reader_.next()) {
      server_->receive(*next);
    }
  }
  void input_drained() { server_->input_drained(); }
  /// Lets workers and timers get on for one step, if they have anything.
  void poll() { loop_.context().poll_one(); }

  /// The answer to a request.
  auto answer(int64_t id) -> Json {
    wait([&] { return answers_.count(id) != 0; });
    return answers_[id];
  }
  /// Waits until the diagnostics pushed for a document are these.
  void wait_for_push(const std::string& uri, int64_t version, const Json& diagnostics) {
    wait([&] {
      const Json& last = pushed_[uri];
      return last.is_object() && last.value("version", int64_t{-1}) == version &&
             last["diagnostics"] == diagnostics;
    });
  }
  void wait_for_all() {
    wait([&] { return open_.empty(); });
  }
  [[nodiscard]] auto exit_code() const { return server_->exit_code(); }

 private:
  template <class Done>
  void wait(const Done& is_done) {
    input_drained();
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!is_done()) {
      loop_.context().run_one_for(std::chrono::seconds(1));
      TACET_CHECK(std::chrono::steady_clock::now() < limit, "the server does not answer");
    }
  }

  void receive(std::string_view body) {
    Json message = Json::parse(body);
    if (message.contains("method")) {
      if (message["method"] == "textDocument/publishDiagnostics") {
        pushed_[message["params"]["uri"]] = message["params"];
      } else if (message["method"] == "window/logMessage") {
        const std::string text = message["params"]["message"];
        TACET_CHECK(text.find("internal error") == std::string::npos, text.c_str());
      }
      return;
    }
    if (message["id"].is_number_integer()) {
      const int64_t id = message["id"];
      TACET_CHECK(open_.erase(id) == 1, "an answer to what was not asked, or a second one");
      answers_[id] = std::move(message);
    }
  }

  EventLoop loop_;
  WorkerPool pool_{2};
  std::unique_ptr<ide::AnalysisHost> host_ = ide::make_compiler_host();
  std::unique_ptr<Server> server_;
  FrameReader reader_;
  int64_t n_requests_ = 0;
  std::set<int64_t> open_;
  std::map<int64_t, Json> answers_;
  std::map<std::string, Json> pushed_;
};

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

constexpr std::string_view kPositionRequests[] = {"textDocument/hover",
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
                                                  "textDocument/prepareCallHierarchy",
                                                  "textDocument/prepareTypeHierarchy"};
constexpr std::string_view kDocumentRequests[] = {
    "textDocument/documentSymbol", "textDocument/foldingRange",
    "textDocument/diagnostic",     "textDocument/semanticTokens/full",
    "textDocument/nonsense",       "textDocument/formatting",
    "textDocument/codeLens",       "textDocument/documentLink"};
constexpr std::string_view kItemRequests[] = {
    "callHierarchy/incomingCalls", "callHierarchy/outgoingCalls", "typeHierarchy/supertypes",
    "typeHierarchy/subtypes", "textDocument/selectionRange"};
constexpr std::string_view kRangeRequests[] = {
    "textDocument/semanticTokens/range", "textDocument/rangeFormatting",
    "textDocument/rangesFormatting",     "textDocument/linkedEditingRange",
    "textDocument/codeAction",           "textDocument/inlayHint"};
/// Requests about what the server has said before, or might have.
constexpr std::string_view kResolveRequests[] = {"codeLens/resolve", "inlayHint/resolve",
                                                 "workspace/executeCommand"};
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

/// One client at random.
class RandomClient {
 public:
  RandomClient(std::string_view text, uint64_t seed) : random_(seed) {
    static constexpr std::string_view kNames[] = {"utf-8", "utf-16", "utf-32"};
    const auto which = below(3);
    encoding_ = static_cast<PositionEncoding>(which);
    encoding_name_ = kNames[which];
    // Pushing waits for the clock, so it has the smaller part of the runs.
    pulls_ = below(8) != 0;
    session_.begin(encoding_name_, pulls_);
    open("mem:/first.tacet", as_json_text(text));
    open("mem:/other.tacet", "#version 0.1.0\nval other(x: i64) -> i64 { returns x }\n");
  }

  void run() {
    const uint32_t n_bursts = 1 + below(3);
    for (uint32_t burst = 0; burst < n_bursts; ++burst) {
      const uint32_t n_steps = 1 + below(12);
      for (uint32_t i = 0; i < n_steps; ++i) {
        step();
      }
      compare();
    }
    session_.wait_for_all();
    session_.answer(session_.request("shutdown", nullptr));
    session_.notify("exit", nullptr);
    TACET_CHECK(session_.exit_code() == 0, "an orderly session ends with 0");
  }

 private:
  struct Document {
    fuzz::MirroredText text;
    int64_t version = 1;
  };

  auto below(uint32_t n) -> uint32_t { return static_cast<uint32_t>(random_() % n); }
  template <size_t n>
  auto one_of(const std::string_view (&choices)[n]) -> std::string_view {
    return choices[below(n)];
  }
  auto any_document() -> std::pair<const std::string, Document>& {
    auto document = documents_.begin();
    std::advance(document, below(static_cast<uint32_t>(documents_.size())));
    return *document;
  }

  void open(const std::string& uri, const std::string& text) {
    documents_.insert_or_assign(uri, Document{fuzz::MirroredText(text), 1});
    session_.notify("textDocument/didOpen", item(uri, text, 1));
  }
  static auto item(const std::string& uri, const std::string& text, int64_t version) -> Json {
    return {{"textDocument",
             {{"uri", uri}, {"languageId", "tacet"}, {"version", version}, {"text", text}}}};
  }

  /// Mostly in the text, at the beginning of a character; sometimes far out.
  auto any_place(const fuzz::MirroredText& text) -> LineColumn {
    LineColumn place;
    place.line = below(text.n_lines() + (below(8) == 0 ? 3 : 0));
    const std::vector<uint32_t> columns = text.columns(place.line, encoding_);
    place.column = columns[below(static_cast<uint32_t>(columns.size()))];
    if (below(8) == 0) {
      place.column = columns.back() + below(1000000);
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
    session_.notify("textDocument/didChange",
                    {{"textDocument", {{"uri", uri}, {"version", document.version}}},
                     {"contentChanges", changes}});
    if (document.text.text().size() > kMaxGrown) {
      open(uri, "#version 0.1.0\n");
    }
  }

  void ask() {
    auto& [uri, document] = any_document();
    Json params = {{"textDocument", {{"uri", below(20) == 0 ? "mem:/none" : uri}}},
                   {"options", {{"tabSize", 4}, {"insertSpaces", true}}},
                   {"context", {{"diagnostics", Json::array()}}}};
    std::string_view method;
    switch (below(5)) {
      case 3:
        method = one_of(kResolveRequests);
        params["data"] = {{"uri", uri}, {"of", below(40)}};
        params["position"] = json(any_place(document.text));
        params["kind"] = below(3);
        params["command"] = "tacet.showImplementations";
        params["arguments"] = Json::array({params["data"]});
        break;
      case 0:
        method = one_of(kPositionRequests);
        params["newName"] = one_of(kSnippets);
        params["position"] = json(any_place(document.text));
        break;
      case 4: {
        method = one_of(kItemRequests);
        const Json at = json(any_place(document.text));
        params["item"] = {{"uri", uri}, {"selectionRange", {{"start", at}, {"end", at}}}};
        params["positions"] = Json::array({at, json(any_place(document.text))});
        break;
      }
      case 1:
        method = one_of(kRangeRequests);
        params["range"] = {{"start", json(any_place(document.text))},
                           {"end", json(any_place(document.text))}};
        break;
      default:
        method = one_of(kDocumentRequests);
        break;
    }
    last_ = session_.request(method, below(30) == 0 ? Json(7) : std::move(params));
  }

  void step() {
    switch (below(12)) {
      case 0:
      case 1:
      case 2:
        ask();
        return;
      case 3:
        session_.notify("$/cancelRequest", {{"id", last_ + below(2)}});
        return;
      case 4:
        session_.send_body(one_of(kNonsense));
        return;
      case 5:
        session_.input_drained();
        session_.poll();
        return;
      case 6:
        if (below(3) == 0) {
          const Json hints = {{"tags", below(2) == 0}, {"types", below(4) != 0}};
          session_.notify("workspace/didChangeConfiguration",
                          {{"settings", {{"tacet", {{"inlayHints", hints}}}}}});
        } else if (below(4) == 0) {
          const std::string uri = any_document().first;
          session_.notify("textDocument/didClose", {{"textDocument", {{"uri", uri}}}});
          open(uri, documents_.at(uri).text.text());
        }
        return;
      default:
        edit();
        return;
    }
  }

  static auto diagnostics(Session& session, const std::string& uri) -> Json {
    const int64_t id =
        session.request("textDocument/diagnostic", {{"textDocument", {{"uri", uri}}}});
    return session.answer(id)["result"]["items"];
  }

  /// What the server says of the texts as they came about, and a fresh one of the same texts.
  void compare() {
    Session fresh;
    fresh.begin(encoding_name_, true);
    for (const auto& [uri, document] : documents_) {
      fresh.notify("textDocument/didOpen", item(uri, document.text.text(), document.version));
    }
    for (const auto& [uri, document] : documents_) {
      const Json expected = diagnostics(fresh, uri);
      if (!pulls_) {
        session_.wait_for_push(uri, document.version, expected);
        continue;
      }
      const Json found = diagnostics(session_, uri);
      TACET_CHECK(found == expected,
                  fmt::format("diagnostics of\n{}\nexpected {}\nfound    {}", document.text.text(),
                              to_text(expected), to_text(found))
                      .c_str());
    }
    fresh.wait_for_all();
  }

  std::mt19937_64 random_;
  PositionEncoding encoding_ = PositionEncoding::Utf16;
  std::string_view encoding_name_;
  bool pulls_ = true;
  Session session_;
  std::map<std::string, Document> documents_;
  int64_t last_ = 0;
};

}  // namespace
}  // namespace tacet::lsp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  text = text.substr(0, tacet::lsp::kMaxText);
  tacet::lsp::RandomClient(text, std::hash<std::string_view>{}(text)).run();
  return 0;
}
