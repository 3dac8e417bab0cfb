#pragma once

#include "compiler/mpc/lower/lowerer.h"

/// Loops that carry one number of which they only ask which of a few it is. Private to this folder.
namespace tacet::mpc_lower {

/// What a loop carries: a number that is compared with 0 to `n_states` - 1, and with nothing else.
struct Automaton {
  kernel::VariableId state{};
  int64_t n_states = 0;
};

/// By form alone: the loop changes nothing else that is seen outside, and each read of the number
/// is one side of `==` or `!=`, whose other side is a literal, or counts through a loop or an array
/// of known length. So are reads of a table at a secret place, once they are oblivious. O(size).
auto find_automaton(const Lowerer& lowerer, const kernel::For& loop) -> std::optional<Automaton>;

/// Computes such a loop in a tree: the body once for every state and for all other numbers at once,
/// as lanes; which state follows each, as a matrix of truth values that has one of them in each
/// row; products of these matrices; and at last what the last iteration makes of the state before
/// it. log2 n steps of one round, n (`n_states` + 1)^3 products of two bits. False, and nothing
/// done, if the body has no such form, or the matrices would be too large.
auto run_automaton(Lowerer& lowerer, const kernel::For& loop, const Iterations& iterations,
                   const Value& counter) -> bool;

}  // namespace tacet::mpc_lower
