#pragma once

#include <span>
#include <vector>

#include "compiler/core/egraph/pattern.h"

namespace tacet::egraph {

/// One equation of a query: the class that `var` stands for has a term of this shape.
struct Equation {
  VarId var;
  Pattern pattern;
};

/// One step of matching, over registers that hold classes (de Moura and Bjørner, Efficient
/// E-Matching for SMT Solvers, CADE 2007).
struct MatchStep {
  enum class Kind : uint8_t {
    Scan,     ///< for each class with a node `op`: put it into `out`
    ScanAll,  ///< for each class: put it into `out`
    Bind,     ///< for each node `op` of the class in `in`: put its children into `out`, …
    Compare,  ///< continue only if `in` and `out` hold the same class
    Lookup,  ///< continue only if the bound term at `place` of the equation is in the class in `in`
    Take,    ///< put the class of the bound term at `place` into `out`, if it exists
  };

  Kind kind = Kind::Scan;
  OpId op;
  uint32_t n_children = 0;
  uint32_t in = 0;
  uint32_t out = 0;
  uint32_t equation = 0;
  Pattern::Place place = 0;
};

/// A term without variables: looked up once a search, into a register that steps compare with.
/// Nothing matches if it does not exist.
struct GroundTerm {
  uint32_t equation = 0;
  Pattern::Place place = 0;
  uint32_t out = 0;
};

/// A query compiled for one order of its equations.
struct MatchProgram {
  std::vector<GroundTerm> ground_terms;
  std::vector<MatchStep> steps;
  std::vector<uint32_t> var_registers;  ///< by variable; `kUnbound` if no equation has it
  uint32_t n_registers = 0;
  uint32_t root_register = 0;  ///< holds the root of the equation that comes first

  static constexpr uint32_t kUnbound = UINT32_MAX;
};

/// Compiles the equations, in this order, for `n_vars` variables. An equation whose variable is
/// bound by then starts from its class, another one scans. Within an equation, what can be
/// checked without branching comes first.
auto compile_query(std::span<const Equation> equations, std::span<const uint32_t> order,
                   uint32_t n_vars) -> MatchProgram;

}  // namespace tacet::egraph
