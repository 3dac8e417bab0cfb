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

/// `text` on one line, with one space where there was white space, none at its beginning.
static auto on_one_line(std::string_view text) -> std::string {
  std::string out(text.size(), ' ');
  char* at = out.data();
  bool was_space = true;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    *at = is_space ? ' ' : c;
    at += is_space && was_space ? 0 : 1;
    was_space = is_space;
  }
  out.resize(static_cast<size_t>(at - out.data()));
  return out;
}

/// The children of an item that a symbol shows.
struct SymbolParts {
  explicit SymbolParts(Node item) {
    for (const Node child : item.children()) {
      Node* const part = child.field() == Field::Name         ? &name
                         : child.field() == Field::Parameters ? &parameters
                         : child.field() == Field::Type       ? &type
                         : child.field() == Field::Results    ? &results
                                                              : nullptr;
      if (part != nullptr && !*part) {
        *part = child;
      }
    }
  }

  [[nodiscard]] auto detail() const -> std::string {
    const Node first = parameters ? parameters : type;
    if (!first) {
      return {};
    }
    const TextRange range = results ? cover(first.range(), results.range()) : first.range();
    return on_one_line(std::string_view(first.tree()->text).substr(range.begin, range.length()));
  }

  Node name;
  Node parameters;
  Node type;
  Node results;
};

static void add_symbol(Node item, uint32_t unit_begin, std::vector<Symbol>& symbols) {
  auto kind = symbol_kind(item);
  if (!kind) {
    return;
  }
  Symbol& symbol = symbols.emplace_back();
  const SymbolParts parts(item);
  const Node name = parts.name;
  // Editors reject symbols without a name; a broken item shows its first word.
  symbol.name = name && !name.text().empty() ? std::string(name.text())
                                             : std::string(syntax::kind_name(item.kind()));
  symbol.detail = parts.detail();
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
