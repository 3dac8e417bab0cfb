#include "lsp/ide/document_symbols.h"
#include "lsp/ide/workspace_symbols.h"
#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/in_parts.h"
#include "lsp/server/handlers/request_target.h"
#include "lsp/server/handlers/symbols.h"

namespace tacet::lsp {

auto symbol_kind_number(ide::SymbolKind kind) -> int {
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

auto protocol_symbol(ide::Symbol symbol, PositionMapper& positions) -> ProtocolSymbol {
  ProtocolSymbol out;
  out.name = std::move(symbol.name);
  out.detail = std::move(symbol.detail);
  out.kind = symbol_kind_number(symbol.kind);
  out.range = positions.range(symbol.range);
  out.selection = positions.range(symbol.name_range);
  for (ide::Symbol& child : symbol.children) {
    out.children.push_back(protocol_symbol(std::move(child), positions));
  }
  return out;
}

auto document_symbol(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_document, [&](auto& /*decoded*/, FileView& view) -> Answer {
        std::vector<ProtocolSymbol> symbols;
        for (ide::Symbol& symbol : ide::document_symbols(*context.analysis->syntax(view.file()))) {
          symbols.push_back(protocol_symbol(std::move(symbol), view.positions()));
        }
        return context.client->capabilities.hierarchical_symbols
                   ? encode_symbols(symbols)
                   : encode_symbol_information(symbols, view.uri());
      });
}

auto workspace_symbol(const RequestContext& context, const Json& params) -> Answer {
  auto query = decode_symbol_query(params);
  if (!query) {
    return invalid_params(query.error().message);
  }
  std::vector<ProtocolFoundSymbol> out;
  for (ide::FoundSymbol& found : ide::workspace_symbols(
           context.analysis->snapshot(), context.analysis->files(),
           [&](FileId file) { return context.analysis->path(file); }, *query)) {
    FileView view = context.view_of(found.file);
    out.push_back({std::move(found.symbol.name),
                   symbol_kind_number(found.symbol.kind),
                   std::move(found.container),
                   {view.uri(), view.positions().range(found.symbol.name_range)}});
  }
  return in_parts<ProtocolFoundSymbol>(context, out, encode_found_symbols);
}

}  // namespace tacet::lsp
