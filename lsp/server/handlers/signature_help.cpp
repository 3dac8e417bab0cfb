#include "lsp/ide/signature_help.h"

#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/plain_text.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

static auto protocol_signature(ide::SignatureHelp::Signature signature, MarkupKind kind)
    -> ProtocolSignature {
  ProtocolSignature out;
  const std::string_view head = signature.head;
  for (TextRange range : signature.parameters) {
    const std::string_view text = head.substr(range.begin, range.length());
    const uint32_t begin = code_units(head.substr(0, range.begin), PositionEncoding::Utf16);
    out.parameters.push_back(
        {begin, begin + code_units(text, PositionEncoding::Utf16), std::string(text)});
  }
  out.documentation = kind == MarkupKind::Markdown ? std::move(signature.documentation)
                                                   : plain_text(signature.documentation);
  out.label = std::move(signature.head);
  return out;
}

auto signature_help(const RequestContext& context, const Json& params) -> Answer {
  return at_place(context, params, [&](Place& place) -> Answer {
    auto help = ide::signature_help(context.analysis->snapshot(), place.view.file(), place.offset);
    if (!help) {
      return kNoResult;
    }
    ProtocolSignatureHelp out;
    out.kind = context.client->capabilities.signature_markup;
    out.active = help->active;
    out.parameter = help->parameter;
    for (ide::SignatureHelp::Signature& signature : help->signatures) {
      out.signatures.push_back(protocol_signature(std::move(signature), out.kind));
    }
    return encode_signature_help(out, context.client->capabilities);
  });
}

}  // namespace tacet::lsp
