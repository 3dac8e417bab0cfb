#include <algorithm>

#include "compiler/device/kernel/walk.h"
#include "compiler/mpc/lower/lowerer.h"

/// Loops that stay loops of the program: what they carry from turn to turn, and how they are left.
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

/// Registers begin with the types of what they hold in front. Where a turn, or an exit, gives more
/// (a secret, or a value for each lane), all is written again with that.
void Lowerer::run_loop(const Block& body, const std::set<VariableId>& read_besides,
                       const std::function<Flow()>& head, FirstTurn first) {
  const std::vector<VariableId> variables = carried_by(body, read_besides);
  if (first == FirstTurn::Always) {
    // What every turn assigns before it reads it holds nothing of before.
    const std::set<VariableId> exposed = analysis_.exposed(body);
    const std::set<VariableId> assigned = analysis_.assigned(body);
    for (const VariableId variable : variables) {
      if (!exposed.contains(variable) && assigned.contains(variable)) {
        env_[variable.index].reset();
      }
    }
  }
  const Env before = env_;
  std::vector<std::pair<Value, bool>> shapes;  // and whether it is secret
  for (const VariableId variable : variables) {
    const Value held = this->held(variable);
    shapes.emplace_back(widened(zero(type(variable)), held), is_secret(held));
  }
  const Emitter::Mark mark = emitter_.mark();
  for (bool is_stable = false; !is_stable && !stuck_;) {
    emitter_.go_back(mark);
    env_ = before;
    std::vector<Carried> carried;
    for (size_t i = 0; i < variables.size(); ++i) {
      const auto& [shape, secret] = shapes[i];
      const MpcRegisterId start = in_register(held(variables[i]), shape.lanes, shape.extents);
      Extents extents = lane_extents(shape.lanes);
      extents.insert(extents.end(), shape.extents.begin(), shape.extents.end());
      carried.push_back(
          {variables[i],
           emitter_.new_register(name_of(variables[i]),
                                 {secret ? MpcVisibility::Secret : MpcVisibility::Public,
                                  shape.element, std::move(extents)}),
           shape});
      emitter_.assign(carried.back().reg, MpcOpcode::Copy, {start});
    }
    for (const Carried& each : carried) {
      Value value = each.shape;
      value.literal.reset();
      value.reg = each.reg;
      env_[each.variable.index] = std::move(value);
    }
    const Env inside = env_;
    std::vector<Env> exits;
    loops_.push_back({&carried, &exits, lanes_.size()});
    const Flow flow = head();
    if (flow == Flow::Next) {
      exits.push_back(env_);
      // Types first: with wrong ones nothing fits.
    }
    is_stable = true;
    for (size_t i = 0; i < variables.size(); ++i) {
      for (const Env& exit : exits) {
        const std::optional<Value>& value = exit[variables[i].index];
        const Value wider = widened(shapes[i].first, value);
        const bool secret = shapes[i].second || (value && is_secret(*value));
        is_stable = is_stable && wider.lanes == shapes[i].first.lanes && secret == shapes[i].second;
        shapes[i] = {wider, secret};
      }
    }
    if (is_stable && flow == Flow::Next) {
      assign_carried(carried);
    }
    emitter_.control(MpcOpcode::End);
    loops_.pop_back();
    env_ = before;
    for (const Carried& each : carried) {
      env_[each.variable.index] = inside[each.variable.index];
    }
  }
}

/// Is there a `continue` of the loop with this body?
static auto continues(const kernel::Kernel& kernel, const kernel::Block& body) -> bool {
  return std::any_of(body.begin(), body.end(), [&](kernel::StatementId id) {
    const kernel::Statement& statement = kernel.statements[id];
    if (std::holds_alternative<kernel::For>(statement.node) ||
        std::holds_alternative<kernel::While>(statement.node)) {
      return false;
    }
    bool found = std::holds_alternative<kernel::Continue>(statement.node);
    kernel::visit_blocks(
        statement, [&](const kernel::Block& inner) { found = found || continues(kernel, inner); });
    return found;
  });
}

auto Lowerer::run(const kernel::While& loop) -> Flow {
  if (mask_) {
    stick(place_, "a loop in a branch that differs between iterations");
    return Flow::Left;
  }
  const FileRange place = place_;
  MpcRegisterId max;
  MpcRegisterId turn;
  if (loop.max) {
    const Value given = cast(value(*loop.max), engine::kI64);
    if (stuck_ || is_secret(given) || !lanes_of(given).empty()) {
      stick(place_, "a loop whose number of iterations differs between lanes");
      return Flow::Left;
    }
    max = scalar_register(given);
    turn = emitter_.new_register("turn", {MpcVisibility::Public, engine::kI64, {}});
    emitter_.assign(turn, MpcOpcode::Constant, {}, {0});
  }
  const auto leave_unless = [&](const Value& condition) {
    if (condition.literal == engine::Cell{1}) {
      return;
    }
    if (is_secret(condition) || !lanes_of(condition).empty()) {
      stick(place, "a `while` whose number of iterations differs between lanes");
      return;
    }
    emitter_.control(MpcOpcode::If, {scalar_register(condition)});
    emitter_.control(MpcOpcode::Else);
    loops_.back().exits->push_back(env_);
    assign_carried(*loops_.back().carried);
    emitter_.control(MpcOpcode::Break);
    emitter_.control(MpcOpcode::End);
  };
  enum class Check : bool { None, Max };
  // Turns are counted in a register that every turn assigns, so nothing about it is known twice.
  const auto has_turns_left = [&] {
    Value left{.element = engine::kBool};
    left.reg = emitter_.new_register("", {MpcVisibility::Public, engine::kBool, {}});
    emitter_.assign(left.reg, MpcOpcode::Lt, {turn, max});
    return left;
  };
  const auto count = [&](Check check) {
    if (!loop.max) {
      return;
    }
    if (check == Check::Max) {
      leave_unless(has_turns_left());
    }
    const MpcRegisterId next = emitter_.new_register("", {MpcVisibility::Public, engine::kI64, {}});
    emitter_.assign(next, MpcOpcode::Add,
                    {turn, emitter_.emit(MpcOpcode::Constant, engine::kI64, {}, {}, {1})});
    emitter_.assign(turn, MpcOpcode::Copy, {next});
  };
  const std::set<VariableId> read = kernel::variables_read(kernel_, loop.condition);
  if (!loop.tests_last) {
    run_loop(loop.body, read, [&] {
      emitter_.control(MpcOpcode::Loop);
      leave_unless(value(loop.condition));
      count(Check::Max);
      return stuck_ ? Flow::Left : run(loop.body);
    });
    return stuck_ ? Flow::Left : Flow::Next;
  }
  if (!continues(kernel_, loop.body)) {
    run_loop(
        loop.body, read,
        [&] {
          emitter_.control(MpcOpcode::Loop);
          count(Check::None);
          if (run(loop.body) == Flow::Left) {
            return Flow::Left;
          }
          leave_unless(value(loop.condition));
          if (loop.max && !stuck_) {
            leave_unless(has_turns_left());
          }
          return stuck_ ? Flow::Left : Flow::Next;
        },
        FirstTurn::Always);
    return stuck_ ? Flow::Left : Flow::Next;
  }
  // `continue` goes to the test, so the first turn is told by a flag.
  const MpcRegisterId begins =
      emitter_.new_register("begins", {MpcVisibility::Public, engine::kBool, {}});
  emitter_.assign(begins, MpcOpcode::Constant, {}, {1});
  run_loop(
      loop.body, read,
      [&] {
        emitter_.control(MpcOpcode::Loop);
        emitter_.control(MpcOpcode::If, {begins});
        emitter_.assign(begins, MpcOpcode::Constant, {}, {0});
        count(Check::None);
        emitter_.control(MpcOpcode::Else);
        leave_unless(value(loop.condition));
        count(Check::Max);
        emitter_.control(MpcOpcode::End);
        return stuck_ ? Flow::Left : run(loop.body);
      },
      FirstTurn::Always);
  return stuck_ ? Flow::Left : Flow::Next;
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
