#include "compiler/run/cps/lowering.h"

namespace tacet::cps {

/// Does it hand on what it gets, or copies of it, in order, and nothing else?
static auto hands_on(const Funclet& funclet) -> bool {
  const std::span<const ValueId> given = funclet.operands_of(funclet.tail.arguments);
  if (funclet.tail.kind != TailKind::Return || given.size() != funclet.n_parameters) {
    return false;
  }
  std::unordered_map<uint32_t, ValueId> original;
  auto original_of = [&](ValueId value) {
    const auto found = original.find(value.index);
    return found == original.end() ? value : found->second;
  };
  for (const Command& command : funclet.commands) {
    if (command.opcode != Opcode::Copy) {
      return false;
    }
    original[command.results.begin] = original_of(funclet.operands_of(command.operands)[0]);
  }
  for (uint32_t i = 0; i < given.size(); ++i) {
    if (original_of(given[i]) != ValueId{i}) {
      return false;
    }
  }
  return true;
}

/// Leaves out the funclets that nobody goes to, and numbers the others anew.
static void drop_unreachable(Program& program) {
  std::vector<bool> is_reached(program.funclets.size(), false);
  std::vector<FuncletId> to_do;
  auto reach = [&](FuncletId funclet) {
    if (funclet.has_value() && !is_reached[funclet.index]) {
      is_reached[funclet.index] = true;
      to_do.push_back(funclet);
    }
  };
  for (const Function& function : program.functions.values()) {
    reach(function.entry);
  }
  while (!to_do.empty()) {
    const Funclet& funclet = program.funclets[to_do.back()];
    to_do.pop_back();
    for (size_t i = 0; i < funclet.n_targets(); ++i) {
      reach(funclet.tail.targets[i].funclet);
    }
    reach(funclet.tail.join.funclet);
  }
  Store<FuncletId, Funclet> kept;
  std::vector<FuncletId> renumbered(program.funclets.size());
  for (uint32_t i = 0; i < program.funclets.size(); ++i) {
    if (is_reached[i]) {
      renumbered[i] = kept.add(std::move(program.funclets[FuncletId{i}]));
    }
  }
  for (uint32_t i = 0; i < kept.size(); ++i) {
    Tail& tail = kept[FuncletId{i}].tail;
    for (FuncletId* target :
         {&tail.targets[0].funclet, &tail.targets[1].funclet, &tail.join.funclet}) {
      *target = target->has_value() ? renumbered[target->index] : *target;
    }
  }
  program.funclets = std::move(kept);
  for (uint32_t i = 0; i < program.functions.size(); ++i) {
    FuncletId& entry = program.functions[FunctionId{i}].entry;
    entry = renumbered[entry.index];
  }
}

void skip_joins(Program& program) {
  for (uint32_t i = 0; i < program.funclets.size(); ++i) {
    Tail& tail = program.funclets[FuncletId{i}].tail;
    // What is kept comes in front of what is waited for, so a join that keeps something and hands
    // on all that it gets is not left out.
    if (tail.join.funclet.has_value() && tail.join.arguments.size() == 0 &&
        hands_on(program.funclets[tail.join.funclet])) {
      tail.join = {};
    }
  }
  drop_unreachable(program);
}

}  // namespace tacet::cps
