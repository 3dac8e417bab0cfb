#include "lsp/ide/name_colours.h"

#include <algorithm>
#include <utility>

#include "compiler/front/names/queries.h"
#include "lsp/ide/name_secrecy.h"

namespace tacet::ide {

using names::ItemKind;
using names::LocalKind;
using names::Meaning;

static auto colour_of(ItemKind kind) -> NameColour {
  switch (kind) {
    case ItemKind::Val:
    case ItemKind::Tmln:
    case ItemKind::Sptl:
    case ItemKind::Extern:
    case ItemKind::Fn:
    case ItemKind::Pipeline:
    case ItemKind::Test:
    case ItemKind::Program:
      return {TokenKind::Function, 0};
    case ItemKind::Feq:
      return {TokenKind::Class, 0};
    case ItemKind::Type:
      return {TokenKind::Type, 0};
    case ItemKind::Const:
      return {TokenKind::Variable, kReadonly};
    case ItemKind::Party:
      return {TokenKind::Enum, 0};
    case ItemKind::Import:
      return {TokenKind::Namespace, 0};
    case ItemKind::Input:
      return {TokenKind::Parameter, 0};
  }
  return {};
}

static auto colour_of(LocalKind kind) -> NameColour {
  switch (kind) {
    case LocalKind::Type:
      return {TokenKind::Type, 0};
    case LocalKind::Function:
      return {TokenKind::Function, 0};
    case LocalKind::Size:
    case LocalKind::Parameter:
      return {TokenKind::Parameter, 0};
    case LocalKind::Var:
      return {TokenKind::Variable, kModification};
    case LocalKind::Encoded:
      return {TokenKind::Property, 0};
    case LocalKind::Dim:
    case LocalKind::Definition:
    case LocalKind::Output:
    case LocalKind::Let:
    case LocalKind::Index:
    case LocalKind::Loop:
    case LocalKind::Element:
      return {TokenKind::Variable, kReadonly};
  }
  return {};
}

/// Colours the names in the tree of a top-level item by what they mean. A member of a class has a
/// tree of its own, whose nodes from 1 on are those of the class from `first` on.
class NameColours {
 public:
  NameColours(query::Context& context, names::ItemId item, const syntax::Tree& tree)
      : snapshot_(context, item) {
    const syntax::Node root = names::item_node(tree);
    if (!root) {
      return;
    }
    if (!root.is(syntax::NodeKind::FeqItem)) {
      parts_.push_back({root.index(), root.subtree_end(), NameSecrecy(snapshot_, item)});
      return;
    }
    auto member = context.get<names::ClassOfItem>(item)->members.begin();
    const auto end = context.get<names::ClassOfItem>(item)->members.end();
    for (const syntax::Node node : root.children(syntax::Field::Member)) {
      ItemKind kind{};
      if (member != end && names::item_kind(node.kind(), kind)) {
        parts_.push_back({node.index(), node.subtree_end(), NameSecrecy(snapshot_, *member++)});
      }
    }
  }

  auto find(syntax::Node node) const -> std::optional<NameColour> {
    for (const Part& part : parts_) {
      if (part.first <= node.index() && node.index() < part.end) {
        return colour(part.secrecy, node.index() - part.first + 1);
      }
    }
    return std::nullopt;
  }

 private:
  struct Part {
    uint32_t first = 0;
    uint32_t end = 0;
    NameSecrecy secrecy;
  };

  static auto colour_of_local(const NameSecrecy& secrecy, uint32_t node, uint32_t local)
      -> NameColour {
    NameColour colour = colour_of(secrecy.body().names.locals[local].kind);
    colour.modifiers |= secrecy.is_secret(node, local) ? kSecret : uint8_t{0};
    return colour;
  }

  auto colour(const NameSecrecy& secrecy, uint32_t node) const -> std::optional<NameColour> {
    const check::Body& body = secrecy.body();
    const names::Resolution meaning = body.names.of(node);
    switch (meaning.meaning()) {
      case Meaning::Local:
        return colour_of_local(secrecy, node, meaning.index());
      case Meaning::Item:
        return colour_of(snapshot_.item_key(body.names.items[meaning.index()]).kind);
      case Meaning::Builtin:
        return NameColour{TokenKind::Function, kDefaultLibrary};
      case Meaning::Party:
      case Meaning::Device:
        return NameColour{TokenKind::Enum, kDefaultLibrary};
      case Meaning::Nothing:
      case Meaning::Unknown:
        return std::nullopt;
    }
    return std::nullopt;
  }

  program::FrontendSnapshot snapshot_;
  std::vector<Part> parts_;
};

auto TokensOfItem::compute(query::Context& context, const Key& item) -> Value {
  const names::ItemTree tree = context.get<names::SyntaxOfItem>(item);
  const NameColours colours(context, item, *tree);
  auto tokens = std::make_shared<std::vector<Token>>();
  add_tokens(
      *tree, [&](syntax::Node node) { return colours.find(node); }, *tokens);
  tokens->shrink_to_fit();
  return tokens;
}

/// The item that a unit holds, none of a class's members.
static auto item_of_unit(const names::FileItems& items, size_t unit) -> names::ItemId {
  const auto item = std::lower_bound(
      items.items.begin(), items.items.end(), unit,
      [](const names::FileItem& entry, size_t wanted) { return entry.unit < wanted; });
  return item != items.items.end() && item->unit == unit ? item->id : names::ItemId();
}

auto unit_tokens(const Analysis& analysis, FileId file) -> std::vector<UnitTokens> {
  return analysis.snapshot().query().run([&](query::Context& context) {
    const auto& syntax = context.get<syntax::ParseFile>(file);
    const auto& items = context.get<names::ItemsOfFile>(file);
    std::vector<UnitTokens> all;
    all.reserve(syntax->units.size());
    for (const syntax::Unit& unit : syntax->units) {
      all.push_back({unit.tree, nullptr, unit.begin});
    }
    for (const names::FileItem& item : items->items) {
      UnitTokens& unit = all[item.unit];
      if (unit.tokens == nullptr && item.member == names::FileItem::kTopLevel) {
        unit.tokens = context.get<TokensOfItem>(item.id);
      }
    }
    return all;
  });
}

auto semantic_tokens(const Analysis& analysis, FileId file, TextRange range) -> std::vector<Token> {
  return analysis.snapshot().query().run([&](query::Context& context) {
    const auto& syntax = context.get<syntax::ParseFile>(file);
    const auto& items = context.get<names::ItemsOfFile>(file);
    std::vector<Token> tokens;
    for (size_t i = syntax->unit_at(range.begin); i < syntax->units.size(); ++i) {
      const syntax::Unit& unit = syntax->units[i];
      if (unit.begin > range.end) {
        break;
      }
      const names::ItemId item = item_of_unit(*items, i);
      std::vector<Token> of_trivia;
      if (!item.has_value()) {
        add_tokens(*unit.tree, {}, of_trivia);
      }
      for (const Token& token : item.has_value() ? *context.get<TokensOfItem>(item) : of_trivia) {
        const TextRange place = token.range.shifted(unit.begin);
        if (place.end > range.begin && place.begin < range.end) {
          tokens.push_back({place, token.kind, token.modifiers});
        }
      }
    }
    return tokens;
  });
}

}  // namespace tacet::ide
