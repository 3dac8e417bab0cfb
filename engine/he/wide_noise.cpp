#include "engine/he/wide_noise.h"

namespace tacet::he {

constexpr unsigned kLimbBits = 32;

WideNoise::WideNoise(size_t n, unsigned bits, secure_random::SecureRandom& random)
    : n_(n), bits_(bits) {
  // Drawn as words, the least significant ones of all numbers first.
  const size_t n_words = (bits + 63) / 64;
  SecureVector<uint64_t> words(n * n_words);
  random.fill_words(words);
  limbs_.resize(n * (2 * n_words + 1), 1);
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t word = i / n;
    const uint64_t kept = word + 1 == n_words ? words[i] >> (64 * n_words - bits) : words[i];
    limbs_[2 * word * n + i % n] = kept & 0xffffffff;
    limbs_[(2 * word + 1) * n + i % n] = kept >> kLimbBits;
  }
}

void WideNoise::residues(const ring::Kernels& kernels, const Modulus& q, uint64_t* out) const {
  std::vector<const uint64_t*> limbs;
  std::vector<uint64_t> factors;
  for (size_t limb = 0; limb + 1 < limbs_.size() / n_; ++limb) {
    limbs.push_back(&limbs_[limb * n_]);
    factors.push_back(ring::power(2, kLimbBits * limb, q));
  }
  limbs.push_back(&limbs_[limbs_.size() - n_]);
  factors.push_back(ring::negate(ring::power(2, bits_ - 1, q), q));
  kernels.combine(out, limbs.data(), factors.data(), limbs.size(), n_, q);
}

void add_noise(const Context& context, const WideNoise& noise, Rows& transformed) {
  context.for_each(transformed.n_rows(), [&](size_t i) {
    const Modulus& q = context.modulus(i);
    Rows row = context.rows(1, Wipe::Yes);
    noise.residues(context.kernels(), q, row.row(0));
    if (context.scheme() == Scheme::Bgv) {
      context.kernels().multiply_constant(row.row(0), row.row(0),
                                          context.plain_modulus().value % q.value, context.n(), q);
    }
    context.transform(row.row(0), i);
    context.kernels().add(transformed.row(i), transformed.row(i), row.row(0), context.n(), q);
  });
}

}  // namespace tacet::he
