#pragma once

#include "engine/masked_products/setting.h"

namespace tacet::masked_products {

/// What stands for what in the polynomials that are multiplied.
enum class Packing : uint8_t {
  Slots,         ///< products of vectors, number by number
  Coefficients,  ///< number i goes with X^i: products of polynomials modulo X^8192 + 1
};

/// Up to `n_slots` numbers, encrypted by the other side.
struct Factor {
  std::vector<he::Ciphertext> ciphertexts;  ///< one for each plain modulus
};

/// Encrypts `numbers`, at most `n_slots`, modulo the first `n_primes` plain moduli: `n_primes`
/// times `factor_size` bytes.
template <class Word>
auto encrypt(const Keys& keys, size_t n_primes, Packing packing, std::span<const Word> numbers,
             he::SecureRandom& random) -> Result<Bytes>;

/// What `encrypt` made, on the other side. An error if the bytes are no such encryption.
auto read_factor(const Setting& setting, size_t n_primes, std::span<const std::byte> bytes)
    -> Result<Factor>;

/// Sums of products of what the other side encrypted and own numbers, packed alike.
///
/// `Word` is `uint64_t` or `Uint128`. There must be as many plain moduli as `Setting::primes_for`
/// has for the sums, of at most `Slack::kMaxProducts` products.
template <class Word>
class ProductSums {
 public:
  ProductSums(const PublicKeys& keys, size_t n_primes, Packing packing);

  /// Adds `factor` times `numbers`, at most `n_slots`.
  void add(const Factor& factor, std::span<const Word> numbers);

  /// The bytes that stand for the sums plus a mask, and the mask, modulo 2^(bits of a word), in
  /// `mask`, of as many numbers as are wanted. Once, after at least one `add`.
  ///
  /// These are a reply for each plain modulus. `Slack` says how well they hide the own numbers, and
  /// how many replies there may be. The second half of each is hidden by an encryption of zero
  /// under the other side's key.
  auto hide(std::span<Word> mask, he::SecureRandom& random) -> Result<Bytes>;

  /// The same of polynomials, for those coefficients alone that stand at the places `wanted`, with
  /// as many masks: `n_primes` times `reply_size_of(wanted.size())` bytes. The other coefficients,
  /// sums of products that nobody wants, are masked as well and are not sent: of the half that
  /// they are read from only what is wanted is, as in Huang, Lu, Hong, Ding, "Cheetah: Lean and
  /// Fast Secure Two-Party Deep Neural Network Inference", whose replies are ciphertexts of single
  /// numbers; here one second half serves all of a block.
  auto hide_coefficients(std::span<const uint32_t> wanted, std::span<Word> mask,
                         he::SecureRandom& random) -> Result<Bytes>;

 private:
  [[nodiscard]] auto hide_sums(he::Rows masks, he::SecureRandom& random)
      -> Result<std::vector<he::Ciphertext>>;

  const PublicKeys& keys_;
  Packing packing_;
  std::vector<he::Ciphertext> sums_;  ///< one for each plain modulus
  size_t n_products_ = 0;
};

/// What `ProductSums::hide` made, opened, modulo 2^(bits of a word): the sums less this is minus
/// the mask. An error if the bytes are no reply.
template <class Word>
auto open(const Keys& keys, size_t n_primes, std::span<const std::byte> bytes,
          std::span<Word> numbers, he::SecureRandom& random) -> Status;

/// The same of what `ProductSums::hide_coefficients` made for the places `wanted`.
template <class Word>
auto open_coefficients(const Keys& keys, size_t n_primes, std::span<const uint32_t> wanted,
                       std::span<const std::byte> bytes, std::span<Word> numbers,
                       he::SecureRandom& random) -> Status;

}  // namespace tacet::masked_products
