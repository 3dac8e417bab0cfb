#include "compiler/front/hir/pattern.h"
#include "compiler/run/cps/lower_formula.h"
#include "compiler/run/cps/lowering.h"

// What the host or a device computes in one go: externs, device functions, array expressions.

namespace tacet::cps {

using hir::Instruction;
using hir::InstructionId;
using syntax::Field;

/// A call of an extern, here or on a device.
void kernel(FunctionLowering& lowering, const Instruction& instruction, InstructionId id) {
  const bool is_encoded = instruction.opcode == hir::Opcode::EncodeCall;
  Command command;
  command.opcode = is_encoded ? Opcode::EncodeRun : Opcode::Run;
  command.kernel = lowering.program.kernel_of(instruction.item);
  command.n_dims = instruction.n_dims;
  syntax::Node at = node_at(lowering, instruction.node);
  if (is_encoded) {
    at = at.child(Field::Value);
    at = at.is(syntax::NodeKind::TaggedExpression) ? at.child(Field::Value) : at;
  }
  command.source = source(lowering, at);
  command.draw = number_of_draw(lowering.draws, at.index());
  if (lowering.quotients && lowering.quotients->of_call[id.index].has_value()) {
    command.node = {QuotientKind::Node, lowering.quotients->of_call[id.index].index};
  }
  const Kernel kernel = lowering.program.program().kernels[command.kernel];
  std::vector<ValueId> operands;
  std::span<const hir::ValueId> given = lowering.function->operands_of(instruction);
  const size_t first = is_encoded ? 1 : 0;
  for (size_t i = 0; i < given.size(); ++i) {
    if (is_encoded && (i == 0 || i >= first + instruction.n_dims)) {
      operands.push_back(any(lowering, given[i]));
      continue;
    }
    const ValueId value = local(lowering, given[i]);
    const size_t port = i - first - instruction.n_dims;
    operands.push_back(i >= first + instruction.n_dims && port < kernel.parameters.size()
                           ? convert(lowering, value, kernel.parameters[port])
                           : value);
  }
  std::vector<Value> results;
  std::vector<Quotient> said;
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    results.push_back(result_value(lowering, instruction, i));
    said.push_back(results.back().tags.val.quotient);
    if (!follows(lowering, said.back(), command.node, instruction, i)) {
      results.back().tags.val.quotient = {};
    }
  }
  const ValueId result = emit(lowering, command, operands, results);
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    lowering.values[instruction.results.begin + i] = proven(lowering, {result.index + i}, said[i]);
  }
}

/// The variables that an assignment to an element mentions, in the order of the text.
static auto mentions(syntax::Node assignment, const names::BodyNames& names)
    -> std::vector<syntax::Node> {
  std::vector<syntax::Node> result;
  for (uint32_t i = assignment.index(); i < assignment.subtree_end(); ++i) {
    const names::Local* local = names.local(i);
    const bool is_own = local != nullptr && local->node != names::Local::kNone &&
                        local->node >= assignment.index() && local->node < assignment.subtree_end();
    if (local != nullptr && !is_own) {
      result.emplace_back(assignment.tree(), i);
    }
  }
  return result;
}

/// An array expression, or an assignment to an element of an array.
void formula(FunctionLowering& lowering, const Instruction& instruction) {
  const syntax::Node root = node_at(lowering, instruction.node);
  const names::BodyNames& names = lowering.program.snapshot().body(lowering.item)->names;
  const bool is_update = instruction.opcode == hir::Opcode::Update;
  const std::vector<syntax::Node> given =
      is_update ? mentions(root, names) : hir::pattern_operands(root, names);
  std::span<const hir::ValueId> operands = lowering.function->operands_of(instruction);
  if (given.size() != operands.size()) {
    unsupported(lowering, root,
                "an assignment to an element that uses something that is not a value");
    return;
  }
  FormulaLowering formula_lowering(lowering.program, lowering.item, FormulaSite::Function, given);
  std::optional<Formula> formula = formula_lowering.lower(root);
  if (!formula) {
    unsupported(lowering, formula_lowering.problem_node(), formula_lowering.problem());
    return;
  }
  std::vector<ValueId> values;
  for (hir::ValueId operand : operands) {
    values.push_back(local(lowering, operand));
    if (kind_of(lowering, values.back()) != TypeKind::Value) {
      unsupported(lowering, root,
                  "an assignment to an element that uses something that is not a value");
      return;
    }
  }
  Value value = result_value(lowering, instruction);
  const Quotient said = value.tags.val.quotient;
  if (is_update) {
    value.tags.val.quotient = {};  // no node of a specification is one
  }
  Command command;
  command.opcode = Opcode::Compute;
  command.formula = lowering.program.program().formulas.add(std::move(*formula));
  command.source = source(lowering, root);
  set_result(lowering, instruction,
             proven(lowering, emit(lowering, command, values, {value}), said));
}

void encode_copy(FunctionLowering& lowering, const Instruction& instruction) {
  std::span<const hir::ValueId> operands = lowering.function->operands_of(instruction);
  Value value = result_value(lowering, instruction);
  const TypeId here = lowering.program.type(
      lowering.function->values[lowering.function->result_of(instruction)].type);
  const ValueId copied = convert(lowering, local(lowering, operands[1]), here);
  Command command;
  command.opcode = Opcode::EncodeCopy;
  command.is_public = instruction.is_public;
  command.source = source(lowering, instruction.node);
  value.tags.val.quotient =
      inside(lowering, current_funclet(lowering).values[copied].tags.val.quotient);
  const ValueId result = emit(lowering, command, {any(lowering, operands[0]), copied}, {value});
  set_result(
      lowering, instruction,
      proven(lowering, result, quotient_of(lowering, lowering.function->result_of(instruction))));
}

}  // namespace tacet::cps
