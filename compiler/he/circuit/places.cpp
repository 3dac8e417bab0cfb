#include "compiler/he/circuit/places.h"

#include <algorithm>

namespace tacet::circuit {
namespace {

/// Users are placed before their operands; then everything is put into its place in order.
class Finder {
 public:
  Finder(const Circuit& circuit, const NodeFacts& facts) : circuit_(circuit), facts_(facts) {
    const size_t n = circuit.nodes.size();
    root_ = places_.all.add({});
    places_.of.resize(n);
    places_.kept.resize(n);
    places_.body.resize(n);
    use_.resize(n);
    nest_.resize(n);
  }

  auto run() -> Places {
    for (const Statement& statement : circuit_.statements) {
      const PlaceId place = nested(root_, statement.loops);
      places_.statement.push_back(place);
      add_use(statement.root, place);
    }
    const auto& order = facts_.order.nodes;
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      place(*id);
    }
    for (uint32_t s = 0; s < circuit_.statements.size(); ++s) {
      for (size_t i = facts_.order.first[s]; i < facts_.order.first[s + 1]; ++i) {
        put_node(order[i]);
      }
      put_nest(places_.statement[s], root_);
      items(places_.statement[s]).push_back({.kind = Place::Item::Kind::Finish, .statement = s});
      items(root_).push_back({.kind = Place::Item::Kind::Computed, .statement = s});
    }
    return std::move(places_);
  }

 private:
  auto items(PlaceId id) -> std::vector<Place::Item>& { return places_.all[id].items; }

  auto nested(PlaceId place, const std::vector<LoopId>& loops) -> PlaceId {
    for (const LoopId loop : loops) {
      place = places_.all.add(
          {.parent = place, .loop = loop, .depth = places_.all[place].depth + 1, .items = {}});
    }
    return place;
  }

  void add_use(NodeId id, PlaceId place) {
    PlaceId& known = use_[id.index];
    known = known.has_value() ? common(known, place) : place;
  }

  auto common(PlaceId a, PlaceId b) const -> PlaceId {
    while (a != b) {
      PlaceId& deeper = places_.all[a].depth >= places_.all[b].depth ? a : b;
      deeper = places_.all[deeper].parent;
    }
    return a;
  }

  /// The loops around a place, outermost first.
  auto path(PlaceId place) const -> std::vector<PlaceId> {
    std::vector<PlaceId> result;
    for (; places_.all[place].parent.has_value(); place = places_.all[place].parent) {
      result.push_back(place);
    }
    std::reverse(result.begin(), result.end());
    return result;
  }

  void place(NodeId id) {
    const Node& node = circuit_.nodes[id];
    const PlaceId use = use_[id.index];
    std::vector<LoopId> rest = facts_.loops[id.index];
    PlaceId outer = root_;
    bool is_outer = true;
    std::vector<LoopId> inner;  // loops around the use that matter, but not all around them do
    for (const PlaceId around : path(use)) {
      const LoopId loop = places_.all[around].loop;
      const bool matters = std::erase(rest, loop) > 0;
      is_outer = is_outer && matters;
      if (is_outer) {
        outer = around;
      } else if (matters) {
        inner.push_back(loop);
      }
    }
    inner.insert(inner.end(), rest.begin(), rest.end());
    nest_[id.index] = outer;
    places_.of[id.index] = nested(outer, inner);
    places_.kept[id.index] = inner;
    PlaceId operands = places_.of[id.index];
    if (node.loop.has_value()) {
      operands = places_.body[id.index] = nested(operands, {node.loop});
    }
    for (const NodeId operand : {node.a, node.b}) {
      if (operand.has_value()) {
        add_use(operand, operands);
      }
    }
  }

  /// The loops from `outer` in to `place` run now.
  void put_nest(PlaceId place, PlaceId outer) {
    for (; place != outer; place = places_.all[place].parent) {
      items(places_.all[place].parent).push_back({.kind = Place::Item::Kind::Nest, .nest = place});
    }
  }

  void put_node(NodeId id) {
    items(places_.of[id.index]).push_back({.kind = Place::Item::Kind::Compute, .node = id});
    put_nest(places_.of[id.index], nest_[id.index]);
  }

  const Circuit& circuit_;
  const NodeFacts& facts_;
  Places places_;
  PlaceId root_;
  std::vector<PlaceId> use_;   // by node: where all its users are
  std::vector<PlaceId> nest_;  // by node: what its own loop nest is in
};

}  // namespace

auto find_places(const Circuit& circuit, const NodeFacts& facts) -> Places {
  return Finder(circuit, facts).run();
}

}  // namespace tacet::circuit
