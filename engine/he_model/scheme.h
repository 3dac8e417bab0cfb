#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// Properties of encryption schemes without keys and ciphertexts, for planning computations.
namespace tacet::he {

enum class Scheme : uint8_t {
  Bfv,   ///< exact integers modulo t, the message in the high bits
  Bgv,   ///< exact integers modulo t, the message in the low bits
  Ckks,  ///< approximate complex numbers
};

auto scheme_name(Scheme scheme) -> std::string_view;

/// Bits of classical security, by the table of `max_modulus_bits`.
enum class Security : uint16_t { Bits128 = 128, Bits192 = 192, Bits256 = 256 };

/// The largest size of the whole modulus, special primes included, at which ternary secrets of ring
/// dimension N have that security: table 5.2 of Bossuat et al., "Security Guidelines for
/// Implementing Homomorphic Encryption" (IACR Communications in Cryptology 1(4), 2024), and above
/// N = 32768 the table of the HomomorphicEncryption.org standard as libraries extend it. Nothing if
/// the table has no such N.
auto max_modulus_bits(size_t ring_dimension, Security security) -> std::optional<unsigned>;

/// Rings that the table has.
inline constexpr size_t kMinSecureDimension = 1024;
inline constexpr size_t kMaxSecureDimension = size_t{1} << 17;

/// What the engine's arithmetic allows: bits of a prime, primes in all, bits of t.
inline constexpr unsigned kMaxPrimeBits = 50;
inline constexpr size_t kMaxPrimes = 64;
/// Bits by which the primes of a modulus may exceed the largest secure one, whose bits are rounded.
inline constexpr double kModulusSlack = 0x1p-4;
inline constexpr unsigned kMaxPlainBits = kMaxPrimeBits - 1;

/// CKKS: the scales that messages with so many primes have, one behind the other, `scales[n - 1]`
/// with n: those with all of `primes` have `top`, and what a product of two has once its last prime
/// is dropped is the scale one below. So messages that reached a number of primes on different
/// paths can be added (Kim, Papadimitriou and Polyakov, "Approximate Homomorphic Encryption with
/// Reduced Approximation Error").
auto level_scales(double top, const std::vector<double>& primes) -> std::vector<double>;

/// What a key switches from: the image of the secret under an automorphism, or its square. They
/// differ where several parties hold the key: then that for the square has more noise.
enum class KeyOrigin : uint8_t { Image, Square };

/// Parties that may hold a key together.
inline constexpr unsigned kMaxKeyHolders = 64;

/// The variance of each coefficient of the errors that encryption adds.
inline constexpr double kErrorVariance = 10.5;
/// The largest magnitude of any of them.
inline constexpr int kErrorBound = 21;

}  // namespace tacet::he
