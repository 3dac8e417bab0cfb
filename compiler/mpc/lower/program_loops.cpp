#include <algorithm>

#include "compiler/device/kernel/walk.h"
#include "compiler/mpc/lower/lowerer.h"

/// Loops that stay loops of the program: what they carry from iteration to iteration, and how they
/// are left.
namespace tacet::mpc_lower {

using kernel::VariableId;

static auto carried_by(const Lowerer& lowerer, const Block& body,
                       const std::set<VariableId>& read_besides) -> std::vector<VariableId> {
  const std::set<VariableId> exposed = lowerer.analysis.exposed(body);
  std::vector<VariableId> carried;
  for (const VariableId variable : kernel::variables_written(lowerer.kernel, body)) {
    if (exposed.contains(variable) || read_besides.contains(variable) ||
        lowerer.analysis.is_read_outside(variable, body)) {
      carried.push_back(variable);
    }
  }
  return carried;
}

/// Values go to registers through others, since they may depend on the old contents.
void assign_carried(Lowerer& lowerer, const std::vector<Carried>& carried) {
  std::vector<MpcRegisterId> values;
  for (const Carried& each : carried) {
    const Value value = held_by(lowerer, each.variable);
    // While types are still being found out a value may have more lanes than its register.
    MpcRegisterId reg =
        in_register(lowerer, value, united(each.shape.lanes, lanes_of(value)), each.shape.extents);
    const bool is_carried =
        reg != each.reg && std::any_of(carried.begin(), carried.end(),
                                       [&](const Carried& other) { return other.reg == reg; });
    if (is_carried) {
      const MpcRegisterId saved = lowerer.emitter.new_register("", lowerer.emitter.type(reg));
      lowerer.emitter.assign(saved, MpcOpcode::Copy, {reg});
      reg = saved;
    }
    values.push_back(reg);
  }
  for (size_t i = 0; i < carried.size(); ++i) {
    if (values[i] != carried[i].reg) {
      lowerer.emitter.assign(carried[i].reg, MpcOpcode::Copy, {values[i]});
    }
  }
}

auto new_carried(Lowerer& lowerer, VariableId variable, Value shape, bool is_secret) -> Carried {
  const MpcType type{is_secret ? MpcVisibility::Secret : MpcVisibility::Public, shape.element,
                     extents_in_lanes(lowerer, shape.lanes, shape.extents)};
  const MpcRegisterId reg = lowerer.emitter.new_register(name_of(lowerer, variable), type);
  return {variable, reg, std::move(shape)};
}

void hold_carried(Lowerer& lowerer, const std::vector<Carried>& carried) {
  for (const Carried& each : carried) {
    Value value = each.shape;
    value.literal.reset();
    value.reg = each.reg;
    lowerer.env[each.variable.index] = std::move(value);
  }
}

namespace {

/// The type of what a loop carries.
struct CarriedShape {
  Value value;
  bool is_secret = false;
};

/// What every iteration assigns before it reads it holds nothing of before.
void forget_assigned(Lowerer& lowerer, const kernel::Block& body,
                     const std::vector<VariableId>& variables) {
  const std::set<VariableId> exposed = lowerer.analysis.exposed(body);
  const std::set<VariableId> assigned = lowerer.analysis.assigned(body);
  for (const VariableId variable : variables) {
    if (!exposed.contains(variable) && assigned.contains(variable)) {
      lowerer.env[variable.index].reset();
    }
  }
}

auto shapes_before(const Lowerer& lowerer, const std::vector<VariableId>& variables)
    -> std::vector<CarriedShape> {
  std::vector<CarriedShape> shapes;
  for (const VariableId variable : variables) {
    const Value held = held_by(lowerer, variable);
    shapes.push_back(
        {widened(zero(type_of(lowerer, variable)), held), is_secret_in(lowerer, held)});
  }
  return shapes;
}

/// Registers of these shapes, with what the variables hold in front of the loop.
auto start_carried(Lowerer& lowerer, const std::vector<VariableId>& variables,
                   const std::vector<CarriedShape>& shapes) -> std::vector<Carried> {
  std::vector<Carried> carried;
  for (size_t i = 0; i < variables.size(); ++i) {
    const auto& [shape, is_secret] = shapes[i];
    const MpcRegisterId start =
        in_register(lowerer, held_by(lowerer, variables[i]), shape.lanes, shape.extents);
    carried.push_back(new_carried(lowerer, variables[i], shape, is_secret));
    lowerer.emitter.assign(carried.back().reg, MpcOpcode::Copy, {start});
  }
  return carried;
}

/// Makes the shapes those of what the exits leave, too. Did they fit already?
auto widen_shapes(const Lowerer& lowerer, const std::vector<VariableId>& variables,
                  const std::vector<Env>& exits, std::vector<CarriedShape>& shapes) -> bool {
  bool fit = true;
  for (size_t i = 0; i < variables.size(); ++i) {
    CarriedShape& shape = shapes[i];
    for (const Env& exit : exits) {
      const std::optional<Value>& value = exit[variables[i].index];
      const Value wider = widened(shape.value, value);
      const bool is_secret = shape.is_secret || (value && is_secret_in(lowerer, *value));
      fit = fit && wider.lanes == shape.value.lanes && is_secret == shape.is_secret;
      shape = {wider, is_secret};
    }
  }
  return fit;
}

}  // namespace

/// Registers begin with the types of what they hold in front. Where an iteration, or an exit, gives
/// more (a secret, or a value for each lane), all is written again with that.
void run_loop(Lowerer& lowerer, const Block& body, const std::set<VariableId>& read_besides,
              const std::function<Flow()>& head, FirstIteration first) {
  const std::vector<VariableId> variables = carried_by(lowerer, body, read_besides);
  if (first == FirstIteration::Always) {
    forget_assigned(lowerer, body, variables);
  }
  const Env before = lowerer.env;
  std::vector<CarriedShape> shapes = shapes_before(lowerer, variables);
  const Emitter::Mark mark = lowerer.emitter.mark();
  for (bool is_stable = false; !is_stable && !lowerer.stuck;) {
    lowerer.emitter.go_back(mark);
    lowerer.env = before;
    std::vector<Carried> carried = start_carried(lowerer, variables, shapes);
    hold_carried(lowerer, carried);
    std::vector<Env> exits;
    lowerer.loops.push_back({&carried, &exits, lowerer.lanes.size()});
    const Flow flow = head();
    if (flow == Flow::Next) {
      exits.push_back(lowerer.env);
    }
    // Types first: with wrong ones nothing fits.
    is_stable = widen_shapes(lowerer, variables, exits, shapes);
    if (is_stable && flow == Flow::Next) {
      assign_carried(lowerer, carried);
    }
    lowerer.emitter.control(MpcOpcode::End);
    lowerer.loops.pop_back();
    lowerer.env = before;
    hold_carried(lowerer, carried);
  }
}

/// Is there a `continue` of the loop with this body?
static auto continues(const kernel::Kernel& kernel, const kernel::Block& body) -> bool {
  bool found = false;
  kernel::walk_statements_of_loop(kernel, body, [&](kernel::StatementId id) {
    found = found || std::holds_alternative<kernel::Continue>(kernel.statements[id].node);
  });
  return found;
}

namespace {

/// Writes a `while` as a loop of the program.
class WhileWriter {
 public:
  WhileWriter(Lowerer& lowerer, const kernel::While& loop)
      : lowerer_(lowerer), emitter_(lowerer.emitter), loop_(loop), place_(lowerer.place) {}

  auto run() -> Flow {
    if (loop_.max && !start_counting()) {
      return Flow::Left;
    }
    const std::set<VariableId> read = kernel::variables_read(lowerer_.kernel, loop_.condition);
    if (!loop_.tests_last) {
      run_loop(lowerer_, loop_.body, read, [&] { return test_then_run(); });
    } else if (!continues(lowerer_.kernel, loop_.body)) {
      run_loop(
          lowerer_, loop_.body, read, [&] { return run_then_test(); }, FirstIteration::Always);
    } else {
      is_first_ = emitter_.new_register("is_first", {MpcVisibility::Public, engine::kBool, {}});
      emitter_.assign(is_first_, MpcOpcode::Constant, {}, {1});
      run_loop(
          lowerer_, loop_.body, read, [&] { return test_unless_first(); }, FirstIteration::Always);
    }
    return lowerer_.stuck ? Flow::Left : Flow::Next;
  }

 private:
  enum class Check : bool { None, Max };

  /// Iterations are counted in a register that each of them assigns, so nothing about it is known
  /// twice. False if it is stuck.
  auto start_counting() -> bool {
    const Value given = cast(lowerer_, value_of(lowerer_, *loop_.max), engine::kI64);
    if (lowerer_.stuck || is_secret_in(lowerer_, given) || !lanes_of(given).empty()) {
      stick(lowerer_, lowerer_.place, "a loop whose number of iterations differs between lanes");
      return false;
    }
    max_ = scalar_register(lowerer_, given);
    counter_ = emitter_.new_register("iteration", {MpcVisibility::Public, engine::kI64, {}});
    emitter_.assign(counter_, MpcOpcode::Constant, {}, {0});
    return true;
  }

  void count(Check check) {
    if (!loop_.max) {
      return;
    }
    if (check == Check::Max) {
      leave_unless(may_iterate());
    }
    const MpcRegisterId next = emitter_.new_register("", {MpcVisibility::Public, engine::kI64, {}});
    emitter_.assign(next, MpcOpcode::Add,
                    {counter_, emitter_.emit(MpcOpcode::Constant, engine::kI64, {}, {}, {1})});
    emitter_.assign(counter_, MpcOpcode::Copy, {next});
  }

  /// Is `max` not reached?
  auto may_iterate() -> Value {
    Value result{.element = engine::kBool};
    result.reg = emitter_.new_register("", {MpcVisibility::Public, engine::kBool, {}});
    emitter_.assign(result.reg, MpcOpcode::Lt, {counter_, max_});
    return result;
  }

  void leave_unless(const Value& condition) {
    if (condition.literal == engine::Cell{1}) {
      return;
    }
    if (is_secret_in(lowerer_, condition) || !lanes_of(condition).empty()) {
      stick(lowerer_, place_, "a `while` whose number of iterations differs between lanes");
      return;
    }
    emitter_.control(MpcOpcode::If, {scalar_register(lowerer_, condition)});
    emitter_.control(MpcOpcode::Else);
    lowerer_.loops.back().exits->push_back(lowerer_.env);
    assign_carried(lowerer_, *lowerer_.loops.back().carried);
    emitter_.control(MpcOpcode::Break);
    emitter_.control(MpcOpcode::End);
  }

  auto test_then_run() -> Flow {
    emitter_.control(MpcOpcode::Loop);
    leave_unless(value_of(lowerer_, loop_.condition));
    count(Check::Max);
    return run_body();
  }

  auto run_then_test() -> Flow {
    emitter_.control(MpcOpcode::Loop);
    count(Check::None);
    if (mpc_lower::run(lowerer_, loop_.body) == Flow::Left) {
      return Flow::Left;
    }
    leave_unless(value_of(lowerer_, loop_.condition));
    if (loop_.max && !lowerer_.stuck) {
      leave_unless(may_iterate());
    }
    return lowerer_.stuck ? Flow::Left : Flow::Next;
  }

  /// `continue` goes to the test, so a flag says which iteration is the first.
  auto test_unless_first() -> Flow {
    emitter_.control(MpcOpcode::Loop);
    emitter_.control(MpcOpcode::If, {is_first_});
    emitter_.assign(is_first_, MpcOpcode::Constant, {}, {0});
    count(Check::None);
    emitter_.control(MpcOpcode::Else);
    leave_unless(value_of(lowerer_, loop_.condition));
    count(Check::Max);
    emitter_.control(MpcOpcode::End);
    return run_body();
  }

  auto run_body() -> Flow {
    return lowerer_.stuck ? Flow::Left : mpc_lower::run(lowerer_, loop_.body);
  }

  Lowerer& lowerer_;
  Emitter& emitter_;
  const kernel::While& loop_;
  const FileRange place_;
  MpcRegisterId max_;
  MpcRegisterId counter_;
  MpcRegisterId is_first_;
};

}  // namespace

auto run(Lowerer& lowerer, const kernel::While& loop) -> Flow {
  if (lowerer.mask) {
    stick(lowerer, lowerer.place, "a loop in a branch that differs between iterations");
    return Flow::Left;
  }
  return WhileWriter(lowerer, loop).run();
}

/// Leaves the iteration of the innermost loop of the program by `exit`.
static auto leave_iteration(Lowerer& lowerer, MpcOpcode exit) -> Flow {
  if (lowerer.mask || lowerer.loops.empty() ||
      lowerer.loops.back().n_lanes != lowerer.lanes.size()) {
    stick(lowerer, lowerer.place, "an exit from iterations that run in parallel");
    return Flow::Left;
  }
  lowerer.loops.back().exits->push_back(lowerer.env);
  assign_carried(lowerer, *lowerer.loops.back().carried);
  lowerer.emitter.control(exit);
  return Flow::Left;
}

auto run(Lowerer& lowerer, const kernel::Break&) -> Flow {
  return leave_iteration(lowerer, MpcOpcode::Break);
}

auto run(Lowerer& lowerer, const kernel::Continue&) -> Flow {
  return leave_iteration(lowerer, MpcOpcode::Continue);
}

}  // namespace tacet::mpc_lower
