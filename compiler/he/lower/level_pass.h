#pragma once

#include <cstdint>
#include <vector>

#include "compiler/he/lower/levels.h"

namespace tacet::he_lower {

/// Of plaintexts too, which have the scale as ciphertexts have.
constexpr auto is_real_product(StepKind kind) -> bool {
  return kind == StepKind::Multiply || kind == StepKind::MultiplyPlain;
}

/// A value of a trace of reals.
struct RealValue {
  uint32_t n_primes = 0;
  uint32_t power = 1;  ///< of the scale
};

/// One way through a trace of reals after the other, from inputs to outputs, until the groups'
/// numbers of primes do not change any more. Which steps there may be, and what is rescaled, is up
/// to its users: they compute each value from `values` and `keep` it.
struct LevelPass {
  static constexpr uint32_t kUnset = 0xffffffff;

  LevelPass(const Trace& trace, std::vector<uint32_t> caps, std::vector<bool> is_rescaled);

  /// Forgets the last way but for `caps`, and begins with the inputs.
  void begin();
  /// Takes down what a step makes: divided where its group is, and with no more primes than its
  /// group. A group that has more than that has as few from the next way on.
  auto keep(const Step& step, RealValue made) -> RealValue;
  /// The most primes that a use of each group works on; 0 for one without uses, `kUnset` for
  /// outputs, which keep what they have.
  [[nodiscard]] auto most_used() const -> std::vector<uint32_t>;

  const Trace& trace;
  std::vector<uint32_t> caps;     ///< by group: the most primes
  std::vector<bool> is_rescaled;  ///< by group: what of it has the scale twice is divided
  std::vector<uint32_t> powers;   ///< by group: of its first value on this way
  std::vector<RealValue> values;
  Levels levels;
  bool is_stable = true;  ///< no cap was lowered, by `keep` or by the user
};

}  // namespace tacet::he_lower
