#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "compiler/he/circuit/builder.h"

namespace tacet::schedule {

/// Writes nodes, families and loops into a circuit; nodes and families each once.
class CircuitWriter {
 public:
  explicit CircuitWriter(circuit::Circuit& circuit) : builder_(circuit) {}

  [[nodiscard]] auto circuit() const -> const circuit::Circuit& { return builder_.circuit(); }

  auto constant(int64_t number) -> circuit::NodeId { return builder_.constant(number); }
  auto input(circuit::Family family, std::vector<circuit::LoopFormula> indices) -> circuit::NodeId;
  auto result(uint32_t statement, std::vector<circuit::LoopFormula> indices) -> circuit::NodeId;
  /// `Add`, `Subtract` or `Multiply`.
  auto operation(circuit::NodeKind kind, circuit::NodeId a, circuit::NodeId b) -> circuit::NodeId;
  auto rotate(circuit::NodeId a, circuit::LoopFormula steps) -> circuit::NodeId;
  auto rotate(circuit::NodeId a, int64_t steps) -> circuit::NodeId;
  auto swap_rows(circuit::NodeId a) -> circuit::NodeId { return builder_.swap_rows(a); }
  /// `Sum` or `Product` over a loop, also of what does not depend on it.
  auto over_loop(circuit::NodeKind kind, circuit::LoopId loop, circuit::NodeId a)
      -> circuit::NodeId;
  /// a + … + a (`Sum`) or a * … * a (`Product`), `count` at least 1.
  auto repeat(circuit::NodeKind kind, circuit::NodeId a, int64_t count) -> circuit::NodeId;
  /// Appends a statement of the circuit; its number.
  auto statement(circuit::Statement statement) -> uint32_t {
    std::vector<circuit::Statement>& all = builder_.circuit().statements;
    all.push_back(std::move(statement));
    return static_cast<uint32_t>(all.size() - 1);
  }
  auto loop(circuit::Loop loop) -> circuit::LoopId {
    return builder_.circuit().loops.add(std::move(loop));
  }

  /// A loop of that name, number and extent, the same one each time, for sums that are written
  /// alike wherever the same is read: equal sums are then one node. Sums over it must not be
  /// nested.
  auto shared_loop(std::string_view name, size_t number, int64_t extent) -> circuit::LoopId;

  /// Whether it is known in plaintext.
  [[nodiscard]] auto is_native(circuit::NodeId node) -> bool;
  /// If it is a constant.
  [[nodiscard]] auto number(circuit::NodeId node) const -> std::optional<int64_t>;

 private:
  [[nodiscard]] auto depends_on(circuit::NodeId node, circuit::LoopId loop) -> bool;

  circuit::Builder builder_;
  std::map<std::tuple<std::string_view, size_t, int64_t>, circuit::LoopId> shared_loops_;
  std::unordered_map<uint64_t, bool> dependences_;  ///< by node and loop
  std::unordered_map<uint32_t, bool> natives_;      ///< by node
};

}  // namespace tacet::schedule
