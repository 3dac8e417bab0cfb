#pragma once

#include "compiler/he/lower/levels.h"

namespace tacet::he_lower {

/// Pass: weigh relinearisations
///
/// Relinearises the program's products anew where they have these numbers of primes: so that it
/// takes the least time in all, by the model of times, exactly. A key is switched in less time with
/// fewer primes, but what waits has three parts until then, and adding, dropping and decrypting
/// three takes half as long again as two. The engine drops primes of ciphertexts of any degree, and
/// takes operands of different ones, so this is `relinearise::place_by_cut`.
///
/// Candidates are the places behind each statement, and those where the program relinearises now.
/// What is relinearised in one iteration of a loop is in all.
///
/// Before, `y` with fewer primes than `x`:       After:
///   x = mul a, b                                  x = mul a, b
///   x = relinearise x                             y = add x, c
///   y = add x, c                                  y = relinearise y
///
/// Primes dropped are best chosen anew afterwards: alternately, each exactly, until both rest.
/// Linear in the trace but for the cut, which is one of statements.
auto with_weighed_relinearisations(const engine::HeProgram& program, const Trace& trace,
                                   const Setting& setting, const Levels& levels,
                                   const he::OperationTimes& times) -> engine::HeProgram;

/// The same with as few relinearisations as can be, and these as late as can be. Linear likewise.
/// Hidden results have degree one.
auto with_late_relinearisations(const engine::HeProgram& program, const Trace& trace,
                                bool is_hidden) -> engine::HeProgram;

/// Whether all results have degree one.
auto has_linear_results(const Trace& trace) -> bool;

}  // namespace tacet::he_lower
