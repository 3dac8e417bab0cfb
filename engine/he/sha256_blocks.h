#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// The compression function of SHA-256 (FIPS 180-4, 6.2.2) by the instructions for it. One hash
/// waits for its own last rounds most of the time; two that are computed together take as long as
/// one.
namespace tacet::he {

constexpr size_t kSha256Block = 64;  ///< bytes

/// What a hash is so far, the words a to h.
using Sha256Words = std::array<uint32_t, 8>;

constexpr Sha256Words kSha256Start = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/// Whether this processor has the instructions. The functions below need them.
auto has_sha256_instructions() -> bool;

void compress(Sha256Words& hash, const std::byte* blocks, size_t n_blocks);
/// The same for two hashes, `n_blocks` of each.
void compress_both(Sha256Words& a, const std::byte* a_blocks, Sha256Words& b,
                   const std::byte* b_blocks, size_t n_blocks);

}  // namespace tacet::he
