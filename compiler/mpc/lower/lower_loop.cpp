#include <algorithm>

#include "compiler/device/kernel/walk.h"
#include "compiler/mpc/lower/lowerer.h"

/// Loops: side by side as lanes, turn by turn in the text of the program, or as loops of it.
namespace tacet::mpc_lower {

using kernel::VariableId;

namespace {

constexpr int64_t kMostTurns = int64_t{1} << 24;
/// How large a loop may become that is written out turn by turn.
constexpr int64_t kMostUnrolled = 512;

auto loop_opcode_of(TurnEffect effect) -> MpcOpcode {
  switch (effect) {
    case TurnEffect::Product:
      return MpcOpcode::Product;
    case TurnEffect::Min:
      return MpcOpcode::ReduceMin;
    case TurnEffect::Max:
      return MpcOpcode::ReduceMax;
    case TurnEffect::And:
      return MpcOpcode::ReduceAnd;
    case TurnEffect::Or:
      return MpcOpcode::ReduceOr;
    case TurnEffect::Xor:
      return MpcOpcode::ReduceXor;
    case TurnEffect::Sum:
    case TurnEffect::Shared:
    case TurnEffect::Summed:
    case TurnEffect::Last:
      break;
  }
  return MpcOpcode::Sum;
}

/// What joins two partial results.
auto joining_opcode(TurnEffect effect) -> MpcOpcode {
  switch (effect) {
    case TurnEffect::Product:
      return MpcOpcode::Mul;
    case TurnEffect::Min:
      return MpcOpcode::Min;
    case TurnEffect::Max:
      return MpcOpcode::Max;
    case TurnEffect::And:
      return MpcOpcode::Land;
    case TurnEffect::Or:
      return MpcOpcode::Lor;
    case TurnEffect::Xor:
      return MpcOpcode::Xor;
    case TurnEffect::Sum:
    case TurnEffect::Shared:
    case TurnEffect::Summed:
    case TurnEffect::Last:
      break;
  }
  return MpcOpcode::Add;
}

/// What a turn begins with, so that joining its result changes nothing else.
auto neutral_cell(TurnEffect effect, ElementType element) -> engine::Cell {
  const bool is_integer = engine::is_integer(element.kind);
  switch (effect) {
    case TurnEffect::Product:
      return engine::one(element);
    case TurnEffect::And:
      return 1;
    case TurnEffect::Min:
      return is_integer ? engine::max_integer(element.kind) : ~uint64_t{0} >> 1;
    case TurnEffect::Max:
      return is_integer ? static_cast<engine::Cell>(engine::min_integer(element.kind))
                        : uint64_t{1} << 63;
    case TurnEffect::Sum:
    case TurnEffect::Or:
    case TurnEffect::Xor:
    case TurnEffect::Shared:
    case TurnEffect::Summed:
    case TurnEffect::Last:
      break;
  }
  return 0;
}

auto is_reduction(TurnEffect effect) -> bool {
  return effect <= TurnEffect::Xor;
}

}  // namespace

auto Lowerer::known_turns(const kernel::For& loop, const Value& lower, const Value& upper)
    -> std::optional<Turns> {
  Turns turns{.first = lower};
  if (loop.step) {
    const Value step = value(*loop.step);
    if (!step.literal || static_cast<int64_t>(*step.literal) < 1) {
      return std::nullopt;
    }
    turns.step = static_cast<int64_t>(*step.literal);
  }
  const Value length = binary(MpcOpcode::Sub, cast(upper, engine::kI64), cast(lower, engine::kI64));
  if (!length.literal || lower.element.kind == engine::ElementKind::U64) {
    return std::nullopt;
  }
  const auto span = static_cast<int64_t>(*length.literal);
  turns.n = span <= 0 ? 0 : (span - 1) / turns.step + 1;
  if (loop.max) {
    const Value max = value(*loop.max);
    if (!max.literal) {
      return std::nullopt;
    }
    turns.n = std::clamp<int64_t>(static_cast<int64_t>(*max.literal), 0, turns.n);
  }
  return turns;
}

auto Lowerer::counter(const Turns& turns, ElementType element, const Affine& turn) -> Value {
  Value steps{.element = element};
  if (turn.terms.empty()) {
    steps.literal = static_cast<engine::Cell>(turn.offset * turns.step);
  } else {
    steps.affine = scaled(turn, turns.step);
  }
  return binary(MpcOpcode::Add, turns.first, steps);
}

/// Writes a loop of the program.
static auto run_in_program(Lowerer& lowerer, const kernel::For& loop, const Value& lower,
                           const Value& upper) -> Lowerer::Flow {
  using Flow = Lowerer::Flow;
  std::optional<Value> step;
  std::optional<Value> max;
  if (loop.step) {
    step = lowerer.value(*loop.step);
  }
  if (loop.max) {
    max = lowerer.value(*loop.max);
  }
  if (step && loop.is_lenient) {
    lowerer.forgive_step(*step, max);
  }
  std::vector<MpcRegisterId> operands = {lowerer.scalar_register(lower),
                                         lowerer.scalar_register(upper)};
  const std::vector<int64_t> numbers = {step ? 1 : 0, max ? 1 : 0};
  for (const auto& given : {step, max}) {
    if (given && (!lowerer.lanes_of(*given).empty() || lowerer.is_secret(*given))) {
      lowerer.stick(lowerer.place_, "a loop whose number of iterations differs between lanes");
      return Flow::Left;
    }
    if (given) {
      operands.push_back(lowerer.scalar_register(*given));
    }
  }
  const ElementType element = lowerer.type(loop.counter).element;
  lowerer.run_loop(loop.body, {}, [&] {
    Value counter{.element = element};
    counter.reg = lowerer.emitter_.new_register(lowerer.kernel_.variables[loop.counter].name,
                                                {MpcVisibility::Public, element, {}});
    lowerer.emitter_.control(MpcOpcode::For, operands, numbers, counter.reg);
    lowerer.env_[loop.counter.index] = counter;
    return lowerer.run(loop.body);
  });
  lowerer.env_[loop.counter.index].reset();
  return lowerer.stuck_ ? Flow::Left : Flow::Next;
}

auto Lowerer::run(const kernel::For& loop) -> Flow {
  const Value lower = value(loop.lower);
  const Value upper = value(loop.upper);
  if (stuck_) {
    return Flow::Left;
  }
  if (is_secret(lower) || is_secret(upper)) {
    stick(place_, "a loop with secret bounds");
    return Flow::Left;
  }
  if (const std::optional<Turns> turns = known_turns(loop, lower, upper)) {
    if (turns->n == 0) {
      return Flow::Next;
    }
    if (turns->n == 1 && !kernel::effects_of(kernel_, loop.body).breaks) {
      return unrolled(loop, *turns);
    }
    if (turns->n <= kMostTurns && run_together(loop, *turns)) {
      return Flow::Next;
    }
    const auto size = static_cast<int64_t>(analysis_.size_of(loop.body));
    if (turns->n * size <= kMostUnrolled && !kernel::effects_of(kernel_, loop.body).breaks) {
      return unrolled(loop, *turns);
    }
  } else if (run_triangle(loop, lower, upper)) {
    return Flow::Next;
  }
  if (mask_ || !lanes_of(lower).empty() || !lanes_of(upper).empty()) {
    stick(place_, "a loop whose number of iterations differs between lanes");
    return Flow::Left;
  }
  return run_in_program(*this, loop, lower, upper);
}

/// Makes a loop stop after one iteration where its step is below 1, which is no fault.
void Lowerer::forgive_step(Value& step, std::optional<Value>& max) {
  const Value positive = binary(MpcOpcode::Lt, literal_value(step.element, 0), step);
  step = select(positive, step, literal_value(step.element, 1));
  const ElementType of_max = max ? max->element : engine::kI64;
  const Value most = max ? *max : literal_value(of_max, static_cast<engine::Cell>(INT64_MAX));
  const Value one = literal_value(of_max, 1);
  // A `max` below 1 still allows no iteration.
  const Value at_most_one = max ? select(binary(MpcOpcode::Lt, *max, one), *max, one) : one;
  max = select(positive, most, at_most_one);
}

auto Lowerer::unrolled(const kernel::For& loop, const Turns& turns) -> Flow {
  for (int64_t turn = 0; turn < turns.n; ++turn) {
    env_[loop.counter.index] = counter(turns, type(loop.counter).element, {turn});
    if (run(loop.body) == Flow::Left) {
      return Flow::Left;
    }
  }
  env_[loop.counter.index].reset();
  return Flow::Next;
}

auto Lowerer::run_together(const kernel::For& loop, const Turns& turns) -> bool {
  const std::optional<IndependentTurns> effects = analysis_.of(loop, turns.step);
  if (!effects) {
    return false;
  }
  const Env before = env_;
  const std::optional<Value> mask = mask_;
  const Emitter::Mark mark = emitter_.mark();
  const FileRange place = place_;
  const Lane lane = static_cast<Lane>(lanes_.size());
  lanes_.push_back({.extent = turns.n, .is_of_turns = true, .turns = &*effects});
  for (const auto& [variable, effect] : effects->effects) {
    if (is_reduction(effect)) {
      const kernel::Type& type = this->type(variable);
      env_[variable.index] =
          literal_value(type.element, neutral_cell(effect, type.element), type.extents);
    }
  }
  env_[loop.counter.index] = counter(turns, type(loop.counter).element, Affine{0, {{lane, 1}}});
  run(loop.body);
  if (!stuck_) {
    finish_lane(*effects, lane, before);
  }
  lanes_.pop_back();
  place_ = place;
  if (stuck_) {
    stuck_.reset();
    env_ = before;
    mask_ = mask;
    guard_.reset();
    emitter_.go_back(mark);
    return false;
  }
  for (const VariableId variable : kernel::variables_written(kernel_, loop.body)) {
    if (!effects->effects.contains(variable)) {
      env_[variable.index].reset();
    }
  }
  return true;
}

void Lowerer::finish_lane(const IndependentTurns& turns, Lane lane, const Env& before) {
  for (const auto& [variable, effect] : turns.effects) {
    if (is_reduction(effect)) {
      const Value partial = reduced_lane(loop_opcode_of(effect), held(variable), lane);
      const std::optional<Value>& old = before[variable.index];
      env_[variable.index] =
          binary(joining_opcode(effect), old ? *old : zero(type(variable)), partial);
    } else if (effect == TurnEffect::Last && contains(lanes_of(held(variable)), lane)) {
      const Value all = held(variable);
      const Lanes lanes = lanes_of(all);
      const MpcRegisterId reg = in_register(all, lanes, all.extents);
      const Extents shape = emitter_.type(reg).extents;
      Extents strides = strides_of(shape);
      Extents rest = shape;
      const auto axis = std::lower_bound(lanes.begin(), lanes.end(), lane) - lanes.begin();
      const int64_t offset = strides[static_cast<size_t>(axis)] * (lanes_[lane].extent - 1);
      strides.erase(strides.begin() + axis);
      rest.erase(rest.begin() + axis);
      Value last{.element = all.element, .extents = all.extents};
      last.lanes = lanes;
      last.lanes.erase(last.lanes.begin() + axis);
      last.reg = view(reg, offset, std::move(strides), rest);
      env_[variable.index] = std::move(last);
    }
  }
}

/// Bounds that differ from lane to lane: all numbers from the least to the greatest, under a mask.
auto Lowerer::run_triangle(const kernel::For& loop, const Value& lower, const Value& upper)
    -> bool {
  const auto range = [&](const Value& value) -> std::optional<std::pair<__int128, __int128>> {
    if (value.affine) {
      return range_of(*value.affine);
    }
    if (value.literal) {
      const auto number = static_cast<int64_t>(*value.literal);
      return std::pair<__int128, __int128>{number, number};
    }
    return std::nullopt;
  };
  const auto low = range(lower);
  const auto high = range(upper);
  if (!low || !high || loop.step || loop.max || (!lower.affine && !upper.affine) ||
      lower.element.kind == engine::ElementKind::U64 || high->second - low->first > kMostTurns) {
    return false;
  }
  const kernel::Effects effects = kernel::effects_of(kernel_, loop.body);
  if (effects.reveals) {
    return false;
  }
  const auto n = static_cast<int64_t>(high->second - low->first);
  if (n <= 0) {
    return true;
  }
  const Turns turns{.first = literal_value(
                        lower.element, static_cast<engine::Cell>(static_cast<int64_t>(low->first))),
                    .n = n};
  // The mask speaks of the loop's own lane, which `run_together` opens.
  const Lane lane = static_cast<Lane>(lanes_.size());
  lanes_.push_back({.extent = n});
  const Value turn = counter(turns, lower.element, Affine{0, {{lane, 1}}});
  const Value is_in = binary(MpcOpcode::Land, binary(MpcOpcode::Leq, lower, turn),
                             binary(MpcOpcode::Lt, turn, upper));
  const std::optional<Value> before = mask_;
  const Value mask = before ? binary(MpcOpcode::Land, *before, is_in) : is_in;
  lanes_.pop_back();
  mask_ = mask.literal == engine::Cell{1} ? before : mask;
  const bool is_done = run_together(loop, turns);
  mask_ = before;
  return is_done;
}

}  // namespace tacet::mpc_lower
