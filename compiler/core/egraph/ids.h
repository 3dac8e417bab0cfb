#pragma once

#include <compare>
#include <cstdint>

#include "base/id.h"

namespace tacet::egraph {

struct ClassTag;
/// An e-class: a set of terms known to be equal. Any id that an e-graph ever gave out stays valid;
/// `EGraph::find` gives its present class.
using ClassId = Id<ClassTag>;

struct NodeTag;
/// An e-node as it was added. Node `n` founded the class `ClassId{n}`, so the two numberings agree.
using NodeId = Id<NodeTag>;

struct OpTag;
/// An operator together with its payload (`Add`, `Constant 5`, `Rotate 3`), interned by an
/// `OpTable`. The e-graph compares operators and knows nothing else about them.
using OpId = Id<OpTag>;

/// Why two terms were made equal.
struct Reason {
  enum class Kind : uint8_t {
    Fact,        ///< the client said so; `index` is the client's own
    Rule,        ///< a rewrite; `index` is its place in the list given to `saturate`
    Congruence,  ///< same operator, equal children
  };

  Kind kind = Kind::Fact;
  uint32_t index = 0;

  static constexpr auto fact(uint32_t index) -> Reason { return {Kind::Fact, index}; }
  static constexpr auto rule(uint32_t index) -> Reason { return {Kind::Rule, index}; }
  static constexpr auto congruence() -> Reason { return {Kind::Congruence, 0}; }

  friend constexpr auto operator==(Reason, Reason) -> bool = default;
};

}  // namespace tacet::egraph
