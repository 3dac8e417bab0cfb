#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/check.h"
#include "base/hash_index.h"
#include "compiler/core/query/typed_node.h"

namespace tacet::query {

/// Everything a database keeps of one query.
struct QueryTable {
  explicit QueryTable(const QueryType& the_type) : type(&the_type) {}

  /// Notes that a node got a value.
  void note_value(NodeId id) {
    if (type->is_evictable) {
      const std::lock_guard lock(mutex);
      with_value.push_back(id);
    }
  }

  const QueryType* type;
  HashIndex index;

  /// Guards adding nodes and what follows.
  std::mutex mutex;
  std::vector<uint32_t> chunks;
  uint32_t n_nodes = 0;
  /// Evictable queries: the nodes that got a value; some may have lost it since.
  std::vector<NodeId> with_value;

  /// Evictable queries: how many values may outlive a write. 0: any number.
  size_t capacity = 0;
  /// Evictable queries: counts the uses, to order those within one revision.
  std::atomic<uint32_t> n_uses = 0;

  /// What runs did, by their numbers: threads at work at the same time mostly count apart.
  struct alignas(64) Counts {
    std::atomic<uint64_t> n_executed = 0;
    std::atomic<uint64_t> n_unchanged = 0;
  };
  std::array<Counts, 4> counts{};

  auto counts_of(uint32_t run) -> Counts& { return counts[run % counts.size()]; }
};

/// The nodes of all queries. A node stays where it is until the store goes, and its
/// id tells where that is: chunks of equally sized nodes, one query per chunk.
class NodeStore {
 public:
  NodeStore();
  ~NodeStore();
  NodeStore(const NodeStore&) = delete;
  auto operator=(const NodeStore&) -> NodeStore& = delete;

  /// The table of a query, made on first use. Takes no lock later.
  auto table(const QueryType& type) -> QueryTable& {
    for (size_t i = slot_of(type);; i = (i + 1) % kMaxTables) {
      QueryTable* found = tables_[i].load(std::memory_order_acquire);
      if (found == nullptr) {
        return add_table(type);
      }
      if (found->type == &type) {
        return *found;
      }
    }
  }

  /// The node of a key, made if there is none.
  template <Query Q>
  auto find_or_add(const KeyOf<Q>& key) -> NodeId {
    QueryTable& where = table(kQueryType<Q>);
    const uint32_t hash = hash_key(key);
    const auto is_key = [&](uint32_t id) { return typed_node<Q>(NodeId{id}).key == key; };
    const NodeId id{where.index.find(hash, is_key)};
    if (id.has_value()) [[likely]] {
      return id;
    }
    const std::lock_guard lock(where.mutex);
    NodeId again{where.index.find(hash, is_key)};
    if (!again.has_value()) {
      again = next_id(where);
      new (address(again, sizeof(TypedNode<Q>))) TypedNode<Q>(key);
      ++where.n_nodes;
      where.index.insert(hash, again.index);
    }
    return again;
  }

  template <Query Q>
  auto typed_node(NodeId id) -> TypedNode<Q>& {
    return *std::launder(reinterpret_cast<TypedNode<Q>*>(address(id, sizeof(TypedNode<Q>))));
  }

  auto node(NodeId id) -> Node& {
    return *std::launder(reinterpret_cast<Node*>(address(id, header(id).node_size)));
  }
  auto table_of(NodeId id) -> QueryTable& { return *header(id).table; }

  /// The tables in the order of their first use.
  auto tables() -> std::vector<QueryTable*>;

  /// Calls `visit(id, node)` for every node of a table. Nobody may be adding.
  template <class Visit>
  void for_each_node(QueryTable& where, const Visit& visit) {
    for (uint32_t i = 0; i < where.n_nodes; ++i) {
      const NodeId id{(where.chunks[i >> kChunkBits] << kChunkBits) + (i & kOffsetMask)};
      visit(id, node(id));
    }
  }

 private:
  static constexpr uint32_t kChunkBits = 10;
  static constexpr uint32_t kOffsetMask = (1U << kChunkBits) - 1;
  static constexpr uint32_t kMaxChunks = 1U << 16;
  static constexpr size_t kMaxTables = 1024;

  struct alignas(std::max_align_t) ChunkHeader {
    QueryTable* table;
    uint32_t node_size;
  };

  static auto slot_of(const QueryType& type) -> size_t {
    const auto bits = reinterpret_cast<uintptr_t>(&type) / alignof(QueryType);
    return hash_combine(0, bits) % kMaxTables;
  }

  auto chunk(NodeId id) -> std::byte* {
    return chunks_[id.index >> kChunkBits].load(std::memory_order_acquire);
  }
  auto header(NodeId id) -> const ChunkHeader& {
    return *reinterpret_cast<const ChunkHeader*>(chunk(id));
  }
  auto address(NodeId id, size_t node_size) -> std::byte* {
    return chunk(id) + sizeof(ChunkHeader) + (id.index & kOffsetMask) * node_size;
  }

  auto add_table(const QueryType& type) -> QueryTable&;
  auto next_id(QueryTable& where) -> NodeId;

  std::array<std::atomic<QueryTable*>, kMaxTables> tables_{};
  std::unique_ptr<std::atomic<std::byte*>[]> chunks_;
  std::atomic<uint32_t> n_chunks_ = 0;

  std::mutex mutex_;
  std::vector<std::unique_ptr<QueryTable>> owned_tables_;
};

}  // namespace tacet::query
