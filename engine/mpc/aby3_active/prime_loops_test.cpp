#include "engine/mpc/aby3_active/prime_loops.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <memory>
#include <random>
#include <vector>

#include "base/cpu.h"
#include "engine/mpc/aby3_active/prime_kernels.h"

namespace tacet::mpc {

#if defined(__x86_64__)
extern template struct PrimeKernels<1>;
TACET_PRIME_KERNELS_OF_WORD(extern, 1, uint32_t)
TACET_PRIME_KERNELS_OF_WORD(extern, 1, uint64_t)
#endif
extern template struct PrimeKernels<0>;
TACET_PRIME_KERNELS_OF_WORD(extern, 0, uint32_t)
TACET_PRIME_KERNELS_OF_WORD(extern, 0, uint64_t)

namespace {

using Integer = boost::multiprecision::cpp_int;

constexpr std::array<uint64_t, 2> kModuli{(uint64_t{1} << 50) + 55, (uint64_t{1} << 51) - 129};
constexpr std::array<size_t, 8> kLengths{1, 2, 7, 8, 9, 63, 128, 1024};

/// The kernels of each instruction set, and what they should give in whole numbers.
class PrimeLoops : public testing::Test {
 protected:
  std::mt19937_64 random{5};

  /// Uniform, and sometimes all zeros or ones.
  auto word() -> uint64_t {
    const uint64_t kind = random() % 8;
    return kind == 0 ? 0 : kind == 1 ? ~uint64_t{0} : random();
  }
  auto element(uint64_t p) -> uint64_t {
    const uint64_t kind = random() % 8;
    return kind == 0 ? 0 : kind == 1 ? p - 1 : random() % p;
  }
  auto elements(uint64_t p, size_t n) -> std::vector<uint64_t> {
    std::vector<uint64_t> out(n);
    std::generate(out.begin(), out.end(), [&] { return element(p); });
    return out;
  }
  template <class Word>
  auto words(size_t n) -> std::vector<Word> {
    std::vector<Word> out(n);
    std::generate(out.begin(), out.end(), [&] { return static_cast<Word>(word()); });
    return out;
  }
  template <class Body>
  static void for_each_set(Body body) {
    body(PrimeKernels<0>());
#if defined(__x86_64__)
    if (is_supported(Isa::Avx512Ifma)) {
      SCOPED_TRACE("52-bit products");
      body(PrimeKernels<1>());
    }
#endif
  }
  template <class Word>
  void expect_right_carries(size_t length);
};

TEST_F(PrimeLoops, Elements) {
  for (const uint64_t p : kModuli) {
    const PrimeField field(p);
    const auto power = static_cast<uint64_t>((Word128{1} << 52) % p);
    for (const size_t n : kLengths) {
      const std::vector<uint64_t> any = words<uint64_t>(n);
      const std::vector<uint32_t> small = words<uint32_t>(n);
      const std::vector<uint64_t> x = elements(p, n);
      const std::vector<uint64_t> y = elements(p, n);
      Integer dot = 0;
      for (size_t i = 0; i < n; ++i) {
        dot += Integer(x[i]) * y[i];
      }
      for_each_set([&](auto kernels) {
        std::vector<uint64_t> out(n);
        kernels.reduce_words(field, any.data(), n, out.data());
        for (size_t i = 0; i < n; ++i) {
          EXPECT_EQ(out[i], any[i] % p);
        }
        kernels.reduce_words(field, small.data(), n, out.data());
        EXPECT_TRUE(std::equal(out.begin(), out.end(), small.begin()));
        kernels.add_elements(field, x.data(), y.data(), n, out.data());
        for (size_t i = 0; i < n; ++i) {
          EXPECT_EQ(out[i], (x[i] + y[i]) % p);
        }
        out = x;
        kernels.weigh_elements(field, y.data(), n, out.data());
        for (size_t i = 0; i < n; ++i) {
          EXPECT_LT(out[i], p);
          EXPECT_EQ(Word128{out[i]} * power % p, Word128{x[i]} * y[i] % p);
        }
        EXPECT_EQ(Integer(kernels.dot_of_elements(x.data(), y.data(), n)), dot);
      });
    }
  }
}

TEST_F(PrimeLoops, PairsOfRows) {
  const uint64_t p = kModuli[1];
  for (const size_t rows : {size_t{1}, size_t{2}, size_t{8}, size_t{17}}) {
    for (const size_t n : kLengths) {
      const size_t stride = n + 3;
      std::array<std::vector<uint64_t>, 4> x;
      std::generate(x.begin(), x.end(), [&] { return elements(p, stride * rows); });
      std::vector<Integer> expected(n_pairs(rows));
      for (size_t c = 1; c < rows; ++c) {
        for (size_t a = 0; a <= c; ++a) {
          for (size_t b = 0; b < n; ++b) {
            const auto at = [&](size_t i) {
              return Integer(x[i][a * stride + b]) + (a == c ? 0 : x[i][c * stride + b]);
            };
            expected[pair_index(a, c)] += at(0) * at(3) + at(1) * at(2);
          }
        }
      }
      for_each_set([&](auto kernels) {
        std::vector<Word128> sums(n_pairs(rows), 1);
        kernels.add_pairs({x[0].data(), x[1].data(), x[2].data(), x[3].data(), stride, rows}, n,
                          sums.data());
        for (size_t i = 0; i < sums.size(); ++i) {
          EXPECT_EQ(Integer(sums[i]), expected[i] + 1) << rows << ' ' << n << ' ' << i;
        }
      });
    }
  }
}

TEST_F(PrimeLoops, SumsOfRows) {
  for (const uint64_t p : kModuli) {
    const PrimeField field(p);
    const auto power = static_cast<uint64_t>((Word128{1} << 52) % p);
    for (const size_t rows : {size_t{1}, size_t{8}, size_t{17}, size_t{32}}) {
      for (const size_t n : kLengths) {
        const std::vector<uint64_t> x = elements(p, n * rows);
        const std::vector<uint64_t> weights =
            n == 8 ? std::vector<uint64_t>(rows, p - 1) : elements(p, rows);
        for_each_set([&](auto kernels) {
          std::vector<uint64_t> out = x;
          kernels.combine_elements(field, out.data(), n, rows, weights.data(), n, out.data());
          for (size_t b = 0; b < n; ++b) {
            Word128 sum = 0;
            for (size_t a = 0; a < rows; ++a) {
              sum += Word128{weights[a]} * x[a * n + b] % p;
            }
            EXPECT_LT(out[b], p);
            EXPECT_EQ(Word128{out[b]} * power % p, sum % p);
          }
        });
      }
    }
  }
}

TEST_F(PrimeLoops, WeightsOfBits) {
  const PrimeField field(kModuli[1]);
  const std::vector<uint64_t> bits = words<uint64_t>(kCarrySums);
  const std::vector<uint64_t> weights = elements(field.modulus(), kCarrySums);
  for_each_set([&](auto kernels) {
    std::vector<uint64_t> out(kCarryBlock);
    kernels.weights_of_bits(field, bits.data(), weights.data(), out.data());
    for (size_t i = 0; i < kCarryBlock; ++i) {
      Word128 sum = 0;
      for (size_t j = 0; j < kCarrySums; ++j) {
        sum += (bits[j] >> i & 1) != 0 ? weights[j] : 0;
      }
      EXPECT_EQ(out[i], sum % field.modulus());
    }
  });
}

TEST_F(PrimeLoops, SumsOfCarries) {
  const auto carries = std::make_unique<CarryBlock>();
  for (size_t i = 0; i < kCarryBlock; ++i) {
    for (size_t row = 0; row < kCarryRows; ++row) {
      carries->low[i][row] = static_cast<int64_t>(word() >> 24);
      carries->high[i][row] = static_cast<int64_t>(word()) >> 10;
    }
  }
  const std::vector<uint64_t> bits = words<uint64_t>(kCarrySums);
  for_each_set([&](auto kernels) {
    const auto sums = std::make_unique<CarrySums>();
    kernels.add_carries(*carries, bits.data(), *sums);
    kernels.add_carries(*carries, bits.data(), *sums);
    for (size_t j = 0; j < kCarrySums; ++j) {
      for (size_t row = 0; row < kCarryRows; ++row) {
        int64_t low = 0;
        int64_t high = 0;
        for (size_t i = 0; i < kCarryBlock; ++i) {
          low += (bits[j] >> i & 1) != 0 ? 2 * carries->low[i][row] : 0;
          high += (bits[j] >> i & 1) != 0 ? 2 * carries->high[i][row] : 0;
        }
        EXPECT_EQ(sums->low[j][row], low);
        EXPECT_EQ(sums->high[j][row], high);
      }
    }
  });
}

/// What the carry is by its definition: of a summand with masks that are whole numbers.
template <class Word>
void PrimeLoops::expect_right_carries(size_t length) {
  constexpr size_t kN = 40;
  constexpr unsigned kBits = 8 * sizeof(Word);
  const std::array x{words<Word>(kN * length), words<Word>(kN * length)};
  const std::array y{words<Word>(kN * length), words<Word>(kN * length)};
  std::array z{words<Word>(kN), words<Word>(kN)};
  std::vector<ClaimOrigin> origins(kN);
  std::vector<Integer> expected(kN);
  for (size_t i = 0; i < kN; ++i) {
    Integer summand = 0;
    for (size_t k = i * length; k < (i + 1) * length; ++k) {
      summand += Integer(x[0][k]) * y[0][k] + Integer(x[0][k]) * y[1][k];
      summand += Integer(x[1][k]) * y[0][k];
    }
    const Integer size = Integer(1) << kBits;
    const auto low = static_cast<Word>(Integer(summand % size));
    if (i % 5 == 0) {
      origins[i] = ClaimOrigin::Others;
    } else if (i % 5 == 1) {
      origins[i] = ClaimOrigin::Dealt;
      z[1][i] = static_cast<Word>(low - z[0][i]);
      expected[i] = (summand - z[0][i] - z[1][i]) / size;
    } else {
      const Word plus = static_cast<Word>(word());
      const Word minus = i % 5 == 2 ? plus : static_cast<Word>(word());
      origins[i] = plus < minus ? ClaimOrigin::Borrow : ClaimOrigin::NoBorrow;
      z[0][i] = static_cast<Word>(low + static_cast<Word>(plus - minus));
      const Integer rest = summand + plus - minus - z[0][i];
      EXPECT_EQ(rest % size, 0);
      expected[i] = rest / size;
    }
  }
  const ClaimWords<Word> claims{.x = {x[0].data(), x[1].data()},
                                .y = {y[0].data(), y[1].data()},
                                .z = {z[0].data(), z[1].data()},
                                .origins = origins.data(),
                                .length = length};
  for_each_set([&](auto kernels) {
    const auto out = std::make_unique<CarryBlock>();
    kernels.compute_carries(claims, kN, 3, *out);
    for (size_t i = 0; i < kN; ++i) {
      EXPECT_GE(out->low[i][3], 0);
      EXPECT_LT(out->low[i][3], int64_t{1} << kLowCarryBits);
      const Integer carry = Integer(out->low[i][3]) + (Integer(out->high[i][3]) << kLowCarryBits);
      EXPECT_EQ(carry, expected[i]) << i;
    }
  });
}

TEST_F(PrimeLoops, Carries) {
  for (const size_t length : {size_t{1}, size_t{2}, size_t{50}}) {
    for (size_t i = 0; i < 20; ++i) {
      expect_right_carries<uint32_t>(length);
      expect_right_carries<uint64_t>(length);
    }
  }
}

}  // namespace
}  // namespace tacet::mpc
