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

auto Deduction::is_value(ValueId value) const -> bool {
  // What is computed from holes alone has no type yet.
  const types::TypeId type = function_.values[value].type;
  return hir::is_value(types_, type) || type == types::TypeStore::kError;
}

void Deduction::alias(ValueId value, ValueId original) {
  of_value_[value.index] = thing(original);
}

void Deduction::set_children(ThingId thing, std::vector<ThingId> children) {
  for (ThingId child : children) {
    if (child.has_value()) {
      things_[child].users.push_back(thing);
    }
  }
  things_[thing].children = std::move(children);
}

void Deduction::make_things() {
  of_value_.resize(function_.values.size());
  of_call_.resize(function_.instructions.size());
  split_of_.resize(function_.blocks.size());
  for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
    const hir::Terminator& terminator = function_.blocks[hir::BlockId{i}].terminator;
    if (terminator.kind == hir::TerminatorKind::Branch) {
      split_of_[terminator.join.index] = {i};
    }
  }
  for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
    for (hir::InstructionId id : function_.blocks[hir::BlockId{i}].instructions) {
      make_thing(function_.instructions[id], id, {i});
    }
  }
}

void Deduction::make_thing(const Instruction& instruction, hir::InstructionId id,
                           hir::BlockId block) {
  std::span<const ValueId> operands = function_.operands_of(instruction);
  if (instruction.opcode == Opcode::Call || instruction.opcode == Opcode::EncodeCall) {
    make_call(instruction, id);
    return;
  }
  if (instruction.opcode == Opcode::Hole) {
    // Whatever will be there.
    result_.has_holes = true;
    for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
      Thing hole;
      hole.value = {v};
      of_value_[v] = is_value({v}) ? things_.add(std::move(hole)) : ThingId();
    }
    return;
  }
  if (instruction.results.size() != 1 || !is_value(function_.result_of(instruction))) {
    return;
  }
  const ValueId result = function_.result_of(instruction);
  Thing thing;
  thing.value = result;
  std::vector<ThingId> children;
  switch (instruction.opcode) {
    case Opcode::Copy:
    case Opcode::Borrow:
      alias(result, operands[0]);
      return;
    case Opcode::EncodeCopy:
      alias(result, operands[1]);
      return;
    case Opcode::Written:
      if (!writes_through(context_, instruction)) {
        alias(result, operands[0]);
        return;
      }
      thing.is_unknown = true;
      break;
    case Opcode::Phi:
      make_phi(instruction, block);
      return;
    case Opcode::Dimension:
      thing.term.kind = TermKind::Dimension;
      thing.term.number = instruction.number;
      thing.has_term = true;
      break;
    case Opcode::Literal:
      thing.term.kind = TermKind::Literal;
      thing.term.text = context_.service<Interner>().intern(
          literal_text(syntax::Node(&tree_, instruction.node).text()));
      thing.has_term = thing.is_needed = true;
      break;
    case Opcode::Constant:
      thing.term = constant_term(context_, instruction.item);
      thing.has_term = thing.is_needed = true;
      break;
    case Opcode::Unary:
    case Opcode::Binary:
      thing.term.kind = instruction.opcode == Opcode::Unary ? TermKind::Unary : TermKind::Binary;
      thing.term.op = instruction.op;
      break;
    case Opcode::Cast:
      thing.term.kind = TermKind::Cast;
      thing.term.type = function_.values[result].type;
      break;
    case Opcode::Pattern:
      thing.term.kind = TermKind::Pattern;
      thing.term.text = instruction.pattern;
      thing.has_term = thing.is_needed = true;
      break;
    case Opcode::Update:
    case Opcode::Choose:
    case Opcode::Peek:
    case Opcode::Overwritten:
    case Opcode::Opaque:
      thing.is_opaque = true;
      break;
    case Opcode::Array:
      thing.term.kind = TermKind::Array;
      break;
    case Opcode::Index:
      thing.term.kind = TermKind::Index;
      break;
    default:
      break;  // parameters, holes, what has no value yet: anything
  }
  const bool has_term = !operands.empty() && thing.term.kind != TermKind::Opaque;
  thing.has_term = thing.has_term || has_term;
  thing.is_needed = thing.is_needed || has_term;
  if (has_term || thing.is_opaque) {
    for (ValueId operand : operands) {
      children.push_back(this->thing(operand));
    }
  }
  of_value_[result.index] = things_.add(std::move(thing));
  set_children(of_value_[result.index], std::move(children));
}

/// What an `if` yields, or leaves in a variable: a choice by its condition.
void Deduction::make_phi(const Instruction& instruction, hir::BlockId block) {
  const ValueId result = function_.result_of(instruction);
  std::span<const ValueId> operands = function_.operands_of(instruction);
  const hir::BlockId split = split_of_[block.index];
  if (operands.size() != 2 || !split.has_value()) {
    of_value_[result.index] = things_.add({});
    return;
  }
  Thing phi;
  phi.value = result;
  phi.is_phi = phi.has_term = true;
  // One value on both ways may be that value, or a choice that the specification spells out.
  phi.is_needed = thing(operands[0]) != thing(operands[1]);
  phi.term.kind = TermKind::Select;
  of_value_[result.index] = things_.add(std::move(phi));
  const ValueId condition = function_.blocks[split].terminator.condition;
  set_children(of_value_[result.index], {thing(condition), thing(operands[0]), thing(operands[1])});
}

/// Grid and arguments in the order in which the callee's specification has its inputs. Those that
/// it does not know are left out, those that are not given are none.
auto Deduction::arrange(const Instruction& call, const types::Signature& signature,
                        const Interface* interface) -> std::vector<ThingId> {
  std::span<const ValueId> operands = function_.operands_of(call);
  if (call.opcode == Opcode::EncodeCall) {
    operands = operands.subspan(1);
  }
  std::vector<ThingId> children;
  for (uint32_t i = 0; i < call.n_dims && i < operands.size(); ++i) {
    children.push_back(thing(operands[i]));
  }
  operands = operands.subspan(std::min<size_t>(call.n_dims, operands.size()));
  if (interface == nullptr) {
    for (ValueId operand : operands) {
      children.push_back(thing(operand));
    }
    return children;
  }
  const auto val =
      interface->spec.has_value() ? context_.get<types::SignatureOf>(interface->spec) : nullptr;
  const size_t begin = children.size();
  children.resize(begin + (val ? val->parameters.size() : signature.parameters.size()));
  for (size_t i = 0; i < operands.size() && i < interface->parameter_quotients.size(); ++i) {
    const PortQuotient& port = interface->parameter_quotients[i];
    if (port.kind == PortQuotient::Kind::Ordinal && begin + port.number < children.size()) {
      children[begin + port.number] = thing(operands[i]);
    } else if (port.kind == PortQuotient::Kind::Dropped && thing(operands[i]).has_value()) {
      things_[thing(operands[i])].is_left_out = true;
    }
  }
  return children;
}

void Deduction::make_call(const Instruction& instruction, hir::InstructionId id) {
  const auto signature = context_.get<types::SignatureOf>(instruction.item);
  if (!signature) {
    return;
  }
  const auto interface = signature->kind == names::ItemKind::Fn
                             ? context_.get<InterfaceOf>(instruction.item)
                             : nullptr;
  Thing call;
  call.call = id;
  // A member of a class computes what the class does, whether or not it says which specification.
  const bool has_own = signature->kind != names::ItemKind::Fn ||
                       (signature->is_device_function && !signature->val.has_value());
  const names::ItemId computed = has_own ? instruction.item : signature->val;
  bool has_values = false;
  for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
    has_values = has_values || is_value({v});
  }
  if (computed.has_value()) {
    call.term.kind = TermKind::Call;
    call.term.item = class_of(context_, computed);
    call.has_term = true;
    call.is_needed = has_values;
  }
  const ThingId call_thing = things_.add(std::move(call));
  of_call_[id.index] = call_thing;
  set_children(call_thing, arrange(instruction, *signature, interface.get()));
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    const ValueId value = function_.result_of(instruction, i);
    if (!is_value(value)) {
      continue;
    }
    Thing given;
    given.value = value;
    given.call = id;
    given.port = i;
    given.term.kind = TermKind::Extract;
    given.term.number = i;
    given.has_term = given.is_needed = computed.has_value();
    if (interface && i < interface->result_quotients.size()) {
      const PortQuotient& port = interface->result_quotients[i];
      given.term.number = port.kind == PortQuotient::Kind::Ordinal ? port.number : ~0U;
      given.is_none =
          port.kind == PortQuotient::Kind::None || port.kind == PortQuotient::Kind::Dropped;
      given.is_needed = given.is_needed && !given.is_none;
    }
    of_value_[value.index] = things_.add(std::move(given));
    set_children(of_value_[value.index], {call_thing});
  }
}

}  // namespace tacet::infer
