#include "bench/process/busy_session.h"

#include "bench/process/language_client.h"
#include "bench/process/open_document.h"

namespace tacet::bench {

static constexpr std::string_view kCapabilities =
    R"({"window":{"workDoneProgress":true},"textDocument":{"publishDiagnostics":)"
    R"({"versionSupport":true},"completion":{"completionItem":{"snippetSupport":true,)"
    R"("resolveSupport":{"properties":["additionalTextEdits"]}}}}})";

/// One character with all that an editor asks because of it.
static void type_once(LanguageClient& client, OpenDocument& document, BusyResult::Times& times) {
  const auto begin = Clock::now();
  document.type();
  const auto typed = Clock::now();
  client.wait_for_answer(client.send_request("tacet/none", "null"));
  times.wait.add(milliseconds_since(typed));
  times.completion.add(document.timed("textDocument/completion"));
  times.hover.add(document.timed("textDocument/hover"));
  document.wait_for_diagnostics();
  times.keystroke.add(milliseconds_since(begin));
}

auto measure_busy_session(const WorkspaceOnDisk& workspace, const std::string& program,
                          int n_keystrokes) -> BusyResult {
  static constexpr double kPatienceMs = 60'000;
  BusyResult result;
  LanguageClient client(program, workspace.folder(), kCapabilities);
  OpenDocument document(client, workspace.files().front(), workspace.text());
  document.wait_for_diagnostics();
  result.first_diagnostics = milliseconds_since(client.started());
  while (!client.was_indexed() && milliseconds_since(client.started()) < kPatienceMs) {
    type_once(client, document, result.meanwhile);
  }
  result.indexed = milliseconds_since(client.started());
  client.wait_until_idle();
  for (int i = 0; i < n_keystrokes; ++i) {
    type_once(client, document, result.afterwards);
  }
  for (int i = 0; i < 20; ++i) {
    result.references.add(document.timed("textDocument/references"));
    const auto begin = Clock::now();
    client.wait_for_answer(client.send_request("workspace/symbol", R"({"query":"clamp_99"})"));
    result.symbols.add(milliseconds_since(begin));
  }
  result.memory_mb = client.peak_memory_mb();
  return result;
}

}  // namespace tacet::bench
