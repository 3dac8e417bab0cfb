#pragma once

#include "engine/masked_products/setting.h"

namespace tacet::masked_products {

/// Vectors of up to `n_slots` numbers, encrypted by the other side.
struct Factor {
  std::vector<he::Ciphertext> ciphertexts;  ///< one for each plain modulus
};

/// Encrypts `numbers`, at most `n_slots`, modulo the first `n_primes` plain moduli: `n_primes`
/// times `factor_size` bytes.
template <class Word>
auto encrypt(const Keys& keys, size_t n_primes, std::span<const Word> numbers,
             he::SecureRandom& random) -> Result<Bytes>;

/// What `encrypt` made, on the other side. An error if the bytes are no such encryption.
auto read_factor(const Setting& setting, size_t n_primes, std::span<const std::byte> bytes)
    -> Result<Factor>;

/// Sums of products, number by number, of vectors that the other side encrypted and own ones.
///
/// `Word` is `uint64_t` or `Uint128`. The sums of all products must be below 2^-41 of the product
/// of the plain moduli, as `Setting::primes_for` has it.
template <class Word>
class ProductSums {
 public:
  ProductSums(const PublicKeys& keys, size_t n_primes);

  /// Adds `factor` times `numbers`, at most `n_slots`.
  void add(const Factor& factor, std::span<const Word> numbers);

  /// The bytes that stand for the sums plus a mask, and the mask, modulo 2^(bits of a word), in
  /// `mask`, of as many numbers as are wanted. Once, after at least one `add`.
  ///
  /// The mask is uniform in all but 2^-39 of [0, P), P the product of the plain moduli, so that
  /// each number that the other side opens is within 2^-40 of a distribution that does not depend
  /// on the own numbers. The noise of the ciphertext, which depends on them too, is hidden by a
  /// uniform number of 104 bits a coefficient: after two products the noise has a deviation of
  /// 2^50, which grows with the root of their number, so that a ciphertext of 8192 coefficients is
  /// within 2^-40 of one that tells nothing (2^-37 for a sum of 128 products). Its second half is
  /// hidden by an encryption of zero under the other side's key.
  auto hide(std::span<Word> mask, he::SecureRandom& random) -> Result<Bytes>;

 private:
  const PublicKeys& keys_;
  std::vector<he::Ciphertext> sums_;  ///< one for each plain modulus
  bool is_empty_ = true;
};

/// What `ProductSums::hide` made, opened, modulo 2^(bits of a word): the sums less this is minus
/// the mask. An error if the bytes are no reply.
template <class Word>
auto open(const Keys& keys, size_t n_primes, std::span<const std::byte> bytes,
          std::span<Word> numbers, he::SecureRandom& random) -> Status;

}  // namespace tacet::masked_products
