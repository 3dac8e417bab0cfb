#pragma once

#include <vector>

/// Private to this folder: which planes meet at each level of a prefix circuit.
namespace tacet::mpc {

/// At one level: the range that ends at place `high` takes in the one that ends at `low`, just
/// below it.
struct PrefixStep {
  unsigned high;
  unsigned low;
  /// The range of `low` begins at place 0, so that of `high` does from now on.
  bool is_complete;
};

/// The levels of Sklansky's circuit over `n` places.
auto sklansky_levels(unsigned n) -> std::vector<std::vector<PrefixStep>>;

}  // namespace tacet::mpc
