#include <emscripten.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command_line.h"
#include "cli/commands/commands.h"
#include "lsp/ide/analysis_host.h"
#include "lsp/server/server.h"
#include "playground/limits.h"
#include "playground/run_program.h"

/// What JavaScript calls. Texts are UTF-8 with a zero behind them; those that are given back are
/// freed with `free`.
namespace {

using namespace tacet;
using nlohmann::json;

/// Of files that the module writes; emscripten begins with a mask that nobody may read through.
[[gnu::constructor]] void set_file_mode_mask() {
  ::umask(022);
}

auto given(const std::string& text) -> char* {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

EM_JS(void, send_to_page, (const char* message), { Module.onMessage(UTF8ToString(message)); });

/// The language server's session with the page: one for the module's lifetime.
struct LanguageSession {
  lsp::EventLoop loop;
  lsp::WorkerPool pool{0};
  ide::AnalysisHost host;
  lsp::Server server;

  explicit LanguageSession(const playground::Limits& limits)
      : server(
            loop, pool, host,
            [](std::string_view body) { send_to_page(std::string(body).c_str()); }, [] {},
            {.program = {},
             .bounds = {.files = lsp::FileAccess::None,
                        .most_documents = limits.most_documents,
                        .most_text = limits.most_text,
                        .style = limits.style},
             .more_handlers = {}}) {}
};

auto session() -> LanguageSession& {
  static LanguageSession session{playground::Limits{}};
  return session;
}

}  // namespace

extern "C" {

/// Runs a command line, a JSON array of words without the program's name, and gives
/// `{"exit": 0, "out": "…", "err": "…"}`. Files are those of the module's file system.
EMSCRIPTEN_KEEPALIVE auto tacet_module_command(const char* words) -> char* {
  std::string out, err;
  cli::ExitCode code{};
  {
    cli::Output to_out(out), to_err(err);
    code = cli::run_command_line(json::parse(words).get<std::vector<std::string>>(),
                                 cli::library_commands(), to_out, to_err);
  }
  return given(json{{"exit", static_cast<int>(code)}, {"out", out}, {"err", err}}.dump(
      -1, ' ', false, json::error_handler_t::replace));
}

/// What a playground's server answers to `POST /run`.
EMSCRIPTEN_KEEPALIVE auto tacet_module_run(const char* request) -> char* {
  Result<playground::RunRequest> decoded = playground::decode_run_request(request);
  if (!decoded) {
    return given(json{{"outcome", "failed"}, {"message", decoded.error().message}}.dump());
  }
  return given(
      playground::run_program(*decoded, "tacet", playground::Limits{}, CancellationToken()));
}

/// A message of the language server protocol, without its header. Answers come by `onMessage`.
EMSCRIPTEN_KEEPALIVE void tacet_module_receive(const char* message) {
  session().server.receive(lsp::Frame(std::string(message)));
}

/// Does what is due, the most urgent first, one piece of work at a time. Gives the milliseconds
/// after which to call again: 0 for at once; -1 for not before the next message.
EMSCRIPTEN_KEEPALIVE auto tacet_module_work() -> int {
  LanguageSession& own = session();
  own.server.input_drained();
  own.loop.run_due();
  if (own.pool.work_on_one()) {
    return 0;
  }
  const auto wait = own.loop.run_due();
  return wait ? static_cast<int>(wait->count()) : -1;
}

}  // extern "C"
