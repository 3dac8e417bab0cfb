#include "compiler/device/array/item_lets.h"

#include <algorithm>
#include <set>

#include "compiler/front/check/array_forms.h"
#include "compiler/front/check/known_length.h"
#include "compiler/front/names/arguments.h"
#include "compiler/front/types/constant.h"
#include "compiler/front/types/queries.h"

namespace tacet::array {

using names::ItemKind;
using names::Local;
using names::LocalKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto ItemText::of(const program::FrontendSnapshot& snapshot, names::ItemId item,
                  std::optional<FileRange> stands_at) -> ItemText {
  return {.item = item,
          .tree = snapshot.tree(item),
          .body = snapshot.body(item),
          .signature = snapshot.signature(item),
          .file = snapshot.item_key(item).file,
          .begin = stands_at ? 0 : snapshot.item_begin(item),
          .stands_at = stands_at};
}

auto ItemText::result() const -> Node {
  if (Node program = tree->root().child(Field::Body)) {
    return program;
  }
  Node declaration = names::item_node(*tree);
  if (declaration.is(NodeKind::ConstItem)) {
    return declaration.child(Field::Value);
  }
  Node block = declaration.child(Field::Body);
  if (block.is(NodeKind::SpecBlock)) {
    return block.child(NodeKind::ReturnsStatement).child(Field::Value);
  }
  if (Node value = block.child(Field::Result)) {
    return value;
  }
  return block.child(NodeKind::ReturnStatement).child(Field::Value);
}

auto ItemText::local_of(Node name) const -> uint32_t {
  names::Resolution meaning = body->names.of(name.index());
  return meaning.is(names::Meaning::Local) ? meaning.index() : Local::kNone;
}

auto elements_of(Node list) -> std::vector<Node> {
  std::vector<Node> result;
  for (Node child : list.children()) {
    if (syntax::is_named(child.kind())) {
      result.push_back(child);
    }
  }
  return result;
}

auto arguments_of(const ItemText& text, Node call) -> std::vector<Node> {
  return names::value_arguments(text.body->names, call);
}

auto called_builtin(const ItemText& text, Node call) -> std::optional<names::Builtin> {
  names::Resolution meaning = text.body->names.of(call.child(Field::Function).index());
  return meaning.is(names::Meaning::Builtin)
             ? std::optional(static_cast<names::Builtin>(meaning.index()))
             : std::nullopt;
}

static auto extents_of_type(const program::FrontendSnapshot& snapshot, types::TypeId type)
    -> std::vector<int64_t> {
  const types::Type& data = snapshot.types()[type];
  return data.kind == types::TypeKind::Value ? snapshot.types().extents(data.shape)
                                             : std::vector<int64_t>();
}

auto extents_of(const program::FrontendSnapshot& snapshot, const ItemText& text, Node node)
    -> std::vector<int64_t> {
  return extents_of_type(snapshot, text.body->type(syntax::bare(node)));
}

ItemLets::ItemLets(const program::FrontendSnapshot& snapshot, const ItemText& text,
                   KnownParameter known_parameter)
    : snapshot_(snapshot), text_(text), known_parameter_(std::move(known_parameter)) {
  find_candidates();
}

auto ItemLets::value_of(uint32_t local) const -> Node {
  const Local& data = text_.body->names.locals[local];
  bool is_bound = data.kind == LocalKind::Let || data.kind == LocalKind::Definition;
  if (!is_bound || data.declaration == Local::kNone) {
    return {};
  }
  Node declaration = text_.node(data.declaration);
  Node value = declaration.child(Field::Value);
  bool is_tuple =
      snapshot_.types()[text_.body->type(syntax::bare(value))].kind == types::TypeKind::Tuple;
  return is_tuple ? Node() : value;
}

/// Names for names in a longer row are not seen to be constants.
static constexpr uint32_t kMaxNamesInARow = 100;

auto ItemLets::constant(Node node) const -> std::optional<int64_t> {
  return types::evaluate_constant(syntax::bare(node), [&](Node name) -> std::optional<int64_t> {
    if (name.is(NodeKind::CallExpression)) {
      return check::known_length(snapshot_.types(), *text_.body, name);
    }
    names::ItemId item = text_.body->names.item(name.index());
    if (item.has_value() && snapshot_.item_key(item).kind == ItemKind::Const) {
      return snapshot_.get<types::ValueOfConst>(item);
    }
    uint32_t local = text_.local_of(name);
    if (local == Local::kNone) {
      return std::nullopt;
    }
    const Local& data = text_.body->names.locals[local];
    if (data.kind == LocalKind::Parameter && known_parameter_) {
      return known_parameter_(data.ordinal);
    }
    Node value = value_of(local);
    if (!value || depth_of_names_ > kMaxNamesInARow) {
      return std::nullopt;
    }
    auto [known, is_new] = constants_.try_emplace(local);
    if (is_new) {
      ++depth_of_names_;
      known->second = constant(value);
      --depth_of_names_;
    }
    return known->second;
  });
}

auto ItemLets::extent_of(uint32_t variable) const -> int64_t {
  Node loop = text_.node(text_.body->names.locals[variable].declaration);
  std::vector<int64_t> extents = extents_of(snapshot_, text_, loop);
  return extents.empty() ? 0 : extents.front();
}

auto ItemLets::mentioned_in(Node node) const -> std::vector<uint32_t> {
  std::vector<uint32_t> result;
  for (uint32_t i = node.index(); i < node.subtree_end(); ++i) {
    Node at = text_.node(i);
    if (at.field() == Field::Index) {
      i = at.subtree_end() - 1;
    } else if (at.is(NodeKind::Identifier)) {
      uint32_t local = text_.local_of(at);
      if (local != Local::kNone && text_.body->names.locals[local].node != i) {
        result.push_back(local);
      }
    }
  }
  return result;
}

auto ItemLets::dependence_of(Node node) const -> const Dependence& {
  auto [known, is_new] = dependences_.try_emplace(node.index());
  if (is_new) {
    known->second = find_dependence(node);
  }
  return known->second;
}

auto ItemLets::find_dependence(Node node) const -> Dependence {
  std::set<uint32_t> variables;
  std::set<uint32_t> parameters;
  std::vector<Node> to_read = {node};
  std::set<uint32_t> seen;  // locals whose values are read
  for (size_t n = 0; n < to_read.size(); ++n) {
    Node part = to_read[n];
    for (uint32_t i = part.index(); i < part.subtree_end(); ++i) {
      uint32_t local = text_.local_of(text_.node(i));
      if (local == Local::kNone) {
        continue;
      }
      const Local& data = text_.body->names.locals[local];
      bool is_outside = data.declaration < node.index() || data.declaration >= node.subtree_end();
      if (data.kind == LocalKind::Parameter) {
        parameters.insert(data.ordinal);
      } else if (data.kind == LocalKind::Index && is_outside) {
        variables.insert(local);
      } else if (data.kind == LocalKind::Element && is_outside) {
        variables.insert(local);
        if (seen.insert(local).second) {
          to_read.push_back(check::array_of(*text_.tree, data));
        }
      } else if (Node value = value_of(local); value && is_outside && seen.insert(local).second) {
        to_read.push_back(value);
      }
    }
  }
  // Variables of a `for` inside of a value that was read are its own.
  Dependence result;
  result.parameters.assign(parameters.begin(), parameters.end());
  for (uint32_t variable : variables) {
    Node loop = text_.node(text_.body->names.locals[variable].declaration);
    if (loop.index() < node.index() && node.index() < loop.subtree_end()) {
      result.variables.push_back(variable);
    }
  }
  std::sort(result.variables.begin(), result.variables.end(), [&](uint32_t a, uint32_t b) {
    return text_.body->names.locals[a].declaration < text_.body->names.locals[b].declaration;
  });
  return result;
}

/// Walks what the result depends on, without recursion: the chain may be as long as the text.
void ItemLets::find_candidates() {
  struct Visit {
    uint32_t local;
    std::vector<uint32_t> mentioned;
    size_t next = 0;
  };
  std::set<uint32_t> seen;
  std::vector<Visit> stack;
  stack.push_back({Local::kNone, mentioned_in(text_.result()), 0});
  while (!stack.empty()) {
    Visit& visit = stack.back();
    if (visit.next == visit.mentioned.size()) {
      if (visit.local != Local::kNone) {
        ordered_.push_back(visit.local);
      }
      stack.pop_back();
      continue;
    }
    uint32_t local = visit.mentioned[visit.next++];
    Node value = value_of(local);
    if (!value || constant(value)) {
      continue;
    }
    ++n_uses_[local];
    if (seen.insert(local).second) {
      stack.push_back({local, mentioned_in(value), 0});
    }
  }
  candidates_ = ordered_;
  std::sort(candidates_.begin(), candidates_.end(), [&](uint32_t a, uint32_t b) {
    return text_.body->names.locals[a].node < text_.body->names.locals[b].node;
  });
}

auto ItemLets::describe(uint32_t local) const -> LetArray {
  const Local& data = text_.body->names.locals[local];
  Node value = value_of(local);
  LetArray let;
  let.name = std::string(snapshot_.interner().text(data.name));
  let.place = text_.place(text_.node(data.node));
  let.n_uses = n_uses_.at(local);
  for (uint32_t variable : variables_of(value)) {
    let.extents.push_back(extent_of(variable));
  }
  for (int64_t extent : extents_of(snapshot_, text_, value)) {
    let.extents.push_back(extent);
  }
  return let;
}

}  // namespace tacet::array
