#include <algorithm>

#include "compiler/device/kernel/walk.h"
#include "compiler/he/lift/lifter.h"

/// Statements other than `for`.
namespace tacet::lift {

/// A kernel that makes more terms is too large.
static constexpr size_t kMostTerms = size_t{1} << 19;
/// One that takes more steps until it is unrolled, too: statements run and elements' values copied.
static constexpr size_t kMostSteps = size_t{1} << 20;

auto Lifter::run(const Block& block) -> Flow {
  for (kernel::StatementId id : block) {
    const kernel::Statement& statement = kernel_.statements[id];
    ++n_steps_;
    if (terms_.size() > kMostTerms || n_steps_ > kMostSteps) {
      stick(statement.place, "more than half a million values after unrolling loops",
            "loops whose iterations depend on each other are unrolled", DiagnosticCode::T6003);
    }
    if (stuck_) {
      return Flow::Next;
    }
    kernel::visit_exprs(statement, [&](kernel::ExprId expr) { check_faults(expr); });
    const Flow flow =
        std::visit([&](const auto& node) { return run(node, statement.place); }, statement.node);
    if (flow != Flow::Next) {
      return flow;
    }
  }
  return Flow::Next;
}

void Lifter::store_all(kernel::VariableId variable, const std::vector<DimId>& dims, TermId value) {
  ArrayState& array = state(variable).array;
  array = {};
  if (terms_.as_number(value) != 0) {
    array.writes.push_back({.dims = dims, .at = along(dims), .value = value});
  }
}

auto Lifter::run(const kernel::Assign& assign, FileRange /*place*/) -> Flow {
  const std::vector<int64_t>& extents = type(assign.variable).extents;
  if (extents.empty()) {
    const TermId result = value(assign.value, {});
    state(assign.variable).scalar = result;
    return Flow::Next;
  }
  if (const auto* read = std::get_if<kernel::Read>(&kernel_.exprs[assign.value].node)) {
    state(assign.variable).array = state(read->variable).array;
    n_steps_ += state(assign.variable).array.writes.size();
    return Flow::Next;
  }
  const std::vector<DimId> dims = new_dims(extents, "i");
  const TermId result = value(assign.value, along(dims));
  store_all(assign.variable, dims, result);
  return Flow::Next;
}

auto Lifter::run(const kernel::StoreElement& store, FileRange /*place*/) -> Flow {
  const std::vector<int64_t>& extents = type(store.array).extents;
  const size_t n_given = store.indices.size();
  Write write;
  for (kernel::ExprId id : store.indices) {
    const std::optional<Index> at = address(id, extents[write.at.size()]);
    if (!at) {
      return Flow::Next;
    }
    write.at.push_back(*at);
  }
  check_store(store, write.at);
  write.dims = new_dims(
      std::vector<int64_t>(extents.begin() + static_cast<std::ptrdiff_t>(n_given), extents.end()),
      "i");
  const std::vector<Index> rest = along(write.dims);
  write.value = operand(store.value, rest);
  write.at.insert(write.at.end(), rest.begin(), rest.end());
  for (size_t i = 0; i < n_given; ++i) {
    const Interval range = range_of(write.at[i], terms_.dims());
    if (range.high < 0 || range.low >= extents[i]) {
      return Flow::Next;
    }
  }
  state(store.array).array.writes.push_back(std::move(write));
  return Flow::Next;
}

auto Lifter::run(const kernel::If& branch, FileRange place) -> Flow {
  const TermId condition = value(branch.condition, {});
  if (const std::optional<int64_t> known = terms_.as_number(condition)) {
    return run(*known != 0 ? branch.then : branch.otherwise);
  }
  return run_either(condition, branch.then, branch.otherwise, place);
}

/// Both, and what they assign to is selected.
auto Lifter::run_either(TermId condition, const Block& then, const Block& otherwise,
                        FileRange place) -> Flow {
  const Env before = env_;
  const TermId reached = reached_;
  reached_ = terms_.select(reached, condition, terms_.number(0));
  const Flow first = run(then);
  Env after_then = std::move(env_);
  env_ = before;
  reached_ = terms_.select(reached, terms_.negation(condition), terms_.number(0));
  const Flow second = run(otherwise);
  reached_ = reached;
  if (first != Flow::Next || second != Flow::Next) {
    stick(place, "an exit that depends on an unknown value",
          "record in a variable whether to continue");
  }
  if (stuck_) {
    return Flow::Next;
  }
  std::set<kernel::VariableId> written = kernel::variables_written(kernel_, then);
  written.merge(kernel::variables_written(kernel_, otherwise));
  const Env after_otherwise = env_;
  for (kernel::VariableId id : written) {
    const VariableState& a = after_then[id.index];
    const VariableState& b = after_otherwise[id.index];
    if (type(id).extents.empty()) {
      state(id).scalar = terms_.select(condition, a.scalar, b.scalar);
    } else {
      state(id).array = merged(condition, before[id.index].array, a.array, b.array, id);
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

auto Lifter::merged(TermId condition, const ArrayState& before, const ArrayState& then,
                    const ArrayState& otherwise, kernel::VariableId variable) -> ArrayState {
  const std::vector<int64_t>& extents = type(variable).extents;
  const auto accumulates = [](const ArrayState& array) {
    return std::any_of(array.writes.begin(), array.writes.end(),
                       [](const Write& write) { return write.accumulates; });
  };
  if (extends(then, before) && extends(otherwise, before) && !accumulates(then) &&
      !accumulates(otherwise)) {
    if (std::optional<ArrayState> result =
            merged_writes(condition, before, {&then, &otherwise}, extents)) {
      return std::move(*result);
    }
  }
  const std::vector<DimId> dims = new_dims(extents, "i");
  const TermId a = value_of_state(then, along(dims));
  const TermId b = value_of_state(otherwise, along(dims));
  ArrayState result;
  result.writes.push_back(
      {.dims = dims, .at = along(dims), .value = terms_.select(condition, a, b)});
  return result;
}

/// What either side writes, each write by itself; nothing if an element that one of them writes is
/// not known below it.
auto Lifter::merged_writes(TermId condition, const ArrayState& before,
                           const std::array<const ArrayState*, 2>& sides,
                           const std::vector<int64_t>& extents) -> std::optional<ArrayState> {
  ArrayState result = before;
  for (const ArrayState* side : sides) {
    for (size_t i = before.writes.size(); i < side->writes.size(); ++i) {
      Write write = side->writes[i];
      const std::optional<TermId> below = read(result, extents, write.at);
      if (!below) {
        return {};
      }
      write.value = side == sides[0] ? terms_.select(condition, write.value, *below)
                                     : terms_.select(condition, *below, write.value);
      result.writes.push_back(std::move(write));
    }
  }
  return result;
}

auto Lifter::run(const kernel::While& loop, FileRange place) -> Flow {
  constexpr size_t kMostIterations = 1 << 16;
  size_t most = kMostIterations;
  if (loop.max) {
    const std::optional<int64_t> max = terms_.as_number(value(*loop.max, {}));
    most = max && *max >= 0 ? std::min(most, static_cast<size_t>(*max)) : most;
  }
  for (size_t iteration = 0; !stuck_; ++iteration) {
    if (!loop.tests_last || iteration > 0) {
      check_faults(loop.condition);
      const TermId condition = value(loop.condition, {});
      const std::optional<int64_t> known = terms_.as_number(condition);
      if (known == 0) {
        return Flow::Next;
      }
      if (!known && !stuck_) {
        stick(place, "a `while` with an unknown condition",
              "a condition that depends on a secret needs `max`");
      }
    }
    if (iteration >= most) {
      if (!loop.max) {
        stick(place, "loop has more than 65,536 iterations", "", DiagnosticCode::T6003);
      }
      return Flow::Next;
    }
    const Flow flow = run(loop.body);
    if (flow == Flow::Break || flow == Flow::Return) {
      return flow == Flow::Break ? Flow::Next : flow;
    }
  }
  return Flow::Next;
}

auto Lifter::run(const kernel::Return& statement, FileRange place) -> Flow {
  if (statement.values.empty()) {
    stick(place, "a function without a result", "the client decrypts the returned value");
    return Flow::Return;
  }
  result_dims_ = new_dims(kernel_.results.at(result_).type.extents, "i");
  returned_ = value(statement.values.at(result_), along(result_dims_));
  return Flow::Return;
}

auto Lifter::run(const kernel::SecretRegion& region, FileRange /*place*/) -> Flow {
  for (const kernel::SecretRegion::Port& port : region.inputs) {
    state(port.inner) = state(port.outer);
  }
  const Flow flow = run(region.body);
  for (const kernel::SecretRegion::Port& port : region.outputs) {
    state(port.outer) = state(port.inner);
  }
  return flow;
}

auto Lifter::run(const kernel::Call& call, FileRange place) -> Flow {
  const std::string what = "a call of `" + call.name + "`";
  stick(place, what, "only arithmetic is possible under encryption");
  return Flow::Next;
}

auto Lifter::run(const kernel::Reveal& /*reveal*/, FileRange place) -> Flow {
  stick(place, "`reveal`", "only the client sees values, when it decrypts the result");
  return Flow::Next;
}

}  // namespace tacet::lift
