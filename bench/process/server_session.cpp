#include "bench/process/server_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "bench/process/language_client.h"

namespace tacet::bench {

namespace {

constexpr int kBurstEdits = 500;
/// What a screen shows.
constexpr size_t kScreenLines = 60;

struct Place {
  size_t line = 0;
  size_t column = 0;
};

auto place_of(std::string_view text, size_t offset) -> Place {
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
  const size_t line_begin = text.rfind('\n', offset) + 1;
  return {static_cast<size_t>(line), offset - line_begin};
}

/// One open document, in which a person types inside a body in its middle.
class OpenDocument {
 public:
  OpenDocument(LanguageClient& client, const std::string& path, const std::string& text)
      : client_(client), uri_(json_text(uri_of(path))) {
    const size_t middle = text.size() / 2;
    typing_ = place_of(text, text.find("value > high", middle));
    hovered_ = place_of(text, text.find("first + rec_sum_local", middle) + 10);
    client_.notify("textDocument/didOpen",
                   fmt::format(R"({{"textDocument":{{"uri":{},"languageId":"tacet","version":1,)"
                               R"("text":{}}}}})",
                               uri_, json_text(text)));
  }

  /// Types a term in front of an expression, which makes a mistake, or takes it back.
  void type() {
    static constexpr std::string_view kTyped = "1 + ";
    has_typed_ = !has_typed_;
    edit(has_typed_ ? 0 : kTyped.size(), has_typed_ ? kTyped : "");
  }

  void edit(size_t n_removed, std::string_view inserted) {
    client_.notify(
        "textDocument/didChange",
        fmt::format(
            R"({{"textDocument":{{"uri":{},"version":{}}},"contentChanges":[{{"range":)"
            R"({{"start":{{"line":{},"character":{}}},"end":{{"line":{},"character":{}}}}},)"
            R"("text":"{}"}}]}})",
            uri_, ++version_, typing_.line, typing_.column, typing_.line,
            typing_.column + n_removed, inserted));
  }

  /// Waits for the diagnostics of the present version, of which there are none. How many
  /// publications came until then.
  auto wait_for_diagnostics() -> int {
    for (int n_published = 0;;) {
      const auto message = nlohmann::json::parse(client_.receive());
      if (message.value("method", "") != "textDocument/publishDiagnostics") {
        continue;
      }
      const auto& params = message["params"];
      if (json_text(params["uri"].get<std::string>()) != uri_) {
        continue;
      }
      ++n_published;
      if (params.value("version", 0) == version_) {
        // With the term in front, the function is not what its specification says.
        const size_t n_expected = has_typed_ ? 1 : 0;
        if (params["diagnostics"].size() != n_expected) {
          fail("other diagnostics than expected: " + params["diagnostics"].dump());
        }
        return n_published;
      }
    }
  }

  auto ask(std::string_view method) -> std::string {
    return client_.wait_for_answer(client_.send_request(
        method,
        fmt::format(R"({{"textDocument":{{"uri":{}}},"position":{{"line":{},"character":{}}}}})",
                    uri_, hovered_.line, hovered_.column)));
  }

  /// Asks for something about the lines on the screen, or about all of the document.
  auto ask_screen(std::string_view method) -> std::string {
    const size_t first = typing_.line - std::min(typing_.line, kScreenLines / 2);
    return client_.wait_for_answer(client_.send_request(
        method, fmt::format(R"({{"textDocument":{{"uri":{}}},"range":{{"start":{{"line":{},)"
                            R"("character":0}},"end":{{"line":{},"character":0}}}}}})",
                            uri_, first, first + kScreenLines)));
  }

 private:
  LanguageClient& client_;
  std::string uri_;
  Place typing_;
  Place hovered_;
  int version_ = 1;
  bool has_typed_ = false;
};

void measure_keystrokes(OpenDocument& document, int n, Samples& samples) {
  for (int i = 0; i < n; ++i) {
    const auto begin = Clock::now();
    document.type();
    document.wait_for_diagnostics();
    samples.add(milliseconds_since(begin));
  }
}

auto timed_request(OpenDocument& document, std::string_view method) -> double {
  const auto begin = Clock::now();
  const auto answer = document.ask(method);
  const double time = milliseconds_since(begin);
  const auto parsed = nlohmann::json::parse(answer);
  if (parsed.contains("error") || parsed["result"].is_null()) {
    fail(fmt::format("{} was answered {}", method, answer));
  }
  return time;
}

void measure_round_trips(LanguageClient& client, int n, Samples& samples) {
  for (int i = 0; i < n; ++i) {
    const auto begin = Clock::now();
    client.wait_for_answer(client.send_request("tacet/none", "null"));
    samples.add(milliseconds_since(begin));
  }
}

void measure_requests_after_keys(OpenDocument& document, std::string_view method, int n,
                                 Samples& samples) {
  for (int i = 0; i < n; ++i) {
    document.type();
    samples.add(timed_request(document, method));
    document.wait_for_diagnostics();
  }
}

void measure_hints(OpenDocument& document, int n, Samples& samples) {
  for (int i = 0; i < n; ++i) {
    document.type();
    const auto begin = Clock::now();
    const auto answer = document.ask_screen("textDocument/inlayHint");
    samples.add(milliseconds_since(begin));
    if (nlohmann::json::parse(answer)["result"].empty()) {
      fail("no hints on the screen: " + answer);
    }
    document.wait_for_diagnostics();
  }
}

void measure_lenses(LanguageClient& client, OpenDocument& document, int n, SessionResult& result) {
  for (int i = 0; i < n; ++i) {
    document.type();
    auto begin = Clock::now();
    const auto answer = document.ask_screen("textDocument/codeLens");
    result.lenses_after_key.add(milliseconds_since(begin));
    const auto lenses = nlohmann::json::parse(answer)["result"];
    if (lenses.empty()) {
      fail("no lenses: " + answer);
    }
    document.wait_for_diagnostics();
    const std::string lens = lenses[lenses.size() / 2].dump();
    begin = Clock::now();
    client.wait_for_answer(client.send_request("codeLens/resolve", lens));
    result.lens_text.add(milliseconds_since(begin));
  }
}

void measure_burst(OpenDocument& document, SessionResult& result) {
  const auto begin = Clock::now();
  for (int i = 0; i < kBurstEdits; ++i) {
    document.edit(0, " ");
  }
  const int n_published = document.wait_for_diagnostics();
  result.burst.add(milliseconds_since(begin));
  result.max_burst_publications = std::max(result.max_burst_publications, n_published);
}

void measure_all_open(const WorkspaceOnDisk& workspace, LanguageClient& client,
                      OpenDocument& edited, int n_keystrokes, SessionResult& result) {
  for (size_t i = 1; i < workspace.files().size(); ++i) {
    OpenDocument other(client, workspace.files()[i], workspace.text());
  }
  edited.type();
  edited.wait_for_diagnostics();
  client.wait_until_idle();
  result.all_open_memory_mb = client.memory_mb();
  measure_keystrokes(edited, n_keystrokes, result.all_open_keystroke);
}

}  // namespace

auto measure_session(const WorkspaceOnDisk& workspace, const SessionOptions& options)
    -> SessionResult {
  SessionResult result;
  for (int i = 0; i < options.n_starts; ++i) {
    LanguageClient client(options.program, workspace.folder());
    OpenDocument document(client, workspace.files().front(), workspace.text());
    document.wait_for_diagnostics();
    result.start.add(milliseconds_since(client.started()));
  }
  LanguageClient client(options.program, workspace.folder());
  OpenDocument document(client, workspace.files().front(), workspace.text());
  document.wait_for_diagnostics();
  client.wait_until_idle();
  measure_round_trips(client, options.n_keystrokes, result.round_trip);
  Samples warming;
  measure_keystrokes(document, 20, warming);
  measure_keystrokes(document, options.n_keystrokes, result.keystroke);
  for (int i = 0; i < options.n_keystrokes; ++i) {
    result.hover.add(timed_request(document, "textDocument/hover"));
  }
  const int n_after_keys = options.n_keystrokes / 4;
  measure_requests_after_keys(document, "textDocument/hover", n_after_keys, result.hover_after_key);
  if (client.offers("inlayHintProvider")) {
    measure_hints(document, n_after_keys, result.hints_after_key);
    measure_lenses(client, document, n_after_keys, result);
  }
  if (client.offers("completionProvider")) {
    measure_requests_after_keys(document, "textDocument/completion", n_after_keys,
                                result.completion_after_key);
  }
  for (int i = 0; i < 5; ++i) {
    measure_burst(document, result);
  }
  client.wait_until_idle();
  result.memory_mb = client.memory_mb();
  if (options.opens_everything) {
    measure_all_open(workspace, client, document, n_after_keys, result);
  }
  return result;
}

}  // namespace tacet::bench
