#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "base/cpu.h"

namespace tacet::secure_random {

/// A key of AES-256.
using AesKey = std::array<std::byte, 32>;
/// A block of AES; as a counter, a number with its most significant byte first.
using AesBlock = std::array<std::byte, 16>;

/// What computes blocks of the key stream.
class AesCtrKernel {
 public:
  virtual ~AesCtrKernel() = default;

  /// Continues from `counter` under `key`.
  virtual void start(const AesKey& key, const AesBlock& counter) = 0;
  /// Writes the next blocks; the size is a multiple of 16.
  virtual void blocks(std::span<std::byte> out) = 0;
};

/// The key stream of AES-256 in counter mode (NIST SP 800-38A, section 6.5, the counter is all 128
/// bits): E(counter), E(counter + 1), and so on. The same bytes on every processor: by VAES where
/// `isa` allows and the processor has it, otherwise by OpenSSL, which uses AES-NI or
/// constant-time code. Key and schedule are wiped.
class AesCtr {
 public:
  AesCtr(const AesKey& key, const AesBlock& counter, Isa isa);
  ~AesCtr();
  AesCtr(AesCtr&&) noexcept = default;
  auto operator=(AesCtr&&) noexcept -> AesCtr& = default;

  /// The next `out.size()` bytes.
  void fill(std::span<std::byte> out);
  /// Forgets what is left of the block that the last `fill` ended in.
  void skip_to_block();
  /// Begins anew at `counter` under `key`.
  void start(const AesKey& key, const AesBlock& counter);

 private:
  std::unique_ptr<AesCtrKernel> kernel_;
  AesBlock rest_{};  ///< the last block, unless consumed: its last `n_rest_` bytes are next
  size_t n_rest_ = 0;
};

}  // namespace tacet::secure_random
