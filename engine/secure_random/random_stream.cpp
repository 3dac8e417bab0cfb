#include "engine/secure_random/random_stream.h"

#include <bit>

namespace tacet::secure_random {

void RandomStream::fill_words(std::span<uint64_t> words) {
  fill(std::as_writable_bytes(words));
  if constexpr (std::endian::native == std::endian::big) {
    for (uint64_t& word : words) {
      word = __builtin_bswap64(word);
    }
  }
}

}  // namespace tacet::secure_random
