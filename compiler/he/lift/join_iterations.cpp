#include <algorithm>

#include "compiler/he/lift/lifter.h"

/// From what one iteration of a loop does to what all of them do.
namespace tacet::lift {

using Op = array::Operator;

static auto final_scalar(Lifter& lifter, Iterations& iterations, uint32_t variable)
    -> std::optional<TermId>;
static auto scalar_in_iteration(Lifter& lifter, Iterations& iterations, uint32_t variable,
                                TermId before, TermId carried) -> std::optional<TermId>;
static auto is_untouched(Lifter& lifter, const Iterations& iterations, uint32_t variable,
                         const std::vector<Index>& at) -> bool;
static auto are_apart(Lifter& lifter, const Iterations& iterations, const std::vector<Index>& left,
                      const std::vector<Index>& right) -> bool;
static auto final_array(Lifter& lifter, Iterations& iterations, uint32_t variable)
    -> std::optional<ArrayState>;
static auto final_write(Lifter& lifter, Iterations& iterations, uint32_t variable,
                        const Write& write) -> std::optional<Write>;

auto join(Lifter& lifter, Iterations& iterations) -> bool {
  Env after = lifter.env;
  for (uint32_t variable : iterations.written) {
    if (type(lifter, kernel::VariableId{variable}).extents.empty()) {
      const std::optional<TermId> result = final_scalar(lifter, iterations, variable);
      if (!result) {
        return false;
      }
      after[variable].scalar = *result;
    } else {
      std::optional<ArrayState> result = final_array(lifter, iterations, variable);
      if (!result) {
        return false;
      }
      after[variable].array = std::move(*result);
    }
  }
  lifter.env = std::move(after);
  return !lifter.stuck;
}

auto contains(const Lifter& lifter, TermId term, TermId carried) -> bool {
  bool found = false;
  visit_carried(lifter.terms, term, [&](TermId each) { found = found || each == carried; });
  return found;
}

/// Anything that is carried by the loop.
static auto contains(const Lifter& lifter, const Iterations& iterations, TermId term) -> bool {
  bool found = false;
  visit_carried(lifter.terms, term, [&](TermId each) {
    const uint32_t number = lifter.terms[each].array;
    found = found || (number >= iterations.first_carried &&
                      number - iterations.first_carried < iterations.written.size());
  });
  return found;
}

/// What is added to (or multiplied with) `carried` to make `term`.
static auto split(Lifter& lifter, Op op, TermId term, TermId carried) -> std::optional<TermId> {
  if (term == carried) {
    return lifter.terms.number(op == Op::Add ? 0 : 1);
  }
  const Term node = lifter.terms[term];
  if (node.kind == TermKind::Function && node.function == array::FunctionKind::Select &&
      !contains(lifter, node.operands[0], carried)) {
    const std::optional<TermId> then = split(lifter, op, node.operands[1], carried);
    const std::optional<TermId> otherwise =
        then ? split(lifter, op, node.operands[2], carried) : then;
    return otherwise ? std::optional(selected(lifter.terms, node.operands[0], *then, *otherwise))
                     : std::nullopt;
  }
  const bool is_difference = op == Op::Add && node.op == Op::Subtract;
  if (node.kind != TermKind::Operation || (node.op != op && !is_difference)) {
    return {};
  }
  const bool is_left = contains(lifter, node.operands[0], carried);
  const TermId other = node.operands[is_left ? 1 : 0];
  if (contains(lifter, other, carried) || (is_difference && !is_left)) {
    return {};
  }
  const std::optional<TermId> inner = split(lifter, op, node.operands[is_left ? 0 : 1], carried);
  return inner ? std::optional(lifter.terms.operation(node.op, *inner, other)) : std::nullopt;
}

static auto final_scalar(Lifter& lifter, Iterations& iterations, uint32_t variable)
    -> std::optional<TermId> {
  const TermId before = lifter.env[variable].scalar;
  const TermId carried = carried_value(lifter.terms, carried_by(iterations, variable), {});
  const std::optional<TermId> iteration =
      resolved(lifter, iterations, iterations.after[variable].scalar, carried);
  if (!iteration || *iteration == carried) {
    return iteration ? std::optional(before) : std::nullopt;
  }
  if (!contains(lifter, *iteration, carried)) {
    return substituted(lifter.terms, *iteration,
                       {{iterations.dim, constant_index(iterations.n - 1)}});
  }
  for (const Op op : {Op::Add, Op::Multiply}) {
    if (op == Op::Multiply && is_real(lifter.inputs)) {
      break;  // products in another order are rounded otherwise
    }
    const std::optional<TermId> part = split(lifter, op, *iteration, carried);
    if (part && !contains(lifter, iterations, *part)) {
      return lifter.terms.operation(op, before, lifter.terms.reduce(op, iterations.dim, *part));
    }
  }
  if (array::is_real(lifter.inputs)) {
    return {};  // nothing is compared there
  }
  const std::optional<TermId> extreme = joined_extreme(lifter, iterations, variable);
  return extreme ? extreme : joined_choices(lifter, iterations, variable, std::nullopt);
}

/// What a carried scalar holds in the iteration.
static auto scalar_in_iteration(Lifter& lifter, Iterations& iterations, uint32_t variable)
    -> std::optional<TermId> {
  const TermId before = lifter.env[variable].scalar;
  const TermId carried = carried_value(lifter.terms, carried_by(iterations, variable), {});
  if (iterations.after[variable].scalar == carried) {
    return before;
  }
  if (std::find(iterations.open.begin(), iterations.open.end(), variable) !=
      iterations.open.end()) {
    return {};
  }
  if (const auto found = iterations.in_iteration.find(variable);
      found != iterations.in_iteration.end()) {
    return found->second;
  }
  iterations.open.push_back(variable);
  const std::optional<TermId> result =
      scalar_in_iteration(lifter, iterations, variable, before, carried);
  iterations.open.pop_back();
  if (result) {
    iterations.in_iteration.emplace(variable, *result);
  }
  return result;
}

static auto scalar_in_iteration(Lifter& lifter, Iterations& iterations, uint32_t variable,
                                TermId before, TermId carried) -> std::optional<TermId> {
  const std::optional<TermId> iteration =
      resolved(lifter, iterations, iterations.after[variable].scalar, carried);
  if (!iteration) {
    return {};
  }
  const Index here = index_along(iterations.dim);
  if (!contains(lifter, *iteration, carried)) {
    // What the iteration before left.
    const std::optional<TermId> last =
        substituted(lifter.terms, *iteration, {{iterations.dim, *sum(here, constant_index(-1))}});
    return last ? std::optional(selected(
                      lifter.terms, is_same(lifter.terms, here, constant_index(0)), before, *last))
                : std::nullopt;
  }
  const std::optional<TermId> part = split(lifter, Op::Add, *iteration, carried);
  if (!part || contains(lifter, iterations, *part)) {
    if (array::is_real(lifter.inputs)) {
      return {};
    }
    // Two iterations are spoken of: the one that asks has a dimension of its own meanwhile.
    const DimId now = lifter.terms.new_dim("now", iterations.n);
    const std::optional<TermId> there =
        joined_choices(lifter, iterations, variable, index_along(now));
    return there ? substituted(lifter.terms, *there, {{now, here}}) : std::nullopt;
  }
  if (const std::optional<int64_t> number = lifter.terms.as_number(*part)) {
    const TermId position = lifter.terms.position(here);
    return sum(lifter.terms, before, product(lifter.terms, lifter.terms.number(*number), position));
  }
  // The sum over the iterations before.
  const DimId earlier = lifter.terms.new_dim("before", iterations.n);
  const std::optional<TermId> there =
      substituted(lifter.terms, *part, {{iterations.dim, index_along(earlier)}});
  if (!there) {
    return {};
  }
  const TermId is_earlier = lifter.terms.function(
      array::FunctionKind::Less,
      {lifter.terms.position(index_along(earlier)), lifter.terms.position(here)});
  return sum(
      lifter.terms, before,
      lifter.terms.reduce(Op::Add, earlier,
                          selected(lifter.terms, is_earlier, *there, lifter.terms.number(0))));
}

auto resolved(Lifter& lifter, Iterations& iterations, TermId term, std::optional<TermId> keep)
    -> std::optional<TermId> {
  bool fails = false;
  const TermId result = with_carried(lifter.terms, term, [&](TermId carried) {
    const Term node = lifter.terms[carried];
    const size_t which = node.array - iterations.first_carried;
    if (carried == keep || fails || node.array < iterations.first_carried ||
        which >= iterations.written.size()) {
      return carried;  // of this loop or one around
    }
    const kernel::VariableId variable{iterations.written[which]};
    std::optional<TermId> found;
    if (type(lifter, variable).extents.empty()) {
      found = scalar_in_iteration(lifter, iterations, variable.index);
    } else if (is_untouched(lifter, iterations, variable.index, node.indices)) {
      found = find(lifter, variable, node.indices);
    }
    fails = fails || !found;
    return found ? *found : carried;
  });
  return fails ? std::nullopt : std::optional(result);
}

/// Whether no other iteration writes the element before.
static auto is_untouched(Lifter& lifter, const Iterations& iterations, uint32_t variable,
                         const std::vector<Index>& at) -> bool {
  const ArrayState& array = iterations.after[variable].array;
  return array.base == ArrayState::Base::Carried &&
         array.origin == carried_by(iterations, variable) &&
         std::all_of(array.writes.begin(), array.writes.end(), [&](const Write& write) {
           return are_apart(lifter, iterations, write.at, at);
         });
}

auto carried_by(const Iterations& iterations, uint32_t variable) -> uint32_t {
  const auto at = std::find(iterations.written.begin(), iterations.written.end(), variable);
  return iterations.first_carried + static_cast<uint32_t>(at - iterations.written.begin());
}

/// Whether elements are different ones in any two iterations. Dimensions of loops around are the
/// same in both, those of loops inside are not.
static auto are_apart(Lifter& lifter, const Iterations& iterations, const std::vector<Index>& left,
                      const std::vector<Index>& right) -> bool {
  for (size_t i = 0; i < left.size(); ++i) {
    const int64_t stride = stride_of(left[i], iterations.dim);
    if (stride_of(right[i], iterations.dim) != stride || left[i].modulus != right[i].modulus) {
      continue;
    }
    if (left[i].modulus != 0) {
      const bool is_once = left[i] == right[i] && left[i].steps.size() == 1 &&
                           (stride == 1 || stride == -1) && iterations.n <= left[i].modulus;
      if (is_once) {
        return true;
      }
      continue;
    }
    Index a = left[i];
    Index b = right[i];
    const auto is_same = [&](const Step& step) {
      const bool is_around =
          std::find(lifter.around.begin(), lifter.around.end(), step.dim) != lifter.around.end();
      return step.dim == iterations.dim ||
             (is_around && stride_of(left[i], step.dim) == stride_of(right[i], step.dim));
    };
    a.steps.erase(std::remove_if(a.steps.begin(), a.steps.end(), is_same), a.steps.end());
    b.steps.erase(std::remove_if(b.steps.begin(), b.steps.end(), is_same), b.steps.end());
    const Interval x = range_of(a, lifter.terms.dims());
    const Interval y = range_of(b, lifter.terms.dims());
    const int64_t reach = std::max(x.high - y.low, y.high - x.low);
    const bool never_meet = x.high < y.low || y.high < x.low;
    // What is left must not reach as far as one iteration goes.
    if (stride == 0 ? never_meet : reach < (stride < 0 ? -stride : stride)) {
      return true;
    }
  }
  return false;
}

static auto final_array(Lifter& lifter, Iterations& iterations, uint32_t variable)
    -> std::optional<ArrayState> {
  const ArrayState iteration = iterations.after[variable].array;
  const bool is_carried = iteration.base == ArrayState::Base::Carried &&
                          iteration.origin == carried_by(iterations, variable);
  if (!is_carried) {
    // All of it is replaced in each iteration: the last one decides.
    ArrayState result = iteration;
    bool fails = iteration.base == ArrayState::Base::Carried;
    for (Write& write : result.writes) {
      const std::optional<TermId> found = resolved(lifter, iterations, write.value, std::nullopt);
      fails = fails || !found;
      write.value = found ? *found : write.value;
    }
    substitute_array(lifter.terms, {{iterations.dim, constant_index(iterations.n - 1)}}, result,
                     fails);
    return fails ? std::nullopt : std::optional(std::move(result));
  }
  ArrayState result = lifter.env[variable].array;
  const auto depends = [&](const Write& write) {
    return std::any_of(write.at.begin(), write.at.end(),
                       [&](const Index& at) { return stride_of(at, iterations.dim) != 0; });
  };
  const bool are_alone = iteration.writes.size() == 1;
  for (const Write& write : iteration.writes) {
    // The order of iterations must not matter to elements that several writes touch.
    const bool is_ordered =
        are_alone ||
        std::all_of(iteration.writes.begin(), iteration.writes.end(), [&](const Write& other) {
          if (write.accumulates || other.accumulates) {
            return &write == &other;
          }
          return are_apart(lifter, iterations, write.at, other.at) ||
                 (&write == &other && !depends(write));
        });
    std::optional<Write> all =
        is_ordered ? final_write(lifter, iterations, variable, write) : std::nullopt;
    if (!all) {
      return {};
    }
    result.writes.push_back(std::move(*all));
  }
  return result;
}

static auto final_write(Lifter& lifter, Iterations& iterations, uint32_t variable,
                        const Write& write) -> std::optional<Write> {
  const TermId own = carried_value(lifter.terms, carried_by(iterations, variable), write.at);
  const bool is_apart = are_apart(lifter, iterations, write.at, write.at);
  const std::optional<TermId> value =
      resolved(lifter, iterations, write.value, is_apart ? std::nullopt : std::optional(own));
  if (!value) {
    return {};
  }
  const bool depends = std::any_of(write.at.begin(), write.at.end(), [&](const Index& at) {
    return stride_of(at, iterations.dim) != 0;
  });
  Write all = write;
  all.value = *value;
  if (is_apart || write.accumulates) {
    all.dims.push_back(iterations.dim);
    return all;
  }
  if (contains(lifter, *value, own)) {
    const std::optional<TermId> added = split(lifter, Op::Add, *value, own);
    if (added && contains(lifter, *added, own)) {
      return {};
    }
    if (depends) {
      if (!added) {
        return {};
      }
      all.value = *added;
      all.accumulates = true;
      all.dims.push_back(iterations.dim);
      return all;
    }
    const Op op = added ? Op::Add : Op::Multiply;
    const std::optional<TermId> part = added ? added : split(lifter, op, *value, own);
    const std::optional<TermId> before = find(lifter, kernel::VariableId{variable}, write.at);
    if (!part || contains(lifter, *part, own) || !before) {
      return {};
    }
    all.value = lifter.terms.operation(op, *before, lifter.terms.reduce(op, iterations.dim, *part));
    return all;
  }
  if (depends) {
    return {};  // some iterations write the same
  }
  const std::optional<TermId> last =
      substituted(lifter.terms, *value, {{iterations.dim, constant_index(iterations.n - 1)}});
  if (!last) {
    return {};
  }
  all.value = *last;
  return all;
}

}  // namespace tacet::lift
