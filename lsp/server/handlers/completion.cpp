#include "lsp/ide/complete.h"
#include "lsp/ide/complete_imports.h"
#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/plain_text.h"
#include "lsp/server/handlers/request_target.h"
#include "lsp/server/handlers/text_edits.h"

namespace tacet::lsp {

/// The nearest of the kinds that LSP knows.
static auto completion_kind_number(ide::CompletionKind kind) -> int {
  switch (kind) {
    case ide::CompletionKind::Keyword:
      return 14;
    case ide::CompletionKind::Local:
    case ide::CompletionKind::Parameter:
      return 6;
    case ide::CompletionKind::Field:
      return 5;
    case ide::CompletionKind::Constant:
      return 21;
    case ide::CompletionKind::Specification:
      return 8;  // interface
    case ide::CompletionKind::Class:
      return 7;
    case ide::CompletionKind::Function:
      return 3;
    case ide::CompletionKind::Method:
      return 2;
    case ide::CompletionKind::Type:
      return 22;  // struct
    case ide::CompletionKind::Party:
    case ide::CompletionKind::Device:
    case ide::CompletionKind::Flag:
      return 20;  // member of an enumeration
    case ide::CompletionKind::Module:
      return 9;
    case ide::CompletionKind::Snippet:
      return 15;
  }
  return 1;
}

auto completion(const RequestContext& context, const Json& params) -> Answer {
  return of_place(
      context, params, decode_document_position, [&](auto& /*decoded*/, Place& place) -> Answer {
        ide::Completions found = ide::complete(context.analysis->snapshot(), place.view.file(),
                                               place.offset, context.analysis->imports());
        ProtocolCompletions out;
        out.uri = place.view.uri();
        out.insert = place.view.positions().range(found.typed);
        out.replace = place.view.positions().range(found.word);
        out.is_incomplete = !found.is_complete;
        const ClientCapabilities& client = context.client->capabilities;
        for (ide::Completion& item : found.items) {
          const int kind = completion_kind_number(item.kind);
          const bool is_call = item.keyword.empty();
          if (!item.snippet.empty() && !client.completion_snippets && !is_call) {
            continue;
          }
          if (is_call &&
              !(client.completion_snippets && context.client->settings.completion_calls)) {
            item.snippet.clear();
          }
          ProtocolCompletion& entry = out.items.emplace_back();
          entry = {std::move(item.label),   kind,
                   std::move(item.detail),  std::move(item.documented),
                   std::move(item.keyword), std::move(item.snippet),
                   std::move(item.module),  {}};
          if (!entry.module.empty() && !client.completion_resolves_edits) {
            TextEdit edit =
                ide::import_edit(*context.analysis->syntax(place.view.file()),
                                 *context.analysis->text(place.view.file()), entry.module);
            entry.other_edit = protocol_edits({std::move(edit)}, place.view.positions()).front();
          }
          if (!item.removed.is_empty()) {
            entry.other_edit = {place.view.positions().range(item.removed), {}};
          }
        }
        return encode_completions(out, client);
      });
}

auto resolve_completion(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_resolve_completion(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  ide::ResolvedCompletion found;
  std::vector<ProtocolTextEdit> edits;
  // The file may be closed by now; then the item stays as it is.
  if (auto view = context.view_of(decoded->uri); view && !decoded->documented.empty()) {
    found =
        ide::resolve_completion(context.analysis->snapshot(), view->file(), decoded->documented);
    if (context.client->capabilities.completion_resolves_edits) {
      edits = protocol_edits(std::move(found.edits), view->positions());
    }
  }
  const MarkupKind kind = context.client->capabilities.completion_markup;
  return encode_resolved_completion(
      params, kind,
      kind == MarkupKind::Markdown ? found.documentation : plain_text(found.documentation),
      found.detail, edits);
}

}  // namespace tacet::lsp
