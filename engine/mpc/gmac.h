#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/secure_random/aes_ctr.h"

namespace tacet::mpc {

/// Tags of long messages under a key (NIST SP 800-38D, GMAC with AES-256). Who does not know the
/// key cannot make two messages of n blocks with the same tag except with a probability of
/// (n + 1) / 2^128: the hash inside is universal. A tag also depends on what it is for, and on a
/// number, so that no pair of both may come twice under one key.
class Gmac {
 public:
  using Tag = std::array<std::byte, 16>;

  /// `domain` is what the tags of this object are for; the key is wiped at the end.
  Gmac(const secure_random::AesKey& key, uint32_t domain);
  ~Gmac();
  Gmac(Gmac&&) noexcept;
  auto operator=(Gmac&&) noexcept -> Gmac&;

  /// Appends to the message. 20 ns, and 7 bytes in a nanosecond.
  void append(std::span<const std::byte> bytes);
  /// The tag of everything appended since the last one; messages and their tags are numbered from
  /// 0.
  auto finish() -> Tag;

 private:
  void start();

  struct Context;
  std::unique_ptr<Context> context_;
  uint32_t domain_;
  uint64_t number_ = 0;
};

}  // namespace tacet::mpc
