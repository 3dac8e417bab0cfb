#pragma once

#include <optional>
#include <vector>

#include "compiler/device/array/real_bounds.h"
#include "compiler/he/lower/compile.h"
#include "compiler/he/lower/encrypt_circuit.h"

/// Private to this folder: one vector computation, from an array program to encryption.
namespace tacet::he_lower {

/// Of reals: what is known of the result, and how far encryption may put it off.
struct RealGoal {
  array::RealBound result;
  double noise = 0;
  InputRanges ranges{};  ///< of inputs; without, bounds and errors are found step by step
};

/// Which programs of reals become networks (`diagonals::write_by_diagonals`).
enum class Networks : uint8_t {
  Tried,      ///< those of three maps or more, else slow ones of two; layouts are searched as well
  Large,      ///< only those of three maps or more: no layout is searched
  AnyLarger,  ///< likewise of two or more
};

/// What is known of array programs before layouts are searched.
struct KnownBefore {
  std::optional<array::Interval> result = {};  ///< of programs that functions were expanded in
  std::optional<uint64_t> modulus = {};        ///< the only one for these
  std::optional<RealGoal> goal = {};           ///< of programs of reals
  Networks networks = Networks::Tried;
};

/// Compiles programs that compute the same, without functions, stage by stage.
auto compile_vectors(std::vector<array::Program> programs, const CompileOptions& options,
                     const KnownBefore& known = {}) -> Compilation;

}  // namespace tacet::he_lower
