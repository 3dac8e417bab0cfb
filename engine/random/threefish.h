#pragma once

#include <array>
#include <cstdint>

namespace tacet::engine {

/// 256 bits: bit 0 of a bit string is the top bit of word 0.
using Block = std::array<uint64_t, 4>;

/// What makes the permutations of one key different ones.
using Tweak = std::array<uint64_t, 2>;

/// The rounds that the random numbers use. Skein uses 72.
constexpr unsigned kThreefishRounds = 20;

/// C240 of the paper: keeps the words of the extended key from being all zero.
inline constexpr uint64_t kThreefishKeyConstant = 0x1BD11BDAA9FC1A22;

/// Table 4 of the paper: how far each round, modulo eight, rotates its two pairs of words.
inline constexpr int kThreefishRotations[8][2] = {{14, 16}, {52, 57}, {23, 40}, {5, 37},
                                                  {25, 33}, {46, 12}, {58, 22}, {32, 32}};

/// Threefish-256, the tweakable block cipher of "The Skein Hash Function Family", version 1.3,
/// section 3.3, with `rounds` rounds, a multiple of four. Words are numbers; Skein's conversion
/// of bytes is left to the caller.
auto threefish256(const Block& key, const Tweak& tweak, const Block& plaintext,
                  unsigned rounds = kThreefishRounds) -> Block;

}  // namespace tacet::engine
