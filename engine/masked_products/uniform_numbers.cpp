#include "engine/masked_products/uniform_numbers.h"

#include <vector>

namespace tacet::masked_products {

/// As much as goes into words that `combine` takes.
static constexpr unsigned kLimbBits = 48;

UniformNumbers::UniformNumbers(const he::Context& context, unsigned n_bits,
                               secure_random::SecureRandom& random)
    : limbs_(context.rows((n_bits + kLimbBits - 1) / kLimbBits, he::Wipe::Yes)) {
  for (size_t limb = 0; limb < limbs_.n_rows(); ++limb) {
    const auto begin = static_cast<unsigned>(limb) * kLimbBits;
    const unsigned bits = std::min(kLimbBits, n_bits - begin);
    uint64_t* row = limbs_.row(limb);
    random.fill_words(std::span(row, context.n()));
    for (size_t i = 0; i < context.n(); ++i) {
      row[i] >>= 64 - bits;
    }
  }
}

void UniformNumbers::residues(const he::Context& context, const ring::Modulus& q,
                              uint64_t* out) const {
  std::vector<uint64_t> constants;
  for (size_t limb = 0; limb < limbs_.n_rows(); ++limb) {
    constants.push_back(ring::power(2, limb * kLimbBits, q));
  }
  const std::vector<const uint64_t*> rows = limbs_.row_pointers();
  context.kernels().combine(out, rows.data(), constants.data(), rows.size(), context.n(), q);
}

}  // namespace tacet::masked_products
