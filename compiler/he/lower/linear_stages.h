#pragma once

#include <vector>

#include "compiler/he/lower/noise_stages.h"
#include "compiler/he/lower/slot_sizes.h"

namespace tacet::he_lower {

/// The parts of a program that has run between products of ciphers: sums of rotations, times
/// masks and other plaintexts. How much of an error in each slot of a cipher, or of what an
/// instruction makes, gets into a slot of a result is followed from each such slot backwards. So
/// where masks leave slots that do not overlap, errors are not added up, and those that are
/// independent add up by their squares.
///
/// Parts without a plaintext whose slots differ are left out: of those, all slots are alike. A
/// polynomial's results are where parts begin (`polynomials`), since more is known of their errors.
/// `outputs` are the registers that are decrypted.
///
/// Linear in the sum of the numbers of slots that each slot of a result is made of, by instruction,
/// which is cut off: then nothing is found.
auto find_linear_stages(const engine::HeProgram& program, const SlotSizes& sizes,
                        const std::vector<NoiseStage>& polynomials,
                        const std::vector<bool>& outputs) -> std::vector<NoiseStage>;

}  // namespace tacet::he_lower
