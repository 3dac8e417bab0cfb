#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/deduction.h"
#include "compiler/spec/infer/written_parameters.h"

namespace tacet::infer {

using hir::Instruction;
using hir::Opcode;
using hir::ValueId;

auto TermHash::operator()(const Term& term) const -> size_t {
  uint64_t hash = hash_combine(static_cast<uint64_t>(term.kind), static_cast<uint64_t>(term.op));
  hash = hash_combine(hash, term.number);
  hash = hash_combine(hash, term.item.index);
  hash = hash_combine(hash, term.text.index);
  return static_cast<size_t>(hash_combine(hash, term.type.index));
}

static auto is_value(const types::TypeStore& types, const hir::Function& function, ValueId value)
    -> bool {
  // What is computed from holes alone has no type yet.
  const types::TypeId type = function.values[value].type;
  return hir::is_value(types, type) || type == types::TypeStore::kError;
}

static void set_children(Operands& operands, OperandId operand, std::vector<OperandId> children) {
  for (OperandId child : children) {
    if (child.has_value()) {
      operands[child].users.push_back(operand);
    }
  }
  operands[operand].children = std::move(children);
}

static void make_operand(Deduction& deduction, const hir::Instruction& instruction,
                         hir::InstructionId id, hir::BlockId block);
static void make_hole(Deduction& deduction, const hir::Instruction& instruction);
static void make_choice(Deduction& deduction, const hir::Instruction& instruction,
                        hir::BlockId block);
static void make_call(Deduction& deduction, const hir::Instruction& instruction,
                      hir::InstructionId id);

void make_operands(Deduction& deduction) {
  deduction.of_value.resize(deduction.function.values.size());
  deduction.of_call.resize(deduction.function.instructions.size());
  deduction.split_of.resize(deduction.function.blocks.size());
  for (uint32_t i = 0; i < deduction.function.blocks.size(); ++i) {
    const hir::Terminator& terminator = deduction.function.blocks[hir::BlockId{i}].terminator;
    if (terminator.kind == hir::TerminatorKind::Branch) {
      deduction.split_of[terminator.join.index] = {i};
    }
  }
  for (uint32_t i = 0; i < deduction.function.blocks.size(); ++i) {
    for (hir::InstructionId id : deduction.function.blocks[hir::BlockId{i}].instructions) {
      make_operand(deduction, deduction.function.instructions[id], id, {i});
    }
  }
}

/// The value that `instruction` only passes on, or none.
static auto passed_on(query::Context& context, const hir::Function& function,
                      const Instruction& instruction) -> ValueId {
  std::span<const ValueId> given = function.operands_of(instruction);
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::EncodeCopy) {
    return given[1];
  }
  const bool is_same = opcode == Opcode::Copy || opcode == Opcode::Borrow ||
                       (opcode == Opcode::Written && !writes_through(context, instruction));
  return is_same ? given[0] : ValueId();
}

static auto is_compared(Opcode opcode) -> bool {
  return opcode != Opcode::Update && opcode != Opcode::Choose && opcode != Opcode::Peek &&
         opcode != Opcode::Overwritten && opcode != Opcode::Opaque;
}

/// The term of what a specification can say of its own: `Opaque` for everything else.
static auto term_of_instruction(query::Context& context, const hir::Function& function,
                                const syntax::Tree& tree, const Instruction& instruction) -> Term {
  Term term;
  const Opcode opcode = instruction.opcode;
  if (opcode == Opcode::Dimension) {
    term.kind = TermKind::Dimension;
    term.number = instruction.number;
  } else if (opcode == Opcode::Literal) {
    term.kind = TermKind::Literal;
    term.text = context.service<Interner>().intern(literal_text(
        context.service<types::TypeStore>(), function.values[function.result_of(instruction)].type,
        syntax::Node(&tree, instruction.node).text()));
  } else if (opcode == Opcode::Constant) {
    term = constant_term(context, instruction.item,
                         function.values[function.result_of(instruction)].type);
  } else if (opcode == Opcode::Unary || opcode == Opcode::Binary) {
    term.kind = opcode == Opcode::Unary ? TermKind::Unary : TermKind::Binary;
    term.op = instruction.op;
  } else if (opcode == Opcode::Cast) {
    term.kind = TermKind::Cast;
    term.type = function.values[function.result_of(instruction)].type;
  } else if (opcode == Opcode::Pattern) {
    term.kind = TermKind::Pattern;
    term.text = instruction.pattern;
  } else if (opcode == Opcode::Array) {
    term.kind = TermKind::Array;
  } else if (opcode == Opcode::Index) {
    term.kind = TermKind::Index;
  }
  return term;
}

static auto computation_of(const Instruction& instruction, TermKind kind) -> Computation {
  if (instruction.opcode == Opcode::Written) {
    return Computation::Unknown;
  }
  if (!is_compared(instruction.opcode)) {
    return Computation::NotCompared;
  }
  // An operator without operands is a mistake.
  const bool is_leaf = kind == TermKind::Dimension || kind == TermKind::Literal ||
                       kind == TermKind::Constant || kind == TermKind::Pattern;
  const bool has_term = kind != TermKind::Opaque && (is_leaf || instruction.operands.size() > 0);
  return has_term ? Computation::Term : Computation::Unspecified;
}

static void make_operand(Deduction& deduction, const Instruction& instruction,
                         hir::InstructionId id, hir::BlockId block) {
  if (instruction.opcode == Opcode::Call || instruction.opcode == Opcode::EncodeCall) {
    make_call(deduction, instruction, id);
    return;
  }
  if (instruction.opcode == Opcode::Hole) {
    make_hole(deduction, instruction);
    return;
  }
  if (instruction.results.size() != 1 ||
      !is_value(deduction.types, deduction.function, deduction.function.result_of(instruction))) {
    return;
  }
  if (instruction.opcode == Opcode::Phi) {
    make_choice(deduction, instruction, block);
    return;
  }
  const ValueId result = deduction.function.result_of(instruction);
  if (const ValueId original = passed_on(deduction.context, deduction.function, instruction);
      original.has_value()) {
    deduction.of_value[result.index] = operand_of(deduction, original);
    return;
  }
  Operand operand;
  operand.value = result;
  operand.term =
      term_of_instruction(deduction.context, deduction.function, deduction.tree, instruction);
  operand.computation = computation_of(instruction, operand.term.kind);
  if (operand.has_term() && instruction.opcode != Opcode::Dimension) {
    operand.expectation = Expectation::Required;
  }
  std::vector<OperandId> children;
  if (operand.has_term() || operand.computation == Computation::NotCompared) {
    for (ValueId given : deduction.function.operands_of(instruction)) {
      children.push_back(operand_of(deduction, given));
    }
  }
  deduction.of_value[result.index] = deduction.operands.add(std::move(operand));
  set_children(deduction.operands, deduction.of_value[result.index], std::move(children));
}

/// Whatever will be there.
static void make_hole(Deduction& deduction, const Instruction& instruction) {
  deduction.result.has_holes = true;
  for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
    Operand hole;
    hole.value = {v};
    deduction.of_value[v] = is_value(deduction.types, deduction.function, {v})
                                ? deduction.operands.add(std::move(hole))
                                : OperandId();
  }
}

/// What an `if` yields, or leaves in a variable: a choice by its condition.
static void make_choice(Deduction& deduction, const Instruction& instruction, hir::BlockId block) {
  const ValueId result = deduction.function.result_of(instruction);
  std::span<const ValueId> operands = deduction.function.operands_of(instruction);
  const hir::BlockId split = deduction.split_of[block.index];
  if (operands.size() != 2 || !split.has_value()) {
    deduction.of_value[result.index] = deduction.operands.add({});
    return;
  }
  Operand choice;
  choice.value = result;
  choice.computation = Computation::Choice;
  // One value on both branches may be that value, or a choice that the specification spells out.
  if (operand_of(deduction, operands[0]) != operand_of(deduction, operands[1])) {
    choice.expectation = Expectation::Required;
  }
  choice.term.kind = TermKind::Select;
  deduction.of_value[result.index] = deduction.operands.add(std::move(choice));
  const ValueId condition = deduction.function.blocks[split].terminator.condition;
  set_children(deduction.operands, deduction.of_value[result.index],
               {operand_of(deduction, condition), operand_of(deduction, operands[0]),
                operand_of(deduction, operands[1])});
}

/// Grid and arguments in the order in which the callee's specification has its inputs. Those that
/// it does not know are left out, those that are not given are none.
static auto arrange(Deduction& deduction, const Instruction& call,
                    const types::Signature& signature, const Interface* interface)
    -> std::vector<OperandId> {
  std::span<const ValueId> operands = deduction.function.operands_of(call);
  if (call.opcode == Opcode::EncodeCall) {
    operands = operands.subspan(1);
  }
  std::vector<OperandId> children;
  for (uint32_t i = 0; i < call.n_dims && i < operands.size(); ++i) {
    children.push_back(operand_of(deduction, operands[i]));
  }
  operands = operands.subspan(std::min<size_t>(call.n_dims, operands.size()));
  if (interface == nullptr) {
    for (ValueId operand : operands) {
      children.push_back(operand_of(deduction, operand));
    }
    return children;
  }
  const auto val = interface->spec.has_value()
                       ? deduction.context.get<types::SignatureOf>(interface->spec)
                       : nullptr;
  const size_t begin = children.size();
  children.resize(begin + (val ? val->parameters.size() : signature.parameters.size()));
  for (size_t i = 0; i < operands.size() && i < interface->parameter_quotients.size(); ++i) {
    const PortQuotient& port = interface->parameter_quotients[i];
    if (port.kind == PortQuotient::Kind::Ordinal && begin + port.number < children.size()) {
      children[begin + port.number] = operand_of(deduction, operands[i]);
    } else if (port.kind == PortQuotient::Kind::Dropped &&
               operand_of(deduction, operands[i]).has_value()) {
      deduction.operands[operand_of(deduction, operands[i])].is_left_out = true;
    }
  }
  return children;
}

static void make_call(Deduction& deduction, const Instruction& instruction, hir::InstructionId id) {
  const auto signature = deduction.context.get<types::SignatureOf>(instruction.item);
  if (!signature) {
    return;
  }
  const auto interface = signature->kind == names::ItemKind::Fn
                             ? deduction.context.get<InterfaceOf>(instruction.item)
                             : nullptr;
  Operand call;
  call.call = id;
  // A member of a class computes what the class does, whether or not it says which specification.
  const bool has_own = signature->kind != names::ItemKind::Fn ||
                       (signature->is_device_function && !signature->val.has_value());
  const names::ItemId computed = has_own ? instruction.item : signature->val;
  bool has_values = false;
  for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
    has_values = has_values || is_value(deduction.types, deduction.function, {v});
  }
  if (computed.has_value()) {
    call.term.kind = TermKind::Call;
    call.term.item = class_of(deduction.context, computed);
    call.computation = Computation::Term;
    call.expectation = has_values ? Expectation::Required : Expectation::Optional;
  }
  const OperandId call_operand = deduction.operands.add(std::move(call));
  deduction.of_call[id.index] = call_operand;
  set_children(deduction.operands, call_operand,
               arrange(deduction, instruction, *signature, interface.get()));
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    const ValueId value = deduction.function.result_of(instruction, i);
    if (!is_value(deduction.types, deduction.function, value)) {
      continue;
    }
    Operand given;
    given.value = value;
    given.call = id;
    given.port = i;
    given.term.kind = TermKind::Extract;
    given.term.number = i;
    if (computed.has_value()) {
      given.computation = Computation::Term;
      given.expectation = Expectation::Required;
    }
    if (interface && i < interface->result_quotients.size()) {
      const PortQuotient& port = interface->result_quotients[i];
      given.term.number = port.kind == PortQuotient::Kind::Ordinal ? port.number : ~0U;
      if (port.kind == PortQuotient::Kind::None || port.kind == PortQuotient::Kind::Dropped) {
        given.expectation = Expectation::Absent;
      }
    }
    deduction.of_value[value.index] = deduction.operands.add(std::move(given));
    set_children(deduction.operands, deduction.of_value[value.index], {call_operand});
  }
}

}  // namespace tacet::infer
