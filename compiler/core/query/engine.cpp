#include "compiler/core/query/engine.h"

#include <algorithm>

#include "compiler/core/query/database.h"
#include "compiler/core/query/run.h"

namespace tacet::query {

Engine::Engine(Services services) : services_(std::move(services)) {}

Engine::~Engine() = default;

// The two sides look at each other's flag after raising their own (the default order
// of atomics), so a reader that gets in is seen by the writer, or sees the writer.
auto Engine::begin_run(uint64_t state, const CancellationToken* token) -> Run& {
  n_readers_.fetch_add(1);
  if (state_.load() != state) {
    leave();
    throw Cancelled{};
  }
  Run& run = claims_.begin_run(*this);
  run.revision = revision_of(state);
  run.token = token;
  run.context.state_ = state;
  return run;
}

void Engine::end_run(Run& run) {
  claims_.end_run(run);
  leave();
}

auto Engine::context_of(Run& run) -> Context& {
  return run.context;
}

void Engine::leave() {
  if (n_readers_.fetch_sub(1) == 1 && (state_.load() & kWriting) != 0) {
    const std::lock_guard lock(readers_mutex_);
    readers_left_.notify_all();
  }
}

void Engine::check_cancelled(const Run& run) const {
  if (is_superseded(run.context.state_) || (run.token != nullptr && run.token->is_cancelled()) ||
      is_cancelled()) {
    throw Cancelled{};
  }
}

void record(Run& run, NodeId id, Durability durability) {
  if (run.depth > 0) {
    Frame& frame = run.top();
    frame.reads.add(id);
    frame.durability = std::min(frame.durability, durability);
  }
}

auto Engine::running_node(Run& run, const QueryType& type) -> const Node& {
  TACET_CHECK(run.depth > 0, "no query is running");
  const NodeId id = run.top().id;
  TACET_CHECK(store_.table_of(id).type == &type, "another query is running");
  return store_.node(id);
}

auto Context::is_on_cycle() const -> bool {
  return run_.top().on_cycle;
}

void Engine::begin_change() {
  write_revision_ = revision() + 1;
  state_.fetch_or(kWriting);
  claims_.wake_all();
  std::unique_lock lock(readers_mutex_);
  readers_left_.wait(lock, [this] { return n_readers_.load() == 0; });
}

void Engine::input_changed(Node& node, bool differs, Durability durability) {
  const bool was_ever_set = node.changed_at != 0 || node.verified_at.load() != 0;
  const Durability highest = was_ever_set ? std::max(node.durability, durability) : durability;
  node.durability = durability;
  if (differs) {
    node.changed_at = write_revision_;
  }
  // What nobody can have read needs no revalidation.
  for (size_t i = 0; was_ever_set && i <= static_cast<size_t>(highest); ++i) {
    last_changed_[i] = write_revision_;
  }
}

void Engine::end_change() {
  for (QueryTable* table : store_.tables()) {
    table->index.free_outgrown();
    evict(*table);
  }
  state_.store(uint64_t{write_revision_} << 1);
}

auto Engine::statistics() -> std::vector<QueryStatistics> {
  std::vector<QueryStatistics> result;
  for (QueryTable* table : store_.tables()) {
    const std::lock_guard lock(table->mutex);
    QueryStatistics all{table->type->name, table->n_nodes, 0, 0};
    for (const QueryTable::Counts& counts : table->counts) {
      all.n_executed += counts.n_executed.load();
      all.n_unchanged += counts.n_unchanged.load();
    }
    result.push_back(all);
  }
  return result;
}

void Engine::emit(EventKind kind, const QueryType& type, const Node& node) const {
  if (hook_) [[unlikely]] {
    hook_(Event{kind, type, node});
  }
}

}  // namespace tacet::query
