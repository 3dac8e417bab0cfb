#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "engine/mpc/ring_array.h"

namespace tacet::mpc {

/// Bytes of a word of which only the low `n_bits` bits are sent.
constexpr auto cut_size(unsigned n_bits) -> size_t {
  return (n_bits + 7) / 8;
}

/// The low `n_bits` bits of a word.
template <class T>
constexpr auto low_mask(unsigned n_bits) -> T {
  return n_bits >= 8 * sizeof(T) ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << n_bits) - 1);
}

/// The low `n_bits` bits of each word in `cut_size(n_bits)` bytes, least significant first.
template <class T>
void cut_words(std::span<const T> words, unsigned n_bits, std::byte* out);
/// The words again, zero-extended: as many as fit into `out`.
template <class T>
void uncut_words(const std::byte* bytes, unsigned n_bits, std::span<T> out);

/// The same of arrays.
void cut_words(const RingArray& x, unsigned n_bits, std::span<std::byte> out);
[[nodiscard]] auto uncut_words(std::span<const std::byte> bytes, unsigned n_bits, Ring ring,
                               size_t n, const Memory& memory) -> RingArray;

}  // namespace tacet::mpc
