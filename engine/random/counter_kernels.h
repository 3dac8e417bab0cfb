#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu.h"
#include "engine/random/threefish.h"

/// Private to this folder: Threefish in counter mode, many blocks at a time.
namespace tacet::engine {

/// One permutation of each counter: Threefish-256 with 20 rounds, where the second word of the
/// tweak is the counter.
struct CounterMode {
  Block key{};
  uint64_t tweak = 0;
  Block plaintext{};
};

/// Writes the blocks of counters first, first + 1, … : 4 * n_blocks words.
using FillBlocks = void (*)(const CounterMode& mode, uint64_t first, size_t n_blocks,
                            uint64_t* out);

/// The fastest for an instruction set; all write the same words. `fill_blocks_avx2` and
/// `fill_blocks_avx512` exist on x86-64 only, and want what their names say.
auto fill_blocks(Isa isa) -> FillBlocks;

void fill_blocks_scalar(const CounterMode& mode, uint64_t first, size_t n_blocks, uint64_t* out);
void fill_blocks_avx2(const CounterMode& mode, uint64_t first, size_t n_blocks, uint64_t* out);
void fill_blocks_avx512(const CounterMode& mode, uint64_t first, size_t n_blocks, uint64_t* out);

}  // namespace tacet::engine
