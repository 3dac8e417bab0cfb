#include "engine/he_runtime/plan.h"

#include <map>
#include <tuple>
#include <utility>

#include "engine/program/he/facts.h"
#include "engine/program/he/walk.h"

namespace tacet::engine {
namespace {

class Planner {
 public:
  explicit Planner(const HeProgram& program) : program_(program), states_(program) {
    for (const HeRegister& reg : program.registers) {
      values_.emplace_back(n_elements(reg.dimensions), kNoNode);
    }
    uint32_t number = 0;
    for (const HeElement element : input_elements(program)) {
      values_[element.reg][element.at] =
          add({.kind = PlanNode::Kind::Input, .count = number++, .element = element});
    }
  }

  auto run() -> Plan {
    HeWalk walk(program_);
    while (walk.next()) {
      instruction(walk);
      (void)states_.apply(walk.instruction(), walk.variables());
    }
    Plan plan;
    for (const HeElement element : output_elements(program_)) {
      plan.outputs.push_back(values_[element.reg][element.at]);
    }
    plan.nodes = std::move(nodes_);
    return plan;
  }

 private:
  auto add(const PlanNode& node) -> uint32_t {
    nodes_.push_back(node);
    return static_cast<uint32_t>(nodes_.size() - 1);
  }

  /// A clear node, or the one that there is already.
  auto add_once(const PlanNode& node) -> uint32_t {
    const auto key = std::tuple(node.kind, node.opcode, node.operands[0], node.operands[1],
                                node.steps, node.n_primes, node.element);
    const auto [known, is_new] = clear_nodes_.emplace(key, static_cast<uint32_t>(nodes_.size()));
    if (is_new) {
      nodes_.push_back(node);
    }
    return known->second;
  }

  /// The value that an element of a register has.
  auto value(const HeAccess& access, const HeWalk& walk) -> uint32_t {
    const size_t at = *flat_index(program_, access, walk.variables());
    uint32_t& node = values_[access.reg][at];
    if (node == kNoNode) {
      node = add_once({.kind = PlanNode::Kind::Gather, .element = {.reg = access.reg, .at = at}});
    }
    return node;
  }

  /// What a ciphertext of `n_primes` primes meets of a clear vector. Reals are encoded for each
  /// number of primes, which has a scale of its own; for sums when it is known what that must be.
  auto encoded(uint32_t clear, HeOpcode opcode, uint32_t n_primes) -> uint32_t {
    if (opcode != HeOpcode::Mul && !program_.is_integer()) {
      return clear;
    }
    const uint32_t level = program_.is_integer() ? 0 : n_primes;
    const uint32_t plaintext =
        add_once({.kind = PlanNode::Kind::Encode, .operands = {clear, kNoNode}, .n_primes = level});
    nodes_[plaintext].n_primes = std::max(nodes_[plaintext].n_primes, n_primes);
    if (opcode != HeOpcode::Mul) {
      return plaintext;
    }
    const uint32_t factor = add_once(
        {.kind = PlanNode::Kind::Factor, .operands = {plaintext, kNoNode}, .n_primes = level});
    nodes_[factor].n_primes = std::max(nodes_[factor].n_primes, n_primes);
    return factor;
  }

  void instruction(const HeWalk& walk) {
    const HeStatement& instruction = walk.instruction();
    PlanNode node{.opcode = instruction.opcode,
                  .operation = operation_kind(program_, instruction),
                  .count = instruction.count};
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      node.operands[i] = value(instruction.operands[i], walk);
    }
    if (node.opcode == HeOpcode::Rotate) {
      node.steps = rotation_steps(program_, instruction, walk.variables());
    }
    const size_t at = *flat_index(program_, instruction.result, walk.variables());
    values_[instruction.result.reg][at] = result(node, walk);
  }

  auto result(PlanNode node, const HeWalk& walk) -> uint32_t {
    const HeStatement& instruction = walk.instruction();
    const bool is_same = node.opcode == HeOpcode::Copy || node.opcode == HeOpcode::Encode ||
                         (node.opcode == HeOpcode::Rotate && node.steps == 0);
    if (is_same) {
      return node.operands[0];
    }
    if (node.operation == HeOperationKind::Plain || node.operation == HeOperationKind::Native) {
      return add_once(node);
    }
    node.kind = PlanNode::Kind::Cipher;
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      const HeAccess& operand = instruction.operands[i];
      if (program_.registers[operand.reg].kind != HeKind::Cipher) {
        const uint32_t n_primes =
            states_.of(instruction.operands[1 - i], walk.variables()).n_primes;
        node.operands[i] = encoded(node.operands[i], node.opcode, n_primes);
      } else {
        const HeState& state = states_.of(operand, walk.variables());
        if (node.opcode == HeOpcode::Relinearise && state.degree == 1) {
          return node.operands[0];
        }
        node.scale = state.scale;
      }
    }
    node.bound = program_.registers[instruction.result.reg].bound;
    node.error = program_.registers[instruction.result.reg].error;
    return add(node);
  }

  const HeProgram& program_;
  HeStates states_;
  std::vector<std::vector<uint32_t>> values_;  ///< of each element of each register
  std::vector<PlanNode> nodes_;
  std::map<std::tuple<PlanNode::Kind, HeOpcode, uint32_t, uint32_t, uint32_t, uint32_t, HeElement>,
           uint32_t>
      clear_nodes_;
};

auto is_rotation(const PlanNode& node) -> bool {
  return node.kind == PlanNode::Kind::Cipher &&
         (node.opcode == HeOpcode::Rotate || node.opcode == HeOpcode::Swap);
}

/// Marks what outputs depend on.
auto needed_nodes(const Plan& plan) -> std::vector<bool> {
  std::vector<bool> is_needed(plan.nodes.size());
  for (const uint32_t output : plan.outputs) {
    is_needed[output] = true;
  }
  for (size_t i = plan.nodes.size(); i-- > 0;) {
    for (const uint32_t operand : plan.nodes[i].operands) {
      if (is_needed[i] && operand != kNoNode) {
        is_needed[operand] = true;
      }
    }
  }
  return is_needed;
}

/// Leaves out what no output depends on, and lets rotations of one ciphertext share its digits.
auto finished(Plan plan) -> Plan {
  const std::vector<bool> is_needed = needed_nodes(plan);
  std::vector<uint32_t> n_rotations(plan.nodes.size());
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    if (is_needed[i] && is_rotation(plan.nodes[i])) {
      ++n_rotations[plan.nodes[i].operands[0]];
    }
  }
  std::vector<uint32_t> moved(plan.nodes.size(), kNoNode);
  std::vector<uint32_t> hoisted(plan.nodes.size(), kNoNode);
  Plan result;
  const auto add = [&](const PlanNode& node) {
    result.nodes.push_back(node);
    return static_cast<uint32_t>(result.nodes.size() - 1);
  };
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    PlanNode node = plan.nodes[i];
    if (!is_needed[i]) {
      continue;
    }
    if (is_rotation(node) && n_rotations[node.operands[0]] > 1) {
      uint32_t& digits = hoisted[node.operands[0]];
      if (digits == kNoNode) {
        digits =
            add({.kind = PlanNode::Kind::Hoist, .operands = {moved[node.operands[0]], kNoNode}});
      }
      node.operands[0] = digits;
    } else {
      for (uint32_t& operand : node.operands) {
        operand = operand == kNoNode ? kNoNode : moved[operand];
      }
    }
    moved[i] = add(node);
  }
  for (const uint32_t output : plan.outputs) {
    result.outputs.push_back(moved[output]);
  }
  return result;
}

/// Sums and products do not care for the order of their operands: the first one becomes the result
/// in place, so it should be one that nobody needs any more.
void prefer_last_uses(Plan& plan) {
  std::vector<uint32_t> last_use(plan.nodes.size());
  for (uint32_t i = 0; i < plan.nodes.size(); ++i) {
    for (const uint32_t operand : plan.nodes[i].operands) {
      if (operand != kNoNode) {
        last_use[operand] = i;
      }
    }
  }
  for (const uint32_t output : plan.outputs) {
    last_use[output] = kNoNode;
  }
  for (uint32_t i = 0; i < plan.nodes.size(); ++i) {
    PlanNode& node = plan.nodes[i];
    if (node.kind == PlanNode::Kind::Cipher && node.operation == HeOperationKind::Cipher &&
        node.opcode == HeOpcode::Add && last_use[node.operands[0]] != i &&
        last_use[node.operands[1]] == i) {
      std::swap(node.operands[0], node.operands[1]);
    }
  }
}

}  // namespace

void count_operations(const HeProgram& program, Plan& plan) {
  HeStatistics& statistics = plan.statistics;
  for (const PlanNode& node : plan.nodes) {
    switch (node.kind) {
      case PlanNode::Kind::Clear:
      case PlanNode::Kind::Cipher:
        statistics.counts.add(node.opcode, node.operation);
        break;
      case PlanNode::Kind::Encode:
        ++statistics.n_encoded;
        break;
      case PlanNode::Kind::Factor:
        ++statistics.n_factors;
        break;
      case PlanNode::Kind::Hoist:
        ++statistics.n_hoisted;
        break;
      case PlanNode::Kind::Gather:
      case PlanNode::Kind::Input:
      case PlanNode::Kind::Received:
        break;
    }
  }
  statistics.depth = facts_of(program).depth;
}

auto is_clear(const PlanNode& node) -> bool {
  switch (node.kind) {
    case PlanNode::Kind::Gather:
    case PlanNode::Kind::Clear:
    case PlanNode::Kind::Encode:
    case PlanNode::Kind::Factor:
      return true;
    case PlanNode::Kind::Input:
    case PlanNode::Kind::Received:
    case PlanNode::Kind::Cipher:
    case PlanNode::Kind::Hoist:
      return false;
  }
  return false;
}

auto make_plan(const HeProgram& program) -> Plan {
  Plan plan = finished(Planner(program).run());
  prefer_last_uses(plan);
  count_operations(program, plan);
  return plan;
}

}  // namespace tacet::engine
