#include <algorithm>

#include "compiler/device/kernel/walk.h"
#include "compiler/mpc/lower/lowerer.h"

/// Loops: side by side as lanes, iteration by iteration in the text of the program, or as loops of
/// it.
namespace tacet::mpc_lower {

using kernel::VariableId;

namespace {

constexpr int64_t kMostIterations = int64_t{1} << 24;
/// How large a loop may become that is written out iteration by iteration.
constexpr int64_t kMostUnrolled = 512;

auto loop_opcode_of(IterationEffect effect) -> MpcOpcode {
  switch (effect) {
    case IterationEffect::Product:
      return MpcOpcode::Product;
    case IterationEffect::Min:
      return MpcOpcode::ReduceMin;
    case IterationEffect::Max:
      return MpcOpcode::ReduceMax;
    case IterationEffect::And:
      return MpcOpcode::ReduceAnd;
    case IterationEffect::Or:
      return MpcOpcode::ReduceOr;
    case IterationEffect::Xor:
      return MpcOpcode::ReduceXor;
    case IterationEffect::Sum:
    case IterationEffect::Shared:
    case IterationEffect::Summed:
    case IterationEffect::Last:
      break;
  }
  return MpcOpcode::Sum;
}

/// What joins two partial results.
auto joining_opcode(IterationEffect effect) -> MpcOpcode {
  switch (effect) {
    case IterationEffect::Product:
      return MpcOpcode::Mul;
    case IterationEffect::Min:
      return MpcOpcode::Min;
    case IterationEffect::Max:
      return MpcOpcode::Max;
    case IterationEffect::And:
      return MpcOpcode::Land;
    case IterationEffect::Or:
      return MpcOpcode::Lor;
    case IterationEffect::Xor:
      return MpcOpcode::Xor;
    case IterationEffect::Sum:
    case IterationEffect::Shared:
    case IterationEffect::Summed:
    case IterationEffect::Last:
      break;
  }
  return MpcOpcode::Add;
}

/// What an iteration begins with, so that joining its result changes nothing else.
auto neutral_cell(IterationEffect effect, ElementType element) -> engine::Cell {
  const bool is_integer = engine::is_integer(element.kind);
  switch (effect) {
    case IterationEffect::Product:
      return engine::one(element);
    case IterationEffect::And:
      return 1;
    case IterationEffect::Min:
      return is_integer ? engine::max_integer(element.kind) : ~uint64_t{0} >> 1;
    case IterationEffect::Max:
      return is_integer ? static_cast<engine::Cell>(engine::min_integer(element.kind))
                        : uint64_t{1} << 63;
    case IterationEffect::Sum:
    case IterationEffect::Or:
    case IterationEffect::Xor:
    case IterationEffect::Shared:
    case IterationEffect::Summed:
    case IterationEffect::Last:
      break;
  }
  return 0;
}

auto is_reduction(IterationEffect effect) -> bool {
  return effect <= IterationEffect::Xor;
}

}  // namespace

auto Lowerer::known_iterations(const kernel::For& loop, const Value& lower, const Value& upper)
    -> std::optional<Iterations> {
  Iterations iterations{.first = lower};
  if (loop.step) {
    const Value step = value(*loop.step);
    if (!step.literal || static_cast<int64_t>(*step.literal) < 1) {
      return std::nullopt;
    }
    iterations.step = static_cast<int64_t>(*step.literal);
  }
  const Value length = binary(MpcOpcode::Sub, cast(upper, engine::kI64), cast(lower, engine::kI64));
  if (!length.literal || lower.element.kind == engine::ElementKind::U64) {
    return std::nullopt;
  }
  const auto span = static_cast<int64_t>(*length.literal);
  iterations.n = span <= 0 ? 0 : (span - 1) / iterations.step + 1;
  if (loop.max) {
    const Value max = value(*loop.max);
    if (!max.literal) {
      return std::nullopt;
    }
    iterations.n = std::clamp<int64_t>(static_cast<int64_t>(*max.literal), 0, iterations.n);
  }
  return iterations;
}

auto Lowerer::counter(const Iterations& iterations, ElementType element, const Affine& iteration)
    -> Value {
  Value steps{.element = element};
  if (iteration.terms.empty()) {
    steps.literal = static_cast<engine::Cell>(iteration.offset * iterations.step);
  } else {
    steps.affine = scaled(iteration, iterations.step);
  }
  return binary(MpcOpcode::Add, iterations.first, steps);
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
  if (const std::optional<Iterations> iterations = known_iterations(loop, lower, upper)) {
    if (iterations->n == 0) {
      return Flow::Next;
    }
    if (iterations->n == 1 && !kernel::effects_of(kernel_, loop.body).breaks) {
      return unrolled(loop, *iterations);
    }
    if (iterations->n <= kMostIterations && run_together(loop, *iterations)) {
      return Flow::Next;
    }
    const auto size = static_cast<int64_t>(analysis_.size_of(loop.body));
    if (iterations->n * size <= kMostUnrolled && !kernel::effects_of(kernel_, loop.body).breaks) {
      return unrolled(loop, *iterations);
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

auto Lowerer::unrolled(const kernel::For& loop, const Iterations& iterations) -> Flow {
  for (int64_t iteration = 0; iteration < iterations.n; ++iteration) {
    env_[loop.counter.index] = counter(iterations, type(loop.counter).element, {iteration});
    if (run(loop.body) == Flow::Left) {
      return Flow::Left;
    }
  }
  env_[loop.counter.index].reset();
  return Flow::Next;
}

auto Lowerer::run_together(const kernel::For& loop, const Iterations& iterations) -> bool {
  const std::optional<IndependentIterations> effects = analysis_.of(loop, iterations.step);
  if (!effects) {
    return false;
  }
  const Env before = env_;
  const std::optional<Value> mask = mask_;
  const Emitter::Mark mark = emitter_.mark();
  const FileRange place = place_;
  const Lane lane = static_cast<Lane>(lanes_.size());
  lanes_.push_back({.extent = iterations.n, .is_of_iterations = true, .iterations = &*effects});
  for (const auto& [variable, effect] : effects->effects) {
    if (is_reduction(effect)) {
      const kernel::Type& type = this->type(variable);
      env_[variable.index] =
          literal_value(type.element, neutral_cell(effect, type.element), type.extents);
    }
  }
  env_[loop.counter.index] =
      counter(iterations, type(loop.counter).element, Affine{0, {{lane, 1}}});
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

void Lowerer::finish_lane(const IndependentIterations& iterations, Lane lane, const Env& before) {
  for (const auto& [variable, effect] : iterations.effects) {
    if (is_reduction(effect)) {
      const Value partial = reduced_lane(loop_opcode_of(effect), held(variable), lane);
      const std::optional<Value>& old = before[variable.index];
      env_[variable.index] =
          binary(joining_opcode(effect), old ? *old : zero(type(variable)), partial);
    } else if (effect == IterationEffect::Last && contains(lanes_of(held(variable)), lane)) {
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
      lower.element.kind == engine::ElementKind::U64 ||
      high->second - low->first > kMostIterations) {
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
  const Iterations iterations{
      .first =
          literal_value(lower.element, static_cast<engine::Cell>(static_cast<int64_t>(low->first))),
      .n = n};
  // The mask speaks of the loop's own lane, which `run_together` opens.
  const Lane lane = static_cast<Lane>(lanes_.size());
  lanes_.push_back({.extent = n});
  const Value iteration = counter(iterations, lower.element, Affine{0, {{lane, 1}}});
  const Value is_in = binary(MpcOpcode::Land, binary(MpcOpcode::Leq, lower, iteration),
                             binary(MpcOpcode::Lt, iteration, upper));
  const std::optional<Value> before = mask_;
  const Value mask = before ? binary(MpcOpcode::Land, *before, is_in) : is_in;
  lanes_.pop_back();
  mask_ = mask.literal == engine::Cell{1} ? before : mask;
  const bool is_done = run_together(loop, iterations);
  mask_ = before;
  return is_done;
}

}  // namespace tacet::mpc_lower
