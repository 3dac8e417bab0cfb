#include <algorithm>

#include "compiler/device/kernel/walk.h"
#include "compiler/mpc/lower/automata.h"
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
    case IterationEffect::Carried:
    case IterationEffect::CarriedForAll:
    case IterationEffect::Selected:
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
    case IterationEffect::Carried:
    case IterationEffect::CarriedForAll:
    case IterationEffect::Selected:
      break;
  }
  return MpcOpcode::Add;
}

auto is_reduction(IterationEffect effect) -> bool {
  return effect <= IterationEffect::Xor;
}

}  // namespace

static void forgive_step(Lowerer& lowerer, Value& step, std::optional<Value>& max);
static auto unrolled(Lowerer& lowerer, const kernel::For& loop, const Iterations& iterations)
    -> Flow;
static auto run_together(Lowerer& lowerer, const kernel::For& loop, const Iterations& iterations)
    -> bool;
static auto run_states(Lowerer& lowerer, const kernel::For& loop, const Iterations& iterations)
    -> bool;
static void finish_lane(Lowerer& lowerer, const IndependentIterations& iterations, Lane lane,
                        const Env& before);
static auto run_triangle(Lowerer& lowerer, const kernel::For& loop, const Value& lower,
                         const Value& upper) -> bool;

static auto known_iterations(Lowerer& lowerer, const kernel::For& loop, const Value& lower,
                             const Value& upper) -> std::optional<Iterations> {
  Iterations iterations{.first = lower};
  if (loop.step) {
    const Value step = value_of(lowerer, *loop.step);
    if (!step.literal || static_cast<int64_t>(*step.literal) < 1) {
      return std::nullopt;
    }
    iterations.step = static_cast<int64_t>(*step.literal);
  }
  const Value start = cast(lowerer, lower, engine::kI64);
  const Value length = binary(lowerer, MpcOpcode::Sub, cast(lowerer, upper, engine::kI64), start);
  if (!length.literal || lower.element.kind == engine::ElementKind::U64) {
    return std::nullopt;
  }
  const auto span = static_cast<int64_t>(*length.literal);
  iterations.n = span <= 0 ? 0 : (span - 1) / iterations.step + 1;
  if (loop.max) {
    const Value max = value_of(lowerer, *loop.max);
    if (!max.literal) {
      return std::nullopt;
    }
    iterations.n = std::clamp<int64_t>(static_cast<int64_t>(*max.literal), 0, iterations.n);
  }
  return iterations;
}

static auto counter(Lowerer& lowerer, const Iterations& iterations, ElementType element,
                    const Affine& iteration) -> Value {
  Value steps{.element = element};
  if (iteration.terms.empty()) {
    steps.literal = static_cast<engine::Cell>(iteration.offset * iterations.step);
  } else {
    steps.affine = scaled(iteration, iterations.step);
  }
  return binary(lowerer, MpcOpcode::Add, iterations.first, steps);
}

/// The least and the greatest number that a public integer may be, if they are known.
static auto known_range(const Lowerer& lowerer, const Value& value)
    -> std::optional<std::pair<__int128, __int128>> {
  if (value.affine) {
    return range_of(lowerer, *value.affine);
  }
  if (value.literal) {
    const auto number = static_cast<int64_t>(*value.literal);
    return std::pair<__int128, __int128>{number, number};
  }
  return std::nullopt;
}

/// Makes the counter of a loop of the program a term of affine functions, if its bounds are known.
static void bound_counter(Lowerer& lowerer, const Value& lower, const Value& upper,
                          Value& counter) {
  const auto low = known_range(lowerer, lower);
  const auto high = known_range(lowerer, upper);
  if (counter.element.kind == engine::ElementKind::U64 || !low || !high ||
      high->second <= low->first) {
    return;
  }
  lowerer.counters[counter.reg] = {static_cast<int64_t>(low->first),
                                   static_cast<int64_t>(high->second - 1)};
  counter.affine = Affine{.offset = 0, .counters = {{counter.reg, 1}}};
  counter.reg = {};
}

/// Writes a loop of the program.
static auto run_in_program(Lowerer& lowerer, const kernel::For& loop, const Value& lower,
                           const Value& upper) -> Flow {
  std::optional<Value> step;
  std::optional<Value> max;
  if (loop.step) {
    step = value_of(lowerer, *loop.step);
  }
  if (loop.max) {
    max = value_of(lowerer, *loop.max);
  }
  if (step && loop.is_lenient) {
    forgive_step(lowerer, *step, max);
  }
  std::vector<MpcRegisterId> operands = {scalar_register(lowerer, lower),
                                         scalar_register(lowerer, upper)};
  const std::vector<int64_t> numbers = {step ? 1 : 0, max ? 1 : 0};
  for (const auto& given : {step, max}) {
    if (given && (!lanes_of(*given).empty() || is_secret_in(lowerer, *given))) {
      stick(lowerer, lowerer.place, "a loop whose number of iterations differs between lanes");
      return Flow::Left;
    }
    if (given) {
      operands.push_back(scalar_register(lowerer, *given));
    }
  }
  const ElementType element = type_of(lowerer, loop.counter).element;
  run_loop(lowerer, loop.body, {}, [&] {
    Value counter{.element = element};
    counter.reg = lowerer.emitter.new_register(lowerer.kernel.variables[loop.counter].name,
                                               {MpcVisibility::Public, element, {}});
    lowerer.emitter.control(MpcOpcode::For, operands, numbers, counter.reg);
    bound_counter(lowerer, lower, upper, counter);
    lowerer.env[loop.counter.index] = counter;
    return run(lowerer, loop.body);
  });
  lowerer.env[loop.counter.index].reset();
  return lowerer.stuck ? Flow::Left : Flow::Next;
}

auto run(Lowerer& lowerer, const kernel::For& loop) -> Flow {
  const Value lower = value_of(lowerer, loop.lower);
  const Value upper = value_of(lowerer, loop.upper);
  if (lowerer.stuck) {
    return Flow::Left;
  }
  if (is_secret_in(lowerer, lower) || is_secret_in(lowerer, upper)) {
    stick(lowerer, lowerer.place, "a loop with secret bounds");
    return Flow::Left;
  }
  if (const std::optional<Iterations> iterations = known_iterations(lowerer, loop, lower, upper)) {
    if (iterations->n == 0) {
      return Flow::Next;
    }
    if (iterations->n == 1 && !kernel::effects_of(lowerer.kernel, loop.body).breaks) {
      return unrolled(lowerer, loop, *iterations);
    }
    if (iterations->n <= kMostIterations && run_together(lowerer, loop, *iterations)) {
      return Flow::Next;
    }
    if (iterations->n <= kMostIterations && run_states(lowerer, loop, *iterations)) {
      return Flow::Next;
    }
    lowerer.sequential_loops.push_back(lowerer.place);
    const auto size = static_cast<int64_t>(lowerer.analysis.size_of(loop.body));
    if (iterations->n * size <= kMostUnrolled &&
        !kernel::effects_of(lowerer.kernel, loop.body).breaks) {
      return unrolled(lowerer, loop, *iterations);
    }
  } else if (run_triangle(lowerer, loop, lower, upper)) {
    return Flow::Next;
  }
  if (lowerer.mask || !lanes_of(lower).empty() || !lanes_of(upper).empty()) {
    stick(lowerer, lowerer.place, "a loop whose number of iterations differs between lanes");
    return Flow::Left;
  }
  return run_in_program(lowerer, loop, lower, upper);
}

/// Makes a loop stop after one iteration where its step is below 1, which is no fault.
static void forgive_step(Lowerer& lowerer, Value& step, std::optional<Value>& max) {
  const Value positive = binary(lowerer, MpcOpcode::Lt, literal_value(step.element, 0), step);
  step = select(lowerer, positive, step, literal_value(step.element, 1));
  const ElementType of_max = max ? max->element : engine::kI64;
  const Value most = max ? *max : literal_value(of_max, static_cast<engine::Cell>(INT64_MAX));
  const Value one = literal_value(of_max, 1);
  // A `max` below 1 still allows no iteration.
  const Value at_most_one =
      max ? select(lowerer, binary(lowerer, MpcOpcode::Lt, *max, one), *max, one) : one;
  max = select(lowerer, positive, most, at_most_one);
}

static auto unrolled(Lowerer& lowerer, const kernel::For& loop, const Iterations& iterations)
    -> Flow {
  for (int64_t iteration = 0; iteration < iterations.n; ++iteration) {
    lowerer.env[loop.counter.index] =
        counter(lowerer, iterations, type_of(lowerer, loop.counter).element, {iteration});
    if (run(lowerer, loop.body) == Flow::Left) {
      return Flow::Left;
    }
  }
  lowerer.env[loop.counter.index].reset();
  return Flow::Next;
}

/// The body of a loop whose iterations run side by side. In front of their assignment, recurrences
/// hold what the iteration before left.
static void run_body(Lowerer& lowerer, const kernel::Block& body,
                     const IndependentIterations& iterations) {
  if (iterations.early.empty()) {
    run(lowerer, body);
    return;
  }
  for (const size_t at : iterations.order) {
    const auto exchange = [&] {
      for (const auto& [variable, assignment] : iterations.early) {
        if (const auto before = lowerer.held_before.find(variable);
            at < assignment && before != lowerer.held_before.end()) {
          std::optional<Value>& held = lowerer.env[variable.index];
          Value other = std::exchange(before->second, *held);
          held = std::move(other);
        }
      }
    };
    exchange();
    run(lowerer, kernel::Block{body[at]});
    if (lowerer.stuck) {
      break;
    }
    exchange();
  }
  for (const auto& [variable, _] : iterations.early) {
    lowerer.held_before.erase(variable);
  }
}

static auto run_together(Lowerer& lowerer, const kernel::For& loop, const Iterations& iterations)
    -> bool {
  const std::optional<IndependentIterations> effects = lowerer.analysis.of(loop, iterations.step);
  if (!effects) {
    return false;
  }
  const Env before = lowerer.env;
  const std::optional<Value> mask = lowerer.mask;
  const auto selected = lowerer.selected;
  const size_t n_sequential = lowerer.sequential_loops.size();
  const auto selection_counts = lowerer.selection_counts;
  const Emitter::Mark mark = lowerer.emitter.mark();
  const FileRange place = lowerer.place;
  const Lane lane = static_cast<Lane>(lowerer.lanes.size());
  lowerer.lanes.push_back(
      {.extent = iterations.n, .is_of_iterations = true, .iterations = &*effects});
  for (const auto& [variable, effect] : effects->effects) {
    if (is_reduction(effect)) {
      const kernel::Type& type = type_of(lowerer, variable);
      lowerer.env[variable.index] =
          literal_value(type.element, neutral_cell(effect, type.element), type.extents);
    }
  }
  lowerer.env[loop.counter.index] =
      counter(lowerer, iterations, type_of(lowerer, loop.counter).element, Affine{0, {{lane, 1}}});
  run_body(lowerer, loop.body, *effects);
  if (!lowerer.stuck) {
    finish_lane(lowerer, *effects, lane, before);
  }
  lowerer.lanes.pop_back();
  lowerer.place = place;
  if (lowerer.stuck) {
    lowerer.stuck.reset();
    lowerer.env = before;
    lowerer.mask = mask;
    lowerer.selected = selected;
    lowerer.selection_counts = selection_counts;
    lowerer.sequential_loops.resize(n_sequential);
    lowerer.guard.reset();
    lowerer.emitter.go_back(mark);
    return false;
  }
  for (const VariableId variable : kernel::variables_written(lowerer.kernel, loop.body)) {
    if (!effects->effects.contains(variable)) {
      lowerer.env[variable.index].reset();
    }
  }
  return true;
}

/// As an automaton, if that is what the loop is.
static auto run_states(Lowerer& lowerer, const kernel::For& loop, const Iterations& iterations)
    -> bool {
  if (!lowerer.lanes.empty()) {
    return false;
  }
  const Env before = lowerer.env;
  const Emitter::Mark mark = lowerer.emitter.mark();
  const FileRange place = lowerer.place;
  lowerer.lanes.push_back({.extent = iterations.n});
  const Value at =
      counter(lowerer, iterations, type_of(lowerer, loop.counter).element, Affine{0, {{0, 1}}});
  const bool is_done = run_automaton(lowerer, loop, iterations, at);
  lowerer.lanes.pop_back();
  lowerer.place = place;
  if (!is_done) {
    lowerer.stuck.reset();
    lowerer.guard.reset();
    lowerer.env = before;
    lowerer.emitter.go_back(mark);
    return false;
  }
  return true;
}

static void finish_lane(Lowerer& lowerer, const IndependentIterations& iterations, Lane lane,
                        const Env& before) {
  for (const auto& [variable, effect] : iterations.effects) {
    if (is_reduction(effect)) {
      const Value partial =
          reduced_lane(lowerer, loop_opcode_of(effect), held_by(lowerer, variable), lane);
      const std::optional<Value>& old = before[variable.index];
      lowerer.env[variable.index] = binary(lowerer, joining_opcode(effect),
                                           old ? *old : zero(type_of(lowerer, variable)), partial);
    } else if ((effect == IterationEffect::Last || effect == IterationEffect::CarriedForAll) &&
               contains(lanes_of(held_by(lowerer, variable)), lane)) {
      const Value all = held_by(lowerer, variable);
      const Lanes lanes = lanes_of(all);
      const MpcRegisterId reg = in_register(lowerer, all, lanes, all.extents);
      const Extents shape = lowerer.emitter.type(reg).extents;
      Extents strides = strides_of(shape);
      Extents rest = shape;
      const auto axis = std::lower_bound(lanes.begin(), lanes.end(), lane) - lanes.begin();
      const int64_t offset = strides[static_cast<size_t>(axis)] * (lowerer.lanes[lane].extent - 1);
      strides.erase(strides.begin() + axis);
      rest.erase(rest.begin() + axis);
      Value last{.element = all.element, .extents = all.extents};
      last.lanes = lanes;
      last.lanes.erase(last.lanes.begin() + axis);
      last.reg = view(lowerer, reg, offset, std::move(strides), rest);
      lowerer.env[variable.index] = std::move(last);
    }
  }
}

/// Bounds that differ from lane to lane: all numbers from the least to the greatest, under a mask.
static auto run_triangle(Lowerer& lowerer, const kernel::For& loop, const Value& lower,
                         const Value& upper) -> bool {
  const auto low = known_range(lowerer, lower);
  const auto high = known_range(lowerer, upper);
  // In loops of the program their number is small enough as it is.
  const auto counts = [](const Value& value) {
    return value.affine && !value.affine->counters.empty();
  };
  if (!low || !high || loop.step || loop.max || (!lower.affine && !upper.affine) || counts(lower) ||
      counts(upper) || lower.element.kind == engine::ElementKind::U64 ||
      high->second - low->first > kMostIterations) {
    return false;
  }
  const kernel::Effects effects = kernel::effects_of(lowerer.kernel, loop.body);
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
  const Lane lane = static_cast<Lane>(lowerer.lanes.size());
  lowerer.lanes.push_back({.extent = n});
  const Value iteration = counter(lowerer, iterations, lower.element, Affine{0, {{lane, 1}}});
  const Value is_below = binary(lowerer, MpcOpcode::Lt, iteration, upper);
  const Value is_in =
      binary(lowerer, MpcOpcode::Land, binary(lowerer, MpcOpcode::Leq, lower, iteration), is_below);
  const std::optional<Value> before = lowerer.mask;
  const Value mask = before ? binary(lowerer, MpcOpcode::Land, *before, is_in) : is_in;
  lowerer.lanes.pop_back();
  lowerer.mask = mask.literal == engine::Cell{1} ? before : mask;
  const bool is_done = run_together(lowerer, loop, iterations);
  lowerer.mask = before;
  return is_done;
}

}  // namespace tacet::mpc_lower
