#pragma once

#include <string>
#include <vector>

#include "importer/analyse.h"
#include "importer/import.h"
#include "importer/lowering.h"

namespace tacet::importer {

/// A parameter of the client.
struct ClientInput {
  std::string name;
  Shape shape;
  std::string bound;  ///< `in 0..1 norm 14`, may be empty
};

/// A result of the function.
struct ProgramOutput {
  std::string expression;
  std::string type;
};

/// What the text of a program is made of.
struct Program {
  std::string header;  ///< lines of comment
  std::vector<ClientInput> inputs;
  std::vector<ProgramOutput> outputs;
  std::string within;  ///< of the results, may be empty
};

/// The formatted text of a program.
auto write_program(const Program& program, const Lowering& lowering, Target target) -> std::string;

/// The bound of an array of numbers: its ends, and its norm where that says more.
auto bound_of_numbers(const Tensor& tensor) -> std::string;

}  // namespace tacet::importer
