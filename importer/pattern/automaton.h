#pragma once

#include <array>

#include "importer/pattern/nondeterministic.h"

/// Deterministic automata. Private to the importer.
namespace tacet::importer::pattern {

/// More states make programs that nobody would wait for.
inline constexpr size_t kMostStates = 256;

/// A complete automaton that starts in state 0. Its classes are numbered in the order of their
/// first bytes, its states in the order in which a search in breadth reaches them.
struct Automaton {
  std::array<uint8_t, 256> class_of{};
  size_t n_classes = 0;
  std::vector<std::vector<uint32_t>> next{};  ///< by state and class
  /// By state: whether the texts that lead there are accepted where the text continues, and where
  /// it ends. They differ only for patterns with conditions on that end.
  std::vector<bool> accepts_inside{}, accepts_at_end{};

  [[nodiscard]] auto n_states() const -> size_t { return next.size(); }
};

/// The sets of states that texts lead to, for classes of bytes that no set distinguishes. None if
/// that takes too much work. Exponential in the number of states; bounded by a budget.
auto determinise(const NondeterministicAutomaton& from) -> std::optional<Automaton>;

/// The equivalent automaton with the fewest states and classes; it is unique. Hopcroft, An n log n
/// algorithm for minimizing states in a finite automaton (1971). `tells_ends_apart`: whether
/// `accepts_inside` counts. O(classes states log states).
auto minimise(const Automaton& automaton, bool tells_ends_apart) -> Automaton;

/// `minimise` of the pattern's automaton for a question. None if it has more than `kMostStates`.
auto automaton_of(const PatternNode& root, Question question) -> std::optional<Automaton>;

}  // namespace tacet::importer::pattern
