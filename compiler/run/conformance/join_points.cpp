#include "compiler/run/conformance/join_points.h"

#include <algorithm>

namespace tacet::conformance {

using interpret::Instruction;
using interpret::Opcode;

namespace {

/// Where control goes from an instruction; nowhere from the end of a piece of code.
auto successors(const interpret::Program& program, uint32_t at) -> std::vector<uint32_t> {
  const Instruction& instruction = program.instructions[at];
  switch (instruction.opcode) {
    case Opcode::Jump:
    case Opcode::Loop:
      return {instruction.operands[0]};
    case Opcode::JumpIf:
    case Opcode::JumpUnless:
      return {at + 1, instruction.operands[1]};
    case Opcode::Return:
    case Opcode::TailCall:
    case Opcode::Fail:
    case Opcode::Done:
    case Opcode::Settle:
      return {};
    default:
      return {at + 1};
  }
}

}  // namespace

JoinPoints::JoinPoints(const interpret::Program& program)
    : joins_(program.instructions.size(), kNoJoin) {
  for (const interpret::Function& function : program.functions) {
    add(program, function);
  }
}

/// Cooper, Harvey and Kennedy's iteration (A Simple, Fast Dominance Algorithm) on the reversed
/// graph, with one end behind all ends.
void JoinPoints::add(const interpret::Program& program, const interpret::Function& function) {
  const uint32_t n = function.end - function.entry;
  const uint32_t exit = n;
  std::vector<std::vector<uint32_t>> next(n + 1);
  std::vector<std::vector<uint32_t>> previous(n + 1);
  for (uint32_t i = 0; i < n; ++i) {
    const Opcode opcode = program.instructions[function.entry + i].opcode;
    for (const uint32_t to : successors(program, function.entry + i)) {
      if (to >= function.entry && to < function.end &&
          program.instructions[to].opcode != Opcode::Fail) {
        next[i].push_back(to - function.entry);
      }
    }
    if (next[i].empty() && opcode != Opcode::Fail) {
      next[i].push_back(exit);
    }
    for (const uint32_t to : next[i]) {
      previous[to].push_back(i);
    }
  }
  // Postorder of the reversed graph, from its end.
  std::vector<uint32_t> number(n + 1, kNoJoin);
  std::vector<uint32_t> order;
  std::vector<std::pair<uint32_t, size_t>> path{{exit, 0}};
  std::vector<bool> is_seen(n + 1);
  is_seen[exit] = true;
  while (!path.empty()) {
    auto& [node, edge] = path.back();
    if (edge < previous[node].size()) {
      const uint32_t to = previous[node][edge++];
      if (!is_seen[to]) {
        is_seen[to] = true;
        path.emplace_back(to, 0);
      }
    } else {
      number[node] = static_cast<uint32_t>(order.size());
      order.push_back(node);
      path.pop_back();
    }
  }
  std::vector<uint32_t> join(n + 1, kNoJoin);
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
      for (const uint32_t to : next[*it]) {
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
  for (uint32_t i = 0; i < n; ++i) {
    if (join[i] != kNoJoin && join[i] != exit) {
      joins_[function.entry + i] = function.entry + join[i];
    }
  }
}

}  // namespace tacet::conformance
