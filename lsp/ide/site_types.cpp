#include "lsp/ide/site_types.h"

#include <algorithm>

namespace tacet::ide {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeId;
using types::TypeStore;

SiteTypes::SiteTypes(const program::FrontendSnapshot& snapshot, FileId file,
                     const CompletionSite& site)
    : snapshot_(snapshot), file_(file), site_(site) {
  const Node item = site.item();
  const bool is_program = !item && site.language == syntax::Language::ArrayProgram;
  if (!item && !is_program) {
    return;
  }
  const uint32_t begin = is_program ? site.begin : site.in_file(item).begin;
  if (auto entity = snapshot.entity_at(file, begin)) {
    item_ = entity->in_item;
    tree_ = entity->tree;
    body_ = snapshot.body(item_);
    begin_ = snapshot.item_begin(item_);
  }
}

auto SiteTypes::of(Node node) const -> TypeId {
  if (body_ == nullptr || !node || site_.in_file(node).begin < begin_) {
    return TypeStore::kError;
  }
  const TextRange place = {site_.in_file(node).begin - begin_, site_.in_file(node).end - begin_};
  // Nodes are in pre-order, so those that begin at one place stand together, outer ones first.
  auto at = std::lower_bound(
      tree_->nodes.begin(), tree_->nodes.end(), place.begin,
      [](const syntax::NodeData& data, uint32_t begin) { return data.begin < begin; });
  for (; at != tree_->nodes.end() && at->begin == place.begin; ++at) {
    if (at->kind == node.kind() && at->end == place.end) {
      const auto index = static_cast<uint32_t>(at - tree_->nodes.begin());
      const names::Resolution meaning = body_->names.of(index);
      return meaning.is(names::Meaning::Local) ? body_->local_types[meaning.index()]
                                               : body_->type(index);
    }
  }
  return TypeStore::kError;
}

auto SiteTypes::exactly(TypeId type) const -> Expected {
  Expected expected = of_any_visibility(type);
  if (type != TypeStore::kError) {
    expected.visibility = snapshot_.types().visibility(type);
  }
  return expected;
}

auto SiteTypes::of_any_visibility(TypeId type) const -> Expected {
  return {snapshot_.types().with_visibility(type, types::Visibility::Public)};
}

auto SiteTypes::of_argument(Node arguments, Node argument) const -> Expected {
  size_t n_before = 0;
  for (const Node child : arguments.children()) {
    if (child == argument) {
      break;
    }
    n_before += child.is(NodeKind::Comma) ? 1 : 0;
  }
  const Node function = site_.path[site_.path.size() - 3].child(Field::Function);
  const bool is_spec = static_cast<bool>(site_.around(NodeKind::SpecBlock));
  if (n_before == 0 && !is_spec && function.text() == names::builtin_text(names::Builtin::Reveal)) {
    return {TypeStore::kError, types::Visibility::Secret};
  }
  names::ItemId callee = snapshot_.find(
      file_, is_spec ? names::Namespace::Class : names::Namespace::Callable, function.text());
  if (!callee.has_value() && site_.around(NodeKind::TestItem)) {
    callee = snapshot_.find(file_, names::Namespace::Class, function.text());
  }
  if (!callee.has_value()) {
    return {};
  }
  const auto signature = snapshot_.signature(callee);
  return n_before < signature->parameters.size() ? exactly(signature->parameters[n_before].type)
                                                 : Expected();
}

auto SiteTypes::of_result() const -> TypeId {
  if (!item_.has_value()) {
    return TypeStore::kError;
  }
  const auto signature = snapshot_.signature(item_);
  return signature->results.size() == 1 ? signature->results.front().type : TypeStore::kError;
}

auto SiteTypes::of_binding(Node statement) const -> TypeId {
  for (const Node binding : statement.children()) {
    if (binding.is(NodeKind::Binding) || binding.is(NodeKind::SpecBinding)) {
      return of(binding.child(Field::Type));
    }
  }
  return TypeStore::kError;
}

auto SiteTypes::expected() const -> Expected {
  const Node name = site_.path.back();
  const Node parent = site_.path[site_.path.size() - 2];
  if (parent.is(NodeKind::Arguments)) {
    return site_.path.size() > 2 ? of_argument(parent, name) : Expected();
  }
  if (parent.is(NodeKind::BinaryExpression)) {
    return of_any_visibility(of(parent.child(Field::Left)));
  }
  if (parent.is(NodeKind::AssignmentStatement)) {
    return of_any_visibility(of(parent.child(Field::Target)));
  }
  if (parent.is(NodeKind::LetStatement) || parent.is(NodeKind::VarStatement) ||
      parent.is(NodeKind::Definition)) {
    return exactly(of_binding(parent));
  }
  if (parent.is(NodeKind::ReturnStatement) || parent.is(NodeKind::ReturnsStatement)) {
    return exactly(of_result());
  }
  const bool has_condition =
      parent.is(NodeKind::IfExpression) || parent.is(NodeKind::WhileStatement);
  return has_condition && name.field() == Field::Condition ? of_any_visibility(TypeStore::kBool)
                                                           : Expected();
}

}  // namespace tacet::ide
