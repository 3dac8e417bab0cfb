#include "compiler/run/conformance/join_points.h"

#include <algorithm>

namespace tacet::conformance {

using interpret::Instruction;
using interpret::Opcode;

namespace {

/// Where control goes from an instruction; nowhere from the end of a piece of code.
auto successors(const interpret::Program& program, uint32_t at) -> std::vector<uint32_t> {
  const Instruction& instruction = program.instructions[at];
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::Jump || opcode == Opcode::Loop) {
    return {instruction.operands[0]};
  }
  if (opcode == Opcode::JumpIf || opcode == Opcode::JumpUnless) {
    return {at + 1, instruction.operands[1]};
  }
  const bool is_end = opcode == Opcode::Return || opcode == Opcode::TailCall ||
                      opcode == Opcode::Fail || opcode == Opcode::Done || opcode == Opcode::Settle;
  return is_end ? std::vector<uint32_t>() : std::vector<uint32_t>{at + 1};
}

/// The instructions of a function in both directions, with one end behind all ends.
struct FlowGraph {
  explicit FlowGraph(uint32_t n) : exit(n), next(n + 1), previous(n + 1) {}

  uint32_t exit;
  std::vector<std::vector<uint32_t>> next;
  std::vector<std::vector<uint32_t>> previous;
};

auto flow_of(const interpret::Program& program, const interpret::Function& function) -> FlowGraph {
  FlowGraph graph(function.end - function.entry);
  for (uint32_t i = 0; i < graph.exit; ++i) {
    std::vector<uint32_t>& next = graph.next[i];
    const Opcode opcode = program.instructions[function.entry + i].opcode;
    for (const uint32_t to : successors(program, function.entry + i)) {
      if (to >= function.entry && to < function.end &&
          program.instructions[to].opcode != Opcode::Fail) {
        next.push_back(to - function.entry);
      }
    }
    if (next.empty() && opcode != Opcode::Fail) {
      next.push_back(graph.exit);
    }
    for (const uint32_t to : next) {
      graph.previous[to].push_back(i);
    }
  }
  return graph;
}

/// Postorder of the reversed graph, from its end.
auto reversed_postorder(const FlowGraph& graph) -> std::vector<uint32_t> {
  std::vector<uint32_t> order;
  std::vector<std::pair<uint32_t, size_t>> path{{graph.exit, 0}};
  std::vector<bool> is_seen(graph.exit + 1);
  is_seen[graph.exit] = true;
  while (!path.empty()) {
    auto& [node, edge] = path.back();
    if (edge < graph.previous[node].size()) {
      const uint32_t to = graph.previous[node][edge++];
      if (!is_seen[to]) {
        is_seen[to] = true;
        path.emplace_back(to, 0);
      }
    } else {
      order.push_back(node);
      path.pop_back();
    }
  }
  return order;
}

}  // namespace

JoinPoints::JoinPoints(const interpret::Program& program)
    : joins_(program.instructions.size(), kNoJoin) {
  for (const interpret::Function& function : program.functions) {
    add(program, function);
  }
}

/// Cooper, Harvey and Kennedy's iteration (A Simple, Fast Dominance Algorithm) on the reversed
/// graph.
void JoinPoints::add(const interpret::Program& program, const interpret::Function& function) {
  const FlowGraph graph = flow_of(program, function);
  const uint32_t exit = graph.exit;
  const std::vector<uint32_t> order = reversed_postorder(graph);
  std::vector<uint32_t> number(exit + 1, kNoJoin);
  for (size_t i = 0; i < order.size(); ++i) {
    number[order[i]] = static_cast<uint32_t>(i);
  }
  std::vector<uint32_t> join(exit + 1, kNoJoin);
  join[exit] = exit;
  const auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      uint32_t& smaller = number[a] < number[b] ? a : b;
      smaller = join[smaller];
    }
    return a;
  };
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      uint32_t found = kNoJoin;
      for (const uint32_t to : graph.next[*it]) {
        if (number[to] != kNoJoin && join[to] != kNoJoin) {
          found = found == kNoJoin ? to : meet(found, to);
        }
      }
      if (*it != exit && found != join[*it]) {
        join[*it] = found;
        has_changed = true;
      }
    }
  }
  for (uint32_t i = 0; i < exit; ++i) {
    if (join[i] != kNoJoin && join[i] != exit) {
      joins_[function.entry + i] = function.entry + join[i];
    }
  }
}

}  // namespace tacet::conformance
