#pragma once

#include "base/result.h"
#include "compiler/he/schedule/value.h"

namespace tacet::schedule {

/// A statement's nodes, and what it leaves.
struct StatementCircuit {
  circuit::Statement statement;
  circuit::Output output;
  Left left;
};

/// Writes the circuit of one statement; `earlier` are what those before it left. `statement_of` is,
/// by array, the number of the statement that computes it.
auto write_statement(const Frame& frame, const std::vector<Left>& earlier,
                     const std::vector<uint32_t>& statement_of, CircuitWriter& writer)
    -> Result<StatementCircuit>;

}  // namespace tacet::schedule
