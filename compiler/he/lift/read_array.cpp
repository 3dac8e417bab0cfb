#include <fmt/format.h>

#include <algorithm>

#include "compiler/device/array/evaluate.h"
#include "compiler/he/lift/lifter.h"

/// Elements of what arrays hold, and arrays of the program made of that.
namespace tacet::lift {

namespace {

/// Where a write's dimensions stand for an element to be the requested one.
struct Inverse {
  Substitution by{};
  std::vector<DimId> left{};  ///< dimensions that nothing is known of
  TermId condition{};         ///< whether it is that element
};

}  // namespace

enum class Found : uint8_t { Alone, BesideOthers };

/// A dimension of `open` that is not found in an index yet, with a stride of 1 or -1; the only one
/// of the index, or the last of several.
static auto open_step(const Index& index, const std::vector<DimId>& open, Found which)
    -> const Step* {
  const Step* found = nullptr;
  size_t n_open = 0;
  for (const Step& step : index.steps) {
    if (std::find(open.begin(), open.end(), step.dim) != open.end()) {
      ++n_open;
      found = step.stride == 1 || step.stride == -1 ? &step : found;
    }
  }
  return n_open > 1 && which == Found::Alone ? nullptr : found;
}

static auto without(Index index, DimId dim) -> Index {
  index.steps.erase(std::remove_if(index.steps.begin(), index.steps.end(),
                                   [&](const Step& step) { return step.dim == dim; }),
                    index.steps.end());
  return index;
}

/// b with (rest + stride * b) = at, where the index may be taken modulo something.
static auto solved(const Index& written, const Step& step, const Index& at, int64_t extent,
                   const Substitution& by, const Dims& dims) -> std::optional<Index> {
  Index rest = without(written, step.dim);
  rest.modulus = 0;
  const std::optional<Index> known = substituted(rest, by, dims);
  const std::optional<Index> distance = known ? difference(at, *known) : std::nullopt;
  std::optional<Index> result = distance ? scaled(*distance, step.stride) : std::nullopt;
  if (!result && known && is_constant(*known) && known->offset == 0 && step.stride == 1) {
    result = at;  // which has a modulus
  }
  if (result && written.modulus != 0) {
    return extent == written.modulus ? modulo(*result, extent, dims) : std::nullopt;
  }
  return result;
}

/// In what was found before.
static auto substitute_solution(Terms& terms, DimId dim, const Index& solution, Inverse& inverse)
    -> bool {
  const Substitution by = {{dim, solution}};
  const std::optional<TermId> condition = substituted(terms, inverse.condition, by);
  bool fails = !condition;
  for (auto& [earlier, index] : inverse.by) {
    const std::optional<Index> changed = substituted(index, by, terms.dims());
    fails = fails || !changed;
    index = changed ? *changed : index;
  }
  inverse.condition = condition ? *condition : inverse.condition;
  return !fails;
}

static auto invert(Terms& terms, const Write& write, const std::vector<Index>& at)
    -> std::optional<Inverse> {
  Inverse inverse{.left = write.dims, .condition = terms.number(1)};
  std::vector<bool> is_done(at.size(), false);
  const auto both = [&](TermId condition) {
    inverse.condition = selected(terms, inverse.condition, condition, terms.number(0));
  };
  for (Found which = Found::Alone;;) {
    bool continues = false;
    for (size_t i = 0; i < at.size() && !(continues && which == Found::BesideOthers); ++i) {
      const Step* step = is_done[i] ? nullptr : open_step(write.at[i], inverse.left, which);
      if (step == nullptr) {
        continue;
      }
      const int64_t extent = terms.extent(step->dim);
      const std::optional<Index> found =
          solved(write.at[i], *step, at[i], extent, inverse.by, terms.dims());
      if (!found || stride_of(*found, step->dim) != 0) {
        continue;  // what was found before depends on it
      }
      if (!substitute_solution(terms, step->dim, *found, inverse)) {
        return {};
      }
      both(is_within(terms, *found, extent));
      inverse.by[step->dim] = *found;
      inverse.left.erase(std::find(inverse.left.begin(), inverse.left.end(), step->dim));
      is_done[i] = true;
      continues = true;
    }
    if (!continues && which == Found::BesideOthers) {
      break;
    }
    which = continues ? Found::Alone : Found::BesideOthers;
  }
  for (size_t i = 0; i < at.size(); ++i) {
    if (!is_done[i]) {
      const std::optional<Index> there = substituted(write.at[i], inverse.by, terms.dims());
      if (!there) {
        return {};
      }
      both(is_same(terms, *there, at[i]));
    }
  }
  return inverse;
}

/// Digits of one number, strides falling to 1: for these, the number they make up stands where the
/// innermost one did, and nothing may depend on the others alone.
static auto invert_digits(Terms& terms, const Write& write, const std::vector<Index>& at)
    -> std::optional<std::pair<TermId, TermId>> {
  if (at.size() != 1 || write.dims.size() < 2 || write.at[0].modulus != 0) {
    return {};
  }
  std::vector<Step> steps;
  Index rest = write.at[0];
  for (DimId dim : write.dims) {
    const int64_t stride = stride_of(write.at[0], dim);
    if (stride < 1) {
      return {};
    }
    steps.push_back({dim, stride});
    rest = without(rest, dim);
  }
  std::sort(steps.begin(), steps.end(),
            [](const Step& a, const Step& b) { return a.stride < b.stride; });
  int64_t size = 1;
  for (const Step& step : steps) {
    if (step.stride != size) {
      return {};
    }
    size *= terms.extent(step.dim);
  }
  const std::optional<Index> number = difference(at[0], rest);
  if (!number) {
    return {};
  }
  Index innermost = *number;
  for (size_t i = 1; i < steps.size(); ++i) {
    const std::optional<Index> digit = scaled(index_along(steps[i].dim), -steps[i].stride);
    const std::optional<Index> next = digit ? sum(innermost, *digit) : std::nullopt;
    if (!next) {
      return {};
    }
    innermost = *next;
  }
  const std::optional<TermId> value =
      substituted(terms, write.value, {{steps.front().dim, innermost}});
  const bool is_free = value && std::none_of(steps.begin(), steps.end(), [&](const Step& step) {
                         return depends(terms, *value, step.dim);
                       });
  return is_free ? std::optional(std::pair(is_within(terms, *number, size), *value)) : std::nullopt;
}

static auto materialise(Lifter& lifter, kernel::VariableId variable) -> bool;

/// What the element is, given what it was below.
static auto written_value(Lifter& lifter, const Write& write, const std::vector<Index>& at,
                          TermId below) -> TermId {
  if (!write.accumulates) {
    if (const auto found = invert_digits(lifter.terms, write, at)) {
      return selected(lifter.terms, found->first, found->second, below);
    }
  }
  const std::optional<Inverse> inverse = invert(lifter.terms, write, at);
  const std::optional<TermId> value =
      inverse ? substituted(lifter.terms, write.value, inverse->by) : std::nullopt;
  if (!value) {
    return stick(lifter, lifter.terms.place(write.value), "storing elements at these indices",
                 "each index of the store must be a sum of loop counters");
  }
  if (inverse->left.empty() && !write.accumulates) {
    return selected(lifter.terms, inverse->condition, *value, below);
  }
  TermId added = selected(lifter.terms, inverse->condition, *value, lifter.terms.number(0));
  TermId is_written = inverse->condition;
  for (DimId dim : inverse->left) {
    added = lifter.terms.reduce(array::Operator::Add, dim, added);
    is_written = lifter.terms.reduce(array::Operator::Add, dim, is_written);
  }
  return write.accumulates ? sum(lifter.terms, below, added)
                           : selected(lifter.terms, is_written, added, below);
}

auto value_of_state(Lifter& lifter, const ArrayState& state, const std::vector<Index>& at)
    -> TermId {
  TermId result = lifter.terms.number(0);
  if (state.base == ArrayState::Base::Stored) {
    std::vector<Index> all = state.prefix;
    all.insert(all.end(), at.begin(), at.end());
    result = lifter.terms.element(state.origin, std::move(all));
  } else if (state.base == ArrayState::Base::Carried) {
    result = carried_value(lifter.terms, state.origin, at);
  }
  for (const Write& write : rerolled(lifter, state.writes)) {
    result = written_value(lifter, write, at, result);
  }
  return result;
}

/// With dimensions of its own.
static auto renamed(Terms& terms, const Write& write) -> std::optional<Write> {
  Write result = write;
  Substitution by;
  for (DimId& dim : result.dims) {
    const DimId own = terms.new_dim(terms.dims()[dim].name, terms.extent(dim));
    by[dim] = index_along(own);
    dim = own;
  }
  bool fails = false;
  for (Index& index : result.at) {
    const std::optional<Index> changed = substituted(index, by, terms.dims());
    fails = fails || !changed;
    index = changed ? *changed : index;
  }
  const std::optional<TermId> value = substituted(terms, write.value, by);
  result.value = value ? *value : write.value;
  return fails || !value ? std::nullopt : std::optional(std::move(result));
}

static auto touch(Lifter& lifter, const Write& write, const std::vector<Index>& at) -> Touch {
  if (write.accumulates) {
    return {};
  }
  const bool is_mentioned = std::any_of(write.dims.begin(), write.dims.end(), [&](DimId dim) {
    return std::any_of(at.begin(), at.end(),
                       [&](const Index& index) { return stride_of(index, dim) != 0; });
  });
  if (is_mentioned) {
    const std::optional<Write> own = renamed(lifter.terms, write);
    return own ? touch(lifter, *own, at) : Touch{};
  }
  bool is_same = true;
  if (write.dims.empty()) {
    for (size_t i = 0; i < at.size(); ++i) {
      const Meeting meeting = meeting_of(write.at[i], at[i], lifter.terms.dims());
      if (meeting == Meeting::Never) {
        return {.meeting = Meeting::Never};
      }
      is_same = is_same && meeting == Meeting::Always;
    }
    return is_same ? Touch{Meeting::Always, write.value} : Touch{};
  }
  const std::optional<Inverse> inverse = invert(lifter.terms, write, at);
  const std::optional<int64_t> known =
      inverse ? lifter.terms.as_number(inverse->condition) : std::nullopt;
  if (known == 0) {
    return {.meeting = Meeting::Never};
  }
  const std::optional<TermId> value = known && inverse->left.empty()
                                          ? substituted(lifter.terms, write.value, inverse->by)
                                          : std::nullopt;
  return value ? Touch{Meeting::Always, *value} : Touch{};
}

auto read_at(Lifter& lifter, const ArrayState& state, const std::vector<int64_t>& extents,
             const std::vector<Index>& at) -> std::optional<TermId> {
  bool is_inside = true;
  for (size_t i = 0; i < at.size(); ++i) {
    const Interval range = range_of(at[i], lifter.terms.dims());
    if (range.high < 0 || range.low >= extents[i]) {
      return lifter.terms.number(0);
    }
    is_inside = is_inside && range.low >= 0 && range.high < extents[i];
  }
  if (!is_inside && !state.writes.empty()) {
    return {};
  }
  for (size_t i = state.writes.size(); i-- > 0;) {
    const Touch found = touch(lifter, state.writes[i], at);
    if (found.meeting == Meeting::Always) {
      return found.value;
    }
    if (found.meeting == Meeting::Perhaps) {
      return {};
    }
  }
  return value_of_state(lifter,
                        {.base = state.base, .origin = state.origin, .prefix = state.prefix}, at);
}

/// Comparisons of all elements of a row take what those of one take, so they are made before single
/// elements are read; before single columns are, if all fit a ciphertext. What is costly of reals
/// is computed once for each element, not for each reader.
static auto is_expensive_by_element(Lifter& lifter, kernel::VariableId variable,
                                    const std::vector<Index>& at) -> bool {
  const std::vector<Write>& writes = state(lifter, variable).array.writes;
  constexpr int64_t kMostTogether = 4096;
  const bool is_of_element = array::n_elements(type(lifter, variable).extents) <= kMostTogether
                                 ? std::any_of(at.begin(), at.end(), is_constant)
                                 : std::all_of(at.begin(), at.end(), is_constant);
  const bool is_of_reals = is_real(lifter.inputs);
  return std::any_of(writes.begin(), writes.end(), [&](const Write& write) {
    return !write.dims.empty() && ((is_of_reals && lifter.terms.is_costly(write.value)) ||
                                   (is_of_element && lifter.terms.has_functions(write.value)));
  });
}

auto find(Lifter& lifter, kernel::VariableId variable, const std::vector<Index>& at)
    -> std::optional<TermId> {
  const std::vector<int64_t>& extents = type(lifter, variable).extents;
  if (!lifter.stuck && is_expensive_by_element(lifter, variable, at) &&
      !materialise(lifter, variable)) {
    lifter.stuck.reset();  // it is found element by element then
  }
  std::optional<TermId> found = read_at(lifter, state(lifter, variable).array, extents, at);
  if (!found && materialise(lifter, variable)) {
    found = read_at(lifter, state(lifter, variable).array, extents, at);
  }
  return found;
}

auto read_at(Lifter& lifter, kernel::VariableId variable, const std::vector<Index>& at) -> TermId {
  const std::optional<TermId> found = find(lifter, variable, at);
  if (!found && !lifter.stuck) {
    return stick(lifter, lifter.kernel.variables[variable].place,
                 fmt::format("this pattern of stores to and reads from `{}`",
                             lifter.kernel.variables[variable].name),
                 "an element must have been stored by an earlier loop, or at the same index");
  }
  return found ? *found : lifter.terms.number(0);
}

/// An array of the program with what the variable holds.
static auto materialise(Lifter& lifter, kernel::VariableId variable) -> bool {
  const std::vector<DimId> dims = new_dims(lifter, type(lifter, variable).extents, "i");
  const TermId value = value_of_state(lifter, state(lifter, variable).array, along(dims));
  if (lifter.stuck || lifter.terms.has_carried(value)) {
    return false;
  }
  std::vector<DimId> all;
  for (DimId dim : lifter.terms.free_dims(value)) {
    if (std::find(dims.begin(), dims.end(), dim) == dims.end()) {
      all.push_back(dim);
    }
  }
  const std::vector<Index> prefix = along(all);
  all.insert(all.end(), dims.begin(), dims.end());
  const auto array = static_cast<uint32_t>(lifter.inputs.arrays.size() + lifter.computed.size());
  lifter.computed.push_back({.name = lifter.kernel.variables[variable].name,
                             .array = array,
                             .dims = all,
                             .value = value,
                             .place = lifter.kernel.variables[variable].place});
  lifter.terms.set_computed(array, value, all);
  state(lifter, variable).array = {
      .base = ArrayState::Base::Stored, .origin = array, .prefix = prefix};
  return true;
}

void substitute_array(Terms& terms, const Substitution& by, ArrayState& state, bool& fails) {
  const auto change = [&](Index& index) {
    const std::optional<Index> changed = substituted(index, by, terms.dims());
    fails = fails || !changed;
    index = changed ? *changed : index;
  };
  std::for_each(state.prefix.begin(), state.prefix.end(), change);
  for (Write& write : state.writes) {
    std::for_each(write.at.begin(), write.at.end(), change);
    const std::optional<TermId> value = substituted(terms, write.value, by);
    fails = fails || !value;
    write.value = value ? *value : write.value;
  }
}

}  // namespace tacet::lift
