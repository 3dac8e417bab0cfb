#pragma once

#include "compiler/he/lower/joint_search.h"

/// How integers and reals differ where `placed_jointly` drops their primes.
namespace tacet::he_lower {

struct IntegerRules {
  /// Programs of more steps are not tried without single relinearisations.
  static constexpr size_t kFewSteps = 0;
  /// Whether relinearisations are moved at least once, however long the program.
  static constexpr bool kMovesOnce = false;

  /// Drops primes of a program anew.
  static void place(JointSearch& search, Placement& placement);
  /// Drops primes where that is faster than where they are dropped now.
  static void improve(JointSearch& search, Placement& placement);
  /// Whether the search starts again from a program.
  static auto starts_from(const JointSearch& search, const engine::HeProgram& start,
                          const engine::HeProgram& first) -> bool;
};

/// The same for reals, whose primes are dropped by rescaling.
struct RealRules {
  /// The cut knows no noise, and may have moved two relinearisations where precision allows one.
  static constexpr size_t kFewSteps = 32;
  static constexpr bool kMovesOnce = true;

  static void place(JointSearch& search, Placement& placement);
  static void improve(JointSearch& search, Placement& placement);
  static auto starts_from(const JointSearch& search, const engine::HeProgram& start,
                          const engine::HeProgram& first) -> bool;
};

}  // namespace tacet::he_lower
