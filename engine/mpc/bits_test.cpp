#include "engine/mpc/bits.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace tacet::mpc {
namespace {

constexpr std::array<size_t, 6> kSizes{1, 7, 63, 64, 65, 200};

auto random_planes(unsigned width, size_t n, uint64_t seed) -> BitPlanes {
  std::mt19937_64 random(seed);
  BitPlanes planes(width, n);
  for (uint64_t& word : planes.edit()) {
    word = random();
  }
  return planes;
}

TEST(BitPlanes, AreTheBitsOfWords) {
  std::mt19937_64 random(1);
  for (const Ring ring : {Ring::Z32, Ring::Z64, Ring::Z128}) {
    for (const size_t n : kSizes) {
      RingArray x(ring, n);
      for (std::byte& byte : x.edit_bytes()) {
        byte = static_cast<std::byte>(random());
      }
      for (const unsigned width : {1U, 17U, 32U, n_bits(ring)}) {
        const BitPlanes planes = to_planes(x, width);
        const RingArray back = from_planes(planes, ring);
        for (size_t i = 0; i < n; ++i) {
          const Word128 low = width == 128 ? x.at(i) : x.at(i) & ((Word128{1} << width) - 1);
          EXPECT_TRUE(planes.at(i) == low);
          EXPECT_TRUE(back.at(i) == low);
        }
      }
    }
  }
}

TEST(BitPlanes, SelectAndStack) {
  const BitPlanes x = random_planes(5, 100, 1);
  const BitPlanes selected = select_planes(x, std::array<unsigned, 3>{4, 0, 4});
  const std::array<BitPlanes, 2> parts{plane_range(x, 1, 3), selected};
  const BitPlanes stacked = stack_planes(parts);
  ASSERT_EQ(stacked.width(), 6U);
  for (size_t i = 0; i < x.size(); ++i) {
    const auto number = static_cast<unsigned>(x.at(i));
    const unsigned top = number >> 4 & 1;
    EXPECT_EQ(selected.at(i), top | (number & 1) << 1 | top << 2);
    EXPECT_EQ(stacked.at(i), (number >> 1 & 7) | static_cast<unsigned>(selected.at(i)) << 3);
  }
}

TEST(BitPlanes, MoveNumbers) {
  for (const size_t n : kSizes) {
    const BitPlanes x = random_planes(9, n, n);
    const BitPlanes y = random_planes(9, 70, 1);
    const std::array<BitPlanes, 3> parts{x, y, x};
    const BitPlanes all = concatenate(parts);
    ASSERT_EQ(all.size(), 2 * n + 70);
    EXPECT_TRUE(slice(all, 0, n) == x);
    EXPECT_TRUE(slice(all, n, 70) == y);
    EXPECT_TRUE(slice(all, n + 70, n) == x);
    std::vector<uint32_t> backwards(n);
    for (size_t i = 0; i < n; ++i) {
      backwards[i] = static_cast<uint32_t>(n - 1 - i);
    }
    const BitPlanes turned = gather(x, backwards);
    for (size_t i = 0; i < n; ++i) {
      EXPECT_EQ(turned.at(i), x.at(n - 1 - i));
      EXPECT_EQ(all.at(n + 70 + i), x.at(i));
    }
  }
}

TEST(BitPlanes, ArePackedToBytes) {
  for (const size_t n : kSizes) {
    const BitPlanes x = random_planes(3, n, n);
    std::vector<std::byte> bytes(x.n_packed_bytes());
    EXPECT_EQ(bytes.size(), 3 * ((n + 7) / 8));
    pack(x, bytes);
    EXPECT_TRUE(unpack(bytes, 3, n, nullptr) == x);
    BitPlanes other = x;
    if (n % 64 != 0) {
      // Bits of no number do not show.
      for (unsigned p = 0; p < 3; ++p) {
        other.edit_plane(p).back() ^= ~uint64_t{0} << (n % 64);
      }
    }
    std::vector<std::byte> again(bytes.size());
    pack(other, again);
    EXPECT_EQ(bytes, again);
  }
}

TEST(BitPlanes, CompareTheirNumbersAlone) {
  BitPlanes x = BitPlanes::filled(2, 3, 2);
  BitPlanes y = x;
  y.edit()[1] ^= uint64_t{1} << 3;
  EXPECT_TRUE(x == y);
  y.edit()[1] ^= uint64_t{1} << 2;
  EXPECT_FALSE(x == y);
  EXPECT_TRUE(complement(complement(x)) == x);
  EXPECT_TRUE(exclusive_or(x, x) == BitPlanes::zeros(2, 3));
  EXPECT_TRUE(conjunction(x, BitPlanes::filled(2, 3, 3)) == x);
}

}  // namespace
}  // namespace tacet::mpc
