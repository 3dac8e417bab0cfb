#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "engine/secure_random/samplers.h"
#include "engine/secure_random/seed_expander.h"
#include "engine/secure_random/test_seed.h"

// Whether samples look as their distribution says. Seeds are fixed, so a test passes always or
// never. Each statistic is brought to the normal distribution: beyond 7 standard deviations lies
// less than 3e-12 of it, and as there are fewer than 100 statistics, less than one choice of seeds
// in 10^9 would fail here with correct samplers.
namespace tacet::secure_random {
namespace {

constexpr double kMaxDeviation = 7;

// How far the chi-square statistic `chi2` is from its mean, in standard deviations of the normal
// distribution (Wilson and Hilferty, "The distribution of chi-square", 1931).
auto deviation_of_chi2(double chi2, size_t n_degrees) -> double {
  double spread = 2.0 / (9.0 * static_cast<double>(n_degrees));
  return (std::cbrt(chi2 / static_cast<double>(n_degrees)) - (1 - spread)) / std::sqrt(spread);
}

// Pearson's test of `counts` against `probabilities`, bins that expect fewer than 20 merged.
void expect_distribution(const std::vector<uint64_t>& counts,
                         const std::vector<double>& probabilities) {
  double n = 0;
  for (uint64_t count : counts) {
    n += static_cast<double>(count);
  }
  double chi2 = 0;
  size_t n_bins = 0;
  double rare_count = 0;
  double rare_expected = 0;
  auto add = [&](double count, double expected) {
    chi2 += (count - expected) * (count - expected) / expected;
    ++n_bins;
  };
  for (size_t i = 0; i < counts.size(); ++i) {
    if (double expected = n * probabilities[i]; expected >= 20) {
      add(static_cast<double>(counts[i]), expected);
    } else {
      rare_count += static_cast<double>(counts[i]);
      rare_expected += expected;
    }
  }
  if (rare_expected > 0) {
    add(rare_count, rare_expected);
  }
  EXPECT_LT(std::abs(deviation_of_chi2(chi2, n_bins - 1)), kMaxDeviation) << chi2 << " " << n_bins;
}

void expect_uniform(const std::vector<uint64_t>& counts) {
  expect_distribution(counts, std::vector(counts.size(), 1.0 / static_cast<double>(counts.size())));
}

// The mean is 0 and the variance as given; `fourth` is the fourth moment.
void expect_moments(const std::vector<int8_t>& samples, double variance, double fourth) {
  double sum = 0;
  double squares = 0;
  for (int8_t x : samples) {
    sum += x;
    squares += x * x;
  }
  auto n = static_cast<double>(samples.size());
  EXPECT_LT(std::abs(sum) / std::sqrt(n * variance), kMaxDeviation);
  double spread = std::sqrt(n * (fourth - variance * variance));
  EXPECT_LT(std::abs(squares - n * variance) / spread, kMaxDeviation);
}

// No sample says anything of those up to 300 behind it, which is further than a kernel's block.
void expect_no_autocorrelation(const std::vector<int8_t>& samples, double variance) {
  constexpr size_t kLags = 300;
  double chi2 = 0;
  for (size_t lag = 1; lag <= kLags; ++lag) {
    int64_t sum = 0;
    for (size_t i = lag; i < samples.size(); ++i) {
      sum += samples[i] * samples[i - lag];
    }
    auto n = static_cast<double>(samples.size() - lag);
    double deviation = static_cast<double>(sum) / (std::sqrt(n) * variance);
    chi2 += deviation * deviation;
  }
  EXPECT_LT(std::abs(deviation_of_chi2(chi2, kLags)), kMaxDeviation) << chi2;
}

auto ternary_samples(size_t n) -> std::vector<int8_t> {
  std::vector<int8_t> samples(n);
  SecureRandom random = seeded_random(TestSeed::of(100), best_isa());
  sample_ternary(random, samples, best_isa());
  return samples;
}

TEST(TernaryStatistics, ValuesAndPairsAreUniform) {
  auto samples = ternary_samples(size_t{1} << 20);
  std::vector<uint64_t> values(3);
  std::vector<uint64_t> tuples(243);
  size_t tuple = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    ASSERT_LE(std::abs(samples[i]), 1);
    auto digit = static_cast<size_t>(samples[i] + 1);
    ++values[digit];
    tuple = (3 * tuple + digit) % 243;
    if (i % 5 == 4) {
      ++tuples[tuple];
    }
  }
  expect_uniform(values);
  expect_uniform(tuples);
}

TEST(TernaryStatistics, MomentsAndCorrelation) {
  auto samples = ternary_samples(size_t{1} << 18);
  expect_moments(samples, 2.0 / 3, 2.0 / 3);
  expect_no_autocorrelation(samples, 2.0 / 3);
}

TEST(TernaryStatistics, RedrawnPlacesAreUniformToo) {
  // Where the first byte was 255: found by drawing the same bytes again.
  constexpr size_t kBlock = 64;
  std::vector<uint64_t> values(3);
  for (uint64_t seed = 0; seed < 20000; ++seed) {
    std::array<std::byte, 2 * kBlock + 33> bytes{};
    SecureRandom random = seeded_random(TestSeed::of(seed), best_isa());
    random.fill(std::span(bytes).first(kBlock + 33));
    std::array<int8_t, kBlock> out{};
    SecureRandom again = seeded_random(TestSeed::of(seed), best_isa());
    sample_ternary(again, out, best_isa());
    for (size_t i = 0; i < kBlock; ++i) {
      if (bytes[i] == std::byte{255}) {
        ++values[static_cast<size_t>(out[i] + 1)];
      } else {
        ASSERT_EQ(out[i], std::to_integer<int>(bytes[i]) % 3 - 1);
      }
    }
  }
  expect_uniform(values);
}

auto binomial_samples(size_t n) -> std::vector<int8_t> {
  std::vector<int8_t> samples(n);
  SecureRandom random = seeded_random(TestSeed::of(200), best_isa());
  sample_binomial(random, samples, best_isa());
  return samples;
}

// Of `ones - 21` for `ones` of 0 … 42.
auto binomial_probabilities() -> std::vector<double> {
  std::vector<double> probabilities(43);
  double choices = 1;
  for (int ones = 0; ones <= 42; ++ones) {
    probabilities[static_cast<size_t>(ones)] = std::ldexp(choices, -42);
    choices = choices * (42 - ones) / (ones + 1);
  }
  return probabilities;
}

TEST(BinomialStatistics, ValuesAreDistributed) {
  std::vector<uint64_t> counts(43);
  for (int8_t x : binomial_samples(size_t{1} << 22)) {
    ASSERT_LE(std::abs(x), kBinomialBound);
    ++counts[static_cast<size_t>(x + 21)];
  }
  expect_distribution(counts, binomial_probabilities());
}

TEST(BinomialStatistics, MomentsAndCorrelation) {
  auto samples = binomial_samples(size_t{1} << 18);
  // The fourth moment of a sum of 42 bits is 3 variance^2 - 42 / 8.
  expect_moments(samples, kBinomialVariance, 3 * kBinomialVariance * kBinomialVariance - 42.0 / 8);
  expect_no_autocorrelation(samples, kBinomialVariance);
}

TEST(BinomialStatistics, NoTwoPlacesOfABlockShareBits) {
  constexpr size_t kBlock = 128;
  constexpr size_t kBlocks = 1 << 14;
  auto samples = binomial_samples(kBlock * kBlocks);
  double chi2 = 0;
  size_t n_pairs = 0;
  for (size_t i = 0; i < kBlock; ++i) {
    for (size_t j = i + 1; j < kBlock; ++j, ++n_pairs) {
      int64_t sum = 0;
      for (size_t at = 0; at < samples.size(); at += kBlock) {
        sum += samples[at + i] * samples[at + j];
      }
      double deviation = static_cast<double>(sum) / (std::sqrt(kBlocks) * kBinomialVariance);
      chi2 += deviation * deviation;
      // One bit in common would make it about 128 / 42, which the sum of all would show.
      EXPECT_LT(std::abs(deviation), kMaxDeviation) << i << " " << j;
    }
  }
  EXPECT_LT(std::abs(deviation_of_chi2(chi2, n_pairs)), kMaxDeviation) << chi2;
}

TEST(UniformStatistics, ResiduesFillTheirRange) {
  for (uint64_t modulus : {uint64_t{3}, uint64_t{257}, uint64_t{65537}, (uint64_t{1} << 49) + 69,
                           (uint64_t{1} << 50) - 27, (uint64_t{3} << 59) + 1}) {
    std::vector<uint64_t> samples(size_t{1} << 18);
    SeedExpander expander(PublicSeed{{std::byte{7}}}, modulus, best_isa());
    sample_uniform(expander, modulus, samples, best_isa());
    uint64_t n_bins = std::min<uint64_t>(modulus, 251);
    std::vector<uint64_t> bins(n_bins);
    std::vector<uint64_t> pairs(9);
    std::vector<double> probabilities(n_bins);
    auto bin_of = [&](uint64_t x, uint64_t n) {
      return static_cast<size_t>(static_cast<unsigned __int128>(x) * n / modulus);
    };
    for (size_t i = 0; i < samples.size(); ++i) {
      ASSERT_LT(samples[i], modulus);
      ++bins[bin_of(samples[i], n_bins)];
      if (i % 2 == 1) {
        ++pairs[3 * bin_of(samples[i - 1], 3) + bin_of(samples[i], 3)];
      }
    }
    // Bins of a small modulus are not all of a size.
    for (size_t bin = 0; bin < n_bins; ++bin) {
      auto first = [&](uint64_t b) {
        return (b * static_cast<unsigned __int128>(modulus) + n_bins - 1) / n_bins;
      };
      probabilities[bin] =
          static_cast<double>(first(bin + 1) - first(bin)) / static_cast<double>(modulus);
    }
    expect_distribution(bins, probabilities);
    if (modulus % 3 == 0 || modulus > 1000000) {
      expect_uniform(pairs);
    }
  }
}

// The bits of two streams agree in half of their places.
void expect_independent(RandomStream& one, RandomStream& other) {
  std::vector<uint64_t> left(size_t{1} << 14);
  std::vector<uint64_t> right(left.size());
  one.fill_words(left);
  other.fill_words(right);
  int64_t n_ones = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    n_ones += std::popcount(left[i] ^ right[i]);
  }
  double n = 64.0 * static_cast<double>(left.size());
  EXPECT_LT(std::abs(static_cast<double>(n_ones) - n / 2) / std::sqrt(n / 4), kMaxDeviation);
}

TEST(StreamStatistics, ForksAndStreamsAreIndependent) {
  SecureRandom parent = seeded_random(TestSeed::of(300), best_isa());
  SecureRandom first = parent.fork();
  SecureRandom second = parent.fork();
  SecureRandom grandchild = first.fork();
  expect_independent(parent, first);
  expect_independent(first, second);
  expect_independent(grandchild, second);
  expect_independent(parent, grandchild);
  SeedExpander stream(PublicSeed{}, 0, best_isa());
  SeedExpander next(PublicSeed{}, 1, best_isa());
  expect_independent(stream, next);
}

TEST(StreamStatistics, BytesAndBitsAreUniform) {
  SecureRandom random = seeded_random(TestSeed::of(400), best_isa());
  std::vector<uint64_t> words(size_t{1} << 17);
  random.fill_words(words);
  std::vector<uint64_t> bytes(256);
  std::vector<uint64_t> ones(64);
  for (uint64_t word : words) {
    for (size_t i = 0; i < 64; ++i) {
      ones[i] += (word >> i) & 1;
    }
    for (size_t i = 0; i < 8; ++i) {
      ++bytes[(word >> (8 * i)) & 255];
    }
  }
  expect_uniform(bytes);
  double chi2 = 0;
  for (uint64_t count : ones) {
    auto n = static_cast<double>(words.size());
    double deviation = (static_cast<double>(count) - n / 2) / std::sqrt(n / 4);
    chi2 += deviation * deviation;
  }
  EXPECT_LT(std::abs(deviation_of_chi2(chi2, ones.size())), kMaxDeviation);
}

}  // namespace
}  // namespace tacet::secure_random
