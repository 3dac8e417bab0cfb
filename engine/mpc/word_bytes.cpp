#include "engine/mpc/word_bytes.h"

#include <utility>

namespace tacet::mpc {

namespace {

/// Calls `body` with `size` as a constant, so that copies of a word are single instructions.
template <class T, class Body>
void with_size(size_t size, Body body) {
  [&]<size_t... kLess>(std::index_sequence<kLess...>) {
    static_cast<void>(
        ((size == kLess + 1 && (body(std::integral_constant<size_t, kLess + 1>{}), true)) || ...));
  }
  (std::make_index_sequence<sizeof(T)>{});
}

}  // namespace

template <class T>
void cut_words(std::span<const T> words, unsigned count, std::byte* out) {
  const T mask = low_mask<T>(count);
  with_size<T>(cut_size(count), [&](auto size) {
    for (size_t i = 0; i < words.size(); ++i) {
      const T word = words[i] & mask;
      std::memcpy(out + i * size(), &word, size());
    }
  });
}

template <class T>
void uncut_words(const std::byte* bytes, unsigned count, std::span<T> out) {
  const T mask = low_mask<T>(count);
  with_size<T>(cut_size(count), [&](auto size) {
    for (size_t i = 0; i < out.size(); ++i) {
      T word = 0;
      std::memcpy(&word, bytes + i * size(), size());
      out[i] = word & mask;
    }
  });
}

template void cut_words(std::span<const uint32_t>, unsigned, std::byte*);
template void cut_words(std::span<const uint64_t>, unsigned, std::byte*);
template void cut_words(std::span<const Word128>, unsigned, std::byte*);
template void uncut_words(const std::byte*, unsigned, std::span<uint32_t>);
template void uncut_words(const std::byte*, unsigned, std::span<uint64_t>);
template void uncut_words(const std::byte*, unsigned, std::span<Word128>);

void cut_words(const RingArray& x, unsigned count, std::span<std::byte> out) {
  TACET_CHECK(count <= n_bits(x.ring()) && out.size() == cut_size(count) * x.size(),
              "cut words of another size");
  with_word(x.ring(),
            [&]<class T>(std::type_identity<T>) { cut_words<T>(x.words<T>(), count, out.data()); });
}

auto uncut_words(std::span<const std::byte> bytes, unsigned count, Ring ring, size_t n,
                 const Memory& memory) -> RingArray {
  TACET_CHECK(count <= n_bits(ring) && bytes.size() == cut_size(count) * n,
              "cut words of another size");
  RingArray out(ring, n, memory);
  with_word(ring, [&]<class T>(std::type_identity<T>) {
    uncut_words<T>(bytes.data(), count, out.edit<T>());
  });
  return out;
}

}  // namespace tacet::mpc
