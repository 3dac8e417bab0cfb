#include "lsp/ide/document_symbols.h"

#include <optional>

#include "compiler/core/syntax/kind_groups.h"

namespace tacet::ide {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

static auto symbol_kind(Node item) -> std::optional<SymbolKind> {
  switch (syntax::item_kind(item.kind())) {
    case syntax::ItemKind::Val:
      return SymbolKind::ValueSpec;
    case syntax::ItemKind::Tmln:
      return SymbolKind::TimelineSpec;
    case syntax::ItemKind::Sptl:
      return SymbolKind::SpatialSpec;
    case syntax::ItemKind::Feq:
      return SymbolKind::Class;
    case syntax::ItemKind::Extern:
      return SymbolKind::Extern;
    case syntax::ItemKind::Fn:
      return item.child(Field::Device) ? SymbolKind::DeviceFunction : SymbolKind::Function;
    case syntax::ItemKind::Type:
      return SymbolKind::Type;
    case syntax::ItemKind::Const:
      return SymbolKind::Constant;
    case syntax::ItemKind::Party:
      return SymbolKind::Party;
    case syntax::ItemKind::Pipeline:
      return SymbolKind::Pipeline;
    case syntax::ItemKind::Test:
      return SymbolKind::Test;
    case syntax::ItemKind::None:
    case syntax::ItemKind::Import:
      break;
  }
  return item.is(NodeKind::InputDeclaration) ? std::optional(SymbolKind::Input) : std::nullopt;
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
  // Editors reject symbols without a name; a broken item shows its first word.
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
