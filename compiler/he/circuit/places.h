#pragma once

#include "compiler/he/circuit/node_facts.h"

/// Where in loop nests the nodes of a circuit are computed, so that each is computed once for each
/// value of the loops that it depends on, and no more.
namespace tacet::circuit {

using PlaceId = Id<struct PlaceTag>;

/// What is in the body of a loop, or outside of all.
struct Place {
  /// A node that is computed there, a loop nest, or the end of a statement.
  struct Item {
    enum class Kind : uint8_t { Compute, Nest, Finish, Computed };

    Kind kind = Kind::Compute;
    NodeId node{};           ///< to compute
    PlaceId nest{};          ///< the loop to run
    uint32_t statement = 0;  ///< whose element is known now, or all of them (`Computed`)
  };

  PlaceId parent{};  ///< none outside of all loops
  LoopId loop{};     ///< whose body it is
  uint32_t depth = 0;
  std::vector<Item> items{};
};

/// A node is in the body of the innermost loop that it depends on, if all loops around that one
/// matter to it too, and behind no use. If they do not, it has a loop nest of its own outside of
/// them, and its values are kept in an array.
struct Places {
  Store<PlaceId, Place> all;  ///< the first one is outside of all loops
  std::vector<PlaceId> of;    ///< by node
  /// By node: the loops of its nest, outermost first, of which each value is kept.
  std::vector<std::vector<LoopId>> kept;
  std::vector<PlaceId> body;       ///< by node that is a reduction: of its loop
  std::vector<PlaceId> statement;  ///< the innermost loop of each
};

auto find_places(const Circuit& circuit, const NodeFacts& facts) -> Places;

}  // namespace tacet::circuit
