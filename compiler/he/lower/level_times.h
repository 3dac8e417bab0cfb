#pragma once

#include <array>
#include <vector>

#include "compiler/he/lower/levels.h"

namespace tacet::he_lower {

/// The times of operations under one setting, by number of primes, in microseconds. Each is
/// computed once.
class LevelTimes {
 public:
  LevelTimes(const Setting& setting, const he::OperationTimes& times);

  [[nodiscard]] auto of(he::Operation operation, size_t n_primes) -> double;

  /// Of lowering a ciphertext of two parts from so many primes to fewer. Integers drop one prime
  /// after the other; reals leave all away but the last, which brings their scale in line.
  [[nodiscard]] auto of_lowering(size_t from, size_t to) -> double;

  /// Of one occurrence of a step on operands of `n_primes` primes. `size` is the number of parts of
  /// the result, in halves.
  [[nodiscard]] auto of_step(const Trace& trace, const Step& step, size_t n_primes, double size)
      -> double;

 private:
  static constexpr double kUnknown = -1;

  const he::OperationTimes& times_;
  he::OperationPlace place_;
  size_t n_data_;
  double bootstrap_ = kUnknown;
  std::array<std::vector<double>, he::kOperations> known_;  ///< by number of primes
};

}  // namespace tacet::he_lower
