#include "engine/he/wide_noise.h"

namespace tacet::he {

constexpr unsigned kLimbBits = 64;

WideNoise::WideNoise(size_t n, unsigned bits, secure_random::SecureRandom& random)
    : n_(n), bits_(bits), limbs_(n * n_limbs()) {
  random.fill_words(limbs_);
  for (size_t i = 0; i < n; ++i) {
    limbs_[(n_limbs() - 1) * n + i] >>= kLimbBits * n_limbs() - bits;
  }
}

auto WideNoise::n_limbs() const -> size_t {
  return (bits_ + kLimbBits - 1) / kLimbBits;
}

void WideNoise::residues(const Modulus& q, uint64_t* out) const {
  const uint64_t shift = ring::power(2, kLimbBits, q);
  const uint64_t centre = ring::power(2, bits_ - 1, q);
  for (size_t i = 0; i < n_; ++i) {
    uint64_t sum = 0;
    for (size_t limb = n_limbs(); limb-- > 0;) {
      const uint64_t low = ring::reduce(limbs_[limb * n_ + i], q);
      sum = ring::add(ring::multiply(sum, shift, q), low, q);
    }
    out[i] = ring::subtract(sum, centre, q);
  }
}

void add_noise(const Context& context, const WideNoise& noise, Rows& transformed) {
  context.for_each(transformed.n_rows(), [&](size_t i) {
    const Modulus& q = context.modulus(i);
    Rows row = context.rows(1, Wipe::Yes);
    noise.residues(q, row.row(0));
    if (context.scheme() == Scheme::Bgv) {
      context.kernels().multiply_constant(row.row(0), row.row(0),
                                          context.plain_modulus().value % q.value, context.n(), q);
    }
    context.transform(row.row(0), i);
    context.kernels().add(transformed.row(i), transformed.row(i), row.row(0), context.n(), q);
  });
}

}  // namespace tacet::he
