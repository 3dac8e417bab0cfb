#pragma once

#include <array>
#include <optional>
#include <string>

#include "engine/he/serialisation.h"

namespace tacet::engine {

using KeyDigest = std::array<std::byte, 32>;

/// SHA-256.
auto digest_of_key(std::span<const std::byte> bytes) -> KeyDigest;

/// Keys of clients on a machine's disk, by what they contain, so that a server's next run need not
/// send them again. They are public keys; what is read is checked against its digest. At most so
/// many bytes are kept: those that were used last.
class KeyCache {
 public:
  /// Nothing is kept if `folder` is empty.
  KeyCache(std::string folder, uint64_t most_bytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  [[nodiscard]] auto find(const KeyDigest& digest) const -> std::optional<he::Bytes>;
  /// Keeps a key. A disk that is full or cannot be written is not an error.
  void store(const KeyDigest& digest, std::span<const std::byte> bytes) const;
  /// Removes what was used longest ago, until no more than the most bytes are left.
  void trim() const;

 private:
  [[nodiscard]] auto path_of(const KeyDigest& digest) const -> std::string;

  std::string folder_;
  uint64_t most_bytes_;
};

}  // namespace tacet::engine
