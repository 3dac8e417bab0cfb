#include "lsp/ide/name_colours.h"
#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

auto token_legend() -> TokenLegend {
  return {
      {"namespace", "type", "class", "enum", "struct", "typeParameter", "parameter", "variable",
       "property", "function", "keyword", "comment", "string", "number", "operator", "decorator"},
      {"declaration", "definition", "readonly", "documentation", "defaultLibrary", "modification",
       "secret"}};
}

static auto wanted_tokens(const Client& client) -> Tokens {
  const bool leaves_out = client.capabilities.augments_syntax_tokens && !client.settings.all_tokens;
  return leaves_out ? Tokens::BeyondSyntax : Tokens::All;
}

/// The tokens of a file, stored under a fresh id.
static auto stored_tokens(const RequestContext& context, const std::string& uri, FileView& view)
    -> std::shared_ptr<const TokenCache::Entry> {
  const auto latest = context.token_cache->latest(uri);
  return context.token_cache->store(uri, TokenList(ide::unit_tokens(*context.analysis, view.file()),
                                                   wanted_tokens(*context.client), view.positions(),
                                                   latest == nullptr ? nullptr : &latest->tokens));
}

auto semantic_tokens_full(const RequestContext& context, const Json& params) -> Answer {
  return of_document(context, params, decode_document,
                     [&](auto& decoded, FileView& view) -> Answer {
                       auto entry = stored_tokens(context, decoded.uri, view);
                       return encode_tokens(entry->result_id, entry->tokens.numbers());
                     });
}

auto semantic_tokens_delta(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_tokens_delta, [&](auto& decoded, FileView& view) -> Answer {
        auto before = context.token_cache->find(decoded.uri, decoded.previous_result_id);
        auto entry = stored_tokens(context, decoded.uri, view);
        if (before == nullptr) {
          return encode_tokens(entry->result_id, entry->tokens.numbers());
        }
        const TokenList::Difference edit = TokenList::difference(before->tokens, entry->tokens);
        return encode_tokens_delta(entry->result_id, edit.before, edit.after, edit.begin);
      });
}

auto semantic_tokens_range(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_document_range, [&](auto& decoded, FileView& view) -> Answer {
        TextRange range = view.positions().text_range(decoded.range);
        return encode_tokens(
            "", token_numbers(ide::semantic_tokens(*context.analysis, view.file(), range),
                              wanted_tokens(*context.client), view.positions()));
      });
}

}  // namespace tacet::lsp
