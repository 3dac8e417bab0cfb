#include <algorithm>

#include "compiler/core/query/engine.h"

namespace tacet::query {

/// Drops the values that were used longest ago, down to the capacity. What the memos
/// read stays, so that what was built from the values can still be revalidated. Some
/// slack makes that rare enough to be cheap per write. Values of cycles stay: `compute`
/// alone would not give them again.
void Engine::evict(QueryTable& table) {
  if (table.capacity == 0 || table.with_value.size() <= table.capacity + table.capacity / 8) {
    return;
  }
  table.n_uses.store(0);
  std::vector<NodeId> kept;
  std::vector<std::pair<uint64_t, NodeId>> candidates;
  for (NodeId id : table.with_value) {
    const auto& node = static_cast<const EvictableNode&>(store_.node(id));
    if (node.on_cycle) {
      kept.push_back(id);
    } else if (node.has_value.load()) {
      candidates.emplace_back(node.used_at.load(), id);
    }
  }
  const size_t n_kept = std::min(candidates.size(), table.capacity);
  const auto first_dropped = candidates.begin() + static_cast<ptrdiff_t>(n_kept);
  std::nth_element(candidates.begin(), first_dropped, candidates.end(), std::greater<>());
  for (auto it = candidates.begin(); it != first_dropped; ++it) {
    kept.push_back(it->second);
  }
  for (auto it = first_dropped; it != candidates.end(); ++it) {
    Node& node = store_.node(it->second);
    emit(EventKind::Evicted, *table.type, node);
    table.type->drop_value(node);
  }
  table.with_value = std::move(kept);
}

void Engine::forget_unused(Revision n_revisions) {
  for (QueryTable* table : store_.tables()) {
    if (table->type->is_input) {
      continue;
    }
    store_.for_each_node(*table, [&](NodeId, Node& node) {
      const Revision verified_at = node.verified_at.load();
      if (verified_at == 0 || write_revision_ - verified_at <= n_revisions) {
        return;
      }
      if (node.has_value.load()) {
        emit(EventKind::Evicted, *table->type, node);
        table->type->drop_value(node);
      }
      node.dependencies.assign({});
      node.on_cycle = false;
      node.verified_at.store(0);
    });
    std::erase_if(table->with_value, [&](NodeId id) { return !store_.node(id).has_value.load(); });
  }
}

}  // namespace tacet::query
