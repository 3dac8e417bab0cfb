#include "compiler/front/hir/pattern.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/syntax/bare.h"
#include "compiler/core/syntax/concatenation.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/array_forms.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"

namespace tacet::hir {

using names::BodyNames;
using names::Meaning;
using syntax::ExpressionKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// True for expressions that an array expression may consist of.
static auto is_expression(NodeKind kind) -> bool {
  switch (syntax::expression_kind(kind)) {
    case ExpressionKind::Identifier:
    case ExpressionKind::Dim:
    case ExpressionKind::Integer:
    case ExpressionKind::Float:
    case ExpressionKind::Boolean:
    case ExpressionKind::Unary:
    case ExpressionKind::Binary:
    case ExpressionKind::Conditional:
    case ExpressionKind::Call:
    case ExpressionKind::Index:
    case ExpressionKind::For:
    case ExpressionKind::Slice:
    case ExpressionKind::Let:
    case ExpressionKind::Array:
    case ExpressionKind::Cast:
    case ExpressionKind::Parenthesized:
    case ExpressionKind::Tagged:
      return true;
    case ExpressionKind::None:
    case ExpressionKind::Await:
    case ExpressionKind::EncodeBegin:
    case ExpressionKind::Field:
    case ExpressionKind::Hole:
    case ExpressionKind::If:
    case ExpressionKind::Path:
    case ExpressionKind::Range:
    case ExpressionKind::StatementHole:
    case ExpressionKind::String:
    case ExpressionKind::Submit:
    case ExpressionKind::Tuple:
      return false;
  }
  return false;
}

static auto callee_of(Node call) -> Node {
  Node callee = call.child(Field::Function);
  while (callee.is(NodeKind::TaggedExpression)) {
    callee = callee.child(Field::Value);
  }
  return callee;
}

auto is_pattern(Node node, const BodyNames& names) -> bool {
  if (node.is(NodeKind::ForExpression) || node.is(NodeKind::SliceExpression) ||
      check::range_in(node) || syntax::is_concatenation(node)) {
    return true;
  }
  if (!node.is(NodeKind::CallExpression)) {
    return false;
  }
  Node callee = callee_of(node);
  return callee && names.of(callee.index()).is(Meaning::Builtin);
}

namespace {

class PatternWriter {
 public:
  /// Without a context only the operands are right.
  PatternWriter(query::Context* context, Node root, const BodyNames& names, Pattern& pattern)
      : context_(context), root_(root), names_(names), pattern_(pattern) {
    const uint32_t begin = root.index();
    first_declared_.resize(root.subtree_end() - begin, names::Local::kNone);
    for (uint32_t i = root.subtree_end(); i-- > begin;) {
      uint32_t& first = first_declared_[i - begin];
      const names::Local* own = own_variable(i);
      first = own != nullptr ? own->node : names::Local::kNone;
      const uint32_t end = Node(root.tree(), i).subtree_end();
      for (uint32_t child = i + 1; child < end; child = Node(root.tree(), child).subtree_end()) {
        first = std::min(first, first_declared_[child - begin]);
      }
    }
  }

  void write() { parts(root_); }

 private:
  /// The variable of the pattern itself that node `index` names, or null.
  auto own_variable(uint32_t index) const -> const names::Local* {
    const names::Local* local = names_.local(index);
    const bool is_own = local != nullptr && local->node != names::Local::kNone &&
                        local->node >= root_.index() && local->node < root_.subtree_end();
    return is_own ? local : nullptr;
  }
  /// Does it use variables of the pattern that are declared outside of it?
  auto depends_on_own(Node node) const -> bool {
    return first_declared_[node.index() - root_.index()] < node.index();
  }

  void write(Node node) {
    node = bare(node);
    if (const names::Local* own = node ? own_variable(node.index()) : nullptr) {
      // Variables are numbered in the order of their declarations.
      auto known = std::find(own_.begin(), own_.end(), own);
      if (known == own_.end()) {
        known = own_.insert(own_.end(), own);
      }
      pattern_.text += fmt::format("%{} ", known - own_.begin());
    } else if (is_expression(node.kind()) && !depends_on_own(node)) {
      pattern_.text += "$ ";
      pattern_.operands.push_back(node);
    } else {
      parts(node);
    }
  }

  void parts(Node node) {
    if (node.is_leaf()) {
      pattern_.text += fmt::format("{} ", node.text());
      return;
    }
    if (syntax::is_concatenation(node)) {
      concatenation(syntax::concatenated(node));
      return;
    }
    const Node called = node.is(NodeKind::CallExpression) ? callee_of(node) : Node();
    const names::Resolution function = called ? names_.of(called.index()) : names::Resolution();
    if (function.is(Meaning::Builtin) &&
        static_cast<names::Builtin>(function.index()) == names::Builtin::Concat) {
      concatenation(named_children(node.child(Field::Arguments)));
      return;
    }
    pattern_.text += fmt::format("{}( ", static_cast<int>(node.kind()));
    for (Node child : node.children()) {
      if (child.field() == Field::Function) {
        callee(callee_of(node));
      } else if (child.field() == Field::Extent) {
        extent(child);
      } else if (!child.is(NodeKind::Comma) && !child.is(NodeKind::Semicolon)) {
        write(child);
      }
    }
    pattern_.text += ") ";
  }


  /// `concat(a, b)` and `a ++ b` are the same.
  void concatenation(const std::vector<Node>& arrays) {
    pattern_.text += "++( ";
    for (const Node array : arrays) {
      write(array);
    }
    pattern_.text += ") ";
  }

  void callee(Node name) {
    const names::ItemId item = name ? names_.item(name.index()) : names::ItemId();
    if (!item.has_value() || context_ == nullptr) {
      pattern_.text += fmt::format("{} ", name ? name.text() : std::string_view());
      return;
    }
    const auto signature = context_->get<types::SignatureOf>(item);
    const names::ItemId computed = signature && signature->val.has_value() ? signature->val : item;
    const auto& members = context_->get<names::ClassOfItem>(computed);
    pattern_.text += fmt::format("@{} ", (members ? members->item : computed).index);
  }

  /// How often a `for` iterates: the number, if constant. Or the array whose elements it takes.
  void extent(Node node) {
    const syntax::Subtree all(node);
    if (std::any_of(all.begin(), all.end(),
                    [&](Node part) { return names_.local(part.index()) != nullptr; })) {
      write(node);
      return;
    }
    const names::ItemId constant = names_.item(node.index());
    const std::optional<int64_t> value = constant.has_value() && context_ != nullptr
                                             ? context_->get<types::ValueOfConst>(constant)
                                             : std::nullopt;
    if (value) {
      pattern_.text += fmt::format("{} ", *value);
    } else {
      parts(node);
    }
  }

  query::Context* context_;
  Node root_;
  const BodyNames& names_;
  Pattern& pattern_;
  /// By node of the pattern: where the first of the own variables in it is declared.
  std::vector<uint32_t> first_declared_;
  std::vector<const names::Local*> own_;
};

}  // namespace

auto pattern_of(query::Context& context, Node node, const BodyNames& names) -> Pattern {
  Pattern pattern;
  PatternWriter(&context, node, names, pattern).write();
  return pattern;
}

auto pattern_operands(Node node, const BodyNames& names) -> std::vector<Node> {
  Pattern pattern;
  PatternWriter(nullptr, node, names, pattern).write();
  return std::move(pattern.operands);
}

}  // namespace tacet::hir
