#pragma once

#include <string>
#include <vector>

#include "compiler/run/cps/assembly.h"

namespace tacet::cps {

/// A rule that is broken.
struct Fault {
  static constexpr uint32_t kTail = 0xffffffff;
  FuncletId funclet;  ///< none if it is about the whole program
  uint32_t command = kTail;
  std::string message;
};

/// `f.2, command 3: …`.
auto fault_text(const Program& program, const Fault& fault) -> std::string;

/// Holds an assembly against its rules, knowing nothing of how it was made:
///
/// * every id is one of the program's, every value is defined once and before it is read, and
///   commands and edges have operands of fitting types;
/// * a value that says it is a node of the specification is computed as the node is, from values
///   that are the node's children; nothing else gets a node but by `assume`;
/// * across an edge a value stays the node that it was, but that a join may get the node that
///   selects between the branches, by the condition that was selected by, and that the results of a
///   call are those of the call's node; an input of the callee is the argument of that node;
/// * what is dead is not read, what is consumed (handed over, submitted, awaited, released) is not
///   used again, references that are borrowed may be handed over again and again, and what was
///   allocated is released before the funclet ends or handed over;
/// * the coordinator's event in the timeline is what every step starts from and every funclet says,
///   and encoders and futures are the timeline's own; which futures are in flight elsewhere is not
///   known here;
/// * every cycle of calls has a `yield`.
///
/// Gives the first fault of each funclet; empty if all is well. O(commands + edges).
auto check(const Program& program) -> std::vector<Fault>;

}  // namespace tacet::cps
