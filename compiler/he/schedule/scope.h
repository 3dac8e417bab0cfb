#pragma once

#include <cstdint>
#include <vector>

#include "compiler/device/array/program.h"

/// Which dimensions the expressions of a statement depend on.
namespace tacet::schedule {

/// A set of dimensions of one statement: bit i stands for the dimension with index i.
using DimSet = uint64_t;
inline constexpr size_t kMostDims = 64;  ///< of a statement

constexpr auto set_of(array::DimId dim) -> DimSet {
  return DimSet{1} << dim.index;
}
constexpr auto contains(DimSet set, array::DimId dim) -> bool {
  return (set & set_of(dim)) != 0;
}

/// The dimensions that each expression depends on, those it reduces left out, by expression. The
/// statement has at most `kMostDims` dimensions. O(expressions).
auto free_dims(const array::Statement& statement) -> std::vector<DimSet>;

/// For each dimension those that some expression depends on together with it, itself included.
auto dims_together(const array::Statement& statement) -> std::vector<DimSet>;

/// The dimensions that a site mentions.
auto dims_of(const array::Site& site) -> DimSet;

}  // namespace tacet::schedule
