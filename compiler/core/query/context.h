#pragma once

#include "compiler/core/query/engine.h"

namespace tacet::query {

/// What a running query sees of the database. One thread uses it, for the time of
/// the call it was passed to.
class Context {
 public:
  /// The value of another query, which is computed or revalidated if need be, and
  /// is noted as read. The reference stays good until the outermost query ends
  /// (`Snapshot::run` returns): no write and no eviction happens before.
  ///
  /// Throws `Cancelled` when the revision was superseded. Reading an input that was
  /// not set and has no `absent` is a failed check.
  template <Query Q>
  auto get(const KeyOf<Q>& key) -> const ValueOf<Q>& {
    if (engine_.is_superseded(state_)) [[unlikely]] {
      throw Cancelled{};
    }
    const NodeId id = engine_.store().template find_or_add<Q>(key);
    TypedNode<Q>& node = engine_.store().template typed_node<Q>(id);
    const Revision now = Engine::revision_of(state_);
    const void* elsewhere = nullptr;
    if (node.is_readable(now)) [[likely]] {
      record(run_, id, node.durability);
    } else {
      elsewhere = engine_.fetch(run_, id);
    }
    if constexpr (EvictableQuery<Q>) {
      note_use(node, now);
    }
    return elsewhere == nullptr ? node.value : *static_cast<const ValueOf<Q>*>(elsewhere);
  }

  /// Inside `Q::compute`: the value this very memo had before, if it is still there.
  /// A result may be built from it, but must be what it would be without.
  template <DerivedQuery Q>
  auto previous() -> const ValueOf<Q>* {
    const Node& node = engine_.running_node(run_, kQueryType<Q>);
    return node.has_value.load(std::memory_order_relaxed) ? &typed<Q>(node).value : nullptr;
  }

  /// Throws `Cancelled` when the revision was superseded or the request given up. For
  /// long computations that call `get` seldom.
  void check_cancelled() { engine_.check_cancelled(run_); }

  /// The object that was given to the database under its type; see `Services`.
  template <class T>
  auto service() -> T& {
    return engine_.services().template get<T>();
  }

 private:
  friend class Engine;
  friend struct Run;
  template <Query Q>
  friend struct ErasedQuery;

  Context(Engine& engine, Run& run) : engine_(engine), run_(run) {}

  /// The order of uses decides what is evicted; the first in a revision counts.
  template <EvictableQuery Q>
  void note_use(TypedNode<Q>& node, Revision now) {
    if (node.used_at.load(std::memory_order_relaxed) >> 32 != now) {
      std::atomic<uint32_t>& n_uses = engine_.store().table(kQueryType<Q>).n_uses;
      node.used_at.store(uint64_t{now} << 32 | n_uses.fetch_add(1), std::memory_order_relaxed);
    }
  }

  [[nodiscard]] auto is_on_cycle() const -> bool;

  Engine& engine_;
  Run& run_;
  uint64_t state_ = 0;
};

template <Query Q>
auto ErasedQuery<Q>::compute(Context& context, Node& node) -> Outcome {
  const KeyOf<Q>& key = typed<Q>(node).key;
  Value value = Q::compute(context, key);
  if (context.is_on_cycle()) {
    return Outcome::Discarded;
  }
  return typed<Q>(node).store(std::move(value)) ? Outcome::Changed : Outcome::Equal;
}

}  // namespace tacet::query
