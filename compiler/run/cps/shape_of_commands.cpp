#include <algorithm>

#include "compiler/run/cps/formula.h"
#include "compiler/run/cps/shape_checker.h"

namespace tacet::cps {

void ShapeChecker::constant(const Command& command, ValueId result) {
  counts(command, 0, 1);
  if (!fault_.empty()) {
    return;
  }
  uint64_t n = 1;
  for (uint64_t extent : type(result).shape) {
    n *= extent;
  }
  want(type(result).kind == TypeKind::Value && command.cells.size() == n,
       "another number of cells than its type has");
}

void ShapeChecker::operation(const Command& command, std::span<const ValueId> operands,
                             ValueId result) {
  const types::OperatorScheme& scheme = types::scheme_of(command.op);
  counts(command, command.opcode == Opcode::Unary ? 1 : 2, 1);
  want(scheme.arity == command.operands.size(), "`{}` of {} operands", scheme.name,
       command.operands.size());
  if (!fault_.empty()) {
    return;
  }
  all_values(operands);
  all_values(std::array{result});
  const engine::ElementType element = type(operands[0]).element;
  std::vector<uint64_t> shape;
  for (ValueId operand : operands) {
    want(type(operand).element == element, "operands of different kinds");
    want(type(operand).shape.empty() || shape.empty() || type(operand).shape == shape,
         "operands of different shapes");
    shape = shape.empty() ? type(operand).shape : shape;
  }
  want(types::takes(scheme.operands, static_cast<types::DType>(element.kind)),
       "an operand that `{}` does not take", scheme.name);
  const engine::ElementType given =
      scheme.result == types::OperatorResult::Boolean ? engine::kBool : element;
  want(type(result).element == given && type(result).shape == shape,
       "a result of another type than `{}` has", scheme.name);
}

void ShapeChecker::array(const Command& command, std::span<const ValueId> operands,
                         ValueId result) {
  counts(command, command.opcode == Opcode::Index ? 2 : operands.size(), 1);
  if (!fault_.empty()) {
    return;
  }
  all_values(operands);
  all_values(std::array{result});
  const Type& whole = command.opcode == Opcode::Index ? type(operands[0]) : type(result);
  want(!whole.shape.empty(), "no array");
  if (!fault_.empty()) {
    return;
  }
  Type part = whole;
  part.shape.erase(part.shape.begin());
  if (command.opcode == Opcode::Index) {
    want(type(result) == part, "a result of another type than the elements");
    want(engine::is_integer(type(operands[1]).element.kind) && type(operands[1]).shape.empty(),
         "an index that is not an integer");
    return;
  }
  want(whole.shape.front() == operands.size(), "another number of elements");
  for (ValueId operand : operands) {
    want(type(operand) == part, "an element of another type");
  }
}

void ShapeChecker::formula(const Command& command, std::span<const ValueId> operands,
                           ValueId result) {
  counts(command, operands.size(), 1);
  want(command.formula.index < program_.formulas.size(), "an unknown formula");
  if (!fault_.empty()) {
    return;
  }
  std::vector<Type> given;
  for (ValueId operand : operands) {
    given.push_back(type(operand));
  }
  FormulaTypes types = formula_types(program_, program_.formulas[command.formula], given);
  want(types.fault.empty(), "{}", types.fault);
  if (fault_.empty()) {
    want(type(result) == types.of_node.back(), "`{}` for what is `{}`", text(result),
         type_text(types.of_node.back()));
  }
}

void ShapeChecker::memory(const Command& command, std::span<const ValueId> operands,
                          ValueId result) {
  const bool is_new = command.opcode == Opcode::Allocate;
  const bool has_result = command.opcode != Opcode::Release && command.opcode != Opcode::Store;
  counts(command, is_new ? 0 : command.opcode == Opcode::Store ? 2 : 1, has_result ? 1 : 0);
  if (!fault_.empty()) {
    return;
  }
  const ValueId about = is_new ? result : operands[0];
  const TypeKind kind = type(about).kind;
  const bool is_reference = kind == TypeKind::Reference || kind == TypeKind::MutableReference;
  if (is_new || command.opcode == Opcode::Release) {
    want(kind == TypeKind::Variable, "`{}` is not a variable", text(about));
  } else if (command.opcode == Opcode::Borrow) {
    want(kind == TypeKind::Variable && (is(result, TypeKind::Reference, about) ||
                                        is(result, TypeKind::MutableReference, about)),
         "`{}` is not a reference to `{}`", text(result), text(about));
  } else if (command.opcode == Opcode::Load) {
    want(is_reference && is(result, TypeKind::Value, about), "`{}` is not what `{}` refers to",
         text(result), text(about));
  } else {
    want(kind == TypeKind::MutableReference && is(operands[1], TypeKind::Value, about),
         "`{}` cannot be stored to `{}`", text(operands[1]), text(about));
  }
}

void ShapeChecker::kernel(const Command& command, std::span<const ValueId> operands) {
  want(command.kernel.index < program_.kernels.size(), "an unknown kernel");
  if (!fault_.empty()) {
    return;
  }
  const Kernel& kernel = program_.kernels[command.kernel];
  want(!kernel.draws || program_.functions[funclet_.function].draws,
       "a call of what draws, in a function that does not");
  const bool is_encoded = command.opcode == Opcode::EncodeRun;
  const size_t first = (is_encoded ? 1 : 0) + size_t{command.n_dims};
  want(operands.size() == first + kernel.parameters.size() &&
           command.results.size() == kernel.results.size(),
       "another number of arguments or results than the kernel has");
  if (!fault_.empty()) {
    return;
  }
  if (is_encoded) {
    want(type(operands[0]).kind == TypeKind::Encoder, "no encoder");
  }
  for (size_t i = is_encoded ? 1 : 0; i < first; ++i) {
    want(type(operands[i]).kind == TypeKind::Value && type(operands[i]).shape.empty(),
         "a grid that is not a number");
  }
  auto as_there = [&](TypeId type) {
    const Type& plain = program_.types[type];
    return is_encoded ? of_kind(plain, TypeKind::Remote) : plain;
  };
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    want(type(operands[first + i]) == as_there(kernel.parameters[i]),
         "argument {} is of another type", i + 1);
  }
  for (uint32_t i = 0; i < kernel.results.size(); ++i) {
    want(type({command.results.begin + i}) == as_there(kernel.results[i]),
         "result {} is of another type", i + 1);
  }
}

void ShapeChecker::remote(const Command& command, std::span<const ValueId> operands,
                          ValueId result) {
  const size_t n_operands = command.opcode == Opcode::EncodeBegin  ? 0
                            : command.opcode == Opcode::EncodeCopy ? 2
                                                                   : 1;
  counts(command, n_operands, command.opcode == Opcode::Await ? 0 : 1);
  if (!fault_.empty()) {
    return;
  }
  if (command.opcode == Opcode::EncodeBegin) {
    want(type(result).kind == TypeKind::Encoder, "no encoder");
  } else if (command.opcode == Opcode::EncodeCopy) {
    want(type(operands[0]).kind == TypeKind::Encoder && type(operands[1]).kind == TypeKind::Value &&
             is(result, TypeKind::Remote, operands[1]),
         "a copy of another type");
  } else if (command.opcode == Opcode::Submit) {
    want(type(operands[0]).kind == TypeKind::Encoder && type(result).kind == TypeKind::Future,
         "what is submitted is an encoder, and gives a future");
  } else if (command.opcode == Opcode::Await) {
    want(type(operands[0]).kind == TypeKind::Future, "what is awaited is a future");
  } else {
    want(type(operands[0]).kind == TypeKind::Remote && is(result, TypeKind::Value, operands[0]),
         "what is brought here is of another type");
  }
}

}  // namespace tacet::cps
