#include "lsp/ide/semantic_tokens.h"

#include <array>
#include <utility>

namespace tacet::ide {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// Colours of some kinds of nodes, by kind.
struct KindColours {
  std::array<NameColour, 256> colours{};
  std::array<bool, 256> is_known{};

  template <size_t kSize>
  constexpr explicit KindColours(const std::pair<NodeKind, NameColour> (&list)[kSize]) {
    for (const auto& [kind, colour] : list) {
      colours[static_cast<size_t>(kind)] = colour;
      is_known[static_cast<size_t>(kind)] = true;
    }
  }

  [[nodiscard]] auto of(NodeKind kind) const -> std::optional<NameColour> {
    const auto at = static_cast<size_t>(kind);
    return is_known[at] ? std::optional(colours[at]) : std::nullopt;
  }
};

/// The name of an item in its own declaration.
static constexpr KindColours kDeclarations({
    {NodeKind::ValItem, {TokenKind::Function, kDeclaration}},
    {NodeKind::TmlnItem, {TokenKind::Function, kDeclaration}},
    {NodeKind::SptlItem, {TokenKind::Function, kDeclaration}},
    {NodeKind::FnItem, {TokenKind::Function, kDeclaration}},
    {NodeKind::ExternItem, {TokenKind::Function, kDeclaration}},
    {NodeKind::PipelineItem, {TokenKind::Function, kDeclaration}},
    {NodeKind::FeqItem, {TokenKind::Class, kDeclaration}},
    {NodeKind::TypeItem, {TokenKind::Type, kDeclaration}},
    {NodeKind::ConstItem, {TokenKind::Variable, kDeclaration | kReadonly}},
    {NodeKind::PartyItem, {TokenKind::Enum, kDeclaration}},
    {NodeKind::Parameter, {TokenKind::Parameter, kDeclaration}},
    {NodeKind::InputDeclaration, {TokenKind::Parameter, kDeclaration}},
    {NodeKind::SpecBinding, {TokenKind::Variable, kDeclaration | kReadonly}},
    {NodeKind::Binding, {TokenKind::Variable, kDeclaration}},
    {NodeKind::RecordField, {TokenKind::Property, kDeclaration}},
    {NodeKind::ImportItem, {TokenKind::Namespace, 0}},
});

/// Leaves that are neither names nor words of the language.
static constexpr KindColours kLeaves({
    {NodeKind::Integer, {TokenKind::Number, 0}},
    {NodeKind::Float, {TokenKind::Number, 0}},
    {NodeKind::VersionNumber, {TokenKind::Number, 0}},
    {NodeKind::String, {TokenKind::String, 0}},
    {NodeKind::Boolean, {TokenKind::Keyword, 0}},
    {NodeKind::Visibility, {TokenKind::Keyword, 0}},
    {NodeKind::Purity, {TokenKind::Keyword, 0}},
    {NodeKind::HashVersion, {TokenKind::Keyword, 0}},
    {NodeKind::PrimitiveType, {TokenKind::Type, kDefaultLibrary}},
    {NodeKind::Dim, {TokenKind::Variable, kReadonly}},
    {NodeKind::Flag, {TokenKind::Property, 0}},
    {NodeKind::Flow, {TokenKind::Decorator, 0}},
    {NodeKind::AnnotationPlace, {TokenKind::Decorator, 0}},
    {NodeKind::Hole, {TokenKind::Operator, 0}},
    {NodeKind::StatementHole, {TokenKind::Operator, 0}},
});

/// What the place of a name says of it.
static auto colour_by_place(NodeKind parent, Field field) -> NameColour {
  if (field == Field::Name) {
    if (auto colour = kDeclarations.of(parent)) {
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

/// The colour of a leaf that is not a name, if it has one.
static auto colour_of_leaf(NodeKind kind) -> std::optional<NameColour> {
  if (const std::optional<NameColour> colour = kLeaves.of(kind)) {
    return colour;
  }
  bool is_word = kind >= NodeKind::KwBufferSpace && kind <= NodeKind::KwWhile;
  return is_word ? std::optional(NameColour{TokenKind::Keyword, 0}) : std::nullopt;
}

/// Adds the tokens and comments of one tree in the order of its text.
class TokenCollector {
 public:
  TokenCollector(const syntax::Tree& tree, const NameLookup& lookup, std::vector<Token>& out)
      : tree_(tree), lookup_(lookup), out_(out) {}

  void collect() {
    // The kinds of the nodes around the cursor, each with the index where it ends.
    std::vector<std::pair<NodeKind, uint32_t>> around;
    for (uint32_t i = 0; i < tree_.nodes.size(); ++i) {
      const syntax::NodeData& node = tree_.nodes[i];
      while (!around.empty() && around.back().second <= i) {
        around.pop_back();
      }
      if (node.size == 1) {
        comments_before(node.begin);
        leaf(Node(&tree_, i), around.empty() ? NodeKind::Error : around.back().first);
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
    auto known = lookup_ ? lookup_(node) : std::nullopt;
    if (known) {
      known->modifiers |= by_place.modifiers & kDeclaration;
    }
    add(node.range(), known.value_or(by_place));
  }

  void comments_before(uint32_t offset) {
    const auto& comments = tree_.comments;
    while (n_comments_ < comments.size() && comments[n_comments_].range.begin < offset) {
      const syntax::Comment& comment = comments[n_comments_++];
      bool is_doc = comment.kind == syntax::CommentKind::Doc;
      add(comment.range, NameColour{TokenKind::Comment, is_doc ? kDocumentation : uint8_t{0}});
    }
  }

  void add(TextRange range, std::optional<NameColour> colour) {
    if (colour && !range.is_empty()) {
      out_.push_back({range, colour->kind, colour->modifiers});
    }
  }

  const syntax::Tree& tree_;
  const NameLookup& lookup_;
  std::vector<Token>& out_;
  size_t n_comments_ = 0;
};

void add_tokens(const syntax::Tree& tree, const NameLookup& lookup, std::vector<Token>& tokens) {
  TokenCollector(tree, lookup, tokens).collect();
}

}  // namespace tacet::ide
