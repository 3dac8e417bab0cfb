#pragma once

#include <span>

#include "base/cpu.h"
#include "base/result.h"
#include "engine/cggi/objects.h"

/// No path and no address depends on a key or a message.
namespace tacet::cggi {

/// Bits are ±1/8.
constexpr Torus kBitAmplitude = Torus{1} << 61;

/// The message that stands for a bit.
constexpr auto encode_bit(uint8_t bit) -> Torus {
  return 2 * kBitAmplitude * bit - kBitAmplitude;
}

/// The message that stands for case `value` of `n_cases`: there is a bit of padding, so that cases
/// fill half of the torus.
constexpr auto encode_case(uint64_t value, uint64_t n_cases) -> Torus {
  return static_cast<Torus>((static_cast<unsigned __int128>(value) << 63) / n_cases);
}

auto encrypt(const SecretKey& secret, std::span<const Torus> messages, SecureRandom& random,
             Isa isa) -> FreshCiphertexts;
auto encrypt_bits(const SecretKey& secret, std::span<const uint8_t> bits, SecureRandom& random,
                  Isa isa) -> FreshCiphertexts;

/// Writes them as ciphertexts `first` … of `out`; an error if they are of another key or too many.
auto expand(const FreshCiphertexts& fresh, size_t first, Ciphertexts& out, Isa isa) -> Status;

/// The message with its noise: body - mask · key. The ciphertexts must be of this key.
auto phase(const SecretKey& secret, const Torus* ciphertext) -> Torus;

/// The bit that a phase is nearest to.
constexpr auto decode_bit(Torus phase) -> uint8_t {
  return static_cast<uint8_t>((phase >> 63) ^ 1);
}
/// The case that a phase is nearest to, of 2 `n_cases`: one that is not below `n_cases` is of the
/// padding.
constexpr auto decode_case(Torus phase, uint64_t n_cases) -> uint64_t {
  const Torus shifted = phase + encode_case(1, 2 * n_cases);
  return static_cast<uint64_t>((static_cast<unsigned __int128>(shifted) * (2 * n_cases)) >> 64);
}

/// Bits of the ciphertexts `first` … `first + n - 1`.
auto decrypt_bits(const SecretKey& secret, const Ciphertexts& ciphertexts, size_t first, size_t n)
    -> Result<SecureVector<uint8_t>>;

}  // namespace tacet::cggi
