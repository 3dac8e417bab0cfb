#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "compiler/core/egraph/egraph.h"
#include "compiler/core/egraph/match_program.h"

namespace tacet::egraph {

/// The classes that the variables of a query stand for, by variable. A variable that no equation
/// mentions has no class.
using Match = std::span<const ClassId>;

/// Matches, flat.
class MatchList {
 public:
  explicit MatchList(uint32_t n_vars) : n_vars_(n_vars) {}

  void add(Match match) {
    classes_.insert(classes_.end(), match.begin(), match.end());
    ++size_;
  }
  [[nodiscard]] auto operator[](size_t i) const -> Match {
    return {classes_.data() + i * n_vars_, n_vars_};
  }
  [[nodiscard]] auto size() const -> size_t { return size_; }
  [[nodiscard]] auto empty() const -> bool { return size_ == 0; }

 private:
  uint32_t n_vars_;
  size_t size_ = 0;
  std::vector<ClassId> classes_;
};

/// A conjunction of equations between variables and patterns, compiled: a single pattern is one
/// equation. With several, matching is a join over the variables that they share; the one with
/// the fewest candidates in the graph at hand goes first, then those that it is connected to.
class Query {
 public:
  static constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();

  Query(std::vector<Equation> equations, uint32_t n_vars);

  /// All matches in a clean graph, in a fixed order; stops after `limit` of them. Matches that
  /// differ only in which node of a class they went through are all there.
  [[nodiscard]] auto search(const EGraph& graph, size_t limit = kUnlimited) const -> MatchList;

  /// The matches whose variable of the first equation stands for the class of `root`.
  [[nodiscard]] auto search_class(const EGraph& graph, ClassId root,
                                  size_t limit = kUnlimited) const -> MatchList;

  [[nodiscard]] auto equations() const -> std::span<const Equation> { return equations_; }
  [[nodiscard]] auto n_vars() const -> uint32_t { return n_vars_; }

 private:
  [[nodiscard]] auto best_order(const EGraph& graph) const -> std::vector<uint32_t>;

  std::vector<Equation> equations_;
  uint32_t n_vars_;
  MatchProgram in_order_;
};

/// The class of the term that the pattern stands for under `match`, if the graph knows it.
auto lookup_pattern(const EGraph& graph, const Pattern& pattern, Match match) -> ClassId;

/// Adds the term that the pattern stands for under `match`.
auto instantiate(EGraph& graph, const Pattern& pattern, Match match) -> ClassId;

}  // namespace tacet::egraph
