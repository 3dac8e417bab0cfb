#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/device/kernel/walk.h"
#include "compiler/he/lift/lifter.h"

/// `for`: all iterations as one dimension, or one after the other.
namespace tacet::lift {

/// Loops that are unrolled have at most so many iterations.
static constexpr int64_t kMostIterations = 1 << 16;

/// More products than any ring has room for, however what is unrolled is rewritten later.
static constexpr uint32_t kMostLevelsOfIterations = 256;

auto Lifter::run(const kernel::For& loop, FileRange place) -> Flow {
  const TermId lower_term = value(loop.lower, {});
  const TermId upper_term = value(loop.upper, {});
  std::optional<int64_t> step =
      loop.step ? terms_.as_number(value(*loop.step, {})) : std::optional<int64_t>(1);
  std::optional<int64_t> max =
      loop.max ? terms_.as_number(value(*loop.max, {})) : std::optional<int64_t>(INT64_MAX);
  if (loop.is_lenient && step && *step < 1 && max) {
    step = 1;
    max = std::min<int64_t>(*max, 1);
  }
  if (stuck_) {
    return Flow::Next;
  }
  const engine::ElementKind kind = type(loop.counter).element.kind;
  const std::optional<Index> lower = index_of(lower_term, kind);
  const std::optional<Index> upper = index_of(upper_term, kind);
  if (!lower || !upper || !step || *step < 1 || !max || *max < 0) {
    stick(place, "a loop with unknown bounds",
          "a bound is a sum of constants and multiples of counters of enclosing loops; bounds that "
          "depend on a secret need `max`");
    return Flow::Next;
  }
  const bool is_plain = is_constant(*lower) && is_constant(*upper);
  const Interval ends = range_of(*upper, terms_.dims());
  const std::optional<Index> distance = difference(*upper, *lower);
  if (!is_plain && (!distance || lower->modulus != 0)) {
    stick(place, "a loop with these bounds", "");
    return Flow::Next;
  }
  const int64_t length =
      is_plain ? ends.high - lower->offset : range_of(*distance, terms_.dims()).high;
  const int64_t n = std::min(length <= 0 ? 0 : (length - 1) / *step + 1, *max);
  const bool is_whole = is_plain || is_constant(*distance);
  return run_iterations(loop, *lower, *step, n, is_whole ? std::nullopt : upper, place);
}

auto Lifter::run_iterations(const kernel::For& loop, const Index& first, int64_t step, int64_t n,
                            std::optional<Index> upper, FileRange place) -> Flow {
  if (n > 1 && run_together(loop, first, step, n, upper, place)) {
    return Flow::Next;
  }
  if (n > kMostIterations) {
    stick(place, "loop has more than 65,536 iterations that depend on each other", "",
          DiagnosticCode::T6003);
  }
  for (int64_t iteration = 0; iteration < n && !stuck_; ++iteration) {
    const std::optional<Index> counter = sum(first, constant_index(iteration * step));
    const Flow flow = run_iteration(loop, *counter, upper, place);
    check_levels(kMostLevelsOfIterations, place);
    if (flow == Flow::Break || flow == Flow::Return) {
      return flow == Flow::Break ? Flow::Next : flow;
    }
  }
  return Flow::Next;
}

/// Loops whose iterations need each other soon take more products in a row than can be encrypted.
void Lifter::check_levels(uint32_t most, FileRange place) {
  uint32_t levels = 0;
  for (const VariableState& variable : env_) {
    levels = std::max(levels, terms_.least_levels(variable.scalar));
    for (const Write& write : variable.array.writes) {
      levels = std::max(levels, terms_.least_levels(write.value));
    }
  }
  if (levels > most) {
    stick(place, fmt::format("multiplicative depth exceeds {}", most),
          "each iteration depends on the previous one: reduce the number of iterations (`max`), or "
          "compare all pairs at once, as `sort(t)` does; `--device mpc` has no such limit",
          DiagnosticCode::T6011);
  }
}

auto Lifter::run_iteration(const kernel::For& loop, const Index& counter,
                           const std::optional<Index>& upper, FileRange place) -> Flow {
  state(loop.counter).scalar = terms_.position(counter);
  if (!upper) {
    return run(loop.body);
  }
  const TermId is_iteration = terms_.function(array::FunctionKind::Less,
                                              {terms_.position(counter), terms_.position(*upper)});
  if (const std::optional<int64_t> known = terms_.as_number(is_iteration)) {
    return *known != 0 ? run(loop.body) : Flow::Next;
  }
  return run_either(is_iteration, loop.body, {}, place);
}

/// Runs the body once, on what is carried.
auto Lifter::run_together(const kernel::For& loop, const Index& first, int64_t step, int64_t n,
                          const std::optional<Index>& upper, FileRange place) -> bool {
  const Env before = env_;
  Iterations iterations;
  iterations.n = n;
  iterations.dim = terms_.new_dim(kernel_.variables[loop.counter].name, n);
  iterations.first_carried = n_carried_;
  for (kernel::VariableId id : kernel::variables_written(kernel_, loop.body)) {
    const uint32_t carried = n_carried_++;
    iterations.written.push_back(id.index);
    if (type(id).extents.empty()) {
      state(id).scalar = terms_.carried(carried, {});
    } else {
      state(id).array = {.base = ArrayState::Base::Carried, .origin = carried};
    }
  }
  around_.push_back(iterations.dim);
  const std::optional<Index> along = scaled(index_along(iterations.dim), step);
  const std::optional<Index> counter = along ? sum(first, *along) : std::nullopt;
  const Flow flow = counter ? run_iteration(loop, *counter, upper, place) : Flow::Break;
  around_.pop_back();
  iterations.after = std::exchange(env_, before);
  const bool is_joined = flow == Flow::Next && !stuck_ && join(iterations);
  if (!is_joined) {
    env_ = before;
    stuck_.reset();
  }
  return is_joined;
}

}  // namespace tacet::lift
