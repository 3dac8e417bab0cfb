#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "engine/he/objects.h"

/// Arithmetic on ciphertexts. Operands are taken by value where the result can live in their
/// memory: move what is not needed any more.
///
/// Errors are those of a caller: objects of other parameters or keys, operands of different sizes,
/// a degree above one where one is wanted, a missing key. Noise is no error here: it is estimated
/// (`estimated_budget`), and `decrypt` looks at the estimate.
///
/// Every operation takes O(k n) word operations, k the number of primes, unless it says more.
namespace tacet::he {

auto add(const Context& context, Ciphertext a, const Ciphertext& b) -> Result<Ciphertext>;
auto subtract(const Context& context, Ciphertext a, const Ciphertext& b) -> Result<Ciphertext>;
auto negate(const Context& context, Ciphertext a) -> Result<Ciphertext>;

/// O(k n log n) for BFV and BGV, whose plaintexts are transformed first.
auto add_plain(const Context& context, Ciphertext a, const Plaintext& b) -> Result<Ciphertext>;
auto subtract_plain(const Context& context, Ciphertext a, const Plaintext& b) -> Result<Ciphertext>;

/// Whether a message may be known by everyone.
enum class Secrecy : uint8_t { Public, Secret };

/// `plaintext` for products with ciphertexts of up to `n_primes` primes, or of any. A CKKS
/// plaintext must have been encoded for as many. For BFV and BGV the noise of products is
/// estimated by the largest coefficient of a public message, and of a secret one, so that the
/// estimate says nothing of it, by t / 2. O(k n log n).
auto prepare_factor(const Context& context, const Plaintext& plaintext, size_t n_primes = 0,
                    Secrecy secrecy = Secrecy::Secret) -> Result<PlainFactor>;
/// For CKKS, the scale of the result is the product of the scales.
auto multiply_plain(const Context& context, Ciphertext a, const PlainFactor& b)
    -> Result<Ciphertext>;

/// The product of two ciphertexts of degree one, of degree two: what `relinearise` brings back to
/// degree one. For CKKS, the scale of the result is the product of the scales. For BFV,
/// O(k n log n) and about 16 k transforms; none for the others.
///
/// BFV: one operand is scaled to the auxiliary base P before the product, which then only needs
/// to be divided by P (Kim, Polyakov and Zucca, "Revisiting Homomorphic Encryption Schemes for
/// Finite Fields"), and all in the transformed domain where that saves transforms.
auto multiply(const Context& context, const Ciphertext& a, const Ciphertext& b)
    -> Result<Ciphertext>;

/// Of degree two to degree one. O(d k n log n), d the number of digits.
auto relinearise(const Context& context, Ciphertext a, const RelinearisationKey& key)
    -> Result<Ciphertext>;

/// A ciphertext of degree one under another secret, by a key from its own: its parts alone, what is
/// known of it stays. `key` may be one of parameters with the same first primes. O(d k n log n).
auto switch_secret(const Context& context, const Ciphertext& a, const KeySwitchKey& key)
    -> Ciphertext;

/// The automorphism that moves slot i + steps to slot i, in each row of slots for BFV and BGV.
auto galois_element_of(const Context& context, int64_t steps) -> uint64_t;
/// The automorphism that swaps the two rows of slots (BFV, BGV), or conjugates them (CKKS).
auto galois_element_of_swap(const Context& context) -> uint64_t;

/// Applies an automorphism that there is a key for. O(d k n log n).
auto apply_automorphism(const Context& context, const Ciphertext& a, uint64_t galois_element,
                        const RotationKeys& keys) -> Result<Ciphertext>;
auto rotate(const Context& context, const Ciphertext& a, int64_t steps, const RotationKeys& keys)
    -> Result<Ciphertext>;
auto swap_rows(const Context& context, const Ciphertext& a, const RotationKeys& keys)
    -> Result<Ciphertext>;

/// A ciphertext with its digits for key switching: of several rotations of one ciphertext, all but
/// the inner product with a key is done once (Halevi and Shoup, "Faster Homomorphic Linear
/// Transformations in HElib").
struct HoistedCiphertext {
  Ciphertext ciphertext;
  /// Row i of all digits, transformed, for each i: data primes, then special ones. Rows that are
  /// the ciphertext's own are left out and hold anything.
  Rows digits;
};
auto hoist(const Context& context, Ciphertext a) -> Result<HoistedCiphertext>;
auto apply_automorphism(const Context& context, const HoistedCiphertext& a, uint64_t galois_element,
                        const RotationKeys& keys) -> Result<Ciphertext>;
auto rotate(const Context& context, const HoistedCiphertext& a, int64_t steps,
            const RotationKeys& keys) -> Result<Ciphertext>;

/// Divides by the last prime q and drops it: for BFV and BGV the message stays and the noise
/// becomes smaller, for CKKS the scale is divided by q ("rescale"). O(k n log n).
auto drop_prime(const Context& context, Ciphertext a) -> Result<Ciphertext>;
/// The same until `n_primes` are left.
auto drop_to(const Context& context, Ciphertext a, size_t n_primes) -> Result<Ciphertext>;
/// CKKS: brings a message to fewer primes and about this scale: multiplied by an integer and
/// divided by the prime behind those that stay. The integer is large if the scale falls by less
/// than that prime; an error if it would be 0 or have more than 62 bits. O(k n log n).
auto rescale_to(const Context& context, Ciphertext a, size_t n_primes, double scale)
    -> Result<Ciphertext>;

/// CKKS: leaves away the last primes, without dividing.
auto truncate_to(const Context& context, Ciphertext a, size_t n_primes) -> Result<Ciphertext>;

}  // namespace tacet::he
