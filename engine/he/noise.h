#pragma once

#include "engine/he/context.h"
#include "engine/he/objects.h"
#include "engine/he_model/noise_model.h"

namespace tacet::he {

/// What the model of noise knows of a ciphertext.
auto noise_state(const Ciphertext& a) -> NoiseState;

/// Puts down what an operation made of the noise.
void set_noise(CiphertextMetadata& a, const NoiseGrowth& growth);

/// `NoiseModel::budget` of a ciphertext.
auto estimated_budget(const Context& context, const Ciphertext& a) -> double;
/// `NoiseModel::error` of a ciphertext.
auto estimated_error(const Context& context, const Ciphertext& a) -> double;

/// `CiphertextMetadata::bound` of one that was just encrypted, by a secret key or a public one.
auto fresh_bound(const Context& context, bool is_symmetric, double scale, double magnitude)
    -> double;

/// log2 of what no coefficient of an encoding is off by.
auto rounding_bound(double scale, double magnitude) -> double;

/// log2 of the deviation of an encoding's coefficients from what they stand for: they are rounded
/// to integers, and for CKKS computed in doubles before.
auto rounding_noise(double scale, double magnitude) -> double;

}  // namespace tacet::he
