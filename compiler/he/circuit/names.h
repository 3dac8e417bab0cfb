#pragma once

#include <set>
#include <string>
#include <string_view>

#include "compiler/he/circuit/circuit.h"

namespace tacet::circuit {

/// Gives names that are distinct and that the text of programs can spell.
class Names {
 public:
  /// `wish` if nothing has it, else something like it.
  auto distinct(std::string_view wish) -> std::string;

 private:
  std::set<std::string, std::less<>> used_;
};

/// Names of everything in a circuit, all distinct: arrays keep theirs.
struct CircuitNames {
  std::vector<std::string> families, loops, statements, outputs;
  Names names;  ///< for more
};
auto names_of(const Circuit& circuit) -> CircuitNames;

}  // namespace tacet::circuit
