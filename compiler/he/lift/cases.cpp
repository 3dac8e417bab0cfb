#include "compiler/he/lift/cases.h"

#include <algorithm>
#include <set>

namespace tacet::lift {

using array::FunctionKind;
using array::Operator;

/// What takes more steps has too many cases.
static constexpr size_t kMostSteps = size_t{1} << 12;
/// Comparisons, or elements, that one question may make of one.
static constexpr size_t kMostValues = 128;
/// No more are made in all.
static constexpr size_t kMostCases = size_t{1} << 18;

class Cases::Budget {
 public:
  explicit Budget(Cases& cases) : cases_(cases) {
    if (cases_.n_open_++ == 0) {
      cases_.n_steps_ = 0;
      cases_.n_values_ = 0;
    }
  }
  ~Budget() { --cases_.n_open_; }
  Budget(const Budget&) = delete;
  auto operator=(const Budget&) -> Budget& = delete;

 private:
  Cases& cases_;
};

auto Cases::is_exhausted() const -> bool {
  return n_steps_ > kMostSteps || n_values_ > kMostValues || cases_.size() > kMostCases;
}

auto Cases::intern(Case made) -> CaseId {
  const auto key = std::tuple(made.test, made.then, made.otherwise, made.value);
  const auto [at, is_new] = ids_.try_emplace(key);
  if (is_new) {
    at->second = cases_.add(made);
  }
  return at->second;
}

auto Cases::leaf(TermId value) -> CaseId {
  return intern({.value = value});
}

auto Cases::node(TermId test, CaseId then, CaseId otherwise) -> CaseId {
  return then == otherwise ? then : intern({.test = test, .then = then, .otherwise = otherwise});
}

auto Cases::test(TermId truth) -> CaseId {
  const CaseId no = leaf(terms_.number(0));
  return node(truth, leaf(terms_.number(1)), no);
}

auto Cases::of(TermId term) -> std::optional<CaseId> {
  if (const auto found = of_.find(term); found != of_.end()) {
    return found->second;
  }
  if (!terms_.may_have_cases(term)) {
    return {};
  }
  const Budget budget(*this);
  std::optional<CaseId> result = made(term);
  if (is_exhausted()) {
    result.reset();
  }
  of_.emplace(term, result);
  return result;
}

auto Cases::made(TermId id) -> std::optional<CaseId> {
  if (terms_.is_known(id)) {
    return leaf(id);
  }
  const Term term = terms_[id];
  if (term.kind == TermKind::Function && array::is_real_function(term.function)) {
    return {};
  }
  if (term.kind == TermKind::Function && term.function != FunctionKind::Select) {
    return test(id);
  }
  if (term.operands.size() < 2) {
    return {};
  }
  const bool is_choice = term.kind == TermKind::Function;
  const std::optional<CaseId> left = of(term.operands[is_choice ? 1 : 0]);
  const std::optional<CaseId> right = left ? of(term.operands[is_choice ? 2 : 1]) : left;
  if (!right) {
    return {};
  }
  if (is_choice) {
    return choose(condition(term.operands[0]), *left, *right);
  }
  std::map<std::pair<CaseId, CaseId>, CaseId> done;
  return apply(*left, *right, done,
               [&](TermId a, TermId b) { return leaf(terms_.operation(term.op, a, b)); });
}

auto Cases::condition(TermId term) -> CaseId {
  const std::optional<CaseId> cases = of(term);
  return cases ? *cases : test(term);
}

auto Cases::under(CaseId id, TermId test, bool outcome) const -> CaseId {
  const Case& at = cases_[id];
  return at.test == test ? (outcome ? at.then : at.otherwise) : id;
}

auto Cases::choose(CaseId condition, CaseId then, CaseId otherwise) -> CaseId {
  if (then == otherwise || is_exhausted()) {
    return then;
  }
  if (is_leaf(condition)) {
    if (const std::optional<int64_t> number = terms_.as_number(cases_[condition].value)) {
      return *number != 0 ? then : otherwise;
    }
  }
  const auto key = std::tuple(condition, then, otherwise);
  if (const auto found = chosen_.find(key); found != chosen_.end()) {
    return found->second;
  }
  ++n_steps_;
  // A leaf's test has the greatest number of all.
  const TermId first =
      std::min({cases_[condition].test, cases_[then].test, cases_[otherwise].test});
  CaseId result;
  if (first.has_value()) {
    const CaseId a = choose(under(condition, first, true), under(then, first, true),
                            under(otherwise, first, true));
    const CaseId b = choose(under(condition, first, false), under(then, first, false),
                            under(otherwise, first, false));
    result = node(first, a, b);
  } else {
    result = leaf(
        selected(terms_, cases_[condition].value, cases_[then].value, cases_[otherwise].value));
  }
  if (!is_exhausted()) {
    chosen_.emplace(key, result);
  }
  return result;
}

template <class F>
auto Cases::apply(CaseId left, CaseId right, std::map<std::pair<CaseId, CaseId>, CaseId>& done,
                  const F& combine) -> CaseId {
  if (const auto found = done.find({left, right}); found != done.end() || is_exhausted()) {
    return found != done.end() ? found->second : left;
  }
  ++n_steps_;
  const TermId first = std::min(cases_[left].test, cases_[right].test);
  CaseId result;
  if (first.has_value()) {
    const CaseId a = apply(under(left, first, true), under(right, first, true), done, combine);
    const CaseId b = apply(under(left, first, false), under(right, first, false), done, combine);
    result = choose(test(first), a, b);  // what was combined may have earlier tests
  } else {
    result = combine(cases_[left].value, cases_[right].value);
    const Case& made = cases_[result];
    n_values_ += is_leaf(result) && terms_.is_known(made.value) ? 0 : 1;
  }
  done.emplace(std::pair(left, right), result);
  return result;
}

auto Cases::term_of(CaseId id) -> TermId {
  const Case at = cases_[id];
  if (is_leaf(id)) {
    return at.value;
  }
  if (const auto found = terms_of_.find(id); found != terms_of_.end()) {
    return found->second;
  }
  const TermId then = term_of(at.then);
  const TermId result = selected(terms_, at.test, then, term_of(at.otherwise));
  terms_of_.emplace(id, result);
  of_[result] = id;
  terms_.set_has_cases(result);
  return result;
}

auto Cases::truth(TermId term) -> std::optional<int64_t> {
  const std::optional<CaseId> cases = of(term);
  return cases && is_leaf(*cases) ? terms_.as_number(cases_[*cases].value) : std::nullopt;
}

auto Cases::function(FunctionKind function, const std::vector<TermId>& operands, array::Width width)
    -> std::optional<TermId> {
  std::vector<CaseId> each;
  bool has_several = false;
  for (const TermId operand : operands) {
    const std::optional<CaseId> cases = of(operand);
    has_several = has_several || (cases && !is_leaf(*cases));
    each.push_back(cases ? *cases : leaf(operand));
  }
  if (!has_several) {
    return {};
  }
  const Budget budget(*this);
  const bool compares = function == FunctionKind::Equal || function == FunctionKind::Less;
  std::map<std::pair<CaseId, CaseId>, CaseId> done;
  const CaseId result = apply(each[0], each[1], done, [&](TermId a, TermId b) {
    const TermId value = terms_.function(function, {a, b}, width);
    return compares ? condition(value) : leaf(value);
  });
  return is_exhausted() ? std::nullopt : std::optional(term_of(result));
}

auto Cases::sum_of_choices(DimId dim, const Term& select) -> std::optional<TermId> {
  const std::optional<CaseId> condition = of(select.operands[0]);
  if (!condition || is_leaf(*condition) || depends(terms_, cases_[*condition].test, dim)) {
    return {};
  }
  const Budget budget(*this);
  std::map<CaseId, CaseId> done;
  const CaseId result = summed(dim, select, *condition, done);
  return is_exhausted() ? std::nullopt : std::optional(term_of(result));
}

/// From the first test on that is another one for each value of `dim`, a condition is one value.
auto Cases::summed(DimId dim, const Term& select, CaseId condition, std::map<CaseId, CaseId>& done)
    -> CaseId {
  if (const auto found = done.find(condition); found != done.end() || is_exhausted()) {
    return found != done.end() ? found->second : condition;
  }
  const Case at = cases_[condition];
  CaseId result;
  if (!is_leaf(condition) && !depends(terms_, at.test, dim)) {
    const CaseId then = summed(dim, select, at.then, done);
    const CaseId otherwise = summed(dim, select, at.otherwise, done);
    result = choose(test(at.test), then, otherwise);
  } else {
    const TermId choice =
        selected(terms_, term_of(condition), select.operands[1], select.operands[2]);
    const TermId value = terms_.reduce(Operator::Add, dim, choice);
    const std::optional<CaseId> cases = of(value);
    result = cases ? *cases : leaf(value);
    n_values_ += terms_.is_known(value) ? 0 : 1;
  }
  ++n_steps_;
  done.emplace(condition, result);
  return result;
}

auto Cases::implies(TermId left, TermId right) -> bool {
  const Budget budget(*this);
  const CaseId yes = leaf(terms_.number(1));
  const CaseId then = condition(right);
  const CaseId result = choose(condition(left), then, yes);
  return result == yes && !is_exhausted();
}

auto Cases::reached_from(CaseId root) const -> std::vector<CaseId> {
  std::vector<CaseId> order;
  std::set<CaseId> seen;
  const std::function<void(CaseId)> visit = [&](CaseId id) {
    if (!seen.insert(id).second) {
      return;
    }
    if (!is_leaf(id)) {
      visit(cases_[id].otherwise);
      visit(cases_[id].then);
    }
    order.push_back(id);
  };
  visit(root);
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace tacet::lift
