#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/circuit/circuit.h"

namespace tacet::schedule {

/// Writes nodes and families, each once, and leaves out what a number makes needless: operations
/// on two numbers, sums with 0, products with 1 and 0, rotations by nothing.
class CircuitWriter {
 public:
  explicit CircuitWriter(circuit::Circuit& circuit) : circuit_(circuit) {}

  [[nodiscard]] auto circuit() const -> const circuit::Circuit& { return circuit_; }

  auto constant(int64_t number) -> circuit::NodeId;
  auto input(circuit::Family family, std::vector<circuit::LoopFormula> indices) -> circuit::NodeId;
  auto result(uint32_t statement, std::vector<circuit::LoopFormula> indices) -> circuit::NodeId;
  auto operation(circuit::NodeKind kind, circuit::NodeId a, circuit::NodeId b) -> circuit::NodeId;
  auto rotate(circuit::NodeId a, circuit::LoopFormula steps) -> circuit::NodeId;
  auto rotate(circuit::NodeId a, int64_t steps) -> circuit::NodeId;
  auto swap_rows(circuit::NodeId a) -> circuit::NodeId;
  /// A sum or product over a loop; `extent` times what does not depend on it.
  auto over_loop(circuit::NodeKind kind, circuit::LoopId loop, circuit::NodeId a)
      -> circuit::NodeId;
  /// a + … + a (`Sum`) or a * … * a (`Product`), `count` at least 1.
  auto repeat(circuit::NodeKind kind, circuit::NodeId a, int64_t count) -> circuit::NodeId;
  auto loop(circuit::Loop loop) -> circuit::LoopId { return circuit_.loops.add(std::move(loop)); }

  [[nodiscard]] auto number(circuit::NodeId node) const -> std::optional<int64_t>;

 private:
  auto add(circuit::Node node) -> circuit::NodeId;
  [[nodiscard]] auto depends_on(circuit::NodeId node, circuit::LoopId loop) -> bool;

  circuit::Circuit& circuit_;
  std::unordered_multimap<uint64_t, circuit::NodeId> nodes_;
  std::unordered_map<uint64_t, bool> dependences_;  ///< by node and loop
};

/// A formula of one loop.
auto loop_formula(circuit::LoopId loop) -> circuit::LoopFormula;

}  // namespace tacet::schedule
