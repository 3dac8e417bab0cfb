#include <algorithm>

#include "compiler/run/cps/shape_checker.h"

namespace tacet::cps {

auto ShapeChecker::fits(TypeId from, TypeId to) const -> bool {
  const Type& given = program_.types[from];
  const Type& wanted = program_.types[to];
  return given == wanted ||
         (given.kind == TypeKind::MutableReference && wanted.kind == TypeKind::Reference &&
          of_kind(given, wanted.kind) == wanted);
}

void ShapeChecker::target(const Target& target, size_t n_more) {
  want(has(target.funclet), "an unknown funclet");
  if (!fault_.empty() || !are_defined(target.arguments)) {
    return;
  }
  const Funclet& next = program_.funclets[target.funclet];
  want(next.function == funclet_.function, "a funclet of another function");
  want(next.n_parameters == target.arguments.size() + n_more,
       "another number of arguments than the funclet takes");
  const std::span<const ValueId> given = funclet_.operands_of(target.arguments);
  for (uint32_t i = 0; i < given.size() && fault_.empty(); ++i) {
    want(fits(funclet_.values[given[i]].type, next.values[ValueId{i}].type),
         "argument {} is of another type", i + 1);
  }
}

void ShapeChecker::results(const std::vector<Port>& given) {
  const Target& join = funclet_.tail.join;
  if (join.funclet.has_value()) {
    target(join, given.size());
    if (fault_.empty()) {
      same_results(join.funclet);
    }
  } else {
    want(given.size() == funclet_.results.size(), "another number of results");
  }
  for (uint32_t i = 0; i < given.size() && fault_.empty(); ++i) {
    const TypeId wanted =
        join.funclet.has_value()
            ? program_.funclets[join.funclet].values[ValueId{join.arguments.size() + i}].type
            : funclet_.results[i].type;
    want(fits(given[i].type, wanted), "result {} is of another type", i + 1);
  }
}

void ShapeChecker::same_results(FuncletId next) {
  const std::vector<Port>& given = program_.funclets[next].results;
  want(given.size() == funclet_.results.size(), "another number of results");
  for (size_t i = 0; i < given.size() && fault_.empty(); ++i) {
    want(fits(given[i].type, funclet_.results[i].type), "result {} is of another type", i + 1);
  }
}

void ShapeChecker::tail() {
  const Tail& tail = funclet_.tail;
  if (!fault_.empty()) {
    return;
  }
  quotient(tail.node);
  step(tail.step);
  switch (tail.kind) {
    case TailKind::Return:
      give_back(tail);
      return;
    case TailKind::Jump:
    case TailKind::Yield:
      want(!tail.join.funclet.has_value(), "a join that nothing comes to");
      target(tail.targets[0], 0);
      if (fault_.empty()) {
        same_results(tail.targets[0].funclet);
      }
      return;
    case TailKind::Select:
      want(tail.condition.index < n_defined_ &&
               type(tail.condition) == Type{TypeKind::Value, engine::kBool, {}},
           "a condition that is no boolean");
      for (const Target& side : tail.targets) {
        target(side, 0);
        if (fault_.empty()) {
          results(program_.funclets[side.funclet].results);
        }
      }
      return;
    case TailKind::Call:
      call(tail);
      return;
  }
}

void ShapeChecker::give_back(const Tail& tail) {
  want(!tail.join.funclet.has_value(), "a join that nothing comes to");
  if (!fault_.empty() || !are_defined(tail.arguments)) {
    return;
  }
  const std::span<const ValueId> given = funclet_.operands_of(tail.arguments);
  want(given.size() == funclet_.results.size(), "another number of results");
  for (size_t i = 0; i < given.size() && fault_.empty(); ++i) {
    want(fits(funclet_.values[given[i]].type, funclet_.results[i].type),
         "result {} is of another type", i + 1);
  }
}

void ShapeChecker::call(const Tail& tail) {
  want(tail.callee.index < program_.functions.size(), "an unknown function");
  if (!fault_.empty() || !are_defined(tail.arguments)) {
    return;
  }
  const Funclet& entry = program_.funclets[program_.functions[tail.callee].entry];
  const std::span<const ValueId> given = funclet_.operands_of(tail.arguments);
  want(given.size() == entry.n_parameters, "another number of arguments than the callee takes");
  for (uint32_t i = 0; i < given.size() && fault_.empty(); ++i) {
    want(fits(funclet_.values[given[i]].type, entry.values[ValueId{i}].type),
         "argument {} is of another type", i + 1);
  }
  if (fault_.empty()) {
    results(entry.results);
  }
}

}  // namespace tacet::cps
