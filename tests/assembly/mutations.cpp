#include "tests/assembly/mutations.h"

#include <algorithm>
#include <utility>

namespace tacet::cps {
namespace {

auto below(std::mt19937_64& random, size_t n) -> size_t {
  return random() % n;
}

auto any_funclet(Program& program, std::mt19937_64& random) -> Funclet& {
  return program.funclets[FuncletId{static_cast<uint32_t>(below(random, program.funclets.size()))}];
}

auto spec_of(const Program& program, const Funclet& funclet) -> const Spec* {
  const SpecId spec = program.functions[funclet.function].spec;
  return spec.has_value() ? &program.specs[spec] : nullptr;
}

/// Another node than the one that `quotient` is.
auto change_node(const Spec& spec, Quotient& quotient, std::mt19937_64& random) -> bool {
  const NodeId before = node_of(spec, quotient);
  const NodeId other{static_cast<uint32_t>(below(random, spec.nodes.size()))};
  if (!before.has_value() || other == before) {
    return false;
  }
  quotient = {QuotientKind::Node, other.index};
  return true;
}

auto a_value_is_another_node(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  const Spec* spec = spec_of(program, funclet);
  if (spec == nullptr || funclet.values.size() == funclet.n_parameters) {
    return false;
  }
  const auto at =
      funclet.n_parameters + below(random, funclet.values.size() - funclet.n_parameters);
  return change_node(*spec, funclet.values[ValueId{static_cast<uint32_t>(at)}].tags.val.quotient,
                     random);
}

auto a_parameter_of_a_funclet_is_another_node(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  const Spec* spec = spec_of(program, funclet);
  const bool is_entry = &program.funclets[program.functions[funclet.function].entry] == &funclet;
  if (spec == nullptr || funclet.n_parameters == 0 || is_entry) {
    return false;
  }
  const auto at = static_cast<uint32_t>(below(random, funclet.n_parameters));
  return change_node(*spec, funclet.values[ValueId{at}].tags.val.quotient, random);
}

auto another_operator(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  for (Command& command : funclet.commands) {
    if (command.results.size() == 0) {
      continue;
    }
    const Value& result = funclet.values[ValueId{command.results.begin}];
    if (command.opcode == Opcode::Binary && result.tags.val.quotient.kind != QuotientKind::None) {
      command.op = command.op == types::Operator::Add ? types::Operator::Sub : types::Operator::Add;
      return true;
    }
  }
  return false;
}

auto operands_change_places(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  const Spec* spec = spec_of(program, funclet);
  for (Command& command : funclet.commands) {
    if (command.opcode != Opcode::Binary || spec == nullptr) {
      continue;
    }
    ValueId& left = funclet.operands[command.operands.begin];
    ValueId& right = funclet.operands[command.operands.begin + 1];
    const Value& result = funclet.values[ValueId{command.results.begin}];
    const NodeId node = node_of(*spec, result.tags.val.quotient);
    if (node.has_value() && spec->nodes[node].children[0] != spec->nodes[node].children[1]) {
      std::swap(left, right);
      return true;
    }
  }
  return false;
}

auto another_literal(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  for (Command& command : funclet.commands) {
    if (command.results.size() == 0) {
      continue;
    }
    const Value& result = funclet.values[ValueId{command.results.begin}];
    if (command.opcode == Opcode::Constant && !command.text.has_value() &&
        result.tags.val.quotient.kind != QuotientKind::None) {
      funclet.cells[command.cells.begin] += 1;
      return true;
    }
  }
  return false;
}

auto a_command_is_left_out(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  if (funclet.commands.empty()) {
    return false;
  }
  const size_t at = below(random, funclet.commands.size());
  // What was never needed may go; everything else has a result or a meaning.
  const Opcode opcode = funclet.commands[at].opcode;
  if (opcode == Opcode::Fail || opcode == Opcode::Await || opcode == Opcode::Store) {
    return false;
  }
  funclet.commands.erase(funclet.commands.begin() + static_cast<ptrdiff_t>(at));
  return true;
}

auto the_targets_of_a_select_change_places(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  if (funclet.tail.kind != TailKind::Select) {
    return false;
  }
  const std::vector<Port>& first = program.funclets[funclet.tail.targets[0].funclet].results;
  const std::vector<Port>& second = program.funclets[funclet.tail.targets[1].funclet].results;
  if (first == second) {
    return false;
  }
  std::swap(funclet.tail.targets[0], funclet.tail.targets[1]);
  return true;
}

auto a_select_by_something_else(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  if (funclet.tail.kind != TailKind::Select || funclet.n_parameters == 0) {
    return false;
  }
  const ValueId other{static_cast<uint32_t>(below(random, funclet.n_parameters))};
  if (funclet.values[other].type == funclet.values[funclet.tail.condition].type) {
    return false;
  }
  funclet.tail.condition = other;
  return true;
}

auto an_argument_is_left_out(Program& program, std::mt19937_64& random) -> bool {
  Tail& tail = any_funclet(program, random).tail;
  for (Slice* slice : {&tail.arguments, &tail.targets[0].arguments, &tail.targets[1].arguments,
                       &tail.join.arguments}) {
    if (slice->size() > 0) {
      --slice->end;
      return true;
    }
  }
  return false;
}

auto an_argument_is_consumed_twice(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  const Slice given = funclet.tail.arguments;
  for (uint32_t i = given.begin; i + 1 < given.end; ++i) {
    const ValueId first = funclet.operands[i];
    const ValueId second = funclet.operands[i + 1];
    if (first != second && funclet.values[first].type == funclet.values[second].type &&
        program.types[funclet.values[first].type].kind == TypeKind::Value) {
      funclet.operands[i + 1] = first;
      return true;
    }
  }
  return false;
}

auto an_argument_of_another_type(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  if (&program.funclets[program.functions[funclet.function].entry] == &funclet) {
    return false;  // maybe nobody calls it
  }
  for (uint32_t i = 0; i < funclet.n_parameters; ++i) {
    TypeId& type = funclet.values[ValueId{i}].type;
    Type other = program.types[type];
    other.element.kind = other.element.kind == engine::ElementKind::I16 ? engine::ElementKind::U8
                                                                        : engine::ElementKind::I16;
    if (other.kind == TypeKind::Value) {
      type = program.types.add(other);
      return true;
    }
  }
  return false;
}

auto another_array_expression(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  for (const Command& command : funclet.commands) {
    if (command.opcode != Opcode::Compute ||
        funclet.values[ValueId{command.results.begin}].tags.val.quotient.kind ==
            QuotientKind::None) {
      continue;
    }
    Formula& formula = program.formulas[command.formula];
    FormulaNode& part = formula.nodes[below(random, formula.nodes.size())];
    if (part.kind == FormulaKind::For || part.kind == FormulaKind::Reduce) {
      ++part.extent;
      return true;
    }
    if (part.kind == FormulaKind::Binary) {
      part.op = part.op == types::Operator::Add ? types::Operator::Sub : types::Operator::Add;
      return true;
    }
    if (part.kind == FormulaKind::Operand || part.kind == FormulaKind::Variable) {
      ++part.number;
      return true;
    }
  }
  return false;
}

auto another_step_of_the_timeline(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  const SpecId timeline = program.functions[funclet.function].timeline;
  for (Command& command : funclet.commands) {
    if (timeline.has_value() &&
        (command.opcode == Opcode::EncodeBegin || command.opcode == Opcode::Submit ||
         command.opcode == Opcode::Await) &&
        change_node(program.specs[timeline], command.node, random)) {
      return true;
    }
  }
  return false;
}

auto another_event_of_the_timeline(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  const SpecId timeline = program.functions[funclet.function].timeline;
  return timeline.has_value() &&
         change_node(program.specs[timeline],
                     below(random, 2) == 0 ? funclet.event : funclet.event_behind, random);
}

auto an_encoder_or_future_is_another_one_of_the_timeline(Program& program, std::mt19937_64& random)
    -> bool {
  Funclet& funclet = any_funclet(program, random);
  const SpecId timeline = program.functions[funclet.function].timeline;
  for (uint32_t i = 0; i < funclet.values.size() && timeline.has_value(); ++i) {
    Quotient& quotient = funclet.values[ValueId{i}].tags.tmln.quotient;
    if (change_node(program.specs[timeline], quotient, random)) {
      return true;
    }
  }
  return false;
}

auto a_call_without_its_node(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  if (funclet.tail.kind != TailKind::Call || funclet.tail.node.kind == QuotientKind::None) {
    return false;
  }
  funclet.tail.node = {};
  return true;
}

auto no_yield(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  if (funclet.tail.kind != TailKind::Yield) {
    return false;
  }
  funclet.tail.kind = TailKind::Jump;
  return true;
}

auto a_join_that_is_not_waited_for(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  if (!funclet.tail.join.funclet.has_value()) {
    return false;
  }
  funclet.tail.join = {};
  return true;
}

auto what_is_dead_is_said_to_be_usable(Program& program, std::mt19937_64& random) -> bool {
  Funclet& funclet = any_funclet(program, random);
  const bool may_fail =
      std::any_of(funclet.commands.begin(), funclet.commands.end(),
                  [](const Command& command) { return command.opcode == Opcode::Fail; });
  if (may_fail) {
    return false;  // nothing behind it is read
  }
  for (uint32_t i = funclet.n_parameters; i < funclet.values.size(); ++i) {
    Tag& tag = funclet.values[ValueId{i}].tags.val;
    if (tag.flow == Flow::Dead) {
      tag.flow = Flow::Usable;
      return true;
    }
  }
  return false;
}

}  // namespace

auto mutations() -> std::span<const NamedMutation> {
  static constexpr NamedMutation kAll[] = {
      {"a value is another node", a_value_is_another_node},
      {"a parameter of a funclet is another node", a_parameter_of_a_funclet_is_another_node},
      {"another operator", another_operator},
      {"operands change places", operands_change_places},
      {"another literal", another_literal},
      {"a command is left out", a_command_is_left_out},
      {"the targets of a select change places", the_targets_of_a_select_change_places},
      {"a select by something else", a_select_by_something_else},
      {"an argument is left out", an_argument_is_left_out},
      {"an argument is consumed twice", an_argument_is_consumed_twice},
      {"an argument of another type", an_argument_of_another_type},
      {"another array expression", another_array_expression},
      {"another step of the timeline", another_step_of_the_timeline},
      {"another event of the timeline", another_event_of_the_timeline},
      {"an encoder or future is another one of the timeline",
       an_encoder_or_future_is_another_one_of_the_timeline},
      {"a call without its node", a_call_without_its_node},
      {"no yield", no_yield},
      {"a join that is not waited for", a_join_that_is_not_waited_for},
      {"what is dead is said to be usable", what_is_dead_is_said_to_be_usable},
  };
  return kAll;
}

}  // namespace tacet::cps
