#include <algorithm>

#include "compiler/he/lift/cases.h"

/// From cases to arithmetic.
namespace tacet::lift {

/// Sums and products for the cases of one term.
class CasesAsSums {
 public:
  CasesAsSums(Cases& cases, CaseId root)
      : cases_(cases), terms_(cases.terms_), root_(root), order_(cases.reached_from(root)) {
    rank_[root] = 0;
    for (const CaseId id : order_) {
      if (!cases_.is_leaf(id)) {
        for (const CaseId next : {at(id).then, at(id).otherwise}) {
          rank_[next] = std::max(rank_[next], rank_[id] + 1);
          before_[next].push_back(id);
        }
      }
    }
  }

  auto run() -> TermId {
    // One value needs no paths, as the others are added relative to it: the one with the most.
    CaseId base = root_;
    const auto n_paths = [&](CaseId id) { return std::pair(before_[id].size(), rank_[id]); };
    for (const CaseId id : order_) {
      if (cases_.is_leaf(id) && (base == root_ || n_paths(id) > n_paths(base))) {
        base = id;
      }
    }
    const TermId value = at(base).value;
    TermId total = value;
    for (const CaseId id : order_) {
      if (cases_.is_leaf(id) && id != base) {
        const TermId added = terms_.operation(array::Operator::Subtract, at(id).value, value);
        total = sum(terms_, total, product(terms_, added, path(root_, id)));
      }
    }
    return total;
  }

 private:
  [[nodiscard]] auto at(CaseId id) const -> const Cases::Case& { return cases_.cases_[id]; }

  /// The truth value that one goes from a case to the next.
  auto outcome(CaseId from, CaseId to) -> TermId {
    const TermId test = at(from).test;
    return at(from).then == to ? test : negation(terms_, test);
  }

  /// The truth value that one comes from a case to a later one. All paths cross the middle once.
  auto path(CaseId from, CaseId to) -> TermId {
    if (const auto found = paths_.find({from, to}); found != paths_.end()) {
      return found->second;
    }
    cases_.n_path_steps_ += order_.size();
    const size_t middle = (rank_[from] + rank_[to] + 1) / 2;
    TermId total = entering(from, to, middle);
    for (const CaseId id : order_) {
      if (rank_[id] >= middle && rank_[id] < rank_[to] && leads(from, id) && leads(id, to)) {
        const bool is_first = std::all_of(before_[id].begin(), before_[id].end(), [&](CaseId last) {
          return rank_[last] < middle || !leads(from, last);
        });
        const TermId half = is_first ? path(from, id) : entering(from, id, middle);
        total = sum(terms_, total, product(terms_, half, path(id, to)));
      }
    }
    paths_.emplace(std::pair(from, to), total);
    return total;
  }

  /// The same by a last step that begins before the middle.
  auto entering(CaseId from, CaseId to, size_t middle) -> TermId {
    TermId total = terms_.number(0);
    for (const CaseId last : before_[to]) {
      if (rank_[last] < middle && leads(from, last)) {
        const TermId step = outcome(last, to);
        total = sum(terms_, total, last == from ? step : product(terms_, path(from, last), step));
      }
    }
    return total;
  }

  auto leads(CaseId from, CaseId to) -> bool {
    if (from == to || rank_[from] >= rank_[to] || cases_.is_leaf(from)) {
      return from == to;
    }
    if (const auto found = leads_.find({from, to}); found != leads_.end()) {
      return found->second;
    }
    const bool result = leads(at(from).then, to) || leads(at(from).otherwise, to);
    leads_.emplace(std::pair(from, to), result);
    return result;
  }

  Cases& cases_;
  Terms& terms_;
  CaseId root_;
  std::vector<CaseId> order_;                ///< those that are reached earlier first
  std::unordered_map<CaseId, size_t> rank_;  ///< the most tests before
  std::unordered_map<CaseId, std::vector<CaseId>> before_;
  std::map<std::pair<CaseId, CaseId>, TermId> paths_;
  std::map<std::pair<CaseId, CaseId>, bool> leads_;
};

auto Cases::balanced(TermId term) -> TermId {
  constexpr size_t kMostReached = 512;
  constexpr uint64_t kMostPathSteps = 3'000'000;  // some tenths of a second
  if (n_path_steps_ > kMostPathSteps) {
    return term;
  }
  const uint32_t n_levels = terms_.least_levels(term);
  const std::optional<CaseId> cases = n_levels > 1 ? of(term) : std::nullopt;
  if (!cases || is_leaf(*cases)) {
    return term;
  }
  const std::vector<CaseId> order = reached_from(*cases);
  uint32_t deepest = 0;
  for (const CaseId id : order) {
    deepest = std::max(deepest, is_leaf(id) ? 0 : terms_.least_levels(cases_[id].test));
  }
  if (order.size() > kMostReached || n_levels <= deepest + 1) {
    return term;  // too many, or nothing to gain
  }
  const TermId result = CasesAsSums(*this, *cases).run();
  return terms_.least_levels(result) < n_levels ? result : term;
}

}  // namespace tacet::lift
