#include <algorithm>
#include <array>

#include "engine/mpc/bits.h"

namespace tacet::mpc {

namespace {

/// 64 rows of 64 bits, transposed in place: bit j of row i and bit i of row j change places.
/// Warren, "Hacker's Delight", 7-3, in the order in which all distances are constants.
void transpose(std::array<uint64_t, 64>& rows) {
  auto swap_blocks = [&](unsigned distance, uint64_t mask) {
    for (unsigned base = 0; base < 64; base += 2 * distance) {
      for (unsigned i = base; i < base + distance; ++i) {
        const uint64_t changed = (rows[i] >> distance ^ rows[i + distance]) & mask;
        rows[i] ^= changed << distance;
        rows[i + distance] ^= changed;
      }
    }
  };
  swap_blocks(32, 0x00000000FFFFFFFF);
  swap_blocks(16, 0x0000FFFF0000FFFF);
  swap_blocks(8, 0x00FF00FF00FF00FF);
  swap_blocks(4, 0x0F0F0F0F0F0F0F0F);
  swap_blocks(2, 0x3333333333333333);
  swap_blocks(1, 0x5555555555555555);
}

}  // namespace

auto to_planes(const RingArray& x, unsigned width) -> BitPlanes {
  TACET_CHECK(width <= n_bits(x.ring()), "more bits than a word has");
  BitPlanes out(width, x.size(), x.memory());
  with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
    const std::span<const T> words = x.words<T>();
    uint64_t* planes = out.edit().data();
    std::array<uint64_t, 64> rows;
    for (unsigned low = 0; low < width; low += 64) {
      const unsigned n_planes = std::min(64U, width - low);
      for (size_t block = 0; block < out.stride(); ++block) {
        const size_t n = std::min<size_t>(64, words.size() - 64 * block);
        for (size_t i = 0; i < n; ++i) {
          rows[i] = static_cast<uint64_t>(words[64 * block + i] >> low);
        }
        std::fill(rows.begin() + static_cast<ptrdiff_t>(n), rows.end(), 0);
        transpose(rows);
        for (unsigned p = 0; p < n_planes; ++p) {
          planes[(low + p) * out.stride() + block] = rows[p];
        }
      }
    }
  });
  return out;
}

auto from_planes(const BitPlanes& x, Ring ring) -> RingArray {
  TACET_CHECK(x.width() <= n_bits(ring), "more bits than a word has");
  RingArray out = RingArray::zeros(ring, x.size(), x.memory());
  with_word(ring, [&]<class T>(std::type_identity<T>) {
    const std::span<T> words = out.edit<T>();
    const uint64_t* planes = x.words().data();
    std::array<uint64_t, 64> rows;
    for (unsigned low = 0; low < x.width(); low += 64) {
      const unsigned n_planes = std::min(64U, x.width() - low);
      for (size_t block = 0; block < x.stride(); ++block) {
        for (unsigned p = 0; p < n_planes; ++p) {
          rows[p] = planes[(low + p) * x.stride() + block];
        }
        std::fill(rows.begin() + n_planes, rows.end(), 0);
        transpose(rows);
        const size_t n = std::min<size_t>(64, words.size() - 64 * block);
        for (size_t i = 0; i < n; ++i) {
          words[64 * block + i] |= static_cast<T>(static_cast<T>(rows[i]) << low);
        }
      }
    }
  });
  return out;
}

}  // namespace tacet::mpc
