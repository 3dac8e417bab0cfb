#include <algorithm>

#include "compiler/device/kernel/walk.h"
#include "compiler/he/lift/lifter.h"

/// Statements other than `for`.
namespace tacet::lift {

/// A kernel that makes more terms is too large.
static constexpr size_t kMostTerms = size_t{1} << 19;
/// One that takes more steps until it is unrolled, too: statements run and elements' values copied.
static constexpr size_t kMostSteps = size_t{1} << 20;

static auto merged(Lifter& lifter, TermId condition, const ArrayState& before,
                   const ArrayState& then, const ArrayState& otherwise, kernel::VariableId variable)
    -> ArrayState;
static auto merged_writes(Lifter& lifter, TermId condition, const ArrayState& before,
                          const std::array<const ArrayState*, 2>& sides,
                          const std::vector<int64_t>& extents) -> std::optional<ArrayState>;

auto run(Lifter& lifter, const Block& block) -> Flow {
  for (kernel::StatementId id : block) {
    const kernel::Statement& statement = lifter.kernel.statements[id];
    ++lifter.n_steps;
    if (lifter.terms.size() > kMostTerms || lifter.n_steps > kMostSteps) {
      stick(lifter, statement.place, "more than half a million values after unrolling loops",
            "loops whose iterations depend on each other are unrolled", DiagnosticCode::T6003);
    }
    if (lifter.stuck) {
      return Flow::Next;
    }
    kernel::visit_exprs(statement, [&](kernel::ExprId expr) { check_faults(lifter, expr); });
    const Flow flow = std::visit(
        [&](const auto& node) { return run(lifter, node, statement.place); }, statement.node);
    if (flow != Flow::Next) {
      return flow;
    }
  }
  return Flow::Next;
}

/// Whether what is assigned keeps to the bound of a parameter.
static auto has_promise(const Lifter& lifter, kernel::VariableId id) -> bool {
  const kernel::Variable& variable = lifter.kernel.variables[id];
  return variable.bound && variable.kind != kernel::VariableKind::Parameter &&
         variable.bound->fraction_bits != 0 && array::is_real(lifter.inputs);
}

/// With the promise, if there is one. In an arm of a choice only some numbers keep it, but both
/// arms are computed of all.
static auto kept(Lifter& lifter, kernel::VariableId variable, TermId value) -> TermId {
  if (!has_promise(lifter, variable) || lifter.terms.as_number(lifter.reached) != 1) {
    return value;
  }
  const kernel::Bound& bound = *lifter.kernel.variables[variable].bound;
  return lifter.terms.function(
      array::FunctionKind::Promise,
      {value, end_of_bound(lifter, bound, bound.lower), end_of_bound(lifter, bound, bound.upper)});
}

static void store_all(Lifter& lifter, kernel::VariableId variable, const std::vector<DimId>& dims,
                      TermId value) {
  ArrayState& array = state(lifter, variable).array;
  array = {};
  if (lifter.terms.as_number(value) != 0) {
    array.writes.push_back({.dims = dims, .at = along(dims), .value = value});
  }
}

auto run(Lifter& lifter, const kernel::Assign& assign, FileRange /*place*/) -> Flow {
  const std::vector<int64_t>& extents = type(lifter, assign.variable).extents;
  const bool is_promised = has_promise(lifter, assign.variable);
  if (extents.empty()) {
    const TermId result = kept(lifter, assign.variable, value(lifter, assign.value, {}));
    state(lifter, assign.variable).scalar = result;
    return Flow::Next;
  }
  const auto* read = std::get_if<kernel::Read>(&lifter.kernel.exprs[assign.value].node);
  if (read != nullptr && !is_promised) {
    state(lifter, assign.variable).array = state(lifter, read->variable).array;
    lifter.n_steps += state(lifter, assign.variable).array.writes.size();
    return Flow::Next;
  }
  const std::vector<DimId> dims = new_dims(lifter, extents, "i");
  const TermId result = kept(lifter, assign.variable, value(lifter, assign.value, along(dims)));
  store_all(lifter, assign.variable, dims, result);
  return Flow::Next;
}

auto run(Lifter& lifter, const kernel::StoreElement& store, FileRange /*place*/) -> Flow {
  const std::vector<int64_t>& extents = type(lifter, store.array).extents;
  const size_t n_given = store.indices.size();
  Write write;
  for (kernel::ExprId id : store.indices) {
    const std::optional<Index> at = address(lifter, id, extents[write.at.size()]);
    if (!at) {
      return Flow::Next;
    }
    write.at.push_back(*at);
  }
  check_store(lifter, store, write.at);
  write.dims = new_dims(
      lifter,
      std::vector<int64_t>(extents.begin() + static_cast<std::ptrdiff_t>(n_given), extents.end()),
      "i");
  const std::vector<Index> rest = along(write.dims);
  write.value = operand(lifter, store.value, rest);
  write.at.insert(write.at.end(), rest.begin(), rest.end());
  for (size_t i = 0; i < n_given; ++i) {
    const Interval range = range_of(write.at[i], lifter.terms.dims());
    if (range.high < 0 || range.low >= extents[i]) {
      return Flow::Next;
    }
  }
  state(lifter, store.array).array.writes.push_back(std::move(write));
  return Flow::Next;
}

auto run(Lifter& lifter, const kernel::If& branch, FileRange place) -> Flow {
  const TermId condition = value(lifter, branch.condition, {});
  if (const std::optional<int64_t> known = lifter.terms.as_number(condition)) {
    return run(lifter, *known != 0 ? branch.then : branch.otherwise);
  }
  return run_either(lifter, condition, branch.then, branch.otherwise, place);
}

/// Both, and what they assign to is selected.
auto run_either(Lifter& lifter, TermId condition, const Block& then, const Block& otherwise,
                FileRange place) -> Flow {
  const Env before = lifter.env;
  const TermId reached = lifter.reached;
  lifter.reached = selected(lifter.terms, reached, condition, lifter.terms.number(0));
  const Flow first = run(lifter, then);
  Env after_then = std::move(lifter.env);
  lifter.env = before;
  const TermId never = lifter.terms.number(0);
  lifter.reached = selected(lifter.terms, reached, negation(lifter.terms, condition), never);
  const Flow second = run(lifter, otherwise);
  lifter.reached = reached;
  if (first != Flow::Next || second != Flow::Next) {
    stick(lifter, place, "an exit that depends on an unknown value",
          "record in a variable whether to continue");
  }
  if (lifter.stuck) {
    return Flow::Next;
  }
  std::set<kernel::VariableId> written = kernel::variables_written(lifter.kernel, then);
  written.merge(kernel::variables_written(lifter.kernel, otherwise));
  const Env after_otherwise = lifter.env;
  for (kernel::VariableId id : written) {
    const VariableState& a = after_then[id.index];
    const VariableState& b = after_otherwise[id.index];
    if (type(lifter, id).extents.empty()) {
      state(lifter, id).scalar = selected(lifter.terms, condition, a.scalar, b.scalar);
    } else {
      state(lifter, id).array =
          merged(lifter, condition, before[id.index].array, a.array, b.array, id);
    }
  }
  return Flow::Next;
}

static auto extends(const ArrayState& later, const ArrayState& before) -> bool {
  const auto is_same = [](const Write& a, const Write& b) {
    return a.dims == b.dims && a.at == b.at && a.value == b.value;
  };
  return later.base == before.base && later.origin == before.origin &&
         later.prefix == before.prefix && later.writes.size() >= before.writes.size() &&
         std::equal(before.writes.begin(), before.writes.end(), later.writes.begin(), is_same);
}

static auto merged(Lifter& lifter, TermId condition, const ArrayState& before,
                   const ArrayState& then, const ArrayState& otherwise, kernel::VariableId variable)
    -> ArrayState {
  const std::vector<int64_t>& extents = type(lifter, variable).extents;
  const auto accumulates = [](const ArrayState& array) {
    return std::any_of(array.writes.begin(), array.writes.end(),
                       [](const Write& write) { return write.accumulates; });
  };
  if (extends(then, before) && extends(otherwise, before) && !accumulates(then) &&
      !accumulates(otherwise)) {
    if (std::optional<ArrayState> result =
            merged_writes(lifter, condition, before, {&then, &otherwise}, extents)) {
      return std::move(*result);
    }
  }
  const std::vector<DimId> dims = new_dims(lifter, extents, "i");
  const TermId a = value_of_state(lifter, then, along(dims));
  const TermId b = value_of_state(lifter, otherwise, along(dims));
  ArrayState result;
  result.writes.push_back(
      {.dims = dims, .at = along(dims), .value = selected(lifter.terms, condition, a, b)});
  return result;
}

/// What either side writes, each write by itself; nothing if an element that one of them writes is
/// not known below it.
static auto merged_writes(Lifter& lifter, TermId condition, const ArrayState& before,
                          const std::array<const ArrayState*, 2>& sides,
                          const std::vector<int64_t>& extents) -> std::optional<ArrayState> {
  ArrayState result = before;
  for (const ArrayState* side : sides) {
    for (size_t i = before.writes.size(); i < side->writes.size(); ++i) {
      Write write = side->writes[i];
      const std::optional<TermId> below = read_at(lifter, result, extents, write.at);
      if (!below) {
        return {};
      }
      write.value = side == sides[0] ? selected(lifter.terms, condition, write.value, *below)
                                     : selected(lifter.terms, condition, *below, write.value);
      result.writes.push_back(std::move(write));
    }
  }
  return result;
}

auto run(Lifter& lifter, const kernel::While& loop, FileRange place) -> Flow {
  constexpr size_t kMostIterations = 1 << 16;
  size_t most = kMostIterations;
  if (loop.max) {
    const std::optional<int64_t> max = lifter.terms.as_number(value(lifter, *loop.max, {}));
    most = max && *max >= 0 ? std::min(most, static_cast<size_t>(*max)) : most;
  }
  for (size_t iteration = 0; !lifter.stuck; ++iteration) {
    if (!loop.tests_last || iteration > 0) {
      check_faults(lifter, loop.condition);
      const TermId condition = value(lifter, loop.condition, {});
      const std::optional<int64_t> known = lifter.terms.as_number(condition);
      if (known == 0) {
        return Flow::Next;
      }
      if (!known && !lifter.stuck) {
        stick(lifter, place, "a `while` with an unknown condition",
              "a condition that depends on a secret needs `max`");
      }
    }
    if (iteration >= most) {
      if (!loop.max) {
        stick(lifter, place, "loop has more than 65,536 iterations", "", DiagnosticCode::T6003);
      }
      return Flow::Next;
    }
    const Flow flow = run(lifter, loop.body);
    if (flow == Flow::Break || flow == Flow::Return) {
      return flow == Flow::Break ? Flow::Next : flow;
    }
  }
  return Flow::Next;
}

auto run(Lifter& lifter, const kernel::Return& statement, FileRange place) -> Flow {
  if (statement.values.empty()) {
    stick(lifter, place, "a function without a result", "the client decrypts the returned value");
    return Flow::Return;
  }
  lifter.result_dims = new_dims(lifter, lifter.kernel.results.at(lifter.result).type.extents, "i");
  lifter.returned = value(lifter, statement.values.at(lifter.result), along(lifter.result_dims));
  return Flow::Return;
}

auto run(Lifter& lifter, const kernel::SecretRegion& region, FileRange /*place*/) -> Flow {
  for (const kernel::SecretRegion::Port& port : region.inputs) {
    state(lifter, port.inner) = state(lifter, port.outer);
  }
  const Flow flow = run(lifter, region.body);
  for (const kernel::SecretRegion::Port& port : region.outputs) {
    state(lifter, port.outer) = state(lifter, port.inner);
  }
  return flow;
}

auto run(Lifter& lifter, const kernel::Call& call, FileRange place) -> Flow {
  const std::string what = "a call of `" + call.name + "`";
  stick(lifter, place, what, "only arithmetic is possible under encryption");
  return Flow::Next;
}

auto run(Lifter& lifter, const kernel::Reveal& /*reveal*/, FileRange place) -> Flow {
  stick(lifter, place, "`reveal`", "only the client sees values, when it decrypts the result");
  return Flow::Next;
}

}  // namespace tacet::lift
