#include "compiler/core/query/node_store.h"

namespace tacet::query {

NodeStore::NodeStore() : chunks_(std::make_unique<std::atomic<std::byte*>[]>(kMaxChunks)) {}

NodeStore::~NodeStore() {
  for (const auto& where : owned_tables_) {
    for_each_node(*where, [&](NodeId, Node& node) { where->type->destroy(node); });
  }
  for (uint32_t i = 0; i < n_chunks_.load(); ++i) {
    ::operator delete(chunks_[i].load());
  }
}

auto NodeStore::add_table(const QueryType& type) -> QueryTable& {
  const std::lock_guard lock(mutex_);
  TACET_CHECK(owned_tables_.size() < kMaxTables / 2, "too many kinds of queries");
  size_t i = slot_of(type);
  for (; tables_[i].load() != nullptr; i = (i + 1) % kMaxTables) {
    if (tables_[i].load()->type == &type) {
      return *tables_[i].load();
    }
  }
  owned_tables_.push_back(std::make_unique<QueryTable>(type));
  tables_[i].store(owned_tables_.back().get(), std::memory_order_release);
  return *owned_tables_.back();
}

auto NodeStore::next_id(QueryTable& where) -> NodeId {
  const uint32_t offset = where.n_nodes & kOffsetMask;
  if (offset == 0 && where.n_nodes >> kChunkBits == where.chunks.size()) {
    const uint32_t chunk_index = n_chunks_.fetch_add(1);
    TACET_CHECK(chunk_index < kMaxChunks, "too many memos");
    const uint32_t size = where.type->node_size;
    // Untouched pages of a chunk cost nothing, so a query with few keys stays small.
    void* memory = ::operator new(sizeof(ChunkHeader) + (size_t{size} << kChunkBits));
    new (memory) ChunkHeader{&where, size};
    chunks_[chunk_index].store(static_cast<std::byte*>(memory), std::memory_order_release);
    where.chunks.push_back(chunk_index);
  }
  return NodeId{(where.chunks.back() << kChunkBits) + offset};
}

auto NodeStore::tables() -> std::vector<QueryTable*> {
  const std::lock_guard lock(mutex_);
  std::vector<QueryTable*> result;
  for (const auto& where : owned_tables_) {
    result.push_back(where.get());
  }
  return result;
}

}  // namespace tacet::query
