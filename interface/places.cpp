#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/surroundings.h"
#include "interface/errors.h"
#include "interface/quiet.h"
#include "lsp/ide/complete.h"
#include "lsp/ide/hover.h"

namespace tacet::interface {

/// The offset of a line and a column of characters, both from 1; the nearest that there is.
static auto offset_of(std::string_view text, uint32_t line, uint32_t column) -> uint32_t {
  size_t at = 0;
  for (uint32_t i = 1; i < line; ++i) {
    const size_t end = text.find('\n', at);
    if (end == std::string_view::npos) {
      return static_cast<uint32_t>(text.size());
    }
    at = end + 1;
  }
  for (uint32_t i = 1; i < column && at < text.size() && text[at] != '\n'; ++i) {
    do {
      ++at;
    } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  }
  return static_cast<uint32_t>(at);
}

static auto kind_word(ide::CompletionKind kind) -> std::string_view {
  switch (kind) {
    case ide::CompletionKind::Keyword:
      return "keyword";
    case ide::CompletionKind::Local:
    case ide::CompletionKind::Parameter:
      return "variable";
    case ide::CompletionKind::Field:
      return "field";
    case ide::CompletionKind::Constant:
      return "constant";
    case ide::CompletionKind::Specification:
      return "specification";
    case ide::CompletionKind::Class:
      return "class";
    case ide::CompletionKind::Function:
      return "function";
    case ide::CompletionKind::Method:
      return "method";
    case ide::CompletionKind::Type:
      return "type";
    case ide::CompletionKind::Party:
    case ide::CompletionKind::Device:
    case ide::CompletionKind::Flag:
      return "value";
    case ide::CompletionKind::Module:
      return "module";
    case ide::CompletionKind::Snippet:
      return "snippet";
  }
  return "variable";
}

static auto completions_json(Sources& sources, uint32_t offset) -> std::string {
  const ide::Completions found = ide::complete(sources.frontend.snapshot(), sources.program.file,
                                               offset, ide::Imports::LeftOut);
  const SourceView view = sources.shown.view(sources.program.file);
  const uint32_t begin = human_position(view, found.word.begin).column;
  const uint32_t end = human_position(view, found.word.end).column;
  nlohmann::ordered_json items = nlohmann::ordered_json::array();
  for (const ide::Completion& item : found.items) {
    if (item.kind == ide::CompletionKind::Snippet || !item.module.empty()) {
      continue;  // for editors that fill in places and add imports
    }
    items.push_back({{"label", item.label},
                     {"insert", item.label},
                     {"kind", kind_word(item.kind)},
                     {"detail", item.detail},
                     {"begin", begin},
                     {"end", end}});
  }
  return items.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tacet::interface

using namespace tacet;
using namespace tacet::interface;

tacet_error* tacet_hover(const tacet_sources* sources, uint32_t line, uint32_t column,
                         const tacet_control* control, tacet_bytes** markdown) {
  return guarded(control, [&](const Listener& listener) -> tacet_error* {
    Sources& of = *sources->sources;
    const auto lock = locked(of);
    QuietInvocation quiet(listener);
    const cli::Surroundings around = cli::find_surroundings({of.file}, quiet.get());
    const std::optional<ide::Hover> found =
        ide::hover(of.frontend.snapshot(), of.program.file, offset_of(of.file.text, line, column),
                   of.plans, around.lint.parties);
    *markdown = bytes_of(found ? found->markdown : std::string());
    return nullptr;
  });
}

tacet_error* tacet_complete(const tacet_sources* sources, uint32_t line, uint32_t column,
                            const tacet_control* control, tacet_bytes** json) {
  return guarded(control, [&](const Listener& /*listener*/) -> tacet_error* {
    Sources& of = *sources->sources;
    const auto lock = locked(of);
    *json = bytes_of(completions_json(of, offset_of(of.file.text, line, column)));
    return nullptr;
  });
}
