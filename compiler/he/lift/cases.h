#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/he/lift/terms.h"

/// Private to this folder.
namespace tacet::lift {

using CaseId = Id<struct CaseTag>;

/// Terms by cases: which of a few values a term has, as far as tests decide that are made in
/// sequence. Control of a program is of that kind if it starts from public values: `low` and `high`
/// of a binary search are numbers for each outcome of the comparisons so far, and so is the place
/// that it looks at. A comparison with the element there is then one of several that do not wait
/// for each other, chosen by the outcomes before.
///
/// The values of a term are the leaves of a decision diagram (Bryant, Graph-Based Algorithms for
/// Boolean Function Manipulation, 1986; with terms at the leaves instead of truth values). Tests
/// are in the order in which they were made first, and equal parts are one, so states reached by
/// several paths are one, and what several variables hold together is never separated.
///
/// Leaves are what is known, and elements that are found at a place that has cases. So a choice
/// between two secrets has no cases, and neither has a term with too many of them.
class Cases {
 public:
  explicit Cases(Terms& terms) : terms_(terms) {}

  /// What a truth value is in all cases, if that is one number.
  auto truth(TermId term) -> std::optional<int64_t>;

  /// A function that is no choice case by case, where one of its operands has several; nothing
  /// otherwise.
  auto function(array::FunctionKind function, const std::vector<TermId>& operands,
                array::Width width) -> std::optional<TermId>;

  /// The sum over `dim` of `select(condition, then, otherwise)` case by case: an element that is
  /// looked for at a place of several cases. Nothing if the condition has none, or other ones for
  /// each value of `dim`.
  auto sum_of_choices(DimId dim, const Term& select) -> std::optional<TermId>;

  /// Whether one truth value implies another, as far as their cases decide.
  auto implies(TermId left, TermId right) -> bool;

  /// With sums and products in place of cases, if that takes fewer sequential products: each value
  /// times the product of the outcomes on the paths to it, in which as many are on the left as on
  /// the right. Products grow with the tests, their depth with the logarithm of how many are made
  /// in sequence. Terms stay as they are when that has taken some tenths of a second.
  auto balanced(TermId term) -> TermId;

 private:
  friend class CasesAsSums;

  struct Case {
    TermId test{};  ///< of a leaf none
    CaseId then{};
    CaseId otherwise{};
    TermId value{};  ///< of a leaf
  };

  auto of(TermId term) -> std::optional<CaseId>;
  auto made(TermId term) -> std::optional<CaseId>;
  /// Of a truth value, which may be a test.
  auto condition(TermId term) -> CaseId;

  [[nodiscard]] auto is_leaf(CaseId id) const -> bool { return !cases_[id].test.has_value(); }
  auto leaf(TermId value) -> CaseId;
  auto node(TermId test, CaseId then, CaseId otherwise) -> CaseId;
  auto test(TermId truth) -> CaseId;
  auto intern(Case made) -> CaseId;
  [[nodiscard]] auto under(CaseId id, TermId test, bool outcome) const -> CaseId;
  auto choose(CaseId condition, CaseId then, CaseId otherwise) -> CaseId;
  /// The cases of what `combine` makes of each pair of leaves.
  template <class F>
  auto apply(CaseId left, CaseId right, std::map<std::pair<CaseId, CaseId>, CaseId>& done,
             const F& combine) -> CaseId;
  auto summed(DimId dim, const Term& select, CaseId condition, std::map<CaseId, CaseId>& done)
      -> CaseId;
  auto term_of(CaseId id) -> TermId;
  /// Leaves and others, those that are reached earlier first.
  [[nodiscard]] auto reached_from(CaseId root) const -> std::vector<CaseId>;

  /// Counts the steps of one question to this class.
  class Budget;
  [[nodiscard]] auto is_exhausted() const -> bool;

  Terms& terms_;
  Store<CaseId, Case> cases_;
  std::map<std::tuple<TermId, CaseId, CaseId, TermId>, CaseId> ids_;
  std::unordered_map<TermId, std::optional<CaseId>> of_;
  std::unordered_map<CaseId, TermId> terms_of_;
  std::map<std::tuple<CaseId, CaseId, CaseId>, CaseId> chosen_;
  size_t n_steps_ = 0;
  uint64_t n_path_steps_ = 0;  ///< of `balanced`, all calls together
  size_t n_values_ = 0;  ///< that are not known
  int n_open_ = 0;
};

}  // namespace tacet::lift
