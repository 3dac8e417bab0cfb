#include "engine/secure_random/samplers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <vector>

#include "engine/secure_random/sample_kernels.h"
#include "engine/secure_random/seed_expander.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::secure_random {
namespace {

auto random_bytes(size_t n) -> std::vector<std::byte> {
  std::vector<std::byte> bytes(n);
  seeded_random(TestSeed::of(n), Isa::Scalar).fill(bytes);
  return bytes;
}

auto number(std::byte byte) -> unsigned {
  return std::to_integer<unsigned>(byte);
}

TEST(SampleKernels, TernaryIsTheRemainderOfEveryByte) {
  for (Isa isa : supported_isas()) {
    for (unsigned first = 0; first < 256; first += kTernaryBlock) {
      std::array<std::byte, kTernaryBlock> bytes{};
      for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::byte>(first + i);
      }
      std::array<int8_t, kTernaryBlock> out{};
      uint64_t rejected = sample_kernels(isa).ternary(bytes.data(), out.data());
      EXPECT_EQ(rejected, first == 192 ? uint64_t{1} << 63 : 0);
      for (size_t i = 0; i < bytes.size(); ++i) {
        EXPECT_EQ(out[i], static_cast<int>((first + i) % 3) - 1) << isa_name(isa) << first + i;
      }
    }
  }
}

TEST(SampleKernels, TernaryRejectsAnyPlace) {
  for (Isa isa : supported_isas()) {
    for (size_t i = 0; i < kTernaryBlock; ++i) {
      std::array<std::byte, kTernaryBlock> bytes{};
      bytes.fill(std::byte{0xfe});
      bytes[i] = std::byte{0xff};
      std::array<int8_t, kTernaryBlock> out{};
      EXPECT_EQ(sample_kernels(isa).ternary(bytes.data(), out.data()), uint64_t{1} << i);
    }
  }
}

TEST(SampleKernels, BinomialCountsOnes) {
  auto bytes = random_bytes(kBinomialBlockBytes * 20);
  std::fill_n(bytes.begin(), kBinomialBlockBytes, std::byte{0xff});
  std::fill_n(bytes.begin() + kBinomialBlockBytes, kBinomialBlockBytes, std::byte{0});
  for (Isa isa : supported_isas()) {
    for (size_t at = 0; at < bytes.size(); at += kBinomialBlockBytes) {
      std::array<int8_t, kBinomialBlock> out{};
      sample_kernels(isa).binomial(bytes.data() + at, out.data());
      for (size_t i = 0; i < out.size(); ++i) {
        unsigned pair = number(bytes[at + 640 + i % 32]) >> (2 * (i / 32));
        int ones = std::popcount(pair & 3);
        for (size_t plane = 0; plane < 5; ++plane) {
          ones += std::popcount(number(bytes[at + 128 * plane + i]));
        }
        ASSERT_EQ(out[i], ones - 21) << isa_name(isa) << i;
      }
    }
  }
}

TEST(SampleKernels, WordsAreComparedAndCompacted) {
  for (Isa isa : supported_isas()) {
    const SampleKernels& kernels = sample_kernels(isa);
    for (uint64_t modulus : {uint64_t{1}, uint64_t{3}, uint64_t{65537}, (uint64_t{1} << 61) - 1,
                             kMaxUniformModulus - 5, kMaxUniformModulus}) {
      uint64_t mask = std::bit_ceil(modulus) - 1;
      std::array<uint64_t, kUniformBlock> words{};
      seeded_random(TestSeed::of(modulus), Isa::Scalar).fill_words(words);
      words[5] = modulus - 1;
      words[6] = modulus;
      std::vector<uint64_t> expected;
      uint64_t expected_bits = 0;
      for (size_t i = 0; i < words.size(); ++i) {
        if ((words[i] & mask) < modulus) {
          expected.push_back(words[i] & mask);
          expected_bits |= uint64_t{1} << i;
        }
      }
      uint64_t accepted = kernels.mask_and_compare(words.data(), mask, modulus);
      EXPECT_EQ(accepted, expected_bits) << isa_name(isa) << modulus;
      ASSERT_EQ(kernels.compact(words.data(), accepted, words.data()), expected.size());
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), words.begin())) << isa_name(isa);
    }
  }
}

template <class Sample>
void expect_sets_agree(Sample sample) {
  for (size_t n :
       std::initializer_list<size_t>{0, 1, 7, 63, 64, 65, 127, 128, 129, 1000, 8192, 32768}) {
    auto expected = sample(n, Isa::Scalar);
    ASSERT_EQ(expected.size(), n);
    for (Isa isa : supported_isas()) {
      EXPECT_EQ(sample(n, isa), expected) << n << isa_name(isa);
    }
  }
}

TEST(Samplers, TernaryIsTheSameOnEverySet) {
  expect_sets_agree([](size_t n, Isa isa) {
    std::vector<int8_t> out(n, 99);
    SecureRandom random = seeded_random(TestSeed::of(n), isa);
    sample_ternary(random, out, isa);
    return out;
  });
}

TEST(Samplers, BinomialIsTheSameOnEverySet) {
  expect_sets_agree([](size_t n, Isa isa) {
    std::vector<int8_t> out(n, 99);
    SecureRandom random = seeded_random(TestSeed::of(n), isa);
    sample_binomial(random, out, isa);
    return out;
  });
}

// What the format of stored objects says, word by word.
auto uniform_by_definition(RandomStream& stream, uint64_t modulus, size_t n)
    -> std::vector<uint64_t> {
  std::vector<uint64_t> out;
  while (out.size() < n) {
    uint64_t word = 0;
    stream.fill_words(std::span(&word, 1));
    word &= std::bit_ceil(modulus) - 1;
    if (word < modulus) {
      out.push_back(word);
    }
  }
  return out;
}

TEST(Samplers, UniformIsWhatTheFormatSays) {
  PublicSeed seed{{std::byte{42}}};
  for (uint64_t modulus :
       {uint64_t{1}, uint64_t{2}, uint64_t{5}, uint64_t{65537}, (uint64_t{1} << 49) + 1,
        (uint64_t{1} << 50) - 27, (uint64_t{1} << 61) - 1, kMaxUniformModulus}) {
    for (Isa isa : supported_isas()) {
      for (size_t n : std::initializer_list<size_t>{0, 1, 63, 64, 65, 1023, 1024, 1025, 8192}) {
        SeedExpander by_definition(seed, modulus, Isa::Scalar);
        auto expected = uniform_by_definition(by_definition, modulus, n);
        SeedExpander expander(seed, modulus, isa);
        std::vector<uint64_t> out(n, 99);
        sample_uniform(expander, modulus, out, isa);
        ASSERT_EQ(out, expected) << modulus << isa_name(isa) << n;
        // Both have consumed the same.
        std::array<uint64_t, 2> next{};
        expander.fill_words(std::span(next).first(1));
        by_definition.fill_words(std::span(next).last(1));
        EXPECT_EQ(next[0], next[1]) << modulus << isa_name(isa) << n;
      }
    }
  }
}

TEST(Samplers, UniformOfAKnownSeed) {
  // The words that SeedExpander's test pins, least significant byte first, modulo 2^20.
  PublicSeed seed;
  for (size_t i = 0; i < seed.bytes.size(); ++i) {
    seed.bytes[i] = static_cast<std::byte>(i);
  }
  for (Isa isa : supported_isas()) {
    SeedExpander expander(seed, 0, isa);
    std::array<uint64_t, 5> out{};
    sample_uniform(expander, uint64_t{1} << 20, out, isa);
    EXPECT_EQ(out, (std::array<uint64_t, 5>{0x90f2, 0xaf3a9, 0x65df0, 0xbf6a6, 0x5bc0e}));
  }
}

TEST(Samplers, LiftAddsTheModulusToNegatives) {
  for (Isa isa : supported_isas()) {
    for (uint64_t modulus : {uint64_t{257}, (uint64_t{1} << 50) - 27, kMaxUniformModulus}) {
      std::vector<int8_t> values;
      for (int value = -128; value < 128; ++value) {
        values.push_back(static_cast<int8_t>(value));
      }
      for (size_t n : std::initializer_list<size_t>{0, 1, 3, 4, 5, 255, 256}) {
        std::vector<uint64_t> out(n);
        lift_signed(std::span(values).first(n), modulus, out, isa);
        for (size_t i = 0; i < n; ++i) {
          uint64_t expected = values[i] < 0 ? modulus - static_cast<uint64_t>(-values[i])
                                            : static_cast<uint64_t>(values[i]);
          ASSERT_EQ(out[i], expected) << isa_name(isa) << modulus;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tacet::secure_random
