#pragma once

#include "compiler/device/oblivious/rewrite.h"

namespace tacet::oblivious {

/// Pass: branches-to-selects
///
/// Replaces `if`s about which a secret decides by both of their arms, of which one counts. An arm
/// computes on variables of its own; behind the arms each variable gets the value that the taken
/// arm left. Arrays whose elements an arm writes are not copied: each of its stores keeps the
/// element unless the arm, and all arms around it, are taken.
///
/// Before:                               After:
///   if c {                                x = x + 1 if c else y;
///     x = x + 1;                          t[2] = 5 if c else t[2];
///     t[2] = 5;
///   } else { x = y; }
///
/// An `if` with nothing but another one inside is one of both conditions. What is declared inside
/// of an arm needs no selection. Public branches and loops inside stay;
/// their conditions are those of the arm's own variables. Nothing in an arm may fail, since it
/// happens whether the arm is taken or not: operands are guarded (`OperandGuard`), stores whose
/// public index may lead outside are in a public `if`, steps are 1 where they were less.
///
/// Requires: no secret exits, indices and bounds (the other passes). An `if` with something that
/// cannot happen in every case stays, and is reported: a `reveal` (T5032), a call that does more
/// than compute (T5033), a `while` without `max` (T5034).
///
/// Cost: a selection by variable and by element stored.
auto branches_to_selects(Rewriting& rewriting) -> bool;

}  // namespace tacet::oblivious
