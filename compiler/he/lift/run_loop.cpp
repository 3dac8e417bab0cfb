#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/device/kernel/walk.h"
#include "compiler/he/lift/lifter.h"

/// `for`: all iterations as one dimension, or in sequence.
namespace tacet::lift {

/// Loops that are unrolled have at most so many iterations.
static constexpr int64_t kMostIterations = 1 << 16;

/// More products than any ring supports, however what is unrolled is rewritten later.
static constexpr uint32_t kMostLevelsOfIterations = 256;

static auto run_iterations(Lifter& lifter, const kernel::For& loop, const Index& first,
                           int64_t step, int64_t n, std::optional<Index> upper, FileRange place)
    -> Flow;
static void check_levels(Lifter& lifter, uint32_t most, FileRange place);
static auto run_iteration(Lifter& lifter, const kernel::For& loop, const Index& counter,
                          const std::optional<Index>& upper, FileRange place) -> Flow;
static auto run_together(Lifter& lifter, const kernel::For& loop, const Index& first, int64_t step,
                         int64_t n, const std::optional<Index>& upper, FileRange place) -> bool;

auto run(Lifter& lifter, const kernel::For& loop, FileRange place) -> Flow {
  const TermId lower_term = value(lifter, loop.lower, {});
  const TermId upper_term = value(lifter, loop.upper, {});
  std::optional<int64_t> step =
      loop.step ? lifter.terms.as_number(value(lifter, *loop.step, {})) : std::optional<int64_t>(1);
  std::optional<int64_t> max = loop.max ? lifter.terms.as_number(value(lifter, *loop.max, {}))
                                        : std::optional<int64_t>(INT64_MAX);
  if (loop.is_lenient && step && *step < 1 && max) {
    step = 1;
    max = std::min<int64_t>(*max, 1);
  }
  if (lifter.stuck) {
    return Flow::Next;
  }
  const engine::ElementKind kind = type(lifter, loop.counter).element.kind;
  const std::optional<Index> lower = index_of(lifter, lower_term, kind);
  const std::optional<Index> upper = index_of(lifter, upper_term, kind);
  if (!lower || !upper || !step || *step < 1 || !max || *max < 0) {
    stick(lifter, place, "a loop with unknown bounds",
          "a bound is a sum of constants and multiples of counters of enclosing loops; bounds that "
          "depend on a secret need `max`");
    return Flow::Next;
  }
  const bool is_plain = is_constant(*lower) && is_constant(*upper);
  const Interval ends = range_of(*upper, lifter.terms.dims());
  const std::optional<Index> distance = difference(*upper, *lower);
  if (!is_plain && (!distance || lower->modulus != 0)) {
    stick(lifter, place, "a loop with these bounds", "");
    return Flow::Next;
  }
  const int64_t length =
      is_plain ? ends.high - lower->offset : range_of(*distance, lifter.terms.dims()).high;
  const int64_t n = std::min(length <= 0 ? 0 : (length - 1) / *step + 1, *max);
  const bool is_whole = is_plain || is_constant(*distance);
  return run_iterations(lifter, loop, *lower, *step, n, is_whole ? std::nullopt : upper, place);
}

static auto run_iterations(Lifter& lifter, const kernel::For& loop, const Index& first,
                           int64_t step, int64_t n, std::optional<Index> upper, FileRange place)
    -> Flow {
  if (n > 1 && run_together(lifter, loop, first, step, n, upper, place)) {
    return Flow::Next;
  }
  if (n > kMostIterations) {
    stick(lifter, place, "loop has more than 65,536 iterations that depend on each other", "",
          DiagnosticCode::T6003);
  }
  for (int64_t iteration = 0; iteration < n && !lifter.stuck; ++iteration) {
    const std::optional<Index> counter = sum(first, constant_index(iteration * step));
    const Flow flow = run_iteration(lifter, loop, *counter, upper, place);
    check_levels(lifter, is_real(lifter.inputs) ? kMostRealLevels : kMostLevelsOfIterations, place);
    if (flow == Flow::Break || flow == Flow::Return) {
      return flow == Flow::Break ? Flow::Next : flow;
    }
  }
  return Flow::Next;
}

/// Loops whose iterations need each other soon take more products in a row than can be encrypted.
static void check_levels(Lifter& lifter, uint32_t most, FileRange place) {
  uint32_t levels = 0;
  for (const VariableState& variable : lifter.env) {
    levels = std::max(levels, lifter.terms.least_levels(variable.scalar));
    for (const Write& write : variable.array.writes) {
      levels = std::max(levels, lifter.terms.least_levels(write.value));
    }
  }
  if (levels > most) {
    stick(lifter, place, fmt::format("multiplicative depth exceeds {}", most),
          "each iteration depends on the previous one: reduce the number of iterations (`max`), or "
          "compare all pairs at once, as `sort(t)` does; `--device mpc` has no such limit",
          DiagnosticCode::T6011);
  }
}

static auto run_iteration(Lifter& lifter, const kernel::For& loop, const Index& counter,
                          const std::optional<Index>& upper, FileRange place) -> Flow {
  state(lifter, loop.counter).scalar = lifter.terms.position(counter);
  if (!upper) {
    return run(lifter, loop.body);
  }
  const TermId is_iteration = lifter.terms.function(
      array::FunctionKind::Less, {lifter.terms.position(counter), lifter.terms.position(*upper)});
  if (const std::optional<int64_t> known = lifter.terms.as_number(is_iteration)) {
    return *known != 0 ? run(lifter, loop.body) : Flow::Next;
  }
  return run_either(lifter, is_iteration, loop.body, {}, place);
}

/// Runs the body once, on what is carried.
static auto run_together(Lifter& lifter, const kernel::For& loop, const Index& first, int64_t step,
                         int64_t n, const std::optional<Index>& upper, FileRange place) -> bool {
  const Env before = lifter.env;
  Iterations iterations;
  iterations.n = n;
  iterations.dim = lifter.terms.new_dim(lifter.kernel.variables[loop.counter].name, n);
  iterations.first_carried = lifter.n_carried;
  for (kernel::VariableId id : kernel::variables_written(lifter.kernel, loop.body)) {
    const uint32_t carried = lifter.n_carried++;
    iterations.written.push_back(id.index);
    if (type(lifter, id).extents.empty()) {
      state(lifter, id).scalar = carried_value(lifter.terms, carried, {});
    } else {
      state(lifter, id).array = {.base = ArrayState::Base::Carried, .origin = carried};
    }
  }
  lifter.around.push_back(iterations.dim);
  const std::optional<Index> along = scaled(index_along(iterations.dim), step);
  const std::optional<Index> counter = along ? sum(first, *along) : std::nullopt;
  const Flow flow = counter ? run_iteration(lifter, loop, *counter, upper, place) : Flow::Break;
  lifter.around.pop_back();
  iterations.after = std::exchange(lifter.env, before);
  const bool is_joined = flow == Flow::Next && !lifter.stuck && join(lifter, iterations);
  if (!is_joined) {
    lifter.env = before;
    lifter.stuck.reset();
  }
  return is_joined;
}

}  // namespace tacet::lift
