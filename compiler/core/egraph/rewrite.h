#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/core/egraph/ematch.h"
#include "compiler/core/egraph/text.h"

namespace tacet::egraph {

/// Whether a rewrite applies to a match. Sees a graph that may be dirty from rewrites before it.
using Condition = std::function<bool(const EGraph& graph, Match match)>;

/// Computes what the root of a match is equal to, adding it to the graph; no class if nothing is.
using DynamicApplier = std::function<ClassId(EGraph& graph, Match match)>;

/// A rewrite: where the query matches, the two sides of each conclusion become equal.
struct Rewrite {
  /// `var` and the pattern become equal; without `var`, the root of the first equation.
  struct Conclusion {
    VarId var;
    Pattern pattern;
  };

  std::string name;
  VarTable vars;
  Query query;
  /// The variable that stands for the root of the first equation.
  VarId root;
  std::vector<Conclusion> conclusions;
  DynamicApplier applier;  ///< instead of conclusions
  std::vector<Condition> conditions;

  auto when(Condition condition) && -> Rewrite&& {
    conditions.push_back(std::move(condition));
    return std::move(*this);
  }
};

/// `left => right`, both S-expressions.
auto make_rewrite(std::string name, std::string_view left, std::string_view right, OpSpelling& ops)
    -> Rewrite;

/// `left => right` from patterns over `vars`.
auto make_rewrite(std::string name, Pattern left, Pattern right, VarTable vars) -> Rewrite;

/// A rewrite whose right side is computed. `make_applier` gets the variables' ids.
auto make_dynamic_rewrite(std::string name, std::string_view left, OpSpelling& ops,
                          const std::function<DynamicApplier(VarTable& vars)>& make_applier)
    -> Rewrite;

/// A rewrite over several patterns, `?x = (f ?a ?b), ?y = (g ?x)`, with conclusions of the same
/// form.
auto make_multi_rewrite(std::string name, std::string_view equations, std::string_view conclusions,
                        OpSpelling& ops) -> Rewrite;

/// Reads `?x = pattern, …`.
auto parse_equations(std::string_view text, OpSpelling& ops, VarTable& vars)
    -> std::vector<Equation>;

/// Applies a rewrite to one match, with `reason` for the merges; returns how many merges it made.
auto apply_rewrite(EGraph& graph, const Rewrite& rewrite, Match match, Reason reason) -> size_t;

}  // namespace tacet::egraph
