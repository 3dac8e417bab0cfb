#include <algorithm>

#include "compiler/device/kernel/walk.h"
#include "compiler/mpc/lower/lowerer.h"

/// Loops that stay loops of the program: what they carry from iteration to iteration, and how they
/// are left.
namespace tacet::mpc_lower {

using kernel::VariableId;

auto Lowerer::carried_by(const Block& body, const std::set<VariableId>& read_besides) const
    -> std::vector<VariableId> {
  const std::set<VariableId> exposed = analysis_.exposed(body);
  std::vector<VariableId> carried;
  for (const VariableId variable : kernel::variables_written(kernel_, body)) {
    if (exposed.contains(variable) || read_besides.contains(variable) ||
        analysis_.is_read_outside(variable, body)) {
      carried.push_back(variable);
    }
  }
  return carried;
}

/// Values go to registers by way of others, since they may be made of what these held.
void Lowerer::assign_carried(const std::vector<Carried>& carried) {
  std::vector<MpcRegisterId> values;
  for (const Carried& each : carried) {
    const Value value = held(each.variable);
    // While types are still being found out a value may have more lanes than its register.
    MpcRegisterId reg =
        in_register(value, united(each.shape.lanes, lanes_of(value)), each.shape.extents);
    const bool is_carried =
        reg != each.reg && std::any_of(carried.begin(), carried.end(),
                                       [&](const Carried& other) { return other.reg == reg; });
    if (is_carried) {
      const MpcRegisterId saved = emitter_.new_register("", emitter_.type(reg));
      emitter_.assign(saved, MpcOpcode::Copy, {reg});
      reg = saved;
    }
    values.push_back(reg);
  }
  for (size_t i = 0; i < carried.size(); ++i) {
    if (values[i] != carried[i].reg) {
      emitter_.assign(carried[i].reg, MpcOpcode::Copy, {values[i]});
    }
  }
}

auto new_carried(Lowerer& lowerer, VariableId variable, Value shape, bool is_secret)
    -> Lowerer::Carried {
  const MpcType type{is_secret ? MpcVisibility::Secret : MpcVisibility::Public, shape.element,
                     extents_in_lanes(lowerer, shape.lanes, shape.extents)};
  const MpcRegisterId reg = lowerer.emitter_.new_register(lowerer.name_of(variable), type);
  return {variable, reg, std::move(shape)};
}

void hold_carried(Lowerer& lowerer, const std::vector<Lowerer::Carried>& carried) {
  for (const Lowerer::Carried& each : carried) {
    Value value = each.shape;
    value.literal.reset();
    value.reg = each.reg;
    lowerer.env_[each.variable.index] = std::move(value);
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
  const std::set<VariableId> exposed = lowerer.analysis_.exposed(body);
  const std::set<VariableId> assigned = lowerer.analysis_.assigned(body);
  for (const VariableId variable : variables) {
    if (!exposed.contains(variable) && assigned.contains(variable)) {
      lowerer.env_[variable.index].reset();
    }
  }
}

auto shapes_before(const Lowerer& lowerer, const std::vector<VariableId>& variables)
    -> std::vector<CarriedShape> {
  std::vector<CarriedShape> shapes;
  for (const VariableId variable : variables) {
    const Value held = lowerer.held(variable);
    shapes.push_back(
        {lowerer.widened(lowerer.zero(lowerer.type(variable)), held), lowerer.is_secret(held)});
  }
  return shapes;
}

/// Registers of these shapes, with what the variables hold in front of the loop.
auto start_carried(Lowerer& lowerer, const std::vector<VariableId>& variables,
                   const std::vector<CarriedShape>& shapes) -> std::vector<Lowerer::Carried> {
  std::vector<Lowerer::Carried> carried;
  for (size_t i = 0; i < variables.size(); ++i) {
    const auto& [shape, is_secret] = shapes[i];
    const MpcRegisterId start =
        lowerer.in_register(lowerer.held(variables[i]), shape.lanes, shape.extents);
    carried.push_back(new_carried(lowerer, variables[i], shape, is_secret));
    lowerer.emitter_.assign(carried.back().reg, MpcOpcode::Copy, {start});
  }
  return carried;
}

/// Makes the shapes those of what the exits leave, too. Did they fit already?
auto widen_shapes(const Lowerer& lowerer, const std::vector<VariableId>& variables,
                  const std::vector<Lowerer::Env>& exits, std::vector<CarriedShape>& shapes)
    -> bool {
  bool fit = true;
  for (size_t i = 0; i < variables.size(); ++i) {
    CarriedShape& shape = shapes[i];
    for (const Lowerer::Env& exit : exits) {
      const std::optional<Value>& value = exit[variables[i].index];
      const Value wider = lowerer.widened(shape.value, value);
      const bool is_secret = shape.is_secret || (value && lowerer.is_secret(*value));
      fit = fit && wider.lanes == shape.value.lanes && is_secret == shape.is_secret;
      shape = {wider, is_secret};
    }
  }
  return fit;
}

}  // namespace

/// Registers begin with the types of what they hold in front. Where an iteration, or an exit, gives
/// more (a secret, or a value for each lane), all is written again with that.
void Lowerer::run_loop(const Block& body, const std::set<VariableId>& read_besides,
                       const std::function<Flow()>& head, FirstIteration first) {
  const std::vector<VariableId> variables = carried_by(body, read_besides);
  if (first == FirstIteration::Always) {
    forget_assigned(*this, body, variables);
  }
  const Env before = env_;
  std::vector<CarriedShape> shapes = shapes_before(*this, variables);
  const Emitter::Mark mark = emitter_.mark();
  for (bool is_stable = false; !is_stable && !stuck_;) {
    emitter_.go_back(mark);
    env_ = before;
    std::vector<Carried> carried = start_carried(*this, variables, shapes);
    hold_carried(*this, carried);
    std::vector<Env> exits;
    loops_.push_back({&carried, &exits, lanes_.size()});
    const Flow flow = head();
    if (flow == Flow::Next) {
      exits.push_back(env_);
    }
    // Types first: with wrong ones nothing fits.
    is_stable = widen_shapes(*this, variables, exits, shapes);
    if (is_stable && flow == Flow::Next) {
      assign_carried(carried);
    }
    emitter_.control(MpcOpcode::End);
    loops_.pop_back();
    env_ = before;
    hold_carried(*this, carried);
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
  using Flow = Lowerer::Flow;

  WhileWriter(Lowerer& lowerer, const kernel::While& loop)
      : lowerer_(lowerer), emitter_(lowerer.emitter_), loop_(loop), place_(lowerer.place_) {}

  auto run() -> Flow {
    if (loop_.max && !start_counting()) {
      return Flow::Left;
    }
    const std::set<VariableId> read = kernel::variables_read(lowerer_.kernel_, loop_.condition);
    if (!loop_.tests_last) {
      lowerer_.run_loop(loop_.body, read, [&] { return test_then_run(); });
    } else if (!continues(lowerer_.kernel_, loop_.body)) {
      lowerer_.run_loop(
          loop_.body, read, [&] { return run_then_test(); }, Lowerer::FirstIteration::Always);
    } else {
      is_first_ = emitter_.new_register("begins", {MpcVisibility::Public, engine::kBool, {}});
      emitter_.assign(is_first_, MpcOpcode::Constant, {}, {1});
      lowerer_.run_loop(
          loop_.body, read, [&] { return test_unless_first(); }, Lowerer::FirstIteration::Always);
    }
    return lowerer_.stuck_ ? Flow::Left : Flow::Next;
  }

 private:
  enum class Check : bool { None, Max };

  /// Iterations are counted in a register that each of them assigns, so nothing about it is known
  /// twice. False if it is stuck.
  auto start_counting() -> bool {
    const Value given = lowerer_.cast(lowerer_.value(*loop_.max), engine::kI64);
    if (lowerer_.stuck_ || lowerer_.is_secret(given) || !lowerer_.lanes_of(given).empty()) {
      lowerer_.stick(lowerer_.place_, "a loop whose number of iterations differs between lanes");
      return false;
    }
    max_ = lowerer_.scalar_register(given);
    counter_ = emitter_.new_register("turn", {MpcVisibility::Public, engine::kI64, {}});
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
    if (lowerer_.is_secret(condition) || !lowerer_.lanes_of(condition).empty()) {
      lowerer_.stick(place_, "a `while` whose number of iterations differs between lanes");
      return;
    }
    emitter_.control(MpcOpcode::If, {lowerer_.scalar_register(condition)});
    emitter_.control(MpcOpcode::Else);
    lowerer_.loops_.back().exits->push_back(lowerer_.env_);
    lowerer_.assign_carried(*lowerer_.loops_.back().carried);
    emitter_.control(MpcOpcode::Break);
    emitter_.control(MpcOpcode::End);
  }

  auto test_then_run() -> Flow {
    emitter_.control(MpcOpcode::Loop);
    leave_unless(lowerer_.value(loop_.condition));
    count(Check::Max);
    return run_body();
  }

  auto run_then_test() -> Flow {
    emitter_.control(MpcOpcode::Loop);
    count(Check::None);
    if (lowerer_.run(loop_.body) == Flow::Left) {
      return Flow::Left;
    }
    leave_unless(lowerer_.value(loop_.condition));
    if (loop_.max && !lowerer_.stuck_) {
      leave_unless(may_iterate());
    }
    return lowerer_.stuck_ ? Flow::Left : Flow::Next;
  }

  /// `continue` goes to the test, so a flag says which iteration is the first.
  auto test_unless_first() -> Flow {
    emitter_.control(MpcOpcode::Loop);
    emitter_.control(MpcOpcode::If, {is_first_});
    emitter_.assign(is_first_, MpcOpcode::Constant, {}, {0});
    count(Check::None);
    emitter_.control(MpcOpcode::Else);
    leave_unless(lowerer_.value(loop_.condition));
    count(Check::Max);
    emitter_.control(MpcOpcode::End);
    return run_body();
  }

  auto run_body() -> Flow { return lowerer_.stuck_ ? Flow::Left : lowerer_.run(loop_.body); }

  Lowerer& lowerer_;
  Emitter& emitter_;
  const kernel::While& loop_;
  const FileRange place_;
  MpcRegisterId max_;
  MpcRegisterId counter_;
  MpcRegisterId is_first_;
};

}  // namespace

auto Lowerer::run(const kernel::While& loop) -> Flow {
  if (mask_) {
    stick(place_, "a loop in a branch that differs between iterations");
    return Flow::Left;
  }
  return WhileWriter(*this, loop).run();
}

auto Lowerer::run(const kernel::Break&) -> Flow {
  if (mask_ || loops_.empty() || loops_.back().n_lanes != lanes_.size()) {
    stick(place_, "an exit from iterations that run in parallel");
    return Flow::Left;
  }
  loops_.back().exits->push_back(env_);
  assign_carried(*loops_.back().carried);
  emitter_.control(MpcOpcode::Break);
  return Flow::Left;
}

auto Lowerer::run(const kernel::Continue&) -> Flow {
  if (mask_ || loops_.empty() || loops_.back().n_lanes != lanes_.size()) {
    stick(place_, "an exit from iterations that run in parallel");
    return Flow::Left;
  }
  loops_.back().exits->push_back(env_);
  assign_carried(*loops_.back().carried);
  emitter_.control(MpcOpcode::Continue);
  return Flow::Left;
}

}  // namespace tacet::mpc_lower
