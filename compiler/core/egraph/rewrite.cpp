#include "compiler/core/egraph/rewrite.h"

#include <algorithm>

#include "base/check.h"

namespace tacet::egraph {
namespace {

/// A variable's name that no S-expression has.
constexpr std::string_view kRootName = " root";

auto make_simple(std::string name, Pattern left, VarTable vars) -> Rewrite {
  VarId root;
  if (left.is_var()) {
    root = left[left.root()].var;
  } else {
    root = vars.id(kRootName);
  }
  std::vector<Equation> equations;
  equations.push_back({root, std::move(left)});
  Query query(std::move(equations), vars.size());
  return {.name = std::move(name),
          .vars = std::move(vars),
          .query = std::move(query),
          .root = root,
          .conclusions = {},
          .applier = {},
          .conditions = {}};
}

void check_bound(const Rewrite& rewrite) {
  std::vector<bool> bound(rewrite.vars.size());
  for (const Equation& equation : rewrite.query.equations()) {
    bound[equation.var.index] = true;
    for (const Pattern::Node& node : equation.pattern.nodes()) {
      if (node.var.has_value()) {
        bound[node.var.index] = true;
      }
    }
  }
  for (const Rewrite::Conclusion& conclusion : rewrite.conclusions) {
    for (const Pattern::Node& node : conclusion.pattern.nodes()) {
      TACET_CHECK(!node.var.has_value() || bound[node.var.index],
                  "a variable occurs only on the right-hand side");
    }
  }
}

/// The left side of a rewrite with one pattern, as a term of its own if spellings matter.
auto left_side(EGraph& graph, const Rewrite& rewrite, const Rewrite::Conclusion& conclusion,
               Match match) -> ClassId {
  const auto equations = rewrite.query.equations();
  if (!graph.has_explanations() || equations.size() != 1) {
    return match[conclusion.var.index];
  }
  return instantiate(graph, equations.front().pattern, match);
}

}  // namespace

auto make_rewrite(std::string name, Pattern left, Pattern right, VarTable vars) -> Rewrite {
  Rewrite rewrite = make_simple(std::move(name), std::move(left), std::move(vars));
  rewrite.conclusions.push_back({rewrite.root, std::move(right)});
  check_bound(rewrite);
  return rewrite;
}

auto make_rewrite(std::string name, std::string_view left, std::string_view right, OpSpelling& ops)
    -> Rewrite {
  VarTable vars;
  Pattern left_pattern = parse_pattern(left, ops, vars);
  Pattern right_pattern = parse_pattern(right, ops, vars);
  return make_rewrite(std::move(name), std::move(left_pattern), std::move(right_pattern),
                      std::move(vars));
}

auto make_dynamic_rewrite(std::string name, std::string_view left, OpSpelling& ops,
                          const std::function<DynamicApplier(VarTable& vars)>& make_applier)
    -> Rewrite {
  VarTable vars;
  Pattern pattern = parse_pattern(left, ops, vars);
  DynamicApplier applier = make_applier(vars);
  Rewrite rewrite = make_simple(std::move(name), std::move(pattern), std::move(vars));
  rewrite.applier = std::move(applier);
  return rewrite;
}

auto parse_equations(std::string_view text, OpSpelling& ops, VarTable& vars)
    -> std::vector<Equation> {
  std::vector<Equation> equations;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const size_t sign = part.find(" = ");
    TACET_CHECK(sign != std::string_view::npos, "expected an equation `?var = pattern`");
    const Pattern left = parse_pattern(part.substr(0, sign), ops, vars);
    TACET_CHECK(left.is_var(), "an equation must start with a variable");
    equations.push_back({left[0].var, parse_pattern(part.substr(sign + 3), ops, vars)});
  }
  return equations;
}

auto make_multi_rewrite(std::string name, std::string_view equations, std::string_view conclusions,
                        OpSpelling& ops) -> Rewrite {
  VarTable vars;
  std::vector<Equation> left = parse_equations(equations, ops, vars);
  std::vector<Rewrite::Conclusion> right;
  for (Equation& equation : parse_equations(conclusions, ops, vars)) {
    right.push_back({equation.var, std::move(equation.pattern)});
  }
  const VarId root = left.front().var;
  Query query(std::move(left), vars.size());
  Rewrite rewrite{.name = std::move(name),
                  .vars = std::move(vars),
                  .query = std::move(query),
                  .root = root,
                  .conclusions = std::move(right),
                  .applier = {},
                  .conditions = {}};
  check_bound(rewrite);
  return rewrite;
}

auto apply_rewrite(EGraph& graph, const Rewrite& rewrite, Match match, Reason reason) -> size_t {
  for (const Condition& condition : rewrite.conditions) {
    if (!condition(graph, match)) {
      return 0;
    }
  }
  if (rewrite.applier) {
    const ClassId result = rewrite.applier(graph, match);
    if (!result.has_value()) {
      return 0;
    }
    const Rewrite::Conclusion same{.var = rewrite.root, .pattern = {}};
    return graph.merge(left_side(graph, rewrite, same, match), result, reason) ? 1 : 0;
  }
  size_t n_merges = 0;
  for (const Rewrite::Conclusion& conclusion : rewrite.conclusions) {
    const ClassId right = instantiate(graph, conclusion.pattern, match);
    if (graph.has_explanations() && graph.are_equal(match[conclusion.var.index], right)) {
      continue;  // known already: spare the spelling of the left side
    }
    n_merges += graph.merge(left_side(graph, rewrite, conclusion, match), right, reason) ? 1 : 0;
  }
  return n_merges;
}

}  // namespace tacet::egraph
