#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "compiler/core/query/node.h"

namespace tacet::query {

template <class Q>
using KeyOf = typename Q::Key;
template <class Q>
using ValueOf = typename Q::Value;

/// Something with a name, a key and a value; see `database.h` for how to write one.
template <class Q>
concept Query = requires {
  { Q::kName } -> std::convertible_to<std::string_view>;
  typename Q::Key;
  typename Q::Value;
};

/// A query whose value is a function of other queries.
template <class Q>
concept DerivedQuery = Query<Q> && requires(Context& context, const KeyOf<Q>& key) {
  { Q::compute(context, key) } -> std::convertible_to<ValueOf<Q>>;
};

/// A query whose values are set from outside.
template <class Q>
concept InputQuery = Query<Q> && !DerivedQuery<Q>;

template <class Q>
concept RecoverableQuery = DerivedQuery<Q> && requires(Context& context, const KeyOf<Q>& key) {
  { Q::on_cycle(context, key) } -> std::convertible_to<ValueOf<Q>>;
};

template <class Q>
concept EvictableQuery = DerivedQuery<Q> && requires {
  requires Q::kEvictable;
};

template <class Q>
concept FlatQuery = DerivedQuery<Q> && requires {
  requires Q::kFlat;
};

template <class Value>
struct IsSharedPtr : std::false_type {};
template <class T>
struct IsSharedPtr<std::shared_ptr<T>> : std::true_type {};

/// Are two values of `Q` the same to those who read them? `Q::equal` if there is
/// one; shared pointers are equal when what they point to is; else `==`.
template <class Q>
auto values_equal(const ValueOf<Q>& a, const ValueOf<Q>& b) -> bool {
  using Value = ValueOf<Q>;
  if constexpr (requires { Q::equal(a, b); }) {
    return Q::equal(a, b);
  } else if constexpr (IsSharedPtr<Value>::value) {
    if constexpr (std::equality_comparable<typename Value::element_type>) {
      return a == b || (a != nullptr && b != nullptr && *a == *b);
    } else {
      return a == b;
    }
  } else {
    static_assert(std::equality_comparable<Value>, "give the query an `equal`");
    return a == b;
  }
}

template <class Key>
auto hash_key(const Key& key) -> uint32_t {
  return static_cast<uint32_t>(hash_combine(0, std::hash<Key>{}(key)));
}

/// Writes a key for people: text, numbers and ids as they are, and whatever the
/// query's own `key_text` makes of the rest.
template <class Q>
void append_key_text(const KeyOf<Q>& key, std::string& out) {
  using Key = KeyOf<Q>;
  if constexpr (requires { out += Q::key_text(key); }) {
    out += Q::key_text(key);
  } else if constexpr (std::convertible_to<const Key&, std::string_view>) {
    out += std::string_view(key);
  } else if constexpr (std::integral<Key>) {
    out += std::to_string(key);
  } else if constexpr (requires { std::to_string(key.index); }) {
    out += std::to_string(key.index);
  } else if constexpr (!std::same_as<Key, Unit>) {
    out += '?';
  }
}

/// A node with its key and, while `has_value`, its value.
template <Query Q>
struct TypedNode : std::conditional_t<EvictableQuery<Q>, EvictableNode, Node> {
  using Key = KeyOf<Q>;
  using Value = ValueOf<Q>;

  Key key;
  union {
    Value value;
  };

  explicit TypedNode(const Key& the_key) : key(the_key) {}
  ~TypedNode() { drop_value(); }
  TypedNode(const TypedNode&) = delete;
  auto operator=(const TypedNode&) -> TypedNode& = delete;

  void drop_value() {
    if (this->has_value.load(std::memory_order_relaxed)) {
      this->has_value.store(false, std::memory_order_relaxed);
      std::destroy_at(&value);
    }
  }

  auto store(Value&& fresh) -> bool {
    if (this->has_value.load(std::memory_order_relaxed)) {
      if (values_equal<Q>(value, fresh)) {
        return false;
      }
      drop_value();
    }
    std::construct_at(&value, std::move(fresh));
    this->has_value.store(true, std::memory_order_release);
    return true;
  }
};

template <Query Q>
auto typed(Node& node) -> TypedNode<Q>& {
  return static_cast<TypedNode<Q>&>(node);
}
template <Query Q>
auto typed(const Node& node) -> const TypedNode<Q>& {
  return static_cast<const TypedNode<Q>&>(node);
}

/// The entries of a `QueryType` for one query.
template <Query Q>
struct ErasedQuery {
  using Value = ValueOf<Q>;

  static_assert(alignof(TypedNode<Q>) <= alignof(std::max_align_t));

  static auto compute(Context& context, Node& node) -> Outcome;

  static auto recover(Context& context, const Node& node) -> DetachedValue {
    return {new Value(Q::on_cycle(context, typed<Q>(node).key)),
            [](void* value) { delete static_cast<Value*>(value); }};
  }
  static auto store(Node& node, void* value) -> bool {
    return typed<Q>(node).store(std::move(*static_cast<Value*>(value)));
  }
  static void store_absent(Node& node) {
    const KeyOf<Q>& key = typed<Q>(node).key;
    typed<Q>(node).store(Q::absent(key));
  }
  static void drop_value(Node& node) { typed<Q>(node).drop_value(); }
  static void destroy(Node& node) { std::destroy_at(&typed<Q>(node)); }
  static void append_key(const Node& node, std::string& out) {
    append_key_text<Q>(typed<Q>(node).key, out);
  }

  static constexpr auto make() -> QueryType {
    QueryType type{};
    type.name = Q::kName;
    type.node_size = sizeof(TypedNode<Q>);
    type.is_input = InputQuery<Q>;
    type.is_evictable = EvictableQuery<Q>;
    type.is_recoverable = RecoverableQuery<Q>;
    type.is_flat = FlatQuery<Q>;
    if constexpr (DerivedQuery<Q>) {
      type.compute = &compute;
    }
    if constexpr (RecoverableQuery<Q>) {
      type.recover = &recover;
    }
    if constexpr (requires(const KeyOf<Q>& key) { Q::absent(key); }) {
      type.store_absent = &store_absent;
    }
    type.store = &store;
    type.drop_value = &drop_value;
    type.destroy = &destroy;
    type.append_key = &append_key;
    return type;
  }
};

template <Query Q>
inline constexpr QueryType kQueryType = ErasedQuery<Q>::make();

}  // namespace tacet::query
