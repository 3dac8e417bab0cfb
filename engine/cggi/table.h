#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "engine/cggi/objects.h"

namespace tacet::cggi {

/// What a bootstrap looks up: a test polynomial, coefficient j of which is the result for the phase
/// j / (2 N) turns. A phase in the other half of the torus gives the negative.
struct Table {
  /// log2 of how many tables the polynomial holds, interleaved: result s is coefficient s.
  unsigned log2_tables = 0;
  std::vector<Torus> polynomial;
};

/// `amplitude` for phases in the first half of the torus, minus that in the second: gates.
auto sign_table(const Parameters& parameters, Torus amplitude) -> Table;

/// For each of a power of two of tables, the result for each case, a phase of about
/// case / (2 · cases) turns. An error if the tables differ in their cases or a case is left less
/// than one position of the polynomial.
auto case_tables(const Parameters& parameters, std::span<const std::vector<Torus>> results)
    -> Result<Table>;

}  // namespace tacet::cggi
