#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compiler/he/lower/polynomial_parts.h"

namespace tacet::he_lower {

/// A part of a program that computes polynomials of one cipher, slot by slot, or sums of several
/// (`find_linear_stages`): what errors come in with them, or are made on the way, become in the
/// results. To first order, and for all numbers that the ciphers may hold.
///
/// Errors that are estimated operation by operation grow with the square of the degree of such a
/// polynomial, even where it is flat: T_k is a product of products, each of which doubles what its
/// factors are off, but in a sum of such that is nearly constant all this cancels out.
struct NoiseStage {
  /// Registers whose every value is a result of such a part.
  std::vector<uint32_t> results;
  /// Registers that hold the ciphers, among other things perhaps, and the slope of the results by
  /// each: of a polynomial, all hold the same cipher.
  std::map<uint32_t, double> bases;
  /// By register: of the results, by what is put there on the way. Of a polynomial each statement
  /// that does so counts, of a sum the largest error that is put there.
  std::map<uint32_t, double> gains;
  /// A sum, without terms of higher order. Errors that are made on the way are independent of each
  /// other, and from slot to slot, so gains are of standard deviations; they add up by squares.
  bool is_linear = false;
  /// Of a sum: of errors that are not independent.
  std::map<uint32_t, double> systematic_gains{};
  /// Of a polynomial: how large terms of higher order are at most, beside those of first order, by
  /// the sum of all errors in a slot, if that is small.
  double bend = 0;
  /// Of a polynomial: what errors of the cipher become, however large they are. None if nothing is
  /// known.
  std::vector<Continuity> continuity{};
};

/// The parts of a program that has run, by where polynomials begin and end: what is rotated, or
/// combined with other ciphers, is a result, and so is what the polynomials of a result are in. The
/// derivatives are found from the results backwards, as polynomials themselves. `outputs` are the
/// registers that are decrypted.
///
/// O(sum of squares of degrees, over the instructions), which is cut off.
auto find_noise_stages(SlotRanges& slots, const std::vector<MadeCipher>& made,
                       const std::vector<bool>& outputs) -> std::vector<NoiseStage>;

}  // namespace tacet::he_lower
