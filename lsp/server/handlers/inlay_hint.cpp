#include <algorithm>

#include "lsp/ide/inlay_hints.h"
#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

/// Longer ones are cut, and shown whole when they are pointed at.
static constexpr size_t kMaxLabel = 100;

static auto options(const RequestContext& context) -> ide::HintOptions {
  const Settings& settings = context.client->settings;
  return {settings.hints_types, settings.hints_tags, settings.hints_draws, settings.hints_costs,
          settings.hints_parameters};
}

static auto hint_kind_number(ide::Hint::Kind kind) -> int {
  switch (kind) {
    case ide::Hint::Kind::Type:
      return 1;
    case ide::Hint::Kind::Parameter:
      return 2;
    case ide::Hint::Kind::Tags:
    case ide::Hint::Kind::Place:
    case ide::Hint::Kind::Cost:
      return 0;
  }
  return 0;
}

/// The beginning of a text, cut between characters.
static auto shortened(const std::string& text) -> std::string {
  if (text.size() <= kMaxLabel) {
    return text;
  }
  size_t end = kMaxLabel;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end) + "…";
}

static void complete(ProtocolHint& out, const ide::Hint& hint) {
  if (!hint.insertion.empty()) {
    out.edit = {{out.position, out.position}, hint.insertion};
  }
  if (hint.text.size() > kMaxLabel) {
    out.tooltip = hint.text;
  }
}

auto inlay_hint(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_document_range, [&](auto& decoded, FileView& view) -> Answer {
        const TextRange range = view.positions().text_range(decoded.range);
        const bool is_lazy = context.client->capabilities.resolves_hints;
        std::vector<ProtocolHint> hints;
        for (const ide::Hint& hint :
             ide::inlay_hints(context.analysis->snapshot(), view.file(), range, options(context),
                              context.analysis->parties(view.file()))) {
          ProtocolHint& out = hints.emplace_back();
          out.position = view.positions().position(hint.offset);
          out.label = shortened(hint.text);
          out.kind = hint_kind_number(hint.kind);
          out.padding_left = hint_kind_number(hint.kind) == 0;
          out.padding_right = hint.kind == ide::Hint::Kind::Parameter;
          if (is_lazy) {
            out.uri = view.uri();
          } else {
            complete(out, hint);
          }
        }
        return encode_hints(hints);
      });
}

auto resolve_inlay_hint(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_resolve_hint(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  ProtocolHint found;
  found.position = decoded->position;
  // The file may be closed or edited by now; then the hint stays as it is.
  if (auto view = context.view_of(decoded->uri); view && !decoded->uri.empty()) {
    const uint32_t offset = view->positions().offset(decoded->position);
    for (const ide::Hint& hint :
         ide::inlay_hints(context.analysis->snapshot(), view->file(), {offset, offset},
                          options(context), context.analysis->parties(view->file()))) {
      if (hint.offset == offset && hint_kind_number(hint.kind) == decoded->kind) {
        complete(found, hint);
        break;
      }
    }
  }
  return encode_resolved_hint(params, found);
}

}  // namespace tacet::lsp
