#include "compiler/core/egraph/match_program.h"

#include <algorithm>

namespace tacet::egraph {
namespace {

class Compiler {
 public:
  Compiler(std::span<const Equation> equations, uint32_t n_vars) : equations_(equations) {
    program_.var_registers.assign(n_vars, MatchProgram::kUnbound);
  }

  auto compile(std::span<const uint32_t> order) -> MatchProgram {
    first_ = order.front();
    for (const uint32_t equation : order) {
      compile_equation(equation);
    }
    return std::move(program_);
  }

 private:
  struct Todo {
    Pattern::Place place = 0;
    uint32_t in = 0;
  };

  void compile_equation(uint32_t equation) {
    equation_ = equation;
    const Equation& query = equations_[equation];
    const Pattern& pattern = query.pattern;
    const Pattern::Node& root = pattern[pattern.root()];
    uint32_t in = query.var.has_value() ? register_of(query.var) : MatchProgram::kUnbound;
    const bool is_anchored = in != MatchProgram::kUnbound;
    const bool is_known = !root.var.has_value() && n_unbound(pattern, pattern.root()) == 0;
    if (!is_anchored && root.var.has_value()) {
      in = register_of(root.var);
    }
    if (in == MatchProgram::kUnbound) {
      in = start(pattern);
    }
    if (equation == first_) {
      program_.root_register = in;
    }
    if (query.var.has_value() && !is_anchored) {
      register_of(query.var) = in;
    }
    if (!is_anchored && is_known) {
      return;  // start() found the very term
    }
    todo_.push_back({pattern.root(), in});
    while (!todo_.empty()) {
      const auto next = std::min_element(todo_.begin(), todo_.end(), [&](Todo a, Todo b) {
        return effort(pattern, a.place) < effort(pattern, b.place);
      });
      const Todo todo = *next;
      todo_.erase(next);
      compile_node(pattern, todo);
    }
  }

  /// Where to look for the root of an equation that nothing is known about.
  auto start(const Pattern& pattern) -> uint32_t {
    const Pattern::Node& root = pattern[pattern.root()];
    if (!root.var.has_value() && is_ground(pattern, pattern.root())) {
      return ground_register(pattern.root());
    }
    MatchStep step{.op = root.op, .equation = equation_, .place = pattern.root()};
    step.out = program_.n_registers++;
    if (root.var.has_value()) {
      step.kind = MatchStep::Kind::ScanAll;
    } else if (n_unbound(pattern, step.place) == 0) {
      step.kind = MatchStep::Kind::Take;
    }
    program_.steps.push_back(step);
    return step.out;
  }

  static auto compare(uint32_t a, uint32_t b) -> MatchStep {
    return {.kind = MatchStep::Kind::Compare, .op = {}, .in = a, .out = b};
  }

  auto ground_register(Pattern::Place place) -> uint32_t {
    const uint32_t out = program_.n_registers++;
    program_.ground_terms.push_back({equation_, place, out});
    return out;
  }

  void compile_node(const Pattern& pattern, Todo todo) {
    const Pattern::Node& node = pattern[todo.place];
    if (node.var.has_value()) {
      uint32_t& bound = program_.var_registers[node.var.index];
      if (bound == MatchProgram::kUnbound) {
        bound = todo.in;
      } else if (bound != todo.in) {
        program_.steps.push_back(compare(todo.in, bound));
      }
      return;
    }
    if (is_ground(pattern, todo.place)) {
      program_.steps.push_back(compare(todo.in, ground_register(todo.place)));
      return;
    }
    if (n_unbound(pattern, todo.place) == 0) {
      program_.steps.push_back({.kind = MatchStep::Kind::Lookup,
                                .op = node.op,
                                .in = todo.in,
                                .equation = equation_,
                                .place = todo.place});
      return;
    }
    const uint32_t out = program_.n_registers;
    program_.n_registers += node.n_children;
    program_.steps.push_back({.kind = MatchStep::Kind::Bind,
                              .op = node.op,
                              .n_children = node.n_children,
                              .in = todo.in,
                              .out = out});
    for (uint32_t i = 0; i < node.n_children; ++i) {
      todo_.push_back({pattern.children(todo.place)[i], out + i});
    }
  }

  auto register_of(VarId var) -> uint32_t& { return program_.var_registers[var.index]; }

  /// Checks come before what branches; of that, what has fewest variables that are new.
  auto effort(const Pattern& pattern, Pattern::Place place) -> uint32_t {
    if (pattern[place].var.has_value()) {
      return 0;
    }
    return 1 + n_unbound(pattern, place);
  }

  static auto is_ground(const Pattern& pattern, Pattern::Place place) -> bool {
    if (pattern[place].var.has_value()) {
      return false;
    }
    const auto children = pattern.children(place);
    return std::all_of(children.begin(), children.end(),
                       [&](Pattern::Place child) { return is_ground(pattern, child); });
  }

  auto n_unbound(const Pattern& pattern, Pattern::Place place) -> uint32_t {
    const Pattern::Node& node = pattern[place];
    if (node.var.has_value()) {
      return register_of(node.var) == MatchProgram::kUnbound ? 1 : 0;
    }
    uint32_t result = 0;
    for (const Pattern::Place child : pattern.children(place)) {
      result += n_unbound(pattern, child);
    }
    return result;
  }

  std::span<const Equation> equations_;
  uint32_t first_ = 0;
  uint32_t equation_ = 0;
  MatchProgram program_;
  std::vector<Todo> todo_;
};

}  // namespace

auto compile_query(std::span<const Equation> equations, std::span<const uint32_t> order,
                   uint32_t n_vars) -> MatchProgram {
  return Compiler(equations, n_vars).compile(order);
}

}  // namespace tacet::egraph
