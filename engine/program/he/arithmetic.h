#pragma once

#include "engine/program/he/program.h"

namespace tacet::engine {

/// All slots of a vector, the first row before the second. Integers are those nearest to zero of
/// their class, [-t/2, t/2].
using HeSlots = std::vector<double>;

/// What every operation means for slots: exact modulo the program's modulus, or on doubles.
class HeArithmetic {
 public:
  explicit HeArithmetic(const HeProgram& program);

  /// A whole number as a slot; reals are themselves.
  [[nodiscard]] auto reduce(double number) const -> double;

  [[nodiscard]] auto add(const HeSlots& a, const HeSlots& b) const -> HeSlots;
  [[nodiscard]] auto subtract(const HeSlots& a, const HeSlots& b) const -> HeSlots;
  [[nodiscard]] auto multiply(const HeSlots& a, const HeSlots& b) const -> HeSlots;
  [[nodiscard]] auto negate(const HeSlots& a) const -> HeSlots;
  /// Each row to the left.
  [[nodiscard]] auto rotate(const HeSlots& a, uint32_t steps) const -> HeSlots;
  [[nodiscard]] auto swap_rows(const HeSlots& a) const -> HeSlots;

  /// What an instruction makes of its operands; relinearising, dropping, copying and encoding
  /// change no slot. Rotations rotate by `steps`.
  [[nodiscard]] auto apply(HeOpcode opcode, const HeSlots& a, const HeSlots* b,
                           uint32_t steps) const -> HeSlots;

 private:
  /// The number near zero that is the same modulo the modulus.
  [[nodiscard]] auto near_zero(int64_t number) const -> double;
  [[nodiscard]] auto product(double a, double b) const -> double;

  int64_t modulus_;
  size_t n_columns_;
};

}  // namespace tacet::engine
