#include <fmt/format.h>

#include "compiler/he/circuit/builder.h"
#include "compiler/he/circuit/lowering.h"

namespace tacet::circuit {

using engine::HeAccess;
using engine::HeKind;
using engine::HeOpcode;

/// Fixes where a node's values are; its operands are known.
void Lowering::locate(NodeId id) {
  const Node& node = circuit_.nodes[id];
  switch (node.kind) {
    case NodeKind::Constant:
      where_[id.index] = {.reg = constant_register(node.number, HeKind::Native), .indices = {}};
      break;
    case NodeKind::Input:
      where_[id.index] = leaf_location(node.family.index, node.formulas);
      break;
    case NodeKind::Result:
      where_[id.index] = leaf_location(statement_register_[node.statement], node.formulas);
      break;
    case NodeKind::Add:
    case NodeKind::Subtract:
    case NodeKind::Multiply:
    case NodeKind::Rotate:
    case NodeKind::SwapRows:
    case NodeKind::Sum:
    case NodeKind::Product:
      where_[id.index] = own_location(id, "v", kind_of(id));
      break;
  }
  if (needs_plain_[id.index]) {
    where_plain_[id.index] = own_location(id, "p", HeKind::Plain);
  }
}

/// A register for this node, or the element of the statement whose root it is, if it is nothing
/// else.
auto Lowering::own_location(NodeId id, std::string_view prefix, HeKind kind) -> Location {
  Location location;
  for (uint32_t s = 0; s < circuit_.statements.size() && kind != HeKind::Plain; ++s) {
    const Statement& statement = circuit_.statements[s];
    if (statement.root == id && n_uses_[id.index] == 1 &&
        places_.of[id.index] == places_.statement[s]) {
      location.reg = statement_register_[s];
      for (const LoopId loop : statement.loops) {
        location.indices.push_back(loop_formula(loop));
      }
      return location;
    }
  }
  std::vector<int64_t> extents;
  for (const LoopId loop : places_.kept[id.index]) {
    extents.push_back(circuit_.loops[loop].extent);
    location.indices.push_back(loop_formula(loop));
  }
  location.reg = add_register(fmt::format("{}{}", prefix, id.index), kind, extents);
  return location;
}

/// Numbers that doubles do not hold are those of their classes nearest to 0; modulo larger primes
/// they are reported as too large.
static auto within_doubles(int64_t number, uint64_t modulus) -> int64_t {
  constexpr int64_t kMost = int64_t{1} << 53;
  if (modulus == 0 || (number >= -kMost && number <= kMost)) {
    return number;
  }
  const auto t = static_cast<int64_t>(modulus);
  const int64_t rest = number % t;
  return rest > t / 2 ? rest - t : rest < -(t / 2) ? rest + t : rest;
}

auto Lowering::constant_register(int64_t constant, HeKind kind) -> uint32_t {
  const int64_t number = within_doubles(constant, program_.modulus);
  const auto [entry, is_new] = constants_.try_emplace({number, kind});
  if (is_new) {
    entry->second = add_register(
        number < 0 ? fmt::format("minus_{}", -number) : fmt::format("number_{}", number), kind, {});
    engine::HeGather gather;
    gather.number = static_cast<double>(number);
    gather.is_repeated = true;
    program_.registers[entry->second].gathers.push_back(std::move(gather));
  }
  return entry->second;
}

void Lowering::compute(NodeId id) {
  switch (circuit_.nodes[id].kind) {
    case NodeKind::Constant:
    case NodeKind::Input:
    case NodeKind::Result:
      break;
    case NodeKind::Add:
    case NodeKind::Subtract:
    case NodeKind::Multiply:
      emit_binary(id);
      break;
    case NodeKind::Rotate:
      emit_unary(id, HeOpcode::Rotate);
      break;
    case NodeKind::SwapRows:
      emit_unary(id, HeOpcode::Swap);
      break;
    case NodeKind::Sum:
      emit_sum(id);
      break;
    case NodeKind::Product:
      emit_tree(id, HeOpcode::Mul);
      break;
  }
  if (is_relinearised_[id.index]) {
    const HeAccess self = access(where_[id.index]);
    emit(HeOpcode::Relinearise, self, {self});
  }
  if (needs_plain_[id.index]) {
    emit(HeOpcode::Encode, access(where_plain_[id.index]), {access(where_[id.index])});
  }
}

void Lowering::emit(HeOpcode opcode, HeAccess result, std::vector<HeAccess> operands) {
  engine::HeStatement statement;
  statement.opcode = opcode;
  statement.result = std::move(result);
  statement.operands = std::move(operands);
  program_.body.push_back(std::move(statement));
}

/// What `user` reads of its operand: a clear one that meets a ciphertext is encoded.
auto Lowering::operand_of(NodeId user, NodeId operand) const -> HeAccess {
  const bool is_encoded = facts_.is_cipher[user.index] && !facts_.is_cipher[operand.index];
  return access(is_encoded ? where_plain_[operand.index] : where_[operand.index]);
}

void Lowering::emit_binary(NodeId id) {
  const Node& node = circuit_.nodes[id];
  const auto is_minus_one = [&](NodeId operand) {
    return circuit_.nodes[operand].kind == NodeKind::Constant &&
           circuit_.nodes[operand].number == -1;
  };
  const HeAccess result = access(where_[id.index]);
  if (node.kind == NodeKind::Multiply && is_minus_one(node.a)) {
    emit(HeOpcode::Negate, result, {access(where_[node.b.index])});
  } else if (node.kind == NodeKind::Multiply && is_minus_one(node.b)) {
    emit(HeOpcode::Negate, result, {access(where_[node.a.index])});
  } else {
    const HeOpcode opcode = node.kind == NodeKind::Add        ? HeOpcode::Add
                            : node.kind == NodeKind::Subtract ? HeOpcode::Sub
                                                              : HeOpcode::Mul;
    emit(opcode, result, {operand_of(id, node.a), operand_of(id, node.b)});
  }
}

void Lowering::emit_unary(NodeId id, HeOpcode opcode) {
  const Node& node = circuit_.nodes[id];
  emit(opcode, access(where_[id.index]), {access(where_[node.a.index])});
  if (opcode == HeOpcode::Rotate) {
    engine::HeStatement& rotation = program_.body.back();
    LoopFormula steps = node.formulas[0];
    if (!steps.table.empty()) {
      rotation.table = table_of(steps.table);
      steps.table.clear();
    }
    rotation.steps = affine(steps);
  }
}

void Lowering::emit_sum(NodeId id) {
  const Node& node = circuit_.nodes[id];
  const int64_t extent = circuit_.loops[node.loop].extent;
  if (extent >= options_.tree_extent) {
    emit_tree(id, HeOpcode::Add);
    return;
  }
  // The loop is not open: its value is 0.
  place(places_.body[id.index]);
  emit(HeOpcode::Copy, access(where_[id.index]), {access(where_[node.a.index])});
  if (extent == 1) {
    return;
  }
  open_loop(names_.loops[node.loop.index], 1, extent);
  position_[node.loop.index] = static_cast<uint32_t>(open_.size() - 1);
  place(places_.body[id.index]);
  const HeAccess sum = access(where_[id.index]);
  emit(HeOpcode::Add, sum, {sum, access(where_[node.a.index])});
  position_[node.loop.index] = Location::kNone;
  close_loop();
}

void Lowering::emit_tree(NodeId id, HeOpcode opcode) {
  const Node& node = circuit_.nodes[id];
  const int64_t extent = circuit_.loops[node.loop].extent;
  const uint32_t reg = add_register(fmt::format("t{}", id.index), kind_of(id), {extent});
  open_loop(names_.loops[node.loop.index], 0, extent);
  position_[node.loop.index] = static_cast<uint32_t>(open_.size() - 1);
  place(places_.body[id.index]);
  emit(HeOpcode::Copy, access({.reg = reg, .indices = {loop_formula(node.loop)}}),
       {access(where_[node.a.index])});
  position_[node.loop.index] = Location::kNone;
  close_loop();
  const bool relinearises = opcode == HeOpcode::Mul && facts_.is_cipher[id.index];
  for (int64_t n = extent; n > 1; n = (n + 1) / 2) {
    emit_level(opcode, reg, n, relinearises && n > 2);
  }
  emit(HeOpcode::Copy, access(where_[id.index]), {access({.reg = reg, .indices = {{}}})});
}

/// Joins neighbours among the first n elements; a last one without a neighbour stays as it is.
void Lowering::emit_level(HeOpcode opcode, uint32_t reg, int64_t n, bool is_relinearised) {
  const auto variable = static_cast<uint32_t>(open_.size());
  const auto element = [&](int64_t factor, int64_t constant) {
    engine::HeAffine index{.constant = constant, .terms = {}};
    if (factor != 0) {
      index.terms.push_back({.variable = variable, .factor = factor});
    }
    return HeAccess{.reg = reg, .indices = {std::move(index)}};
  };
  const int64_t half = n / 2;
  const int64_t is_loop = half > 1 ? 1 : 0;
  if (half > 1) {
    open_loop(names_.names.distinct("k"), 0, half);
  }
  emit(opcode, element(is_loop, 0), {element(2 * is_loop, 0), element(2 * is_loop, 1)});
  if (is_relinearised) {
    emit(HeOpcode::Relinearise, element(is_loop, 0), {element(is_loop, 0)});
  }
  if (half > 1) {
    close_loop();
  }
  if (n % 2 == 1) {
    emit(HeOpcode::Copy, element(0, half), {element(0, n - 1)});
  }
}

}  // namespace tacet::circuit
