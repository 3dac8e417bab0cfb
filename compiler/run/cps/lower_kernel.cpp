#include "compiler/front/hir/pattern.h"
#include "compiler/run/cps/lower_formula.h"
#include "compiler/run/cps/lowering.h"

// What the host or a device computes in one go: externs, device functions, array expressions.

namespace tacet::cps {

using hir::Instruction;
using hir::InstructionId;
using syntax::Field;

/// A call of an extern, here or on a device.
void FunctionLowering::kernel(const Instruction& instruction, InstructionId id) {
  const bool is_encoded = instruction.opcode == hir::Opcode::EncodeCall;
  Command command;
  command.opcode = is_encoded ? Opcode::EncodeRun : Opcode::Run;
  command.kernel = program_.kernel_of(instruction.item);
  command.n_dims = instruction.n_dims;
  syntax::Node at = node(instruction.node);
  if (is_encoded) {
    at = at.child(Field::Value);
    at = at.is(syntax::NodeKind::TaggedExpression) ? at.child(Field::Value) : at;
  }
  command.source = source(at);
  command.draw = number_of_draw(draws_, at.index());
  if (quotients_ && quotients_->of_call[id.index].has_value()) {
    command.node = {QuotientKind::Node, quotients_->of_call[id.index].index};
  }
  const Kernel kernel = program_.program().kernels[command.kernel];
  std::vector<ValueId> operands;
  std::span<const hir::ValueId> given = function_->operands_of(instruction);
  const size_t first = is_encoded ? 1 : 0;
  for (size_t i = 0; i < given.size(); ++i) {
    if (is_encoded && (i == 0 || i >= first + instruction.n_dims)) {
      operands.push_back(any(given[i]));
      continue;
    }
    const ValueId value = local(given[i]);
    const size_t port = i - first - instruction.n_dims;
    operands.push_back(i >= first + instruction.n_dims && port < kernel.parameters.size()
                           ? convert(value, kernel.parameters[port])
                           : value);
  }
  std::vector<Value> results;
  std::vector<Quotient> said;
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    results.push_back(result_value(instruction, i));
    said.push_back(results.back().tags.val.quotient);
    if (!follows(said.back(), command.node, instruction, i)) {
      results.back().tags.val.quotient = {};
    }
  }
  const ValueId result = emit(command, operands, results);
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    values_[instruction.results.begin + i] = proven({result.index + i}, said[i]);
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
void FunctionLowering::formula(const Instruction& instruction) {
  const syntax::Node root = node(instruction.node);
  const names::BodyNames& names = program_.snapshot().body(item_)->names;
  const bool is_update = instruction.opcode == hir::Opcode::Update;
  const std::vector<syntax::Node> given =
      is_update ? mentions(root, names) : hir::pattern_operands(root, names);
  std::span<const hir::ValueId> operands = function_->operands_of(instruction);
  if (given.size() != operands.size()) {
    unsupported(root, "an assignment to an element that uses something that is not a value");
    return;
  }
  FormulaLowering lowering(program_, item_, FormulaSite::Function, given);
  std::optional<Formula> formula = lowering.lower(root);
  if (!formula) {
    unsupported(lowering.problem_node(), lowering.problem());
    return;
  }
  std::vector<ValueId> values;
  for (hir::ValueId operand : operands) {
    values.push_back(local(operand));
    if (kind(values.back()) != TypeKind::Value) {
      unsupported(root, "an assignment to an element that uses something that is not a value");
      return;
    }
  }
  Value value = result_value(instruction);
  const Quotient said = value.tags.val.quotient;
  if (is_update) {
    value.tags.val.quotient = {};  // no node of a specification is one
  }
  Command command;
  command.opcode = Opcode::Compute;
  command.formula = program_.program().formulas.add(std::move(*formula));
  command.source = source(root);
  set_result(instruction, proven(emit(command, values, {value}), said));
}

void FunctionLowering::encode_copy(const Instruction& instruction) {
  std::span<const hir::ValueId> operands = function_->operands_of(instruction);
  Value value = result_value(instruction);
  const TypeId here = program_.type(function_->values[function_->result_of(instruction)].type);
  const ValueId copied = convert(local(operands[1]), here);
  Command command;
  command.opcode = Opcode::EncodeCopy;
  command.is_public = instruction.is_public;
  command.source = source(instruction.node);
  value.tags.val.quotient = inside(funclet().values[copied].tags.val.quotient);
  const ValueId result = emit(command, {any(operands[0]), copied}, {value});
  set_result(instruction, proven(result, quotient(function_->result_of(instruction))));
}

}  // namespace tacet::cps
