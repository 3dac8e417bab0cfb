#include "compiler/he/lift/terms.h"

#include <algorithm>
#include <set>

#include "base/check.h"
#include "base/hash_index.h"
#include "compiler/device/array/checked.h"
#include "compiler/device/array/interval_arithmetic.h"
#include "compiler/device/array/width.h"
#include "compiler/he/lift/cases.h"

namespace tacet::lift {

using array::FunctionKind;
using array::Operator;

auto Terms::Hash::operator()(const Term& term) const -> size_t {
  uint64_t hash = static_cast<uint64_t>(term.kind);
  const auto mix = [&](uint64_t value) { hash = hash_combine(hash, value); };
  const auto mix_index = [&](const Index& index) {
    mix(static_cast<uint64_t>(index.offset));
    mix(static_cast<uint64_t>(index.modulus));
    for (const Step& step : index.steps) {
      mix(step.dim.index);
      mix(static_cast<uint64_t>(step.stride));
    }
  };
  mix(static_cast<uint64_t>(term.number));
  mix_index(term.index);
  mix(term.array);
  std::for_each(term.indices.begin(), term.indices.end(), mix_index);
  mix(static_cast<uint64_t>(term.op));
  mix(static_cast<uint64_t>(term.function));
  mix(term.width.bits);
  mix(term.width.is_signed ? 1 : 0);
  for (TermId operand : term.operands) {
    mix(operand.index);
  }
  mix(term.dim.index);
  return static_cast<size_t>(hash);
}

Terms::Terms() : cases_(std::make_unique<Cases>(*this)) {}
Terms::~Terms() = default;

auto Terms::new_dim(std::string name, int64_t extent) -> DimId {
  return dims_.add({std::move(name), extent});
}

auto Terms::intern(Term term) -> TermId {
  if (const auto found = ids_.find(term); found != ids_.end()) {
    return found->second;
  }
  Node node{.term = term, .place = place_, .free_dims = {}};
  node.is_known = term.kind != TermKind::Element && term.kind != TermKind::Carried &&
                  term.kind != TermKind::Fraction &&
                  !(term.kind == TermKind::Function && array::is_real_function(term.function));
  node.has_carried = term.kind == TermKind::Carried;
  std::set<DimId> dims;
  for (TermId operand : term.operands) {
    const Node& inner = nodes_[operand];
    node.is_known = node.is_known && inner.is_known;
    node.has_carried = node.has_carried || inner.has_carried;
    dims.insert(inner.free_dims.begin(), inner.free_dims.end());
  }
  if (term.kind == TermKind::Reduce) {
    dims.erase(term.dim);
  }
  const auto add = [&](const Index& index) {
    for (const Step& step : index.steps) {
      dims.insert(step.dim);
    }
  };
  add(term.index);
  std::for_each(term.indices.begin(), term.indices.end(), add);
  node.free_dims.assign(dims.begin(), dims.end());
  find_levels(node);
  node.height = height_of(node);
  node.range = range_of_node(term);
  const TermId id = nodes_.add(std::move(node));
  ids_.emplace(std::move(term), id);
  return id;
}

auto Terms::number(int64_t value) -> TermId {
  return intern({.kind = TermKind::Number, .number = value});
}

auto Terms::position(Index index) -> TermId {
  return is_constant(index) ? number(index.offset)
                            : intern({.kind = TermKind::Position, .index = std::move(index)});
}

auto Terms::element(uint32_t array, std::vector<Index> indices) -> TermId {
  return intern({.kind = TermKind::Element, .array = array, .indices = std::move(indices)});
}

static auto picked_by_equality(Terms& terms, DimId dim, const Term& choice)
    -> std::optional<TermId>;

auto carried_value(Terms& terms, uint32_t number, std::vector<Index> indices) -> TermId {
  return terms.intern({.kind = TermKind::Carried, .array = number, .indices = std::move(indices)});
}

auto drawn_integer(Terms& terms, uint32_t number, std::vector<Index> indices) -> TermId {
  return terms.intern({.kind = TermKind::Drawn, .array = number, .indices = std::move(indices)});
}

auto drawn_fraction(Terms& terms, uint32_t number, std::vector<Index> indices) -> TermId {
  return terms.intern({.kind = TermKind::Fraction, .array = number, .indices = std::move(indices)});
}

auto Terms::as_number(TermId id) const -> std::optional<int64_t> {
  const Term& term = nodes_[id].term;
  return term.kind == TermKind::Number ? std::optional(term.number) : std::nullopt;
}

auto as_index(const Terms& terms, TermId id) -> std::optional<Index> {
  const Term& term = terms[id];
  if (term.kind == TermKind::Number) {
    return constant_index(term.number);
  }
  return term.kind == TermKind::Position ? std::optional(term.index) : std::nullopt;
}

auto depends(const Terms& terms, TermId id, DimId dim) -> bool {
  const std::vector<DimId>& free = terms.free_dims(id);
  return std::binary_search(free.begin(), free.end(), dim);
}

auto Terms::operation(Operator op, TermId left, TermId right) -> TermId {
  const std::optional<Index> a = as_index(*this, left);
  const std::optional<Index> b = as_index(*this, right);
  if (a && b) {
    std::optional<Index> index;
    if (op == Operator::Add) {
      index = lift::sum(*a, *b);
    } else if (op == Operator::Subtract) {
      index = difference(*a, *b);
    } else if (is_constant(*a) || is_constant(*b)) {
      index = is_constant(*a) ? scaled(*b, a->offset) : scaled(*a, b->offset);
    }
    if (index) {
      return position(std::move(*index));
    }
  }
  const std::optional<int64_t> x = as_number(left);
  const std::optional<int64_t> y = as_number(right);
  if (op == Operator::Multiply && (x == 0 || y == 0)) {
    return number(0);
  }
  const int64_t neutral = op == Operator::Multiply ? 1 : 0;
  if (y == neutral) {
    return left;
  }
  if (x == neutral && op != Operator::Subtract) {
    return right;
  }
  if (op == Operator::Subtract && left == right) {
    return number(0);
  }
  const Term& summed = nodes_[left].term;
  if (op == Operator::Add && y && summed.kind == TermKind::Operation &&
      summed.op == Operator::Subtract && summed.operands[1] == right) {
    return summed.operands[0];
  }
  const Term& subtracted = nodes_[right].term;
  if (op == Operator::Subtract && subtracted.kind == TermKind::Operation &&
      subtracted.op == Operator::Subtract && subtracted.operands[0] == left) {
    return subtracted.operands[1];
  }
  return intern({.kind = TermKind::Operation, .op = op, .operands = {left, right}});
}

auto wrapped(Terms& terms, TermId id, array::Width width) -> TermId {
  if (width.bits == 0 || width.bits == 64 || array::fits(terms.range(id), width)) {
    return id;
  }
  const TermId low = terms.number(array::range_of(width).low);
  const TermId size = terms.number(int64_t{1} << width.bits);
  return sum(
      terms,
      terms.function(FunctionKind::Modulo, {terms.operation(Operator::Subtract, id, low), size}),
      low);
}

namespace {

/// A selection that is one of its operands, or simpler.
auto simplified_selection(Terms& terms, const std::vector<TermId>& operands)
    -> std::optional<TermId> {
  const TermId condition = operands.at(0);
  const TermId then = operands.at(1);
  const TermId otherwise = operands.at(2);
  const std::optional<int64_t> known = terms.as_number(condition);
  if (known || then == otherwise) {
    return known == 0 ? otherwise : then;
  }
  if (const std::optional<int64_t> truth = terms.cases().truth(condition)) {
    return *truth != 0 ? then : otherwise;
  }
  const Term& term = terms[condition];
  if (!terms.is_known(condition) && term.kind == TermKind::Operation &&
      term.op == Operator::Subtract && terms.as_number(term.operands[0]) == 1) {
    return selected(terms, term.operands[1], otherwise, then);
  }
  if (terms.as_number(then) == 1 && terms.as_number(otherwise) == 0) {
    return condition;
  }
  if (terms.as_number(then) == 0 && terms.as_number(otherwise) == 1) {
    return negation(terms, condition);
  }
  return std::nullopt;
}

/// A comparison of indices that all values of their dimensions decide alike.
auto decided_comparison(const Terms& terms, FunctionKind function, const Index& a, const Index& b)
    -> std::optional<bool> {
  if (function == FunctionKind::Equal) {
    return meeting_of(a, b, terms.dims()) == Meeting::Never ? std::optional(false) : std::nullopt;
  }
  const Interval left = range_of(a, terms.dims());
  const Interval right = range_of(b, terms.dims());
  return left.high < right.low || left.low >= right.high ? std::optional(left.high < right.low)
                                                         : std::nullopt;
}

/// Another function that is known, or simpler.
auto simplified_function(Terms& terms, FunctionKind function, const std::vector<TermId>& operands,
                         array::Width width) -> std::optional<TermId> {
  const std::optional<int64_t> x = terms.as_number(operands.at(0));
  const std::optional<int64_t> y = terms.as_number(operands.at(1));
  if (x && y) {
    if (const array::Wrapped value = array::apply(function, width, *x, *y); !value.has_wrapped) {
      return terms.number(value.number);
    }
  }
  const bool compares = function == FunctionKind::Equal || function == FunctionKind::Less;
  if (compares && operands[0] == operands[1]) {
    return terms.number(function == FunctionKind::Equal ? 1 : 0);
  }
  const Interval range = terms.range(operands[0]);
  if (function == FunctionKind::Modulo && y && *y > 0 && array::is_bounded(range) &&
      range.low >= 0 && range.high < *y) {
    return operands[0];
  }
  const std::optional<Index> a = as_index(terms, operands[0]);
  const std::optional<Index> b = as_index(terms, operands[1]);
  const bool never_wraps =
      array::fits(range, width) && array::fits(terms.range(operands[1]), width);
  if (compares && a && b && never_wraps) {
    if (const std::optional<bool> known = decided_comparison(terms, function, *a, *b)) {
      return terms.number(*known ? 1 : 0);
    }
  }
  const bool is_remainder = function == FunctionKind::Remainder || function == FunctionKind::Modulo;
  if (is_remainder && a && y && *y > 0 && never_wraps) {
    const bool is_natural = range_of(*a, terms.dims()).low >= 0;
    const std::optional<Index> rest = is_natural || function == FunctionKind::Modulo
                                          ? modulo(*a, *y, terms.dims())
                                          : std::nullopt;
    return rest ? std::optional(terms.position(*rest)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

auto Terms::function(FunctionKind function, std::vector<TermId> operands, array::Width width)
    -> TermId {
  if (function == FunctionKind::Select) {
    // Where the condition is read again it is known.
    operands.at(1) = operands[1] == operands[0] ? number(1) : operands[1];
    operands.at(2) = operands[2] == operands[0] ? number(0) : operands[2];
    const std::optional<TermId> simplified = simplified_selection(*this, operands);
    return simplified ? *simplified
                      : intern({.kind = TermKind::Function,
                                .function = function,
                                .operands = std::move(operands)});
  }
  if (array::is_real_function(function)) {
    return intern(
        {.kind = TermKind::Function, .function = function, .operands = std::move(operands)});
  }
  if (const std::optional<TermId> simplified =
          simplified_function(*this, function, operands, width)) {
    return *simplified;
  }
  if (const std::optional<TermId> by_cases = cases_->function(function, operands, width)) {
    return *by_cases;
  }
  return intern(
      {.kind = TermKind::Function, .function = function, .width = width, .operands = operands});
}

auto Terms::reduce(Operator op, DimId dim, TermId body) -> TermId {
  const int64_t n = extent(dim);
  if (!depends(*this, body, dim)) {
    if (op == Operator::Add) {
      return product(*this, number(n), body);
    }
    TermId power = number(1);
    TermId square = body;
    for (int64_t left = n; left > 0;
         left /= 2, square = left > 0 ? product(*this, square, square) : square) {
      power = left % 2 != 0 ? product(*this, power, square) : power;
    }
    return power;
  }
  const Term choice = nodes_[body].term;
  if (op == Operator::Add && choice.kind == TermKind::Function &&
      choice.function == FunctionKind::Select) {
    if (const std::optional<TermId> one = picked_by_equality(*this, dim, choice)) {
      return *one;
    }
    if (const std::optional<TermId> by_cases = cases_->sum_of_choices(dim, choice)) {
      return *by_cases;
    }
  }
  return intern({.kind = TermKind::Reduce, .op = op, .operands = {body}, .dim = dim});
}

/// The sum over `dim` of `select(equal(dim, n), x, 0)` is x at n.
static auto picked_by_equality(Terms& terms, DimId dim, const Term& choice)
    -> std::optional<TermId> {
  const Term& condition = terms[choice.operands[0]];
  const auto wraps = [&](TermId id) { return !array::fits(terms.range(id), condition.width); };
  if (condition.kind != TermKind::Function || condition.function != FunctionKind::Equal ||
      terms.as_number(choice.operands[2]) != 0 || wraps(condition.operands[0]) ||
      wraps(condition.operands[1])) {
    return {};
  }
  const std::optional<Index> left = as_index(terms, condition.operands[0]);
  const std::optional<Index> right = as_index(terms, condition.operands[1]);
  const std::optional<Index> distance = left && right ? difference(*left, *right) : std::nullopt;
  const int64_t stride = distance ? stride_of(*distance, dim) : 0;
  if ((stride != 1 && stride != -1) || distance->modulus != 0 || distance->steps.size() != 1) {
    return {};
  }
  const int64_t at = -distance->offset * stride;
  return at < 0 || at >= terms.extent(dim)
             ? std::optional(terms.number(0))
             : substituted(terms, choice.operands[1], {{dim, constant_index(at)}});
}

auto is_within(Terms& terms, const Index& index, int64_t extent) -> TermId {
  const TermId at = terms.position(index);
  const TermId is_above = terms.function(FunctionKind::Less, {at, terms.number(0)});
  const TermId is_below = terms.function(FunctionKind::Less, {at, terms.number(extent)});
  return selected(terms, is_above, terms.number(0), is_below);
}

auto is_same(Terms& terms, const Index& left, const Index& right) -> TermId {
  return terms.function(FunctionKind::Equal, {terms.position(left), terms.position(right)});
}

auto with_operands(Terms& terms, const Term& term, std::vector<TermId> operands) -> TermId {
  switch (term.kind) {
    case TermKind::Operation:
      return terms.operation(term.op, operands[0], operands[1]);
    case TermKind::Function:
      return terms.function(term.function, std::move(operands), term.width);
    case TermKind::Reduce:
      return terms.reduce(term.op, term.dim, operands[0]);
    case TermKind::Number:
    case TermKind::Position:
    case TermKind::Element:
    case TermKind::Drawn:
    case TermKind::Fraction:
    case TermKind::Carried:
      break;
  }
  return terms.intern(term);
}

auto substituted(Terms& terms, TermId root, const Substitution& by) -> std::optional<TermId> {
  std::unordered_map<TermId, TermId> done;
  bool fails = false;
  const std::function<TermId(TermId)> visit = [&](TermId id) -> TermId {
    const std::vector<DimId>& free = terms.free_dims(id);
    const bool changes =
        std::any_of(free.begin(), free.end(), [&](DimId dim) { return by.count(dim) != 0; });
    if (!changes || fails) {
      return id;
    }
    if (const auto found = done.find(id); found != done.end()) {
      return found->second;
    }
    Term term = terms[id];
    const auto change = [&](Index& index) {
      const std::optional<Index> changed = lift::substituted(index, by, terms.dims());
      fails = fails || !changed;
      index = changed ? *changed : index;
    };
    TermId result = id;
    if (term.kind == TermKind::Position) {
      change(term.index);
      result = terms.position(term.index);
    } else if (term.kind == TermKind::Element || term.kind == TermKind::Drawn ||
               term.kind == TermKind::Fraction || term.kind == TermKind::Carried) {
      std::for_each(term.indices.begin(), term.indices.end(), change);
      result = terms.intern(std::move(term));
    } else {
      std::vector<TermId> operands;
      for (TermId operand : term.operands) {
        operands.push_back(visit(operand));
      }
      result = with_operands(terms, term, std::move(operands));
    }
    done.emplace(id, result);
    return result;
  };
  const TermId result = visit(root);
  return fails ? std::nullopt : std::optional(result);
}

auto rewritten(Terms& terms, TermId root,
               const std::function<std::optional<TermId>(TermId)>& replace) -> TermId {
  std::unordered_map<TermId, TermId> done;
  const std::function<TermId(TermId)> visit = [&](TermId id) -> TermId {
    if (const auto found = done.find(id); found != done.end()) {
      return found->second;
    }
    const std::optional<TermId> replaced = replace(id);
    TermId result = replaced ? *replaced : id;
    if (!replaced && !terms[id].operands.empty()) {
      const Term term = terms[id];
      std::vector<TermId> operands;
      for (TermId operand : term.operands) {
        operands.push_back(visit(operand));
      }
      if (operands != term.operands) {
        terms.set_place(terms.place(id));
        result = with_operands(terms, term, std::move(operands));
      }
    }
    done.emplace(id, result);
    return result;
  };
  return visit(root);
}

auto with_carried(Terms& terms, TermId root, const std::function<TermId(TermId)>& replace)
    -> TermId {
  return rewritten(terms, root, [&](TermId id) -> std::optional<TermId> {
    if (!terms.has_carried(id)) {
      return id;
    }
    return terms[id].kind == TermKind::Carried ? std::optional(replace(id)) : std::nullopt;
  });
}

void visit_carried(const Terms& terms, TermId root, const std::function<void(TermId)>& visit) {
  std::set<TermId> seen;
  const std::function<void(TermId)> walk = [&](TermId id) {
    if (!terms.has_carried(id) || !seen.insert(id).second) {
      return;
    }
    if (terms[id].kind == TermKind::Carried) {
      visit(id);
    }
    for (TermId operand : terms[id].operands) {
      walk(operand);
    }
  };
  walk(root);
}

}  // namespace tacet::lift
