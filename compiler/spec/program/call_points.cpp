#include "compiler/spec/program/call_points.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/core/syntax/bare.h"
#include "compiler/core/syntax/block_tail.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/spec_graph.h"
#include "compiler/spec/program/device_callees.h"
#include "compiler/spec/program/implementations.h"

namespace tacet::program {

using names::ItemId;
using names::ItemKind;
using names::ItemTable;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

using SignaturePtr = std::shared_ptr<const types::Signature>;

auto callee_name(Node call) -> Node {
  return syntax::bare(call.child(Field::Function));
}

/// Whether a call of one can be a call of the other, as far as heads tell.
auto are_called_alike(const types::Signature& a, const types::Signature& b) -> bool {
  const auto same_type = [](const auto& x, const auto& y) { return x.type == y.type; };
  return b.is_for_devices_of(a) && a.is_device_function == b.is_device_function &&
         a.n_dims == b.n_dims &&
         std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(),
                    b.parameters.end(), same_type) &&
         std::equal(a.results.begin(), a.results.end(), b.results.begin(), b.results.end(),
                    same_type);
}

/// What computes the same as `callee`, of any file: the functions of its specification or class.
auto members_like(query::Context& context, ItemId callee, const types::Signature& signature)
    -> std::vector<ItemId> {
  const ItemId computed =
      signature.kind == ItemKind::Fn && signature.val.has_value() ? signature.val : callee;
  std::vector<ItemId> found = implementations_of(context, infer::class_of(context, computed));
  std::vector<ItemId> same = implementations_of(context, computed);
  found.insert(found.end(), same.begin(), same.end());
  return found;
}

/// Adds the nodes whose value is what a function returns.
void add_returned(Node value, std::set<uint32_t>& returned) {
  const Node inner = syntax::bare(value);
  if (!inner) {
    return;
  }
  returned.insert(inner.index());
  if (inner.is(NodeKind::TupleExpression)) {
    for (Node part : inner.children()) {
      add_returned(part, returned);
    }
  }
}

/// The nodes whose value a function returns.
auto returned_by(const syntax::Tree& tree) -> std::set<uint32_t> {
  std::set<uint32_t> returned;
  add_returned(syntax::tail_of(names::item_node(tree).child(Field::Body)), returned);
  for (const Node node : syntax::subtree(tree.root())) {
    if (node.is(NodeKind::ReturnStatement)) {
      for (const Node value : node.children()) {
        add_returned(value, returned);
      }
    }
  }
  return returned;
}

}  // namespace

auto CallAlternatives::compute(query::Context& context, const Key& key) -> Value {
  const auto [file, callee] = key;
  const auto& table = context.service<ItemTable>();
  const SignaturePtr own = context.get<types::SignatureOf>(callee);
  std::vector<ItemId> others;
  if (own == nullptr) {
    return others;
  }
  const auto& scope = context.get<names::ModuleScopeOfFile>(file);
  for (const ItemId member : members_like(context, callee, *own)) {
    const names::ItemKey& of = table[member];
    const SignaturePtr signature = context.get<types::SignatureOf>(member);
    const bool is_callable =
        signature != nullptr && (of.kind == ItemKind::Fn || of.kind == ItemKind::Extern);
    if (member != callee && is_callable && are_called_alike(*own, *signature) &&
        scope->find(names::Namespace::Callable, of.name) == member &&
        std::find(others.begin(), others.end(), member) == others.end()) {
      others.push_back(member);
    }
  }
  return others;
}

auto CallPointsOf::compute(query::Context& context, const Key& item) -> Value {
  auto points = std::make_shared<std::vector<CallPoint>>();
  const auto& table = context.service<ItemTable>();
  if (table[item].kind != ItemKind::Fn) {
    return points;
  }
  const names::ItemTree tree = context.get<names::SyntaxOfItem>(item);
  const check::BodyPtr body = context.get<check::BodyOf>(item);
  std::map<ItemId, uint32_t> n_calls;
  for (uint32_t i = 0; body != nullptr && i < tree->nodes.size(); ++i) {
    const Node node(tree.get(), i);
    if (!node.is(NodeKind::CallExpression)) {
      continue;
    }
    const Node name = callee_name(node);
    const ItemId callee = body->names.item(name.index());
    if (!callee.has_value() ||
        (table[callee].kind != ItemKind::Fn && table[callee].kind != ItemKind::Extern)) {
      continue;
    }
    points->push_back({callee, ++n_calls[callee], name.index(),
                       context.get<CallAlternatives>({table[item].file, callee})});
  }
  return points;
}

auto reveals_on_the_way(query::Context& context, ItemId function) -> bool {
  const bool is_device_function = context.service<ItemTable>()[function].kind == ItemKind::Fn &&
                                  context.get<types::SignatureOf>(function)->is_device_function;
  std::vector<ItemId> open;
  std::set<ItemId> seen = {function};
  if (is_device_function) {
    open.push_back(function);
  }
  while (!open.empty()) {
    const ItemId next = open.back();
    open.pop_back();
    const names::ItemTree tree = context.get<names::SyntaxOfItem>(next);
    const check::BodyPtr body = context.get<check::BodyOf>(next);
    std::set<uint32_t> returned;
    if (next == function) {
      returned = returned_by(*tree);
    }
    for (uint32_t i = 0; body != nullptr && i < tree->nodes.size(); ++i) {
      const Node node(tree.get(), i);
      const names::Resolution meaning = node.is(NodeKind::CallExpression)
                                            ? body->names.of(callee_name(node).index())
                                            : names::Resolution{};
      if (meaning.is(names::Meaning::Builtin) &&
          static_cast<names::Builtin>(meaning.index()) == names::Builtin::Reveal &&
          !returned.contains(i)) {
        return true;
      }
    }
    for (const ItemId callee : context.get<DeviceCalleesOf>(next)) {
      if (seen.insert(callee).second) {
        open.push_back(callee);
      }
    }
  }
  return false;
}

}  // namespace tacet::program
