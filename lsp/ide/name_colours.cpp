#include "lsp/ide/name_colours.h"

#include <algorithm>
#include <utility>

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
      return {TokenKind::Variable, kReadonly};
  }
  return {};
}

/// The items of one unit, found when it is first asked about. A member of a class has a tree
/// of its own, whose nodes from 1 on are those of the unit from `first` on.
class NameColours {
 public:
  NameColours(const program::FrontendSnapshot& snapshot, FileId file,
              std::shared_ptr<const syntax::FileSyntax> syntax)
      : snapshot_(snapshot), items_(snapshot.items(file)), syntax_(std::move(syntax)) {}

  auto find(size_t unit, syntax::Node node) -> std::optional<NameColour> {
    if (unit != unit_) {
      unit_ = unit;
      find_parts();
    }
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

  void find_parts() {
    parts_.clear();
    syntax::Node root = syntax_->units[unit_].item();
    auto item = std::lower_bound(
        items_->items.begin(), items_->items.end(), unit_,
        [](const names::FileItem& entry, size_t unit) { return entry.unit < unit; });
    for (; item != items_->items.end() && item->unit == unit_; ++item) {
      syntax::Node node = root;
      if (item->member != names::FileItem::kTopLevel) {
        auto members = root.children(syntax::Field::Member);
        auto at = members.begin();
        for (uint32_t i = 0; i < item->member && at != members.end(); ++i) {
          ++at;
        }
        node = at == members.end() ? syntax::Node() : *at;
      } else if (item->kind == ItemKind::Feq) {
        continue;
      }
      if (node) {
        parts_.push_back({node.index(), node.subtree_end(), NameSecrecy(snapshot_, item->id)});
      }
    }
  }

  static auto colour_of_local(const NameSecrecy& secrecy, uint32_t node, uint32_t local)
      -> NameColour {
    NameColour colour = colour_of(secrecy.body().names.locals[local].kind);
    colour.modifiers |= secrecy.is_secret(node, local) ? kSecret : uint8_t{0};
    return colour;
  }

  auto colour(const NameSecrecy& secrecy, uint32_t node) -> std::optional<NameColour> {
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

  const program::FrontendSnapshot& snapshot_;
  std::shared_ptr<const names::FileItems> items_;
  std::shared_ptr<const syntax::FileSyntax> syntax_;
  size_t unit_ = SIZE_MAX;
  std::vector<Part> parts_;
};

auto name_colours(const program::FrontendSnapshot& snapshot, FileId file,
                  std::shared_ptr<const syntax::FileSyntax> syntax) -> NameLookup {
  auto colours = std::make_shared<NameColours>(snapshot, file, std::move(syntax));
  return [colours](size_t unit, syntax::Node node) { return colours->find(unit, node); };
}

auto semantic_tokens(const Analysis& analysis, FileId file, TextRange range) -> std::vector<Token> {
  const auto syntax = analysis.syntax(file);
  return semantic_tokens(*syntax, range, name_colours(analysis.snapshot(), file, syntax));
}

}  // namespace tacet::ide
