#pragma once

#include <string>
#include <vector>

#include "compiler/spec/fill/forms.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::fill {

/// Bodies for a function, from its specifications alone.
struct WholeBodies {
  /// Cheapest first. The checker decides whether they are right.
  std::vector<Form> forms;
  /// Why there are none.
  std::string problem;
};

/// What `function` may consist of, one line a statement with `indent` in front of each but the
/// first. A coordinator function encodes, submits and waits as its timeline says: the calls that
/// have kernels are assigned to the encodings in every order that the timeline permits. A device
/// function computes its specification with functions of its device, choices being expressions, and
/// writes out what none of them computes.
auto whole_bodies(const program::FrontendSnapshot& snapshot, names::ItemId function,
                  const std::string& indent) -> WholeBodies;

}  // namespace tacet::fill
