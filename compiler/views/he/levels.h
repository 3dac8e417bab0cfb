#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "compiler/device/array/program.h"
#include "engine/program/he/program.h"

namespace tacet::he_views {

/// How many levels are left around the computation of an array of reals: so often ciphertexts can
/// still be rescaled.
struct ArrayLevels {
  uint32_t all = 0;                     ///< that the program has
  uint32_t before = 0;                  ///< the fewest of what it is computed from
  uint32_t after = 0;                   ///< the fewest of its ciphertexts
  bool is_bootstrapped_within = false;  ///< in between
  /// What bootstrapping gives them before they are read; none if they are not bootstrapped.
  std::optional<uint32_t> bootstrapped;
};

/// By the names of the arrays that a program computes, of what it was compiled to: of reals, and of
/// those arrays that have ciphertexts of their own. Linear in the unrolled instructions.
auto levels_of(const array::Program& program, const engine::HeProgram& compiled)
    -> std::map<std::string, ArrayLevels>;

/// `9 before, 2 after; bootstrapped to 9`
auto to_text(const ArrayLevels& levels) -> std::string;

}  // namespace tacet::he_views
