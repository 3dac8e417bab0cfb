#pragma once

#include <span>

#include "engine/cggi_model/parameters.h"

namespace tacet::cggi {

/// How the input of a rotation is rounded to multiples of 1/(2 N).
enum class ModulusSwitch {
  Plain,
  /// The body is corrected by half of the sum of the mask's rounding errors, which is their mean
  /// over binary keys.
  Centred,
};

/// Variances that the parts of a bootstrap add, in squared torus units.
struct NoiseVariances {
  double rotation = 0;  ///< of what comes out of a bootstrap
  double key_switch = 0;
  double modulus_switch = 0;  ///< centred, for one table
};

/// A place where a bootstrap decides between two cases: it fails if the noise exceeds `bound`.
struct Decision {
  /// The sum of the squared weights of the independent values that are added up.
  double squared_weights = 1;
  /// The distance to the next case in torus units: 1/8 for gates on ±1/8.
  double bound = 0.125;
  /// log2 of the tables that one rotation looks up in: the input is rounded so much more coarsely.
  unsigned log2_tables = 0;
};

/// The formulas of docs/subsystems/cggi.md. `log2_switched` is what the key switch computes modulo.
auto rotation_variance(const Parameters& parameters) -> double;
/// The part of it that rounding in the transform adds per bit of the LWE key: of one external
/// product.
auto transform_variance(const Parameters& parameters) -> double;
auto key_switch_variance(const Parameters& parameters,
                         unsigned log2_switched = kLog2SwitchedModulus) -> double;
auto modulus_switch_variance(const Parameters& parameters, unsigned log2_tables = 0,
                             ModulusSwitch kind = ModulusSwitch::Centred) -> double;
auto noise_variances(const Parameters& parameters) -> NoiseVariances;

/// log2(erfc(x)) for x >= 0, by the asymptotic expansion where erfc is small.
auto log2_erfc(double x) -> double;

/// log2 of the probability that normal noise of such a variance exceeds `bound`.
auto log2_exceeds(double variance, double bound) -> double;

/// log2 of the probability that a bootstrap decides wrongly.
auto log2_failure(const NoiseVariances& variances, const Decision& decision) -> double;
auto log2_failure(const Parameters& parameters, const Decision& decision) -> double;

/// Decisions of one kind in a program.
struct DecisionCount {
  Decision decision{};
  double count = 1;
};

/// log2 of a bound of the probability that any of the decisions is wrong: the sum of theirs.
auto log2_failure(const NoiseVariances& variances, std::span<const DecisionCount> decisions)
    -> double;
auto log2_failure(const Parameters& parameters, std::span<const DecisionCount> decisions) -> double;

}  // namespace tacet::cggi
