#pragma once

#include "compiler/he/schedule/statement_circuit.h"

namespace tacet::schedule {

/// What a statement leaves, where its elements are in it, and the loops of its vectors, once
/// nothing is pending of its root.
auto leave_result(const Frame& frame, const Value& root) -> StatementCircuit;

}  // namespace tacet::schedule
