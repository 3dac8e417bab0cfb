#include "compiler/core/egraph/ematch.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "compiler/core/egraph/few_classes.h"

namespace tacet::egraph {
namespace {

/// Runs a program. Each step with several continuations is a loop around the steps after it.
class Machine {
 public:
  Machine(const EGraph& graph, std::span<const Equation> equations, const MatchProgram& program,
          ClassId root, size_t limit)
      : graph_(graph),
        equations_(equations),
        program_(program),
        root_(root),
        limit_(limit),
        registers_(program.n_registers),
        match_(program.var_registers.size()),
        found_(static_cast<uint32_t>(program.var_registers.size())) {}

  auto run() -> MatchList {
    for (const GroundTerm& ground : program_.ground_terms) {
      registers_[ground.out] = term(equations_[ground.equation].pattern, ground.place);
      if (!registers_[ground.out].has_value()) {
        return std::move(found_);
      }
    }
    if (limit_ > 0) {
      run_from(0);
    }
    return std::move(found_);
  }

 private:
  /// False when the limit is reached.
  auto run_from(size_t at) -> bool {
    for (; at < program_.steps.size(); ++at) {
      const MatchStep& step = program_.steps[at];
      switch (step.kind) {
        case MatchStep::Kind::Scan:
          return scan(graph_.classes_with(step.op), step, at);
        case MatchStep::Kind::ScanAll:
          return scan(all_classes(), step, at);
        case MatchStep::Kind::Bind:
          return bind(step, at);
        case MatchStep::Kind::Compare:
          if (registers_[step.in] != registers_[step.out]) {
            return true;
          }
          break;
        case MatchStep::Kind::Lookup:
          if (term(step) != registers_[step.in]) {
            return true;
          }
          break;
        case MatchStep::Kind::Take: {
          const ClassId found = term(step);
          if (!found.has_value()) {
            return true;
          }
          registers_[step.out] = found;
          break;
        }
      }
    }
    return yield();
  }

  auto scan(std::span<const ClassId> classes, const MatchStep& step, size_t at) -> bool {
    if (root_.has_value() && step.out == program_.root_register) {
      registers_[step.out] = root_;
      return run_from(at + 1);
    }
    for (const ClassId id : classes) {
      if (graph_.is_class(id)) {
        registers_[step.out] = id;
        if (!run_from(at + 1)) {
          return false;
        }
      }
    }
    return true;
  }

  auto bind(const MatchStep& step, size_t at) -> bool {
    for (const ENode& node : graph_.nodes(registers_[step.in], step.op)) {
      if (node.n_children == step.n_children) {
        const std::span<const ClassId> children = graph_.children(node);
        std::copy(children.begin(), children.end(), registers_.begin() + step.out);
        if (!run_from(at + 1)) {
          return false;
        }
      }
    }
    return true;
  }

  auto yield() -> bool {
    if (root_.has_value() && registers_[program_.root_register] != root_) {
      return true;
    }
    for (size_t var = 0; var < match_.size(); ++var) {
      const uint32_t bound = program_.var_registers[var];
      match_[var] = bound == MatchProgram::kUnbound ? ClassId{} : registers_[bound];
    }
    found_.add(match_);
    return found_.size() < limit_;
  }

  auto term(const MatchStep& step) -> ClassId {
    return term(equations_[step.equation].pattern, step.place);
  }

  auto term(const Pattern& pattern, Pattern::Place place) -> ClassId {
    const Pattern::Node& node = pattern[place];
    if (node.var.has_value()) {
      return registers_[program_.var_registers[node.var.index]];
    }
    FewClasses children(node.n_children);
    for (uint32_t i = 0; i < node.n_children; ++i) {
      children[i] = term(pattern, pattern.children(place)[i]);
      if (!children[i].has_value()) {
        return {};
      }
    }
    return graph_.lookup(node.op, children.span());
  }

  auto all_classes() -> std::span<const ClassId> {
    if (all_classes_.empty()) {
      all_classes_ = graph_.classes();
    }
    return all_classes_;
  }

  const EGraph& graph_;
  std::span<const Equation> equations_;
  const MatchProgram& program_;
  ClassId root_;
  size_t limit_;
  std::vector<ClassId> registers_;
  std::vector<ClassId> match_;
  std::vector<ClassId> all_classes_;
  MatchList found_;
};

auto shares_a_var(const Equation& equation, const std::vector<bool>& bound) -> bool {
  if (equation.var.has_value() && bound[equation.var.index]) {
    return true;
  }
  const auto nodes = equation.pattern.nodes();
  return std::any_of(nodes.begin(), nodes.end(), [&](const Pattern::Node& node) {
    return node.var.has_value() && bound[node.var.index];
  });
}

void bind_vars(const Equation& equation, std::vector<bool>& bound) {
  if (equation.var.has_value()) {
    bound[equation.var.index] = true;
  }
  for (const Pattern::Node& node : equation.pattern.nodes()) {
    if (node.var.has_value()) {
      bound[node.var.index] = true;
    }
  }
}

}  // namespace

Query::Query(std::vector<Equation> equations, uint32_t n_vars)
    : equations_(std::move(equations)), n_vars_(n_vars) {
  TACET_CHECK(!equations_.empty(), "a query without equations");
  std::vector<uint32_t> order(equations_.size());
  std::iota(order.begin(), order.end(), 0U);
  in_order_ = compile_query(equations_, order, n_vars_);
}

/// Greedy: the best next equation has its own variable bound already (no scan at all), else
/// shares a variable, else scans the fewest classes.
auto Query::best_order(const EGraph& graph) const -> std::vector<uint32_t> {
  const auto n_candidates = [&](const Equation& equation) {
    const Pattern::Node& root = equation.pattern[equation.pattern.root()];
    return root.var.has_value() ? graph.n_classes() : graph.classes_with(root.op).size();
  };
  std::vector<bool> bound(n_vars_);
  std::vector<uint32_t> left(equations_.size());
  std::iota(left.begin(), left.end(), 0U);
  std::vector<uint32_t> order;
  while (!left.empty()) {
    const auto rank = [&](uint32_t i) {
      const Equation& equation = equations_[i];
      const bool is_anchored = equation.var.has_value() && bound[equation.var.index];
      const size_t distance = is_anchored ? 0 : shares_a_var(equation, bound) ? 1 : 2;
      return std::pair(distance, n_candidates(equation));
    };
    const auto best = std::min_element(left.begin(), left.end(),
                                       [&](uint32_t a, uint32_t b) { return rank(a) < rank(b); });
    bind_vars(equations_[*best], bound);
    order.push_back(*best);
    left.erase(best);
  }
  return order;
}

auto Query::search(const EGraph& graph, size_t limit) const -> MatchList {
  TACET_CHECK(graph.is_clean(), "matching needs a rebuilt graph");
  if (equations_.size() == 1) {
    return Machine(graph, equations_, in_order_, {}, limit).run();
  }
  const MatchProgram program = compile_query(equations_, best_order(graph), n_vars_);
  return Machine(graph, equations_, program, {}, limit).run();
}

auto Query::search_class(const EGraph& graph, ClassId root, size_t limit) const -> MatchList {
  TACET_CHECK(graph.is_clean(), "matching needs a rebuilt graph");
  return Machine(graph, equations_, in_order_, graph.find(root), limit).run();
}

auto lookup_pattern(const EGraph& graph, const Pattern& pattern, Match match) -> ClassId {
  FewClasses classes(pattern.nodes().size());
  for (Pattern::Place place = 0; place < pattern.nodes().size(); ++place) {
    const Pattern::Node& node = pattern[place];
    if (node.var.has_value()) {
      classes[place] = graph.find(match[node.var.index]);
      continue;
    }
    FewClasses children(node.n_children);
    for (uint32_t i = 0; i < node.n_children; ++i) {
      children[i] = classes[pattern.children(place)[i]];
    }
    classes[place] = graph.lookup(node.op, children.span());
    if (!classes[place].has_value()) {
      return {};
    }
  }
  return classes[pattern.root()];
}

auto instantiate(EGraph& graph, const Pattern& pattern, Match match) -> ClassId {
  FewClasses classes(pattern.nodes().size());
  for (Pattern::Place place = 0; place < pattern.nodes().size(); ++place) {
    const Pattern::Node& node = pattern[place];
    if (node.var.has_value()) {
      classes[place] = match[node.var.index];
      TACET_CHECK(classes[place].has_value(), "an unbound variable");
      continue;
    }
    FewClasses children(node.n_children);
    for (uint32_t i = 0; i < node.n_children; ++i) {
      children[i] = classes[pattern.children(place)[i]];
    }
    classes[place] = graph.add(node.op, children.span());
  }
  return classes[pattern.root()];
}

}  // namespace tacet::egraph
