#include "compiler/types/item_order.h"

#include <algorithm>
#include <unordered_map>

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

/// Tarjan's algorithm: gives the strongly connected components, each behind those it reaches.
class OrderSearch {
 public:
  explicit OrderSearch(const UseGraph& graph) : graph_(graph), states_(graph.items.size()) {}

  auto run() -> ItemOrder {
    for (uint32_t root = 0; root < states_.size(); ++root) {
      if (states_[root].index == 0) {
        visit(root);
      }
    }
    std::sort(order_.cyclic.begin(), order_.cyclic.end());
    return std::move(order_);
  }

 private:
  struct State {
    uint32_t index = 0;  ///< when it was met, from 1; 0 if it was not
    uint32_t lowest = 0;
    uint32_t next_use = 0;
    bool is_open = false;
    bool uses_itself = false;
  };

  void open(uint32_t at) {
    states_[at].index = states_[at].lowest = ++n_met_;
    states_[at].is_open = true;
    component_.push_back(at);
    path_.push_back(at);
  }

  void visit(uint32_t root) {
    open(root);
    while (!path_.empty()) {
      const uint32_t at = path_.back();
      State& state = states_[at];
      if (state.next_use < graph_.uses[at].size()) {
        const uint32_t used = graph_.uses[at][state.next_use++];
        state.uses_itself = state.uses_itself || used == at;
        if (states_[used].index == 0) {
          open(used);
        } else if (states_[used].is_open) {
          state.lowest = std::min(state.lowest, states_[used].index);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        uint32_t& above = states_[path_.back()].lowest;
        above = std::min(above, state.lowest);
      }
      if (state.lowest == state.index) {
        close(at);
      }
    }
  }

  /// `root` is the first that was met of a component that is complete.
  void close(uint32_t root) {
    const bool is_cyclic = component_.back() != root || states_[root].uses_itself;
    uint32_t member = 0;
    do {
      member = component_.back();
      component_.pop_back();
      states_[member].is_open = false;
      order_.items.push_back(graph_.items[member]);
      if (is_cyclic) {
        order_.cyclic.push_back(graph_.items[member]);
      }
    } while (member != root);
  }

  const UseGraph& graph_;
  std::vector<State> states_;
  std::vector<uint32_t> path_;
  std::vector<uint32_t> component_;
  uint32_t n_met_ = 0;
  ItemOrder order_;
};

}  // namespace

/// Calls `found` with each item whose name stands in the head of `item`.
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
  for (uint32_t i = root ? root.index() + 1 : 0; i < root.subtree_end(); ++i) {
    const Node name(head.tree.get(), i);
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
  return std::make_shared<const ItemOrder>(OrderSearch(graph).run());
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
