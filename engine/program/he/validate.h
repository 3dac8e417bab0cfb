#pragma once

#include "engine/program/he/program.h"

namespace tacet::engine {

/// How large programs may be, so that one from an untrusted place cannot ask for the impossible.
struct HeLimits {
  static constexpr size_t kColumns = size_t{1} << 16;
  static constexpr size_t kArrayElements = size_t{1} << 26;
  static constexpr size_t kOutputElements = size_t{1} << 24;  ///< and dimensions to go through
  static constexpr size_t kRegisterElements = size_t{1} << 16;
  static constexpr size_t kRegisterSlots = size_t{1} << 28;  ///< 2 GiB in plaintext
  static constexpr size_t kInstructions = size_t{1} << 22;   ///< loops unrolled
  static constexpr size_t kLoops = 32;                       ///< around each other
  static constexpr size_t kDimensions = 16;
  static constexpr int64_t kNumber = int64_t{1} << 31;  ///< in expressions
  static constexpr uint32_t kPrimes = 64;
};

/// Is it safe to run? Everything that is named exists and has the right kind, every index is in
/// range, every operand has been assigned and has the degree, the primes and the scale that the
/// instruction wants, for all iterations of all loops, and every element of every output is given
/// once. An error names the line, where there is one, and the instruction. Linear in the number of
/// unrolled instructions.
auto validate(const HeProgram& program) -> Status;

}  // namespace tacet::engine
