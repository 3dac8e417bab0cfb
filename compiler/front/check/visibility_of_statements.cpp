#include <fmt/format.h>

#include "compiler/core/syntax/block_tail.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/array_forms.h"
#include "compiler/front/check/visibility_pass.h"

namespace tacet::check {

using names::BodyKind;
using names::ItemKind;
using names::LocalKind;

auto VisibilityPass::block(Node node) -> bool {
  Node yielded = syntax::tail_of(node);
  bool secret = false;
  for (Node child : node.children()) {
    if (child == yielded) {
      secret = value_of(child);
    } else if (!child.is_leaf() || child.is(NodeKind::Identifier)) {
      statement(child);
    }
  }
  return secret;
}

void VisibilityPass::statement(Node node) {
  if (node.is(NodeKind::LetStatement) || node.is(NodeKind::VarStatement)) {
    bind(node, node.child(Field::Value), NodeKind::Binding);
  } else if (node.is(NodeKind::AssignmentStatement)) {
    assignment(node);
  } else if (node.is(NodeKind::ReturnStatement)) {
    returned(node.child(Field::Value));
    exits(node);
  } else if (node.is(NodeKind::BreakStatement) || node.is(NodeKind::ContinueStatement)) {
    exits(node);
  } else if (node.is(NodeKind::ForStatement) || node.is(NodeKind::WhileStatement) ||
             node.is(NodeKind::DoStatement)) {
    loop(node);
  } else if (!node.is(NodeKind::EncodeStatement) && !node.is(NodeKind::AnnotationStatement) &&
             !node.is(NodeKind::Error)) {
    value_of(node);
  }
}

auto VisibilityPass::branch(Node node) -> bool {
  const bool condition = value_of(node.child(Field::Condition));
  const SecretControl::State before = control_.state();
  if (condition) {
    control_.enter(node.child(Field::Condition));
  }
  const SecretControl::State inside = control_.state();
  const bool first = value_of(node.child(Field::Consequence));
  const SecretControl::State behind_first = control_.state();
  control_.restore(inside);
  const bool second = value_of(node.child(Field::Alternative));
  control_.join(before, behind_first);
  return condition || first || second;
}

void VisibilityPass::loop(Node node) {
  Node decisive;
  for (const Field bound : {Field::Lower, Field::Upper, Field::Step, Field::Condition}) {
    if (value_of(node.child(bound)) && !decisive) {
      decisive = node.child(bound);
    }
  }
  value_of(node.child(Field::Max));
  for (Node array : node.children(Field::Array)) {
    value_of(array);
  }
  counter(node);
  elements(node);
  const SecretControl::State before = control_.begin_loop(node);
  if (decisive) {
    control_.enter(decisive);
  }
  value_of(node.child(Field::Condition));
  value_of(node.child(Field::Body));
  control_.end_loop(before);
}

void VisibilityPass::elements(Node loop) {
  const std::vector<Node> arrays = arrays_of(checker_.resolved.names, loop);
  const std::vector<Node> variables = variables_of(loop);
  for (size_t i = 0; i < arrays.size() && i < variables.size(); ++i) {
    const uint32_t local = local_of(checker_, variables[i]);
    if (local != names::Local::kNone && checker_.secret_nodes[arrays[i].index()]) {
      path_.assigned(local, variables[i], arrays[i]);
      set(local, columns_at(checker_, arrays[i]));
    }
  }
}

void VisibilityPass::counter(Node loop) {
  const Node name = loop.child(Field::Variable);
  const uint32_t local = name ? local_of(checker_, name) : names::Local::kNone;
  if (local == names::Local::kNone) {
    return;
  }
  for (const Node from : {loop.child(Field::Lower), loop.child(Field::Step)}) {
    if (from && checker_.secret_nodes[from.index()]) {
      path_.decided(local, name, from);
      set(local);
    }
  }
}

void VisibilityPass::exits(Node node) {
  if (checker_.kind == BodyKind::Device && control_.exits(node)) {
    has_changed_ = true;
  }
}

void VisibilityPass::bind(Node statement, Node value, NodeKind binding_kind) {
  value_of(value);
  const std::vector<Node> bindings = children_of(statement, binding_kind);
  const std::vector<Columns> parts = columns_by_binding(value, bindings.size());
  size_t i = 0;
  for (Node binding : bindings) {
    Node name = binding.child(Field::Name);
    const uint32_t local = name ? local_of(checker_, name) : names::Local::kNone;
    const Columns& mine = parts[i++];
    if (local == names::Local::kNone) {
      continue;
    }
    declared_level_[local] = control_.level();
    if (Node written = binding.child(Field::Type)) {
      bind_written(local, name, written, bindings.size() == 1 ? value : Node(), mine, value);
    } else if (is_any(mine)) {
      path_.assigned(local, name, value);
      set(local, mine);
    }
  }
}

auto VisibilityPass::columns_by_binding(Node value, size_t n) -> std::vector<Columns> {
  const Columns all = value ? columns_at(checker_, value) : Columns(1);
  if (n == 1) {
    return {all};
  }
  std::vector<Columns> parts;
  auto next = all.begin();
  const std::vector<types::Term> members =
      value ? checker_.inference.members(checker_.terms[value.index()])
            : std::vector<types::Term>();
  for (const types::Term member : members) {
    const auto size =
        static_cast<std::ptrdiff_t>(types::n_columns(types_, checker_.inference.finish(member)));
    if (members.size() != n || all.end() - next < size) {
      break;
    }
    parts.emplace_back(next, next + size);
    next += size;
  }
  parts.resize(n, Columns(1, is_any(all)));
  return parts;
}

void VisibilityPass::bind_written(uint32_t local, Node name, Node written, Node given,
                                  const Columns& mine, Node value) {
  const types::TypeId type = lowering_.lower(written);
  const Columns declared = types::secret_columns(types_, type);
  const bool is_declared = is_any(declared);
  written_[local] = is_declared ? Written::Secret : Written::Public;
  if (is_declared) {
    path_.declared(local);
    set(local, declared);
  }
  // In a specification a type without visibility leaves it open.
  if (is_spec(checker_)) {
    if (is_any(mine)) {
      set(local, mine);
    }
    return;
  }
  const Columns bound = given && declared.size() > 1 ? columns_as(checker_, given, type) : mine;
  for (size_t i = 0; i < declared.size() && i < bound.size(); ++i) {
    if (bound[i] && !declared[i]) {
      becomes_public(local, value,
                     fmt::format("a secret is bound to the public `{}`",
                                 column_text(checker_, type, i, name.text())),
                     bound);
      return;
    }
  }
}

void VisibilityPass::assignment(Node node) {
  Node value = node.child(Field::Value);
  Node target = node.child(Field::Target);
  const bool secret = value_of(value);
  Node base = target;
  Node secret_index;
  while (base && !base.is(NodeKind::Identifier)) {
    if (base.is(NodeKind::IndexExpression)) {
      if (value_of(base.child(Field::Index))) {
        secret_index = base.child(Field::Index);
      }
      base = base.child(Field::Array);
    } else if (base.is(NodeKind::FieldExpression)) {
      base = base.child(Field::Record);
    } else if (base.is(NodeKind::UnaryExpression)) {
      base = base.child(Field::Operand);
    } else {
      base = base.child(Field::Value);
    }
  }
  const uint32_t local = base ? local_of(checker_, base) : names::Local::kNone;
  if (local == names::Local::kNone) {
    return;
  }
  const types::ColumnRange range = columns_of_target(checker_, target);
  const Columns given =
      in_local(local, range, columns_as(checker_, value, type_of(checker_, target)));
  const Columns all = in_local(local, range, Columns(range.size, true));
  if (written_[local] == Written::Nothing) {
    if (secret || secret_index) {
      path_.assigned(local, base, secret ? value : secret_index);
      set(local, secret_index ? all : given);
    }
  } else if (secret) {
    const std::optional<size_t> wrong = first_written_public(local, given);
    if (wrong) {
      becomes_public(
          local, value,
          fmt::format("a secret is assigned to the public `{}`",
                      column_text(checker_, type_of_local(checker_, local), *wrong, base.text())),
          given);
    }
  }
  const bool is_decided = control_.level() > declared_level_[local];
  if ((secret_index || is_decided) && adds(local, all)) {
    path_.decided(local, base, secret_index ? secret_index : control_.cause());
    set(local, all);
  }
  value_of(target);
  checker_.under_secret[node.index()] = control_.level() > 0;
}

auto VisibilityPass::in_local(uint32_t local, types::ColumnRange range, const Columns& columns)
    -> Columns {
  Columns result(columns_of_local(checker_, local).size());
  for (size_t i = 0; i < range.size && range.begin + i < result.size(); ++i) {
    result[range.begin + i] = i < columns.size() && columns[i];
  }
  return result;
}

auto VisibilityPass::first_written_public(uint32_t local, const Columns& given)
    -> std::optional<size_t> {
  const Columns declared = written_[local] == Written::Public
                               ? Columns(given.size())
                               : types::secret_columns(types_, type_as_written(local));
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] && (i >= declared.size() || !declared[i])) {
      return i;
    }
  }
  return std::nullopt;
}

auto VisibilityPass::type_as_written(uint32_t local) -> types::TypeId {
  const names::Local& data = checker_.resolved.names.locals[local];
  if (data.kind == LocalKind::Parameter && data.ordinal < checker_.signature.parameters.size()) {
    return checker_.signature.parameters[data.ordinal].type;
  }
  const Node binding = data.node == names::Local::kNone || data.node == 0
                           ? Node()
                           : node_at(checker_, data.node - 1);
  const Node written = binding.is(NodeKind::Binding) ? binding.child(Field::Type) : Node();
  return written ? lowering_.lower(written) : type_of_local(checker_, local);
}

void VisibilityPass::becomes_public(uint32_t local, Node value, std::string message,
                                    const Columns& columns) {
  if (checker_.kind != BodyKind::Device) {
    return;
  }
  if (path_.says_secret(value)) {
    report(value, std::move(message),
           [&](names::Draft& draft) { fix_public_local(checker_, draft, local, value); });
    path_.reported(local, value);
  } else {
    path_.assigned(local, value, value);
  }
  set(local, columns);
}

auto VisibilityPass::adds(uint32_t local, const Columns& columns) -> bool {
  const Columns held = columns_of_local(checker_, local);
  for (size_t i = 0; i < held.size() && i < columns.size(); ++i) {
    if (columns[i] && !held[i]) {
      return true;
    }
  }
  return false;
}

void VisibilityPass::set(uint32_t local, const Columns& columns) {
  if (!adds(local, columns)) {
    return;
  }
  Columns held = columns_of_local(checker_, local);
  for (size_t i = 0; i < held.size() && i < columns.size(); ++i) {
    held[i] = held[i] || columns[i];
  }
  if (is_of_columns(checker_, checker_.local_terms[local])) {
    checker_.secret_columns_of_locals[local] = std::move(held);
  }
  checker_.secret_locals[local] = true;
  has_changed_ = true;
}

void VisibilityPass::returned(Node value) {
  const bool secret = value_of(value);
  if (checker_.key.kind == ItemKind::Fn) {
    check_results(value, secret);
  }
}

void VisibilityPass::check_results(Node value, bool secret) {
  const std::vector<types::SignatureResult>& results = checker_.signature.results;
  if (!value || results.empty()) {
    return;
  }
  if (results.size() == 1) {
    check_result(value, secret, 0);
    return;
  }
  size_t i = 0;
  for (Node element : value.children(Field::Element)) {
    if (i < results.size()) {
      check_result(element, visibility_of(checker_, element.index()), i);
    }
    ++i;
  }
}

void VisibilityPass::check_result(Node value, bool secret, size_t ordinal) {
  const types::TypeId type = checker_.signature.results[ordinal].type;
  const std::optional<size_t> wrong = secret ? first_public(value, type) : std::nullopt;
  if (!wrong || !path_.says_secret(value)) {
    return;
  }
  if (types::has_columns(types_, type)) {
    report(value,
           fmt::format("a secret is returned as the public field `{}`",
                       column_text(checker_, type, *wrong, "result").substr(7)),
           [](names::Draft&) {});
    return;
  }
  report(value, "a secret is returned as a public result",
         [&](names::Draft& draft) { fix_public_result(checker_, draft, ordinal, value); });
}

}  // namespace tacet::check
