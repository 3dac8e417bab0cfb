#include "lsp/ide/document_symbols.h"

#include <optional>

namespace tacet::ide {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

static auto symbol_kind(Node item) -> std::optional<SymbolKind> {
  switch (item.kind()) {
    case NodeKind::ValItem:
      return SymbolKind::ValueSpec;
    case NodeKind::TmlnItem:
      return SymbolKind::TimelineSpec;
    case NodeKind::SptlItem:
      return SymbolKind::SpatialSpec;
    case NodeKind::FeqItem:
      return SymbolKind::Class;
    case NodeKind::ExternItem:
      return SymbolKind::Extern;
    case NodeKind::FnItem:
      return item.child(Field::Device) ? SymbolKind::DeviceFunction : SymbolKind::Function;
    case NodeKind::TypeItem:
      return SymbolKind::Type;
    case NodeKind::ConstItem:
      return SymbolKind::Constant;
    case NodeKind::PartyItem:
      return SymbolKind::Party;
    case NodeKind::PipelineItem:
      return SymbolKind::Pipeline;
    case NodeKind::InputDeclaration:
      return SymbolKind::Input;
    case NodeKind::TestItem:
      return SymbolKind::Test;
    default:
      return std::nullopt;
  }
}

/// `text` on one line, with one space where there was white space.
static auto on_one_line(std::string_view text) -> std::string {
  std::string out;
  for (char c : text) {
    bool is_space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!is_space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

static auto detail_of(Node item) -> std::string {
  Node first = item.child(Field::Parameters);
  if (!first) {
    first = item.child(Field::Type);
  }
  if (!first) {
    return {};
  }
  Node last = item.child(Field::Results);
  TextRange range = last ? cover(first.range(), last.range()) : first.range();
  return on_one_line(std::string_view(item.tree()->text).substr(range.begin, range.length()));
}

static void add_symbol(Node item, uint32_t unit_begin, std::vector<Symbol>& symbols) {
  auto kind = symbol_kind(item);
  if (!kind) {
    return;
  }
  Symbol& symbol = symbols.emplace_back();
  Node name = item.child(Field::Name);
  // Editors refuse symbols without a name; a broken item shows what it begins with.
  symbol.name = name && !name.text().empty() ? std::string(name.text())
                                             : std::string(syntax::kind_name(item.kind()));
  symbol.detail = detail_of(item);
  symbol.kind = *kind;
  symbol.range = item.range().shifted(unit_begin);
  symbol.name_range =
      (name ? name.range() : TextRange{item.range().begin, item.range().begin}).shifted(unit_begin);
  if (item.is(NodeKind::FeqItem)) {
    for (Node child : item.children()) {
      add_symbol(child, unit_begin, symbol.children);
    }
  }
}

auto document_symbols(const syntax::FileSyntax& file) -> std::vector<Symbol> {
  std::vector<Symbol> symbols;
  for (const syntax::Unit& unit : file.units) {
    add_symbol(unit.item(), unit.begin, symbols);
  }
  return symbols;
}

}  // namespace tacet::ide
