#pragma once

#include <cstdint>
#include <vector>

#include "compiler/he/lower/levels.h"

namespace tacet::he_lower {

/// Of plaintexts too, which have the scale as ciphertexts have.
constexpr auto is_real_product(StepKind kind) -> bool {
  return kind == StepKind::Multiply || kind == StepKind::MultiplyPlain;
}

/// A value of a trace.
struct ValueLevel {
  uint32_t n_primes = 0;
  uint32_t power = 1;  ///< of the scale; one for integers
};

/// Passes through a trace, from inputs to outputs, until the groups' numbers of primes are stable.
/// The steps that are possible, and what is rescaled, are up to its users: they compute each value
/// and `keep` it.
struct LevelPass {
  static constexpr uint32_t kUnset = Levels::kUnset;

  LevelPass(const Trace& trace, std::vector<uint32_t> caps, std::vector<bool> is_rescaled);

  /// Calls `pass`, which begins and goes through the trace, until it leaves all caps as they are.
  /// Caps are lowered once to what uses need (`lower_to_uses`), unless the program itself drops
  /// primes. False as soon as `pass` returns false.
  template <class Pass>
  auto settle(uint32_t unused, const Pass& pass) -> bool {
    for (bool is_lowered = trace.has_drops; pass();) {
      if (is_stable && (is_lowered || !lower_to_uses(unused))) {
        return true;
      }
      is_lowered |= is_stable;
    }
    return false;
  }

  /// Forgets the last pass but for `caps`, and begins with the inputs.
  void begin();
  /// Notes the result of a step on operands of `made.n_primes` primes: divided where its group is,
  /// and with no more primes than its group. A group that has more than that has as few from the
  /// next pass on.
  auto keep(const Step& step, ValueLevel made) -> ValueLevel;
  /// Caps groups at the most primes that one of their uses works on, since all uses would drop the
  /// rest. Groups that nothing uses are capped at `unused`, or left alone if that is 0; outputs
  /// keep what they have. Whether any value has fewer then.
  auto lower_to_uses(uint32_t unused) -> bool;

  const Trace& trace;
  std::vector<uint32_t> caps;     ///< by group: the most primes
  std::vector<bool> is_rescaled;  ///< by group: what of it has the scale twice is divided
  std::vector<uint32_t> powers;   ///< by group: of its first value in this pass
  std::vector<ValueLevel> values;
  Levels levels;
  bool is_stable = true;  ///< no cap was lowered, by `keep` or by the user
};

}  // namespace tacet::he_lower
