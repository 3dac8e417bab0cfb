#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"

namespace tacet::lsp {

/// The nearest of the symbol kinds that LSP knows.
static auto kind_number(ide::SymbolKind kind) -> int {
  switch (kind) {
    case ide::SymbolKind::Module:
      return 2;
    case ide::SymbolKind::ValueSpec:
    case ide::SymbolKind::TimelineSpec:
    case ide::SymbolKind::SpatialSpec:
      return 11;  // interface
    case ide::SymbolKind::Class:
      return 5;
    case ide::SymbolKind::Extern:
    case ide::SymbolKind::Function:
    case ide::SymbolKind::DeviceFunction:
      return 12;
    case ide::SymbolKind::Type:
      return 23;  // struct
    case ide::SymbolKind::Constant:
      return 14;
    case ide::SymbolKind::Party:
      return 19;  // object
    case ide::SymbolKind::Pipeline:
      return 24;  // event
    case ide::SymbolKind::Input:
      return 13;  // variable
    case ide::SymbolKind::Test:
      return 6;  // method
  }
  return 13;
}

static auto convert(std::vector<ide::Symbol> symbols, PositionMapper& positions)
    -> std::vector<ProtocolSymbol> {
  std::vector<ProtocolSymbol> out;
  for (ide::Symbol& symbol : symbols) {
    ProtocolSymbol& entry = out.emplace_back();
    entry.name = std::move(symbol.name);
    entry.detail = std::move(symbol.detail);
    entry.kind = kind_number(symbol.kind);
    entry.range = positions.range(symbol.range);
    entry.selection = positions.range(symbol.name_range);
    entry.children = convert(std::move(symbol.children), positions);
  }
  return out;
}

auto document_symbol(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_document(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  auto view = context.view_of(decoded->uri);
  if (!view) {
    return invalid_params(view.error().message);
  }
  auto symbols = convert(context.analysis->symbols(view->file()), view->positions());
  return context.client->capabilities.hierarchical_symbols
             ? encode_symbols(symbols)
             : encode_symbol_information(symbols, view->uri());
}

}  // namespace tacet::lsp
