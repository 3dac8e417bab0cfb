#include <algorithm>

#include "compiler/front/check/queries.h"
#include "compiler/front/hir/pattern.h"
#include "compiler/spec/infer/deduction.h"

// What to show and where to point when a deduction fails.

namespace tacet::infer {

using hir::Instruction;
using hir::ValueId;

static auto is_reported(const Deduction& deduction, const Problem& problem) -> bool;
static auto operand_syntax(const Deduction& deduction, const hir::Instruction& instruction,
                           OperandId operand, size_t n) -> syntax::Node;

/// Takes note that `operand`, an operand of `reason`, is wrong. Consequences of an error are not
/// reported: nothing more about that operand, and nothing about other operands beside it.
void fail(Deduction& deduction, Problem problem, OperandId operand, OperandId reason) {
  constexpr size_t kMost = 16;
  deduction.has_failed = true;
  if (operand.has_value()) {
    deduction.operands[operand].is_wrong = true;
  }
  if (reason.has_value()) {
    if (deduction.operands[reason].has_wrong_child) {
      return;
    }
    deduction.operands[reason].has_wrong_child = true;
  }
  if (deduction.result.problems.size() < kMost && !is_reported(deduction, problem)) {
    deduction.result.problems.push_back(std::move(problem));
  }
}

/// Two operands that are exchanged are one mistake, wherever they are used.
static auto is_reported(const Deduction& deduction, const Problem& problem) -> bool {
  auto is_same = [&](const Problem& reported) {
    if (reported.kind != problem.kind) {
      return false;
    }
    if (problem.kind == Problem::Kind::IsAnotherNode) {
      return (reported.wanted == problem.wanted && reported.found == problem.found) ||
             (reported.wanted == problem.found && reported.found == problem.wanted);
    }
    return problem.kind == Problem::Kind::Differs && reported.value.has_value() &&
           problem.value.has_value() &&
           computes_as(deduction, operand_of(deduction, reported.value), problem.wanted, kDepth) &&
           computes_as(deduction, operand_of(deduction, problem.value), reported.wanted, kDepth);
  };
  return std::any_of(deduction.result.problems.begin(), deduction.result.problems.end(), is_same);
}

static auto row_of(const Operand* operand, const hir::Function& function, SpecNodeId node,
                   uint32_t depth) -> Problem::Row {
  Problem::Row row;
  row.depth = depth;
  row.spec = node;
  if (operand != nullptr) {
    row.value = operand->value;
    if (!row.value.has_value() && operand->call.has_value()) {
      row.node = function.instructions[operand->call].node;
    }
  }
  return row;
}

/// The path from `operand` up to its users, with the other operands.
auto compare(const Deduction& deduction, OperandId operand, SpecNodeId node, OperandId reason)
    -> std::vector<Problem::Row> {
  constexpr size_t kLevels = 3;
  std::vector<OperandId> path = {operand};
  while (reason.has_value() && path.size() <= kLevels) {
    // The several results of a call are no level of their own.
    if (deduction.operands[reason].value.has_value()) {
      path.push_back(reason);
    }
    reason = deduction.operands[reason].reason;
  }
  auto row = [&](OperandId shown, SpecNodeId spec, uint32_t depth) {
    return row_of(shown.has_value() ? &deduction.operands[shown] : nullptr, deduction.function,
                  spec, depth);
  };
  std::vector<Problem::Row> rows;
  std::vector<Problem::Row> behind;
  for (size_t i = path.size(); i-- > 0;) {
    const auto depth = static_cast<uint32_t>(path.size() - 1 - i);
    const SpecNodeId spec = i == 0 ? node : deduction.operands[path[i]].node;
    rows.push_back(row(path[i], spec, depth));
    rows.back().is_different = i == 0;
    if (i == 0) {
      break;
    }
    // A result of a call shows what the call has.
    const bool is_result = deduction.operands[path[i]].term.kind == TermKind::Extract;
    const Operand& parent = is_result ? deduction.operands[deduction.operands[path[i]].children[0]]
                                      : deduction.operands[path[i]];
    std::span<const SpecNodeId> wanted = deduction.spec.children(spec);
    if (is_result && !wanted.empty()) {
      wanted = deduction.spec.children(wanted[0]);
    }
    const SpecNodeId next = i == 1 ? node : deduction.operands[path[i - 1]].node;
    bool is_before = true;
    std::vector<Problem::Row> after;
    for (size_t child = 0; child < parent.children.size() && child < wanted.size(); ++child) {
      if (is_before && parent.children[child] == path[i - 1] && wanted[child] == next) {
        is_before = false;
        continue;
      }
      (is_before ? rows : after).push_back(row(parent.children[child], wanted[child], depth + 1));
    }
    behind.insert(behind.begin(), after.begin(), after.end());
  }
  rows.insert(rows.end(), behind.begin(), behind.end());
  return rows;
}

/// The syntax of the operand of `user` that should be `wanted`: what to point at.
auto operand_node(const Deduction& deduction, OperandId user, OperandId operand, SpecNodeId wanted)
    -> uint32_t {
  const Operand& data = deduction.operands[user];
  const hir::InstructionId id =
      data.value.has_value() ? deduction.function.values[data.value].definition : data.call;
  const Instruction& instruction = deduction.function.instructions[id];
  // One value may be several operands.
  size_t child = 0;
  std::span<const SpecNodeId> nodes =
      data.node.has_value() ? deduction.spec.children(data.node) : std::span<const SpecNodeId>();
  while (child < data.children.size() &&
         !(data.children[child] == operand && (child >= nodes.size() || nodes[child] == wanted))) {
    ++child;
  }
  if (data.is_choice() && child > 0 && child < 3) {
    const uint32_t stored =
        deduction.function.operand_nodes[instruction.operands.begin + child - 1];
    if (stored != hir::kNoNode) {
      return stored;
    }
  }
  if (syntax::Node found = operand_syntax(deduction, instruction, operand, child)) {
    return found.index();
  }
  const hir::ValueId value = deduction.operands[operand].value;
  return value.has_value() ? deduction.function.values[value].node : instruction.node;
}

/// Where the text has operand `n` of what is computed, or the argument `operand` of a call; none if
/// the text does not show it.
static auto operand_syntax(const Deduction& deduction, const Instruction& instruction,
                           OperandId operand, size_t n) -> syntax::Node {
  using syntax::Field;
  syntax::Node node(&deduction.tree, instruction.node);
  const hir::Opcode opcode = instruction.opcode;
  if (opcode == hir::Opcode::Binary) {
    return n < 2 ? node.child(n == 0 ? Field::Left : Field::Right) : syntax::Node();
  }
  if (opcode == hir::Opcode::Unary) {
    return node.child(Field::Operand);
  }
  if (opcode == hir::Opcode::Cast) {
    return node.child(Field::Value);
  }
  if (opcode == hir::Opcode::Index) {
    return n < 2 ? node.child(n == 0 ? Field::Array : Field::Index) : syntax::Node();
  }
  if (opcode == hir::Opcode::Pattern) {
    const auto body = deduction.context.get<check::BodyOf>(deduction.function.item);
    const hir::Pattern cut = hir::pattern_of(deduction.context, node, body->names);
    return n < cut.operands.size() ? cut.operands[n] : syntax::Node();
  }
  if (opcode != hir::Opcode::Call && opcode != hir::Opcode::EncodeCall) {
    return {};
  }
  while (!node.is(syntax::NodeKind::CallExpression)) {
    node = node.child(node.is(syntax::NodeKind::CallStatement) ? Field::Call : Field::Value);
    if (!node) {
      return {};
    }
  }
  std::vector<syntax::Node> written;
  for (Field list : {Field::Template, Field::Arguments}) {
    for (syntax::Node argument : node.child(list).children()) {
      if (syntax::is_named(argument.kind())) {
        written.push_back(argument);
      }
    }
  }
  std::span<const hir::ValueId> given = deduction.function.operands_of(instruction);
  given = given.subspan(instruction.opcode == hir::Opcode::EncodeCall ? 1 : 0);
  if (given.size() != written.size()) {
    return {};  // records were expanded
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (operand_of(deduction, given[i]) == operand) {
      return written[i];
    }
  }
  return {};
}

}  // namespace tacet::infer
