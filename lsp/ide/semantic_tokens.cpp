#include "lsp/ide/semantic_tokens.h"

#include <utility>

namespace tacet::ide {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// The name of an item in its own declaration.
static auto colour_of_declaration(NodeKind item) -> std::optional<NameColour> {
  switch (item) {
    case NodeKind::ValItem:
    case NodeKind::TmlnItem:
    case NodeKind::SptlItem:
    case NodeKind::FnItem:
    case NodeKind::ExternItem:
    case NodeKind::PipelineItem:
      return NameColour{TokenKind::Function, kDeclaration};
    case NodeKind::FeqItem:
      return NameColour{TokenKind::Class, kDeclaration};
    case NodeKind::TypeItem:
      return NameColour{TokenKind::Type, kDeclaration};
    case NodeKind::ConstItem:
      return NameColour{TokenKind::Variable, kDeclaration | kReadonly};
    case NodeKind::PartyItem:
      return NameColour{TokenKind::Enum, kDeclaration};
    case NodeKind::Parameter:
    case NodeKind::InputDeclaration:
      return NameColour{TokenKind::Parameter, kDeclaration};
    case NodeKind::SpecBinding:
      return NameColour{TokenKind::Variable, kDeclaration | kReadonly};
    case NodeKind::Binding:
      return NameColour{TokenKind::Variable, kDeclaration};
    case NodeKind::RecordField:
      return NameColour{TokenKind::Property, kDeclaration};
    case NodeKind::ImportItem:
      return NameColour{TokenKind::Namespace, 0};
    default:
      return std::nullopt;
  }
}

/// What the place of a name says of it.
static auto colour_by_place(NodeKind parent, Field field) -> NameColour {
  if (field == Field::Name) {
    if (auto colour = colour_of_declaration(parent)) {
      return *colour;
    }
  }
  if (field == Field::Device || field == Field::Owner || field == Field::Party) {
    return {TokenKind::Enum, 0};
  }
  bool is_function = (parent == NodeKind::CallExpression && field == Field::Function) ||
                     parent == NodeKind::Implements || parent == NodeKind::PipelineItem;
  if (is_function) {
    return {TokenKind::Function, 0};
  }
  if (parent == NodeKind::NamedType) {
    return {TokenKind::Type, 0};
  }
  bool is_property = (parent == NodeKind::FieldExpression && field == Field::Field) ||
                     field == Field::Key || parent == NodeKind::ExternResource;
  return {is_property ? TokenKind::Property : TokenKind::Variable, 0};
}

/// The colour of a leaf that is no name, if it has one.
static auto colour_of_leaf(NodeKind kind) -> std::optional<NameColour> {
  switch (kind) {
    case NodeKind::Integer:
    case NodeKind::Float:
    case NodeKind::VersionNumber:
      return NameColour{TokenKind::Number, 0};
    case NodeKind::String:
      return NameColour{TokenKind::String, 0};
    case NodeKind::Boolean:
    case NodeKind::Visibility:
    case NodeKind::Purity:
    case NodeKind::HashVersion:
      return NameColour{TokenKind::Keyword, 0};
    case NodeKind::PrimitiveType:
      return NameColour{TokenKind::Type, kDefaultLibrary};
    case NodeKind::Dim:
      return NameColour{TokenKind::Variable, kReadonly};
    case NodeKind::Flag:
      return NameColour{TokenKind::Property, 0};
    case NodeKind::Flow:
    case NodeKind::AnnotationPlace:
      return NameColour{TokenKind::Decorator, 0};
    case NodeKind::Hole:
    case NodeKind::StatementHole:
      return NameColour{TokenKind::Operator, 0};
    default:
      break;
  }
  bool is_word = kind >= NodeKind::KwBufferSpace && kind <= NodeKind::KwWhile;
  return is_word ? std::optional(NameColour{TokenKind::Keyword, 0}) : std::nullopt;
}

/// Writes the tokens and comments of one unit in the order of the text.
class UnitWriter {
 public:
  UnitWriter(const syntax::FileSyntax& file, size_t unit, const NameLookup& lookup,
             std::vector<Token>& out)
      : unit_(file.units[unit]), number_(unit), lookup_(lookup), out_(out) {}

  void write() {
    const syntax::Tree& tree = *unit_.tree;
    // The kinds of the nodes around the cursor, each with the index where it ends.
    std::vector<std::pair<NodeKind, uint32_t>> around;
    for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
      const syntax::NodeData& node = tree.nodes[i];
      while (!around.empty() && around.back().second <= i) {
        around.pop_back();
      }
      if (node.size == 1) {
        comments_before(node.begin);
        leaf(Node(&tree, i), around.empty() ? NodeKind::Error : around.back().first);
      } else {
        around.emplace_back(node.kind, i + node.size);
      }
    }
    comments_before(UINT32_MAX);
  }

 private:
  void leaf(Node node, NodeKind parent) {
    if (!node.is(NodeKind::Identifier)) {
      add(node.range(), colour_of_leaf(node.kind()));
      return;
    }
    NameColour by_place = colour_by_place(parent, node.field());
    auto known = lookup_ ? lookup_(number_, node) : std::nullopt;
    if (known) {
      known->modifiers |= by_place.modifiers & kDeclaration;
    }
    add(node.range(), known.value_or(by_place));
  }

  void comments_before(uint32_t offset) {
    const auto& comments = unit_.tree->comments;
    while (n_comments_ < comments.size() && comments[n_comments_].range.begin < offset) {
      const syntax::Comment& comment = comments[n_comments_++];
      bool is_doc = comment.kind == syntax::CommentKind::Doc;
      add(comment.range, NameColour{TokenKind::Comment, is_doc ? kDocumentation : uint8_t{0}});
    }
  }

  void add(TextRange range, std::optional<NameColour> colour) {
    if (colour && !range.is_empty()) {
      out_.push_back({range.shifted(unit_.begin), colour->kind, colour->modifiers});
    }
  }

  const syntax::Unit& unit_;
  size_t number_;
  const NameLookup& lookup_;
  std::vector<Token>& out_;
  size_t n_comments_ = 0;
};

auto semantic_tokens(const syntax::FileSyntax& file, TextRange range, const NameLookup& lookup)
    -> std::vector<Token> {
  std::vector<Token> tokens;
  for (size_t i = file.unit_at(range.begin); i < file.units.size(); ++i) {
    if (file.units[i].begin > range.end) {
      break;
    }
    UnitWriter(file, i, lookup, tokens).write();
  }
  std::erase_if(tokens, [&](const Token& token) {
    return token.range.end <= range.begin || token.range.begin >= range.end;
  });
  return tokens;
}

}  // namespace tacet::ide
