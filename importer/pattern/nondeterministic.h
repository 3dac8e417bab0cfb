#pragma once

#include <vector>

#include "importer/pattern/syntax.h"

/// Nondeterministic automata. Private to the importer.
namespace tacet::importer::pattern {

inline constexpr size_t kMostNondeterministicStates = 20'000;

/// What a state does: it reads a byte of a set, continues without reading, everywhere or only at
/// the start or the end of the text, or accepts.
enum class StateKind : uint8_t { Read, Fork, AtStart, AtEnd, Accept };

struct State {
  StateKind kind = StateKind::Accept;
  uint32_t set = 0;                 ///< of kind `Read`: a place in `sets`
  std::vector<uint32_t> following;  ///< none for `Accept`
};

struct NondeterministicAutomaton {
  std::vector<State> states;
  std::vector<ByteSet> sets;  ///< all different
  uint32_t start = 0;
};

/// What an automaton decides of the pattern's language L, with all texts A.
enum class Question : uint8_t {
  Whole,     ///< is the text in L?
  Contains,  ///< is it in A L A?
  Starts,    ///< of what was read from the text's end on: is it in the reverse of L A?
};

/// Thompson, Regular expression search algorithm, CACM 11 (1968), with counted repetitions written
/// out and edges at the ends of the text. A fault if there are too many states. O(states).
auto build_nondeterministic(const PatternNode& root, Question question,
                            NondeterministicAutomaton& result) -> std::optional<Fault>;

}  // namespace tacet::importer::pattern
