#pragma once

// Tacet's incremental engine. Inputs are set from outside; every other query is a pure
// function of queries, memoised with what it read. After a write a memo is used again
// when nothing that it read came out different; the rest is computed when requested.
//
// An input query is a type
//
//   struct SourceText {
//     static constexpr std::string_view kName = "source_text";
//     using Key = FileId;                                 // hashable, comparable, cheap to copy
//     using Value = std::shared_ptr<const std::string>;   // comparable, see `values_equal`
//     static auto absent(const Key&) -> Value;            // optional: the value while not set
//   };
//
// and a derived query a type
//
//   struct ParseFile {
//     static constexpr std::string_view kName = "parse_file";
//     using Key = FileId;
//     using Value = std::shared_ptr<const Tree>;
//     static auto compute(Context&, const Key&) -> Value;
//     static auto on_cycle(Context&, const Key&) -> Value;            // optional
//     static constexpr bool kEvictable = true;                        // optional
//     static constexpr bool kFlat = true;                             // optional
//     static auto equal(const Value&, const Value&) -> bool;          // optional
//     static auto key_text(const Key&) -> std::string;                // optional, for events
//   };
//
// `compute` must depend on nothing but what it reads through its context (and on
// services, which no revision changes), must let exceptions pass that it does not know,
// and must not touch the `Database` or a `Snapshot`. If it throws, the memo stays as it
// was. If its result equals the old value, the old value stays, and those who read it
// are not run again.
//
// `on_cycle` gives the value of every member of a cycle, whichever was asked first. It
// may read queries outside the cycle. A cycle with a member that has no `on_cycle` is a
// failed check.
//
// A query that is `kFlat` sums up many others, most of which stay the same. Its memo does
// not keep what it read, but the places below at which changes have stopped before, over any
// number of queries: when none of these came out different it is good, and nothing between is
// visited. Otherwise it runs again, be it that what it read is the same.
//
// A chain of queries uses the stack of the calling thread: about 300 bytes and the frames
// of `compute` per link.

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/core/query/context.h"

namespace tacet::query {

/// A view of one revision. Cheap to copy; each copy is used by one thread at a time.
///
/// It holds back a writer only while `run` or `get` is in progress, and those are cut
/// short by `Cancelled`. After the write a snapshot is of no more use: everything on it
/// throws `Cancelled`.
class Snapshot {
 public:
  /// Calls `body(context)` with the revision held fast: references from `get` stay good
  /// until it returns. Not to be called from inside a query or another `run` on the
  /// same thread.
  template <class Body>
  auto run(Body&& body) const -> decltype(body(std::declval<Context&>())) {
    const Reading reading(*this);
    return body(reading.context());
  }

  /// A copy of one value.
  template <Query Q>
  auto get(const KeyOf<Q>& key) const -> ValueOf<Q> {
    const Reading reading(*this);
    return reading.context().template get<Q>(key);
  }

  /// A snapshot of the same revision that `token` cancels too.
  [[nodiscard]] auto with_token(CancellationToken token) const -> Snapshot {
    Snapshot copy = *this;
    copy.token_ = std::move(token);
    return copy;
  }

  [[nodiscard]] auto is_superseded() const -> bool { return engine_->is_superseded(state_); }
  [[nodiscard]] auto revision() const -> Revision { return Engine::revision_of(state_); }

 private:
  friend class Database;

  /// Holds the writer off for its lifetime.
  class Reading {
   public:
    explicit Reading(const Snapshot& snapshot)
        : engine_(*snapshot.engine_),
          run_(engine_.begin_run(snapshot.state_, snapshot.token_ ? &*snapshot.token_ : nullptr)) {}
    ~Reading() { engine_.end_run(run_); }
    Reading(const Reading&) = delete;
    auto operator=(const Reading&) -> Reading& = delete;

    [[nodiscard]] auto context() const -> Context& { return Engine::context_of(run_); }

   private:
    Engine& engine_;
    Run& run_;
  };

  Snapshot(Engine& engine, uint64_t state) : engine_(&engine), state_(state) {}

  Engine* engine_;
  uint64_t state_;
  std::optional<CancellationToken> token_;
};

/// Sets inputs; all that one writer does makes one revision. The first call that really
/// changes something cancels the readers and waits until they have left.
class Writer {
 public:
  /// Nothing happens if the input has this very value and durability.
  template <InputQuery Q>
  void set(const KeyOf<Q>& key, ValueOf<Q> value, Durability durability = Durability::Low) {
    TypedNode<Q>& node = node_of<Q>(key);
    if (node.is_set && node.durability == durability && values_equal<Q>(node.value, value)) {
      return;
    }
    begin();
    const bool differs = node.store(std::move(value));
    engine_.input_changed(node, differs, durability);
    node.is_set = true;
    node.verified_at.store(kAlwaysVerified);
  }

  /// The input is as if it had never been set.
  template <InputQuery Q>
  void remove(const KeyOf<Q>& key) {
    TypedNode<Q>& node = node_of<Q>(key);
    if (node.is_set) {
      begin();
      node.drop_value();
      engine_.input_changed(node, true, Durability::Low);
      node.is_set = false;
      node.verified_at.store(0);
    }
  }

 private:
  friend class Database;

  explicit Writer(Engine& engine) : engine_(engine), lock_(engine.write_mutex()) {}
  ~Writer() {
    if (has_begun_) {
      engine_.end_change();
    }
  }

  template <InputQuery Q>
  auto node_of(const KeyOf<Q>& key) -> TypedNode<Q>& {
    return engine_.store().template typed_node<Q>(engine_.store().template find_or_add<Q>(key));
  }

  void begin() {
    if (!has_begun_) {
      engine_.begin_change();
      has_begun_ = true;
    }
  }

  Engine& engine_;
  std::lock_guard<std::mutex> lock_;
  bool has_begun_ = false;
};

/// What a database holds and did for one query.
struct QueryStatistics {
  std::string_view name;
  uint64_t n_keys = 0;
  uint64_t n_executed = 0;
  uint64_t n_unchanged = 0;
};

/// Owns inputs and memos. Any thread may take snapshots; writes are
/// sequential. No write may be made from inside a query or `Snapshot::run`.
class Database {
 public:
  explicit Database(Services services = {}) : engine_(std::move(services)) {}

  /// Sets or removes several inputs in one new revision: `body(writer)`.
  template <class Body>
  void write(Body&& body) {
    Writer writer(engine_);
    body(writer);
  }

  template <InputQuery Q>
  void set(const KeyOf<Q>& key, ValueOf<Q> value, Durability durability = Durability::Low) {
    Writer(engine_).template set<Q>(key, std::move(value), durability);
  }
  template <InputQuery Q>
  void remove(const KeyOf<Q>& key) {
    Writer(engine_).template remove<Q>(key);
  }

  /// A view of the present revision.
  [[nodiscard]] auto snapshot() -> Snapshot { return {engine_, engine_.read_state()}; }
  /// One that `token` cancels too, as a client does that gives up its request.
  [[nodiscard]] auto snapshot(CancellationToken token) -> Snapshot {
    return snapshot().with_token(std::move(token));
  }

  /// How many values of `Q` may outlive a write (give or take an eighth); the others,
  /// used longest ago, are dropped and computed again when requested. 0: all, the default.
  template <EvictableQuery Q>
  void set_capacity(size_t n_values) {
    const std::lock_guard lock(engine_.write_mutex());
    engine_.store().table(kQueryType<Q>).capacity = n_values;
  }

  /// Forgets the memos that the last `n_revisions` revisions had no use for, as those of
  /// files that no longer exist. Makes a new revision. Walks over everything: for idle times.
  void forget_unused(Revision n_revisions) {
    Writer writer(engine_);
    writer.begin();
    engine_.forget_unused(n_revisions);
  }

  /// Tells `hook` what happens from now on. To be set while no query runs.
  void set_event_hook(EventHook hook) { engine_.set_event_hook(std::move(hook)); }

  [[nodiscard]] auto revision() const -> Revision { return engine_.revision(); }

  /// One entry per query that was ever used.
  [[nodiscard]] auto statistics() -> std::vector<QueryStatistics> { return engine_.statistics(); }

 private:
  Engine engine_;
};

}  // namespace tacet::query
