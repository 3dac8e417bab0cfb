#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "compiler/device/array/program.h"
#include "compiler/he/circuit/circuit.h"

/// Circuits of networks: programs that alternate linear maps of whole arrays with functions of
/// their elements.
namespace tacet::diagonals {

/// A circuit, and what it computes.
struct Network {
  circuit::Circuit circuit;
  size_t n_maps = 0;           ///< products with matrices
  int64_t n_diagonals = 0;     ///< of all of them
  bool ends_with_map = false;  ///< in slots without an element of the result, 0
  /// Of arrays whose numbers have a declared norm in each row, and make rows of matrices: the part
  /// of their bound that all may be taken to have where rows are summed, a margin included.
  std::map<std::string, double> weight_parts;
};

/// The circuit that has each array in one vector, and multiplies by the diagonals of matrices
/// (`matrix.h`), whatever the maps are: dense layers, convolutions with any strides and padding,
/// sums over windows. Maps that follow each other are one where that is cheap.
///
/// An error if an array has more elements than columns, or an expression is neither linear in one
/// secret array nor made of elements in the same place of arrays of the statement's shape, nor of
/// such expressions.
auto write_by_diagonals(const array::Program& program, uint32_t n_columns) -> Result<Network>;

}  // namespace tacet::diagonals
