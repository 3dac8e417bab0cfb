#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/core/egraph/egraph.h"
#include "compiler/core/egraph/rewrite.h"

namespace tacet::egraph {

struct TermTag;
/// A term in a `TermBank`; equal terms have equal ids.
using TermId = Id<TermTag>;

/// Terms without variables, each kept once.
class TermBank {
 public:
  auto add(OpId op, std::span<const TermId> children) -> TermId;
  [[nodiscard]] auto op(TermId term) const -> OpId { return nodes_[term.index].op; }
  [[nodiscard]] auto children(TermId term) const -> std::span<const TermId> {
    const Node& node = nodes_[term.index];
    return {children_.data() + node.first_child, node.n_children};
  }
  /// The term with its part at `path` (child positions from the root) replaced.
  auto replace(TermId term, std::span<const uint32_t> path, TermId part) -> TermId;
  /// The part of a term at `path`, if there is one.
  [[nodiscard]] auto part(TermId term, std::span<const uint32_t> path) const -> TermId;

 private:
  struct Node {
    OpId op;
    uint32_t first_child = 0;
    uint32_t n_children = 0;
  };

  std::vector<Node> nodes_;
  std::vector<TermId> children_;
  Hashcons table_;
};

/// One step of an explanation: the part of `before` at `path` is replaced, which gives `after`.
struct ExplanationStep {
  TermId before;
  TermId after;
  std::vector<uint32_t> path;  ///< child positions from the root
  Reason reason;               ///< a rule or a fact
  bool reversed = false;       ///< from the right side of the reason to its left side
};

/// Why two terms are equal: a chain of terms, each made from the one before by one rule or fact
/// at one place.
struct Explanation {
  TermBank terms;
  TermId first;
  TermId last;
  std::vector<ExplanationStep> steps;
};

struct ExplainOptions {
  /// A chain can be exponentially longer than the proof it is made from; beyond this many steps
  /// there is no explanation.
  size_t max_steps = 100'000;
};

/// Explains why the terms that `a` and `b` stand for are equal; `std::nullopt` if they are not
/// known to be, or if the chain is too long. The graph must have explanations.
///
/// The chain follows the proof forest (Nieuwenhuis and Oliveras, RTA 2005, section 4); a step by
/// congruence becomes the steps of the children, in place. Where the chain comes back to a term
/// that it had before, the detour is cut out. Deviation from egg's small proofs (Flatt et al.,
/// FMCAD 2022): merges of classes that were one already are not remembered as short cuts.
auto explain(const EGraph& graph, ClassId a, ClassId b, const ExplainOptions& options = {})
    -> std::optional<Explanation>;

/// Judges a step that is no plain rule: a fact of the client, a computed right side, a rule over
/// several patterns. Gets the two parts in the order of the reason.
using StepJudge =
    std::function<bool(const TermBank& terms, Reason reason, TermId left, TermId right)>;

/// Replays an explanation without looking at the graph it came from: each step begins where the
/// one before ended, changes only the part that it says, and that part is an instance of its rule
/// (the same terms for the same variables on both sides). Conditions of rules are not evaluated.
/// Returns what is wrong, in words, or nothing.
auto check_explanation(const Explanation& explanation, std::span<const Rewrite> rewrites,
                       const StepJudge& judge = {}) -> std::optional<std::string>;

/// Writes the chain, a term a line, with the name of the rule and the place between the terms.
auto print_explanation(const Explanation& explanation, std::span<const Rewrite> rewrites,
                       const OpSpelling& ops) -> std::string;

}  // namespace tacet::egraph
