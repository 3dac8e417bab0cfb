#include "compiler/run/cps/shape_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/run/cps/formula.h"
#include "compiler/run/cps/print.h"

namespace tacet::cps {

namespace {

using types::OperatorResult;

/// Checks one funclet; what it names must exist.
class ShapeChecker {
 public:
  ShapeChecker(const Program& program, FuncletId id)
      : program_(program), funclet_(program.funclets[id]), id_(id) {}

  void run(std::vector<Fault>& faults) {
    header();
    n_defined_ = funclet_.n_parameters;
    for (at_ = 0; at_ < funclet_.commands.size() && fault_.empty(); ++at_) {
      const Command& command = funclet_.commands[at_];
      if (slices(command)) {
        this->command(command);
        tags_exist(command);
      }
      n_defined_ = command.results.end;
    }
    if (fault_.empty()) {
      at_ = Fault::kTail;
      want(n_defined_ == funclet_.values.size(), "a value that nothing defines");
      tail();
    } else {
      --at_;
    }
    if (!fault_.empty()) {
      faults.push_back({id_, at_, std::move(fault_)});
    }
  }

 private:
  template <class... Args>
  void want(bool is_so, fmt::format_string<Args...> format, Args&&... args) {
    if (!is_so && fault_.empty()) {
      fault_ = fmt::format(format, std::forward<Args>(args)...);
    }
  }

  auto has(FuncletId funclet) const -> bool { return funclet.index < program_.funclets.size(); }

  void quotient(Quotient quotient) { exists(quotient, program_.functions[funclet_.function].spec); }
  /// Of the timeline.
  void step(Quotient quotient) { exists(quotient, program_.functions[funclet_.function].timeline); }
  void exists(Quotient quotient, SpecId spec) {
    want(quotient.kind == QuotientKind::None ||
             (spec.has_value() && node_of(program_.specs[spec], quotient).has_value()),
         "a node that the specification does not have");
  }
  void tags(const Tags& tags) {
    quotient(tags.val.quotient);
    step(tags.tmln.quotient);
    want(tags.sptl.quotient.kind == QuotientKind::None,
         "a node of a specification that there is none of");
  }

  void header() {
    at_ = Fault::kTail;
    want(funclet_.function.index < program_.functions.size(), "an unknown function");
    if (!fault_.empty()) {
      return;
    }
    want(funclet_.n_parameters <= funclet_.values.size(), "more parameters than values");
    for (const Value& value : funclet_.values.values()) {
      want(value.type.index < program_.types.size(), "an unknown type");
    }
    for (uint32_t i = 0; i < funclet_.n_parameters && fault_.empty(); ++i) {
      tags(funclet_.values[ValueId{i}].tags);
    }
    step(funclet_.event);
    step(funclet_.event_behind);
    for (const Port& port : funclet_.results) {
      want(port.type.index < program_.types.size(), "an unknown type");
      tags(port.tags);
    }
  }

  auto in_pool(Slice slice) const -> bool {
    return slice.begin <= slice.end && slice.end <= funclet_.operands.size();
  }
  /// Values that are defined already.
  auto are_defined(Slice slice) -> bool {
    want(in_pool(slice), "operands outside of the pool");
    if (fault_.empty()) {
      for (ValueId value : funclet_.operands_of(slice)) {
        want(value.index < n_defined_, "a value that is not defined yet");
      }
    }
    return fault_.empty();
  }

  auto slices(const Command& command) -> bool {
    want(command.results.begin == n_defined_ && command.results.end >= command.results.begin &&
             command.results.end <= funclet_.values.size(),
         "results out of order");
    want(command.cells.begin <= command.cells.end && command.cells.end <= funclet_.cells.size(),
         "cells outside of the pool");
    return fault_.empty() && are_defined(command.operands);
  }

  void tags_exist(const Command& command) {
    for (uint32_t i = command.results.begin; i < command.results.end && fault_.empty(); ++i) {
      tags(funclet_.values[ValueId{i}].tags);
    }
    const bool is_step = command.opcode == Opcode::EncodeBegin ||
                         command.opcode == Opcode::Submit || command.opcode == Opcode::Await;
    is_step ? step(command.node) : quotient(command.node);
  }

  auto type(ValueId value) const -> const Type& {
    return program_.types[funclet_.values[value].type];
  }
  auto text(ValueId value) const -> std::string { return type_text(type(value)); }

  static auto of_kind(const Type& type, TypeKind kind) -> Type {
    Type result = type;
    result.kind = kind;
    return result;
  }

  /// Is `value` of the type of `about`, but for its kind, which is `kind`?
  auto is(ValueId value, TypeKind kind, ValueId about) const -> bool {
    return type(value) == of_kind(type(about), kind);
  }

  void counts(const Command& command, size_t n_operands, size_t n_results) {
    want(command.operands.size() == n_operands, "{} operands", command.operands.size());
    want(command.results.size() == n_results, "{} results", command.results.size());
  }

  void all_values(std::span<const ValueId> values) {
    for (ValueId value : values) {
      want(type(value).kind == TypeKind::Value, "`{}` where a value is wanted", text(value));
    }
  }

  void command(const Command& command) {
    const std::span<const ValueId> operands = funclet_.operands_of(command.operands);
    const ValueId result{command.results.begin};
    switch (command.opcode) {
      case Opcode::Undefined:
        counts(command, 0, 1);
        return;
      case Opcode::Constant:
        constant(command, result);
        return;
      case Opcode::Unary:
      case Opcode::Binary:
        operation(command, operands, result);
        return;
      case Opcode::Cast:
      case Opcode::Convert:
        counts(command, 1, 1);
        if (fault_.empty()) {
          all_values(std::array{operands[0], result});
          want(type(operands[0]).shape.empty() || type(operands[0]).shape == type(result).shape,
               "a cast to another shape");
        }
        return;
      case Opcode::Array:
      case Opcode::Index:
        array(command, operands, result);
        return;
      case Opcode::Compute:
        formula(command, operands, result);
        return;
      case Opcode::Copy:
      case Opcode::Assume:
        counts(command, 1, 1);
        if (fault_.empty()) {
          want(type(operands[0]) == type(result), "`{}` made of `{}`", text(result),
               text(operands[0]));
        }
        return;
      case Opcode::Allocate:
      case Opcode::Release:
      case Opcode::Borrow:
      case Opcode::Load:
      case Opcode::Store:
        memory(command, operands, result);
        return;
      case Opcode::Run:
      case Opcode::EncodeRun:
        kernel(command, operands);
        return;
      case Opcode::EncodeBegin:
      case Opcode::EncodeCopy:
      case Opcode::Submit:
      case Opcode::Await:
      case Opcode::Fetch:
        remote(command, operands, result);
        return;
      case Opcode::Fail:
        counts(command, 0, 0);
        return;
    }
  }

  void constant(const Command& command, ValueId result) {
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

  void operation(const Command& command, std::span<const ValueId> operands, ValueId result) {
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
        scheme.result == OperatorResult::Boolean ? engine::kBool : element;
    want(type(result).element == given && type(result).shape == shape,
         "a result of another type than `{}` has", scheme.name);
  }

  void array(const Command& command, std::span<const ValueId> operands, ValueId result) {
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
           "an index that is no integer");
      return;
    }
    want(whole.shape.front() == operands.size(), "another number of elements");
    for (ValueId operand : operands) {
      want(type(operand) == part, "an element of another type");
    }
  }

  void formula(const Command& command, std::span<const ValueId> operands, ValueId result) {
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

  void memory(const Command& command, std::span<const ValueId> operands, ValueId result) {
    const bool is_new = command.opcode == Opcode::Allocate;
    const bool has_result = command.opcode != Opcode::Release && command.opcode != Opcode::Store;
    counts(command, is_new ? 0 : command.opcode == Opcode::Store ? 2 : 1, has_result ? 1 : 0);
    if (!fault_.empty()) {
      return;
    }
    const ValueId about = is_new ? result : operands[0];
    const TypeKind kind = type(about).kind;
    switch (command.opcode) {
      case Opcode::Allocate:
      case Opcode::Release:
        want(kind == TypeKind::Variable, "`{}` is no variable", text(about));
        return;
      case Opcode::Borrow:
        want(kind == TypeKind::Variable && (is(result, TypeKind::Reference, about) ||
                                            is(result, TypeKind::MutableReference, about)),
             "`{}` is no reference to `{}`", text(result), text(about));
        return;
      case Opcode::Load:
        want((kind == TypeKind::Reference || kind == TypeKind::MutableReference) &&
                 is(result, TypeKind::Value, about),
             "`{}` is not what `{}` refers to", text(result), text(about));
        return;
      default:
        want(kind == TypeKind::MutableReference && is(operands[1], TypeKind::Value, about),
             "`{}` cannot be stored to `{}`", text(operands[1]), text(about));
        return;
    }
  }

  void kernel(const Command& command, std::span<const ValueId> operands) {
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
           "a grid that is no number");
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

  void remote(const Command& command, std::span<const ValueId> operands, ValueId result) {
    const size_t n_operands = command.opcode == Opcode::EncodeBegin  ? 0
                              : command.opcode == Opcode::EncodeCopy ? 2
                                                                     : 1;
    counts(command, n_operands, command.opcode == Opcode::Await ? 0 : 1);
    if (!fault_.empty()) {
      return;
    }
    switch (command.opcode) {
      case Opcode::EncodeBegin:
        want(type(result).kind == TypeKind::Encoder, "no encoder");
        return;
      case Opcode::EncodeCopy:
        want(type(operands[0]).kind == TypeKind::Encoder &&
                 type(operands[1]).kind == TypeKind::Value &&
                 is(result, TypeKind::Remote, operands[1]),
             "a copy of another type");
        return;
      case Opcode::Submit:
        want(type(operands[0]).kind == TypeKind::Encoder && type(result).kind == TypeKind::Future,
             "what is submitted is an encoder, and gives a future");
        return;
      case Opcode::Await:
        want(type(operands[0]).kind == TypeKind::Future, "what is awaited is a future");
        return;
      default:
        want(type(operands[0]).kind == TypeKind::Remote && is(result, TypeKind::Value, operands[0]),
             "what is brought here is of another type");
    }
  }

  // Edges.

  /// May a value of type `from` go where `to` is wanted? A reference that may be written through
  /// goes where one is only read.
  auto fits(TypeId from, TypeId to) const -> bool {
    const Type& given = program_.types[from];
    const Type& wanted = program_.types[to];
    return given == wanted ||
           (given.kind == TypeKind::MutableReference && wanted.kind == TypeKind::Reference &&
            of_kind(given, wanted.kind) == wanted);
  }

  void target(const Target& target, size_t n_more) {
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

  /// Results `given` go to the join, or to whoever waits for this funclet.
  void results(const std::vector<Port>& given) {
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

  void same_results(FuncletId next) {
    const std::vector<Port>& given = program_.funclets[next].results;
    want(given.size() == funclet_.results.size(), "another number of results");
    for (size_t i = 0; i < given.size() && fault_.empty(); ++i) {
      want(fits(given[i].type, funclet_.results[i].type), "result {} is of another type", i + 1);
    }
  }

  void tail() {
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
        for (const Target& way : tail.targets) {
          target(way, 0);
          if (fault_.empty()) {
            results(program_.funclets[way.funclet].results);
          }
        }
        return;
      case TailKind::Call:
        call(tail);
        return;
    }
  }

  void give_back(const Tail& tail) {
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

  void call(const Tail& tail) {
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

  const Program& program_;
  const Funclet& funclet_;
  FuncletId id_;
  uint32_t n_defined_ = 0;
  uint32_t at_ = 0;
  std::string fault_;
};

/// None, or a specification of that kind.
auto is_spec(const Program& program, SpecId spec, SpecKind kind) -> bool {
  return !spec.has_value() ||
         (spec.index < program.specs.size() && program.specs[spec].kind == kind);
}

auto program_fault(const Program& program) -> std::string {
  for (const Spec& spec : program.specs.values()) {
    auto exist = [&](const std::vector<NodeId>& nodes) {
      return std::all_of(nodes.begin(), nodes.end(),
                         [&](NodeId node) { return node.index < spec.nodes.size(); });
    };
    bool is_good = exist(spec.inputs) && exist(spec.outputs);
    for (const Node& node : spec.nodes.values()) {
      is_good = is_good && exist(node.children) && node.type.index < program.types.size() &&
                (node.kind != NodeKind::Formula || node.formula.index < program.formulas.size());
    }
    if (!is_good) {
      return "a specification names a node that it does not have";
    }
  }
  for (const Function& function : program.functions.values()) {
    if (function.entry.index >= program.funclets.size() ||
        !is_spec(program, function.spec, SpecKind::Value) ||
        !is_spec(program, function.timeline, SpecKind::Timeline)) {
      return "a function names what there is none of";
    }
  }
  for (const Pipeline& pipeline : program.pipelines) {
    if (pipeline.function.index >= program.functions.size()) {
      return "a pipeline names what there is none of";
    }
  }
  return {};
}

}  // namespace

auto check_shape(const Program& program) -> std::vector<Fault> {
  std::vector<Fault> faults;
  if (std::string fault = program_fault(program); !fault.empty()) {
    faults.push_back({{}, Fault::kTail, std::move(fault)});
    return faults;
  }
  for (uint32_t i = 0; i < program.funclets.size(); ++i) {
    ShapeChecker(program, {i}).run(faults);
  }
  return faults;
}

}  // namespace tacet::cps
