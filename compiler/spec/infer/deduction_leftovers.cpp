#include <algorithm>

#include "compiler/spec/infer/deduction.h"

// What nothing was found out about, once all else is known.

namespace tacet::infer {

/// By operand: false for what is wrong, what goes into it and what it goes into.
static auto without_wrong(const Operands& operands) -> std::vector<bool> {
  std::vector<bool> result(operands.size(), true);
  std::vector<OperandId> below;
  std::vector<OperandId> above;
  for (uint32_t i = 0; i < operands.size(); ++i) {
    if (operands[OperandId{i}].is_wrong || operands[OperandId{i}].has_wrong_child) {
      below.push_back({i});
      above.push_back({i});
    }
  }
  auto spread = [&](std::vector<OperandId>& from, auto next) {
    std::vector<bool> is_seen(operands.size());
    while (!from.empty()) {
      const OperandId operand = from.back();
      from.pop_back();
      if (!operand.has_value() || is_seen[operand.index]) {
        continue;
      }
      is_seen[operand.index] = true;
      result[operand.index] = false;
      const std::vector<OperandId>& further = next(operands[operand]);
      from.insert(from.end(), further.begin(), further.end());
    }
  };
  spread(below,
         [](const Operand& operand) -> const std::vector<OperandId>& { return operand.children; });
  spread(above,
         [](const Operand& operand) -> const std::vector<OperandId>& { return operand.users; });
  return result;
}

static void not_compared(Deduction& deduction, OperandId operand);

/// What the function does and nothing in the specification asks for, or too many nodes do. Of
/// nested computations the outermost is reported.
void leftovers(Deduction& deduction) {
  auto is_left = [&](OperandId operand) {
    const Operand& data = deduction.operands[operand];
    return data.is_required() && !data.node.has_value();
  };
  // What goes into something that is not compared is not compared either.
  auto is_explained = [&](OperandId user) {
    return is_left(user) || deduction.operands[user].computation == Computation::NotCompared;
  };
  const std::vector<bool> is_apart = deduction.has_failed
                                         ? without_wrong(deduction.operands)
                                         : std::vector<bool>(deduction.operands.size(), true);
  for (uint32_t i = 0; i < deduction.operands.size(); ++i) {
    const Operand& data = deduction.operands[OperandId{i}];
    if (data.computation == Computation::NotCompared) {
      not_compared(deduction, {i});
    }
    if (!is_apart[i] || !is_left({i}) ||
        std::any_of(data.users.begin(), data.users.end(), is_explained)) {
      continue;
    }
    // What only goes where the specification does not look needs no node either. What an `if`
    // leaves in a field that nobody looks at is no choice.
    const auto is_absent = [&](OperandId user) { return deduction.operands[user].is_absent(); };
    if ((!data.users.empty() || (data.is_choice() && data.is_left_out)) &&
        std::all_of(data.users.begin(), data.users.end(), is_absent)) {
      continue;
    }
    Problem problem;
    problem.candidates = candidates(deduction, {i}, 8);
    if (!problem.candidates.empty() && (deduction.has_failed || deduction.result.has_holes)) {
      continue;  // its type would have been inferred, or depends on what fills the hole
    }
    problem.kind =
        problem.candidates.empty() ? Problem::Kind::NotMentioned : Problem::Kind::Ambiguous;
    problem.value = data.value;
    problem.node = data.value.has_value() ? deduction.function.values[data.value].node
                                          : deduction.function.instructions[data.call].node;
    deduction.result.problems.push_back(std::move(problem));
  }
}

/// Says once of a piece of text that it is not compared.
static void not_compared(Deduction& deduction, OperandId operand) {
  Problem problem;
  problem.kind = Problem::Kind::NotCompared;
  problem.value = deduction.operands[operand].value;
  problem.node = deduction.function.values[problem.value].node;
  const bool is_reported =
      std::any_of(deduction.result.problems.begin(), deduction.result.problems.end(),
                  [&](const Problem& problem_there) { return problem_there.node == problem.node; });
  if (!is_reported) {
    deduction.result.problems.push_back(std::move(problem));
  }
}

}  // namespace tacet::infer
