#include "engine/ring/bit_packing.h"

#include <gtest/gtest.h>

#include <random>

namespace tacet::ring {
namespace {

constexpr std::byte kGuard{0xa5};

/// Bit by bit.
auto packed_slowly(const std::vector<uint64_t>& words, unsigned bits) -> std::vector<std::byte> {
  std::vector<std::byte> bytes(words.size() * bits / 8);
  for (size_t i = 0; i < words.size() * bits; ++i) {
    const uint64_t bit = words[i / bits] >> (i % bits) & 1;
    bytes[i / 8] |= static_cast<std::byte>(bit << (i % 8));
  }
  return bytes;
}

/// Words of so many bits, the smallest and the largest among them.
auto random_words(size_t n, unsigned bits, std::mt19937_64& random) -> std::vector<uint64_t> {
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  std::vector<uint64_t> words(n);
  for (uint64_t& word : words) {
    const uint64_t kind = random() % 4;
    word = kind == 0 ? mask : kind == 1 ? 0 : random() & mask;
  }
  return words;
}

class BitPacking : public testing::TestWithParam<Isa> {
 protected:
  const PackingKernels& kernels_ = packing_kernels(GetParam());
  std::mt19937_64 random_{7};
};

TEST_P(BitPacking, WritesTheBitsOfWordsAndNothingElse) {
  for (unsigned bits = 1; bits <= kMaxPackedBits; ++bits) {
    for (const size_t n : {8U, 16U, 24U, 64U, 72U, 1024U}) {
      SCOPED_TRACE(std::to_string(bits) + " bits, " + std::to_string(n) + " words");
      const std::vector<uint64_t> words = random_words(n, bits, random_);
      std::vector<std::byte> expected = packed_slowly(words, bits);
      std::vector<std::byte> bytes(expected.size() + 128, kGuard);
      kernels_.pack(words.data(), n, bits, bytes.data());
      expected.resize(bytes.size(), kGuard);
      ASSERT_EQ(bytes, expected);
    }
  }
}

TEST_P(BitPacking, ReadsWhatWasWritten) {
  for (unsigned bits = 1; bits <= kMaxPackedBits; ++bits) {
    for (const size_t n : {8U, 16U, 24U, 64U, 72U, 1024U}) {
      SCOPED_TRACE(std::to_string(bits) + " bits, " + std::to_string(n) + " words");
      const std::vector<uint64_t> words = random_words(n, bits, random_);
      // Behind the last byte, nothing is mapped for a sanitizer: bytes of exactly this size.
      const std::vector<std::byte> bytes = packed_slowly(words, bits);
      std::vector<uint64_t> read(n + 8, 42);
      const uint64_t bound = uint64_t{1} << bits;
      ASSERT_EQ(kernels_.unpack(bytes.data(), n, bits, bound, read.data()), 0U);
      ASSERT_EQ(std::vector(read.begin(), read.begin() + static_cast<ptrdiff_t>(n)), words);
      ASSERT_EQ(read[n], 42U);
    }
  }
}

TEST_P(BitPacking, FindsAnyWordThatIsNotBelowTheBound) {
  constexpr size_t kWords = 72;
  for (const unsigned bits : {1U, 2U, 7U, 8U, 13U, 31U, 32U, 33U, 49U, 50U, 57U}) {
    for (const uint64_t bound : {(uint64_t{1} << bits) - 1, (uint64_t{1} << (bits - 1)) + 1}) {
      if (bound >= uint64_t{1} << bits || bound == 0) {
        continue;
      }
      for (size_t place = 0; place <= kWords; ++place) {
        std::vector<uint64_t> words(kWords, bound - 1);
        if (place < kWords) {
          words[place] = bound;
        }
        const std::vector<std::byte> bytes = packed_slowly(words, bits);
        std::vector<uint64_t> read(kWords);
        const bool is_below = kernels_.unpack(bytes.data(), kWords, bits, bound, read.data()) == 0;
        ASSERT_EQ(is_below, place == kWords) << bits << " bits, word " << place;
        ASSERT_EQ(read, words);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, BitPacking,
                         testing::ValuesIn(supported_isas().begin(), supported_isas().end()),
                         [](const testing::TestParamInfo<Isa>& isa) {
                           return std::string(isa_name(isa.param));
                         });

}  // namespace
}  // namespace tacet::ring
