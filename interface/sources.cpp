#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/find_files.h"
#include "compiler/core/syntax/file_syntax.h"
#include "formatter/format.h"
#include "interface/errors.h"
#include "interface/load_sources.h"
#include "lsp/ide/runnables.h"
#include "project/format_style.h"
#include "project/read_source.h"

namespace tacet::interface {

auto load_sources(cli::LoadedFile file) -> Result<std::shared_ptr<Sources>> {
  auto sources = std::make_shared<Sources>();
  sources->file = std::move(file);
  Result<cli::LoadedProgram> loaded =
      cli::load_program(sources->file, sources->frontend, sources->shown);
  if (!loaded) {
    return loaded.error();
  }
  sources->program = std::move(*loaded);
  return sources;
}

static auto open_sources(cli::LoadedFile file, tacet_sources** sources) -> tacet_error* {
  Result<std::shared_ptr<Sources>> loaded = load_sources(std::move(file));
  if (!loaded) {
    return error_of(TACET_FAILED, loaded.error());
  }
  *sources = new tacet_sources{std::move(*loaded)};
  return nullptr;
}

/// The device that a runnable thing is written for.
static auto device_word(const ide::Runnable& runnable) -> std::string {
  if (runnable.kind == ide::Runnable::Kind::Program) {
    return "he";
  }
  return runnable.device == "he" || runnable.device == "mpc" ? runnable.device : "ref";
}

static auto functions_json(Sources& sources) -> std::string {
  nlohmann::ordered_json functions = nlohmann::ordered_json::array();
  for (const ide::Runnable& runnable :
       ide::runnables(sources.frontend.snapshot(), sources.program.file)) {
    const HumanPosition place =
        human_position(sources.shown.view(sources.program.file), runnable.range.begin);
    functions.push_back(
        {{"name", runnable.name}, {"kind", device_word(runnable)}, {"line", place.line}});
  }
  return functions.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tacet::interface

using namespace tacet;
using namespace tacet::interface;

tacet_error* tacet_sources_open(const char* path, tacet_sources** sources) {
  return guarded([&]() -> tacet_error* {
    Result<std::string> text = project::read_source(path);
    return text ? open_sources({path, cli::absolute_path(path), std::move(*text)}, sources)
                : error_of(TACET_FAILED, text.error());
  });
}

tacet_error* tacet_sources_from_text(const char* text, size_t size, const char* path,
                                     tacet_sources** sources) {
  return guarded([&]() -> tacet_error* {
    return open_sources({path, cli::absolute_path(path), std::string(text, size)}, sources);
  });
}

tacet_error* tacet_format(const tacet_sources* sources, tacet_bytes** text) {
  return guarded([&]() -> tacet_error* {
    Sources& of = *sources->sources;
    const auto lock = locked(of);
    formatter::FormatResult formatted = formatter::format(
        of.file.text, syntax::language_of(of.file.absolute), formatter::Edits::NotWanted,
        project::FormatStyles().of(of.file.absolute));
    if (!formatted.diagnostics.empty()) {
      for (Diagnostic& diagnostic : formatted.diagnostics) {
        diagnostic.place.file = of.program.file;
      }
      return error_of(formatted.diagnostics, of.shown);
    }
    *text = bytes_of(std::move(formatted.text));
    return nullptr;
  });
}

tacet_error* tacet_functions(const tacet_sources* sources, const tacet_control* control,
                             tacet_bytes** json) {
  return guarded(control, [&](const Listener& /*listener*/) -> tacet_error* {
    const auto lock = locked(*sources->sources);
    *json = bytes_of(functions_json(*sources->sources));
    return nullptr;
  });
}
