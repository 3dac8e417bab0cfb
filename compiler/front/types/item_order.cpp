#include "compiler/front/types/item_order.h"

#include <algorithm>
#include <unordered_map>

#include "base/components.h"
#include "compiler/core/syntax/walk.h"

// However long the chains are that the items form, the order is found with a stack of its own, and
// so can be worked through without one.

namespace tacet::types {

using names::ItemId;
using names::ItemKind;
using syntax::Node;
using syntax::NodeKind;

namespace {

/// Which items of one kind in a file each of them is made of, by their places in `items`.
struct UseGraph {
  std::vector<ItemId> items;
  std::vector<std::vector<uint32_t>> uses;
};

auto order_of(const UseGraph& graph) -> ItemOrder {
  ItemOrder order;
  for (const std::vector<uint32_t>& component : strong_components(graph.uses)) {
    const bool is_circle = is_cyclic(graph.uses, component);
    for (const uint32_t member : component) {
      order.items.push_back(graph.items[member]);
      if (is_circle) {
        order.cyclic.push_back(graph.items[member]);
      }
    }
  }
  std::sort(order.cyclic.begin(), order.cyclic.end());
  return order;
}

}  // namespace

/// Calls `found` with each item whose name is in the head of `item`.
template <class Found>
static void for_each_use(query::Context& context, ItemId item, ItemKind kind, const Found& found) {
  const FileId file = context.service<names::ItemTable>()[item].file;
  const names::ModuleScope& scope = *context.get<names::ModuleScopeOfFile>(file);
  const auto& interner = context.service<Interner>();
  const names::Namespace space =
      kind == ItemKind::Type ? names::Namespace::Type : names::Namespace::Value;
  const names::ItemHead& head = context.get<names::HeadOfItem>(item);
  const Node root = names::item_node(*head.tree);
  const Node own_name = root ? names::item_name_node(root) : Node();
  for (Node name : subtree(root)) {
    if (name.is(NodeKind::Identifier) && name != own_name) {
      found(scope.find(space, interner.find(name.text())));
    }
  }
}

static auto order_items(query::Context& context, FileId file, ItemKind kind)
    -> std::shared_ptr<const ItemOrder> {
  UseGraph graph;
  std::unordered_map<ItemId, uint32_t> places;
  for (const names::FileItem& item : context.get<names::ItemsOfFile>(file)->items) {
    if (item.kind == kind) {
      places.emplace(item.id, static_cast<uint32_t>(graph.items.size()));
      graph.items.push_back(item.id);
    }
  }
  graph.uses.resize(graph.items.size());
  for (size_t i = 0; i < graph.items.size(); ++i) {
    for_each_use(context, graph.items[i], kind, [&](ItemId used) {
      if (auto place = places.find(used); place != places.end()) {
        graph.uses[i].push_back(place->second);
      }
    });
  }
  return std::make_shared<const ItemOrder>(order_of(graph));
}

auto AliasOrderOfFile::compute(query::Context& context, const Key& file) -> Value {
  return order_items(context, file, ItemKind::Type);
}

auto ConstantOrderOfFile::compute(query::Context& context, const Key& file) -> Value {
  return order_items(context, file, ItemKind::Const);
}

auto find_cycle(query::Context& context, const ItemOrder& order, ItemId start)
    -> std::vector<ItemId> {
  constexpr size_t kMaxSearched = 100;
  const ItemKind kind = context.service<names::ItemTable>()[start].kind;
  std::unordered_map<ItemId, ItemId> reached_from;
  std::vector<ItemId> queue = {start};
  for (size_t i = 0; i < queue.size() && i < kMaxSearched; ++i) {
    const ItemId at = queue[i];
    bool is_closed = false;
    for_each_use(context, at, kind, [&](ItemId used) {
      is_closed = is_closed || used == start;
      if (order.is_cyclic(used) && reached_from.emplace(used, at).second) {
        queue.push_back(used);
      }
    });
    if (is_closed) {
      std::vector<ItemId> cycle = {at};
      while (cycle.back() != start) {
        cycle.push_back(reached_from[cycle.back()]);
      }
      std::reverse(cycle.begin(), cycle.end());
      return cycle;
    }
  }
  return {};
}

}  // namespace tacet::types
