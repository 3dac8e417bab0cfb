#include "engine/random/public_random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace tacet::engine {
namespace {

constexpr PublicRandomKey kZeroKey{};
constexpr PublicRandomKey kKey{
    {0x215d6dfdb7dfdf6b, 0x045cfa043329c49f, 0x9ec75a93692444dd, 0x1284681663220f1c}};

auto bits(std::string_view digits) -> BitString {
  BitString result;
  for (char digit : digits) {
    result.push_back(digit == '1');
  }
  return result;
}

/// 1010…
auto alternating(size_t n) -> std::string {
  std::string text;
  for (size_t i = 0; i < n; ++i) {
    text.push_back(i % 2 == 0 ? '1' : '0');
  }
  return text;
}

struct KnownAnswer {
  PublicRandomKey key;
  std::string static_bits;
  std::vector<uint64_t> dynamic_words;
  Block block;
};

/// From a second implementation, as are those below: static strings alone, among them one that
/// fills a block exactly.
auto known_answers_of_static_strings() -> std::vector<KnownAnswer> {
  return {
      {kZeroKey,
       "",
       {},
       {0x0cf146cfe0b4553d, 0xe03dd4f47d75462a, 0x4cbd91551ac09eeb, 0x0d35d0272394bc6a}},
      {kKey,
       "",
       {},
       {0x7d176610634849c8, 0xea71b1293df17649, 0xdccd892496dd2967, 0x46be172ce36050ce}},
      {kZeroKey,
       "1",
       {},
       {0x2cfe8a6fff4ad443, 0x2d0520ce781babe9, 0x0914abf8f575566a, 0x80ab01314e876cf6}},
      {kKey,
       "1",
       {},
       {0x88f4fd45bddac259, 0xc106353a85c02c6f, 0x28ad7a88173546f7, 0xbae524812d823ec1}},
      {kKey,
       "0",
       {},
       {0x6271197c0807fd62, 0xdb9bc88f848e4ac2, 0xb1b7a888a411a976, 0xcd4975f9b8c4f476}},
      {kKey,
       alternating(256),
       {},
       {0xd4fa5b3b82217198, 0x6965bc2f80e6fafb, 0x3c9bac5383757ca3, 0x2df8f8d716c78439}},
  };
}

/// Dynamic strings that are partial, full and longer, in which order matters.
auto known_answers_of_dynamic_strings() -> std::vector<KnownAnswer> {
  return {
      {kZeroKey,
       "110",
       {0x0000000000000000},
       {0xa457a1317a447850, 0xed98a7cfb8ca90c8, 0x9b1cac802ec1edb7, 0xedd720c70cb20f69}},
      {kKey,
       "110",
       {0x0000000000000000},
       {0xcdff11346da0f430, 0x3081f4608af95fdf, 0xa03233a7e1c6c675, 0xfd919c883a2521a4}},
      {kZeroKey,
       "01",
       {0x0000000000000001, 0x0000000000000002, 0x0000000000000003},
       {0x05c4e402d61dc818, 0x29554d48054e9360, 0x16b2f0e83e04c317, 0x3ff250019556667e}},
      {kKey,
       "01",
       {0x0000000000000001, 0x0000000000000002, 0x0000000000000003},
       {0x8d62a3c2ead293e4, 0xb73c6d9d43e89b5b, 0xf83e9657f7620d29, 0xe7799bfd04376f98}},
      {kZeroKey,
       "01",
       {0x0000000000000001, 0x0000000000000002, 0x0000000000000003, 0x0000000000000004,
        0x0000000000000005},
       {0xa107b5d7b86fc56a, 0x5aeec58a4bb740e6, 0xfa56280779f3093b, 0x1b80b5bdad95de7d}},
      {kKey,
       "01",
       {0x0000000000000001, 0x0000000000000002, 0x0000000000000003, 0x0000000000000004,
        0x0000000000000005},
       {0x84882519f7e63007, 0x8c52350d1c6f99a7, 0xcf91a4502c351b89, 0x4b3d297bd0178118}},
      {kZeroKey,
       "01",
       {0x0000000000000000, 0x0000000000000001, 0x0000000000000002, 0x0000000000000003,
        0x0000000000000004, 0x0000000000000005, 0x0000000000000006, 0x0000000000000007,
        0x0000000000000008},
       {0xf9ef74dd69bc2f1a, 0x484747b9ed3ceb57, 0x9295eeeedcc03544, 0x27a35d6b2ed46c8b}},
      {kKey,
       "01",
       {0x0000000000000000, 0x0000000000000001, 0x0000000000000002, 0x0000000000000003,
        0x0000000000000004, 0x0000000000000005, 0x0000000000000006, 0x0000000000000007,
        0x0000000000000008},
       {0x28738cc9d2700863, 0xddfcbefdc0859c92, 0xa666f0b091c16c67, 0x33af123cbbbb043c}},
      {kZeroKey,
       alternating(255),
       {0x0000000000000009},
       {0x4ed88ca0bd5b96c3, 0xece7001fa1706bc7, 0x3b392292b17906f6, 0x54f4a196c3ad0ba0}},
      {kKey,
       alternating(255),
       {0x0000000000000009},
       {0x5c5a7ed4ba00e788, 0xd4e978baa69447bd, 0x5a12d467d24aea74, 0x9c8abb39b8ced526}},
      {kKey,
       "110",
       {1},
       {0xcee26b6e230cc6a9, 0x6a427c638211189e, 0x64db59146630672c, 0xb90d8a822f9acb5e}},
      {kKey,
       "01",
       {1, 2, 3, 4},
       {0x6586657d8afa709d, 0x30534ca84edd3e6b, 0x3b334965d2670058, 0x1d886124e6208211}},
  };
}

void expect_known_answers(const std::vector<KnownAnswer>& answers) {
  for (const KnownAnswer& known : answers) {
    EXPECT_EQ(random_block(known.key, bits(known.static_bits), known.dynamic_words), known.block)
        << known.static_bits << ", " << known.dynamic_words.size();
  }
}

TEST(PublicRandom, GivesTheKnownAnswers) {
  expect_known_answers(known_answers_of_static_strings());
  expect_known_answers(known_answers_of_dynamic_strings());
}

/// The definition, written down straight.
auto slow_block(const PublicRandomKey& key, const std::string& static_bits,
                const std::vector<uint64_t>& dynamic_words) -> Block {
  constexpr uint64_t kTopBit = uint64_t{1} << 63;
  std::string padded = static_bits + "1";
  padded.resize((padded.size() + 255) / 256 * 256, '0');
  Block sum{};
  auto add = [&](const Block& block) {
    for (size_t i = 0; i < 4; ++i) {
      sum[i] ^= block[i];
    }
  };
  for (size_t i = 0; i < padded.size() / 256; ++i) {
    Block block{};
    for (size_t k = 0; k < 256; ++k) {
      block[k / 64] |= uint64_t{padded[256 * i + k] == '1'} << (63 - k % 64);
    }
    add(threefish256(key.words, {i, 0}, block));
  }
  const bool is_full = !dynamic_words.empty() && dynamic_words.size() % 4 == 0;
  std::vector<uint64_t> words = dynamic_words;
  if (!is_full) {
    words.push_back(kTopBit);
    words.resize((words.size() + 3) / 4 * 4);
  }
  for (size_t i = 0; i < words.size() / 4; ++i) {
    const Block block{words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]};
    if (i + 1 < words.size() / 4) {
      add(threefish256(key.words, {kTopBit | i, 0}, block));
    } else {
      add(block);
    }
  }
  return threefish256(key.words, {is_full ? kTopBit - 1 : ~uint64_t{0}, 0}, sum);
}

TEST(PublicRandom, StatesThatGrowBitByBitAreTheDefinition) {
  PublicRandomStream choices(kZeroKey, {}, {});
  for (size_t round = 0; round < 60; ++round) {
    const std::string static_bits = alternating(choices.below(600));
    std::vector<uint64_t> words(choices.below(12));
    choices.fill(words);
    RngState state(kKey);
    size_t n_static = 0;
    size_t n_dynamic = 0;
    while (n_static < static_bits.size() || n_dynamic < words.size()) {
      const size_t n_bits = choices.below(static_bits.size() - n_static + 1);
      const size_t n_words = choices.below(words.size() - n_dynamic + 1);
      state = state.split(bits(std::string_view(static_bits).substr(n_static, n_bits)),
                          std::span(words).subspan(n_dynamic, n_words));
      n_static += n_bits;
      n_dynamic += n_words;
    }
    EXPECT_EQ(state.source().block(0), slow_block(kKey, static_bits, words));
  }
}

TEST(PublicRandom, SplitsByHalves) {
  const std::vector<BitString> five = {bits("00"), bits("01"), bits("10"), bits("110"),
                                       bits("111")};
  EXPECT_EQ(split_bits(5), five);
  EXPECT_EQ(split_bits(1), std::vector<BitString>{BitString()});
  EXPECT_TRUE(split_bits(0).empty());
  // No string is the beginning of another, so places below them stay apart.
  for (size_t n = 2; n < 40; ++n) {
    const std::vector<BitString> all = split_bits(n);
    EXPECT_EQ(all.size(), n);
    for (const BitString& a : all) {
      for (const BitString& b : all) {
        bool is_beginning = &a != &b && a.size() <= b.size();
        for (size_t i = 0; is_beginning && i < a.size(); ++i) {
          is_beginning = a.bit(i) == b.bit(i);
        }
        EXPECT_FALSE(is_beginning);
      }
    }
  }
}

TEST(PublicRandom, DistinguishesPlaces) {
  std::set<Block> blocks;
  size_t n = 0;
  auto add = [&](const std::string& static_bits, const std::vector<uint64_t>& dynamic,
                 uint64_t counter) {
    blocks.insert(random_block(kKey, bits(static_bits), dynamic, counter));
    ++n;
  };
  const std::string ones(256, '1');
  const std::string zeros(256, '0');
  add(ones + zeros, {}, 0);
  add(zeros + ones, {}, 0);
  add(ones + ones, {}, 0);
  add(zeros + zeros, {}, 0);
  add("", {}, 0);
  add("0", {}, 0);
  add("1", {}, 0);
  add("", {0}, 0);
  add("", {0, 0, 0, 0}, 0);
  add("", {uint64_t{1} << 63, 0, 0, 0}, 0);
  add("", {1, 2, 3, 4, 5, 6, 7, 8, 9}, 0);
  add("", {5, 6, 7, 8, 1, 2, 3, 4, 9}, 0);
  add("", {}, 1);
  add("", {}, 2);
  EXPECT_EQ(blocks.size(), n);
}

TEST(PublicRandom, KeysAreHexadecimalNumbers) {
  EXPECT_EQ(parse_random_key("0"), kZeroKey);
  EXPECT_EQ(parse_random_key("1F")->words, (Block{0, 0, 0, 0x1f}));
  EXPECT_EQ(parse_random_key("10000000000000000")->words, (Block{0, 0, 1, 0}));
  EXPECT_EQ(parse_random_key(random_key_text(kKey)), kKey);
  EXPECT_EQ(random_key_text(kZeroKey), std::string(64, '0'));
  for (const char* wrong : {"", "0x1", "g", " 1", "-1"}) {
    EXPECT_FALSE(parse_random_key(wrong)) << wrong;
  }
  EXPECT_FALSE(parse_random_key(std::string(65, '0')));
  EXPECT_NE(draw_random_key(), draw_random_key());
}

TEST(PublicRandom, BytesAreReadFromTheirTop) {
  BitString bytes;
  bytes.append("\x80\x01");
  EXPECT_EQ(bytes.words(), std::vector<uint64_t>{0x8001000000000000});
  EXPECT_EQ(bytes.size(), 16U);
}

TEST(PublicRandom, AStreamCrossesBlocks) {
  PublicRandomStream stream(kKey, bits("110"), std::array<uint64_t, 1>{7});
  for (uint64_t counter = 0; counter < 3; ++counter) {
    for (uint64_t word : random_block(kKey, bits("110"), std::vector<uint64_t>{7}, counter)) {
      EXPECT_EQ(stream.next(), word);
    }
  }
}

/// Chi-squared over `n` classes; far beyond what chance gives would be ten standard deviations.
auto is_even(const std::vector<size_t>& counts) -> bool {
  double total = 0;
  for (size_t count : counts) {
    total += static_cast<double>(count);
  }
  auto n = static_cast<double>(counts.size());
  double chi_squared = 0;
  for (size_t count : counts) {
    double difference = static_cast<double>(count) - total / n;
    chi_squared += difference * difference / (total / n);
  }
  return std::abs(chi_squared - (n - 1)) < 10 * std::sqrt(2 * (n - 1));
}

TEST(PublicRandom, BoundedNumbersAreEven) {
  PublicRandomStream stream(kKey, {}, {});
  for (uint64_t n : {uint64_t{1}, uint64_t{3}, uint64_t{10}, uint64_t{256}}) {
    std::vector<size_t> counts(n);
    for (size_t i = 0; i < 200 * n; ++i) {
      uint64_t number = stream.below(n);
      ASSERT_LT(number, n);
      ++counts[number];
    }
    EXPECT_TRUE(n == 1 || is_even(counts)) << n;
  }
  // Where a remainder would favour the lower half by half as much again.
  const uint64_t large = (uint64_t{1} << 63) + (uint64_t{1} << 62);
  std::vector<size_t> thirds(3);
  for (size_t i = 0; i < 3000; ++i) {
    ++thirds[stream.below(large) / (uint64_t{1} << 62)];
  }
  EXPECT_TRUE(is_even(thirds));
}

TEST(PublicRandom, FractionsAreEvenAndFineNearZero) {
  PublicRandomStream stream(kKey, bits("1"), {});
  std::vector<size_t> counts(100);
  double smallest = 1;
  for (size_t i = 0; i < 50'000; ++i) {
    double number = stream.unit();
    ASSERT_GE(number, 0.0);
    ASSERT_LT(number, 1.0);
    ++counts[static_cast<size_t>(number * 100)];
    smallest = std::min(smallest, number);
  }
  EXPECT_TRUE(is_even(counts));
  EXPECT_LT(smallest, 0.001);
}

/// Pearson's statistic of standard normal numbers over bins of equal probability.
TEST(PublicRandom, NormalNumbersHaveTheirDistribution) {
  PublicRandomStream stream(kKey, bits("11"), {});
  constexpr size_t kNumbers = 40'000;
  std::vector<size_t> counts(64);
  double sum = 0;
  double sum_of_squares = 0;
  for (size_t i = 0; i < kNumbers; ++i) {
    const double number = stream.normal();
    sum += number;
    sum_of_squares += number * number;
    const double below = std::erfc(-number / std::sqrt(2.0)) / 2;
    ++counts[std::min<size_t>(63, static_cast<size_t>(below * 64))];
  }
  EXPECT_TRUE(is_even(counts));
  EXPECT_LT(std::abs(sum), 6 * std::sqrt(double{kNumbers}));
  EXPECT_LT(std::abs(sum_of_squares - kNumbers), 6 * std::sqrt(2.0 * kNumbers));
}

TEST(PublicRandom, NormalNumbersStayWhatTheyAre) {
  PublicRandomStream stream(kKey, bits("11"), {});
  std::vector<double> numbers;
  for (size_t i = 0; i < 4; ++i) {
    numbers.push_back(stream.normal());
  }
  EXPECT_EQ(numbers, (std::vector<double>{0x1.4eef7c243e0fbp+0, -0x1.a0d1b4e3bdecbp+0,
                                          0x1.d528b232df2e9p-2, -0x1.3d322866e4a91p-2}));
}

TEST(PublicRandom, BernoulliHasItsProbability) {
  PublicRandomStream stream(kKey, bits("1"), {});
  for (double p : {0.001, 0.25, 0.5, 0.9}) {
    size_t n_true = 0;
    constexpr size_t kDraws = 20'000;
    for (size_t i = 0; i < kDraws; ++i) {
      n_true += stream.bernoulli(p) ? 1 : 0;
    }
    EXPECT_LT(std::abs(static_cast<double>(n_true) - p * kDraws), 6 * std::sqrt(kDraws * p)) << p;
    EXPECT_FALSE(stream.bernoulli(0));
    EXPECT_TRUE(stream.bernoulli(1));
  }
}

TEST(PublicRandom, PermutationsAreAllAsLikely) {
  PublicRandomStream stream(kKey, bits("0"), {});
  std::vector<size_t> counts(24);
  for (size_t i = 0; i < 24 * 200; ++i) {
    const std::vector<uint64_t> order = stream.permutation(4);
    EXPECT_EQ(std::set<uint64_t>(order.begin(), order.end()).size(), 4U);
    size_t rank = 0;  // the order's number in the list of all
    for (size_t k = 0; k < 4; ++k) {
      size_t n_smaller = 0;
      for (size_t j = k + 1; j < 4; ++j) {
        n_smaller += order[j] < order[k] ? 1 : 0;
      }
      rank = rank * (4 - k) + n_smaller;
    }
    ++counts[rank];
  }
  EXPECT_TRUE(is_even(counts));
  EXPECT_TRUE(stream.permutation(0).empty());
}

TEST(PublicRandom, AllKernelsAndReadersGiveTheSameWords) {
  const RngState place = RngState(kKey).split(bits("0110"), std::array<uint64_t, 2>{3, 4});
  std::vector<uint64_t> expected;
  for (uint64_t counter = 0; counter < 100; ++counter) {
    const Block block = place.source().block(counter);
    expected.insert(expected.end(), block.begin(), block.end());
  }
  for (Isa isa : supported_isas()) {
    for (const size_t n_before : std::array<size_t, 4>{0, 1, 4, 5}) {
      for (const size_t n : std::array<size_t, 9>{0, 1, 3, 4, 63, 64, 65, 130, 260}) {
        PublicRandomStream stream(place, isa);
        std::vector<uint64_t> words;
        for (size_t i = 0; i < n_before; ++i) {
          words.push_back(stream.next());
        }
        words.resize(n_before + n);
        stream.fill(std::span(words).subspan(n_before));
        words.push_back(stream.next());
        EXPECT_EQ(words, std::vector<uint64_t>(
                             expected.begin(),
                             expected.begin() + static_cast<std::ptrdiff_t>(words.size())))
            << isa_name(isa) << ", " << n_before << " + " << n;
      }
    }
  }
}

}  // namespace
}  // namespace tacet::engine
