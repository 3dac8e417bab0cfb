#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tacet::secure_random {

/// An endless sequence of random bytes.
class RandomStream {
 public:
  virtual ~RandomStream() = default;

  /// Writes the next `bytes.size()` bytes.
  virtual void fill(std::span<std::byte> bytes) = 0;
  /// Writes the next `words.size()` words, eight bytes each, least significant first.
  void fill_words(std::span<uint64_t> words);

 protected:
  RandomStream() = default;
  RandomStream(const RandomStream&) = default;
  RandomStream(RandomStream&&) = default;
  auto operator=(const RandomStream&) -> RandomStream& = default;
  auto operator=(RandomStream&&) -> RandomStream& = default;
};

}  // namespace tacet::secure_random
