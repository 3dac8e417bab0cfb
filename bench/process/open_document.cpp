#include "bench/process/open_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tacet::bench {

/// What a screen shows.
static constexpr size_t kScreenLines = 60;

auto OpenDocument::place_of(std::string_view text, size_t offset) -> Place {
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
  const size_t line_begin = text.rfind('\n', offset) + 1;
  return {static_cast<size_t>(line), offset - line_begin};
}

OpenDocument::OpenDocument(LanguageClient& client, const std::string& path, const std::string& text)
    : client_(client), uri_(json_text(uri_of(path))) {
  const size_t middle = text.size() / 2;
  typing_ = place_of(text, text.find("value > high", middle));
  hovered_ = place_of(text, text.find("first + rec_sum_local", middle) + 10);
  client_.notify("textDocument/didOpen",
                 fmt::format(R"({{"textDocument":{{"uri":{},"languageId":"tacet","version":1,)"
                             R"("text":{}}}}})",
                             uri_, json_text(text)));
}

void OpenDocument::type() {
  static constexpr std::string_view kTyped = "1 + ";
  has_typed_ = !has_typed_;
  edit(has_typed_ ? 0 : kTyped.size(), has_typed_ ? kTyped : "");
}

void OpenDocument::edit(size_t n_removed, std::string_view inserted) {
  client_.notify(
      "textDocument/didChange",
      fmt::format(R"({{"textDocument":{{"uri":{},"version":{}}},"contentChanges":[{{"range":)"
                  R"({{"start":{{"line":{},"character":{}}},"end":{{"line":{},"character":{}}}}},)"
                  R"("text":"{}"}}]}})",
                  uri_, ++version_, typing_.line, typing_.column, typing_.line,
                  typing_.column + n_removed, inserted));
}

auto OpenDocument::wait_for_diagnostics() -> int {
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
      // The linter has remarks on the text, too.
      const auto& found = params["diagnostics"];
      const auto n_errors = std::count_if(found.begin(), found.end(), [](const auto& diagnostic) {
        return diagnostic["severity"] == 1;
      });
      if (n_errors != (has_typed_ ? 1 : 0)) {
        fail("other diagnostics than expected: " + params["diagnostics"].dump());
      }
      return n_published;
    }
  }
}

auto OpenDocument::ask(std::string_view method) -> std::string {
  return client_.wait_for_answer(client_.send_request(
      method,
      fmt::format(R"({{"textDocument":{{"uri":{}}},"position":{{"line":{},"character":{}}},)"
                  R"("context":{{"includeDeclaration":true}}}})",
                  uri_, hovered_.line, hovered_.column)));
}

auto OpenDocument::timed(std::string_view method) -> double {
  const auto begin = Clock::now();
  const auto answer = ask(method);
  const double time = milliseconds_since(begin);
  const auto parsed = nlohmann::json::parse(answer);
  if (parsed.contains("error") || parsed["result"].is_null()) {
    fail(fmt::format("{} was answered {}", method, answer));
  }
  return time;
}

auto OpenDocument::ask_screen(std::string_view method) -> std::string {
  const size_t first = typing_.line - std::min(typing_.line, kScreenLines / 2);
  return client_.wait_for_answer(client_.send_request(
      method, fmt::format(R"({{"textDocument":{{"uri":{}}},"range":{{"start":{{"line":{},)"
                          R"("character":0}},"end":{{"line":{},"character":0}}}}}})",
                          uri_, first, first + kScreenLines)));
}

}  // namespace tacet::bench
