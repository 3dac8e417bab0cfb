#include "bench/process/server_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "bench/process/language_client.h"
#include "bench/process/open_document.h"

namespace tacet::bench {

namespace {

constexpr int kBurstEdits = 500;
void measure_keystrokes(OpenDocument& document, int n, Samples& samples) {
  for (int i = 0; i < n; ++i) {
    const auto begin = Clock::now();
    document.type();
    document.wait_for_diagnostics();
    samples.add(milliseconds_since(begin));
  }
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
    samples.add(document.timed(method));
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
    result.hover.add(document.timed("textDocument/hover"));
  }
  const int n_after_keys = options.n_keystrokes / 4;
  for (int i = 0; i < n_after_keys; ++i) {
    result.references.add(document.timed("textDocument/references"));
    document.type();
    result.tokens_after_key.add(document.timed("textDocument/semanticTokens/full"));
    document.wait_for_diagnostics();
  }
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
