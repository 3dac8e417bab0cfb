#pragma once

#include "compiler/he/gates/builder.h"

namespace tacet::gates {

/// A graph that is made anew, gate by gate: what passes have in common.
struct Rebuilding {
  explicit Rebuilding(const Graph& graph);

  /// Makes the inputs, calls `remake(id)` for each gate in sequence, with its origin set, for what
  /// it becomes, and makes the outputs. Without gates that nothing uses.
  template <class Remake>
  auto run(const Remake& remake) -> Graph {
    make_inputs();
    for (uint32_t id = 0; id < from.gates.size(); ++id) {
      if (is_gate(from.gates[id].kind)) {
        builder.set_origin(from.gates[id].origin);
        signals[id] = remake(id);
      }
    }
    make_outputs();
    return without_unused(builder.take());
  }

  /// What a signal of the old graph has become.
  [[nodiscard]] auto moved(Signal signal) const -> Signal {
    return signals[signal.gate()].inverted_if(signal.is_inverted());
  }
  /// The same gate of what its operands have become.
  auto copied(const Gate& gate) -> Signal;

  const Graph& from;
  GraphBuilder builder{};
  std::vector<uint32_t> n_uses;  ///< by gate of the old graph: by gates and outputs
  std::vector<Signal> signals;   ///< by gate of the old graph: what it has become

 private:
  void make_inputs();
  void make_outputs();
};

}  // namespace tacet::gates
