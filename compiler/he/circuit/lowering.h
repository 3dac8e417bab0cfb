#pragma once

#include <map>

#include "compiler/he/circuit/lower.h"
#include "compiler/he/circuit/names.h"
#include "compiler/he/circuit/places.h"

/// What the files of the lowering share; see `lower.h`.
namespace tacet::circuit {

/// Where the values of a node are: an element of a register.
struct Location {
  static constexpr uint32_t kNone = 0xffffffff;

  uint32_t reg = kNone;
  std::vector<LoopFormula> indices{};

  [[nodiscard]] auto has_value() const -> bool { return reg != kNone; }
};

class Lowering {
 public:
  Lowering(const Circuit& circuit, const LowerOptions& options);

  auto run() -> engine::HeProgram;

 private:
  // lower.cpp
  void find_uses();
  void declare_statements();
  void place(PlaceId id);
  void open_loop(const std::string& name, int64_t low, int64_t high);
  void close_loop();
  void finish(uint32_t statement);
  void drop_unused();
  auto add_register(std::string_view name, engine::HeKind kind, const std::vector<int64_t>& extents)
      -> uint32_t;
  auto kind_of(NodeId id) const -> engine::HeKind;

  // lower_node.cpp
  void compute(NodeId id);
  void locate(NodeId id);
  auto own_location(NodeId id, std::string_view prefix, engine::HeKind kind) -> Location;
  auto constant_register(int64_t number, engine::HeKind kind) -> uint32_t;
  void emit_binary(NodeId id);
  void emit_unary(NodeId id, engine::HeOpcode opcode);
  void emit_sum(NodeId id);
  void emit_tree(NodeId id, engine::HeOpcode opcode);
  void emit_level(engine::HeOpcode opcode, uint32_t reg, int64_t n, bool is_relinearised);
  void emit_encoding(NodeId id);
  void emit(engine::HeOpcode opcode, engine::HeAccess result,
            std::vector<engine::HeAccess> operands);
  auto operand_of(NodeId user, NodeId operand) const -> engine::HeAccess;

  // lower_access.cpp
  auto affine(const LoopFormula& formula) const -> engine::HeAffine;
  auto access(const Location& location) const -> engine::HeAccess;
  auto leaf_location(uint32_t reg, const std::vector<LoopFormula>& indices) -> Location;
  void find_picks();
  void emit_picks(uint32_t reg);
  void emit_pick(uint32_t from, uint32_t to, const std::vector<std::vector<int64_t>>& tables);
  auto table_of(const std::vector<int64_t>& numbers) -> uint32_t;

  const Circuit& circuit_;
  const LowerOptions& options_;
  NodeFacts facts_;
  Places places_;
  std::vector<bool> is_relinearised_;
  std::vector<uint32_t> n_uses_;       // by node: as operand or root
  std::vector<bool> needs_plain_;      // by node
  std::vector<Location> where_;        // by node
  std::vector<Location> where_plain_;  // by node
  std::vector<uint32_t> statement_register_;
  std::vector<uint32_t> output_register_;  // by statement: its own, or that of its encryption
  CircuitNames names_;
  engine::HeProgram program_;
  std::vector<std::string> open_;   // variables of the loops around what is emitted
  std::vector<uint32_t> position_;  // by loop: among those, or none
  std::map<std::vector<int64_t>, uint32_t> tables_;
  std::map<std::pair<int64_t, engine::HeKind>, uint32_t> constants_;
  /// By register and tables of its indices (none for an affine one): the copies.
  std::map<std::pair<uint32_t, std::vector<std::vector<int64_t>>>, uint32_t> picks_;
};

}  // namespace tacet::circuit
