#include "compiler/core/syntax/concatenation.h"
#include "compiler/run/interpret/element_type.h"
#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeKind;

void unary_expression(FunctionLowering& lowering, Node node, Slot target) {
  Node operand = node.child(Field::Operand);
  NodeKind operation = node.child(Field::Operator).kind();
  Scope scope(lowering.builder);
  if (operation == NodeKind::Amp) {
    Node variable = bare(operand);
    const names::Local* local = lowering.text.body->names.local(variable.index());
    if (types(lowering)[type_of(lowering, variable)].kind == TypeKind::Reference) {
      into(lowering, variable, target);  // `&r` of a reference is the reference
    } else if (local != nullptr) {
      lowering.builder.emit(
          Opcode::Reference,
          {target.index,
           lowering.locals[lowering.text.body->names.of(variable.index()).index()].slot.index});
    } else {
      unsupported(lowering, node, "a reference to something that is not a variable");
    }
    return;
  }
  Slot source = value(lowering, operand);
  lowering.builder.set_place(lowering.text.place(node));
  auto n = static_cast<uint32_t>(cells(lowering, node));
  if (operation == NodeKind::Star) {
    lowering.builder.emit(Opcode::Load, {target.index, source.index, n});
    return;
  }
  const Opcode opcode = operation == NodeKind::Minus  ? Opcode::Negate
                        : operation == NodeKind::Bang ? Opcode::Not
                                                      : Opcode::Complement;
  elementwise(lowering, n, 1, 0, opcode, element(lowering, node), {target.index, source.index});
}

auto opcode_of(NodeKind operation) -> std::optional<Opcode> {
  // Both sides of `&&` and `||` are evaluated.
  static constexpr std::pair<NodeKind, Opcode> kOpcodes[] = {
      {NodeKind::Plus, Opcode::Add},
      {NodeKind::Minus, Opcode::Sub},
      {NodeKind::Star, Opcode::Mul},
      {NodeKind::Slash, Opcode::Div},
      {NodeKind::Percent, Opcode::Rem},
      {NodeKind::Amp, Opcode::And},
      {NodeKind::AmpAmp, Opcode::And},
      {NodeKind::Pipe, Opcode::Or},
      {NodeKind::PipePipe, Opcode::Or},
      {NodeKind::Caret, Opcode::Xor},
      {NodeKind::LessLess, Opcode::Shl},
      {NodeKind::GreaterGreater, Opcode::Shr},
      {NodeKind::GreaterGreaterGreater, Opcode::ShrArithmetic},
      {NodeKind::Less, Opcode::Less},
      {NodeKind::LessEqual, Opcode::LessEqual},
      {NodeKind::Greater, Opcode::Greater},
      {NodeKind::GreaterEqual, Opcode::GreaterEqual},
      {NodeKind::EqualEqual, Opcode::Equal},
      {NodeKind::NotEqual, Opcode::NotEqual},
  };
  for (const auto& [token, opcode] : kOpcodes) {
    if (token == operation) {
      return opcode;
    }
  }
  return std::nullopt;
}

/// The opcode of an operator without its faults.
static auto total(Opcode opcode) -> Opcode {
  const int first = static_cast<int>(Opcode::Add);
  const auto operation = static_cast<engine::BinaryOperation>(static_cast<int>(opcode) - first);
  return static_cast<Opcode>(static_cast<int>(engine::total(operation)) + first);
}

/// An operand in the type that its operator works on.
auto promoted(FunctionLowering& lowering, Node operand, ElementType wanted) -> Slot {
  operand = bare(operand);
  ElementType from = element(lowering, operand);
  Slot source = value(lowering, operand);
  if (from == wanted) {
    return source;
  }
  uint64_t n = cells(lowering, operand);
  Slot target = lowering.builder.allocate(n);
  lowering.builder.set_place(lowering.text.place(operand));
  elementwise(lowering, n, 1, 0, Opcode::Cast, wanted,
              {target.index, source.index, static_cast<uint32_t>(from.kind), from.fraction_bits});
  return target;
}

void binary_expression(FunctionLowering& lowering, Node node, Slot target) {
  if (syntax::is_concatenation(node)) {
    concatenation(lowering, node, syntax::concatenated(node), target);
    return;
  }
  Node left = bare(node.child(Field::Left));
  Node right = bare(node.child(Field::Right));
  std::optional<Opcode> opcode = opcode_of(node.child(Field::Operator).kind());
  if (!opcode) {
    unsupported(lowering, node, "this operator");
    return;
  }
  ElementType type = element(lowering, left);
  // An integer beside a fixed-point number becomes one.
  if (element(lowering, right).kind == ElementKind::Fxp) {
    type = element(lowering, right);
  }
  Scope scope(lowering.builder);
  Slot left_slot = promoted(lowering, left, type);
  Slot right_slot = promoted(lowering, right, type);
  auto stride = [&](Node operand) -> uint32_t {
    return extents(types(lowering), type_of(lowering, operand)).empty() ? 0 : 1;
  };
  lowering.builder.set_place(lowering.text.place(node));
  if (hides_faults(lowering, node, right)) {
    opcode = total(*opcode);
  }
  elementwise(lowering, cells(lowering, node), stride(left), stride(right), *opcode, type,
              {target.index, left_slot.index, right_slot.index});
}

}  // namespace tacet::interpret
