#include "lsp/ide/lenses.h"
#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/lens_command.h"
#include "lsp/server/handlers/locations.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

auto code_lens(const RequestContext& context, const Json& params) -> Answer {
  return of_document(context, params, decode_document,
                     [&](auto& /*decoded*/, FileView& view) -> Answer {
                       std::vector<ProtocolLens> lenses;
                       if (context.client->settings.lenses) {
                         for (const ide::Lens& lens : ide::lenses(*context.analysis, view.file())) {
                           lenses.push_back({view.positions().range(lens.range), lens.subject,
                                             static_cast<int64_t>(lens.kind)});
                         }
                       }
                       return encode_lenses(lenses, view.uri());
                     });
}

/// What a click on a lens does; of one that is no button, what it has to say besides.
static auto tooltip(ide::LensKind kind, const ide::LensText& text) -> std::string {
  switch (kind) {
    case ide::LensKind::Implementations:
    case ide::LensKind::Cost:
    case ide::LensKind::Call:
      return text.places.empty() ? text.trust : "Show these places";
    case ide::LensKind::Run:
      return "Run the saved file with inputs of your choice";
    case ide::LensKind::Trace:
      return "Run the saved file and show what took how long";
  }
  return {};
}

auto lens_command(const RequestContext& context, const LensParams& lens)
    -> std::optional<ProtocolLensCommand> {
  auto view = context.view_of(lens.uri);
  if (!view) {
    return std::nullopt;
  }
  if (lens.kind < 0 || lens.kind > static_cast<int64_t>(ide::LensKind::Call)) {
    return std::nullopt;
  }
  auto text = ide::lens_text(*context.analysis, view->file(), lens.subject,
                             static_cast<ide::LensKind>(lens.kind));
  if (!text) {
    return std::nullopt;
  }
  std::string shown = tooltip(static_cast<ide::LensKind>(lens.kind), *text);
  ProtocolLensCommand command{std::move(text->title),
                              std::move(shown),
                              view->uri(),
                              view->positions().position(text->range.begin),
                              locations(context, text->places),
                              {}};
  if (text->run) {
    command.run = RunParams{.uri = view->uri(),
                            .function = text->run->function,
                            .is_traced = lens.kind == static_cast<int64_t>(ide::LensKind::Trace)};
  }
  return command;
}

auto resolve_code_lens(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_resolve_lens(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  const auto text = lens_command(context, *decoded);
  return encode_resolved_lens(params, text.value_or(ProtocolLensCommand{}),
                              context.client->capabilities);
}

auto execute_command(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_execute_command(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  if (decoded->command != kShowImplementations) {
    return invalid_params("command: unknown command `" + decoded->command + "`");
  }
  const auto text = lens_command(context, decoded->lens);
  return text ? encode_locations(text->places) : std::string(kNoResult);
}

}  // namespace tacet::lsp
