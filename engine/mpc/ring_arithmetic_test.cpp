#include "engine/mpc/ring_arithmetic.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "engine/mpc/ring_loops.h"
#include "engine/mpc/word_bytes.h"

namespace tacet::mpc {
namespace {

constexpr std::array kRings{Ring::Z32, Ring::Z64, Ring::Z128};

auto random_array(Ring ring, size_t n, uint64_t seed) -> RingArray {
  std::mt19937_64 random(seed);
  RingArray array(ring, n);
  for (std::byte& byte : array.edit_bytes()) {
    byte = static_cast<std::byte>(random());
  }
  return array;
}

auto mask_of(Ring ring) -> Word128 {
  return ring == Ring::Z128 ? ~Word128{0} : (Word128{1} << n_bits(ring)) - 1;
}

TEST(RingArray, CopiesShareWordsUntilOneIsEdited) {
  RingArray x = RingArray::of(std::vector<uint64_t>{1, 2, 3});
  const RingArray copy = x;
  EXPECT_EQ(x.words<uint64_t>().data(), copy.words<uint64_t>().data());
  x.edit<uint64_t>()[1] = 7;
  EXPECT_EQ(copy.at(1), 2U);
  EXPECT_EQ(x.at(1), 7U);
  EXPECT_EQ(x.at(2), 3U);
}

TEST(RingArray, ComesFromAPoolAndReturns) {
  const Memory memory = std::make_shared<ring::RowPool>();
  {
    const RingArray x(Ring::Z128, 1000, memory);
    const RingArray y = x.like(10);
    EXPECT_GE(memory->n_words_in_use(), 2020U);
  }
  EXPECT_EQ(memory->n_words_in_use(), 0U);
}

TEST(RingArithmetic, IsModuloTheRing) {
  for (const Ring ring : kRings) {
    const RingArray x = random_array(ring, 100, 1);
    const RingArray y = random_array(ring, 100, 2);
    const Word128 mask = mask_of(ring);
    for (size_t i = 0; i < x.size(); ++i) {
      const Word128 a = x.at(i);
      const Word128 b = y.at(i);
      EXPECT_TRUE(add(x, y).at(i) == ((a + b) & mask));
      EXPECT_TRUE(subtract(x, y).at(i) == ((a - b) & mask));
      EXPECT_TRUE(negate(x).at(i) == ((0 - a) & mask));
      EXPECT_TRUE(multiply(x, y).at(i) == (a * b & mask));
      EXPECT_TRUE(multiply_add(x, y, x).at(i) == ((a * b + a) & mask));
      EXPECT_TRUE(scale(x, 12345).at(i) == (a * 12345 & mask));
      EXPECT_TRUE(add_constant(x, mask).at(i) == ((a - 1) & mask));
      EXPECT_TRUE(shift_left(x, 13).at(i) == (a << 13 & mask));
      EXPECT_TRUE(shift_right(x, 13).at(i) == a >> 13);
      const bool is_negative = a >> (n_bits(ring) - 1) != 0;
      const Word128 sign = is_negative ? mask ^ mask >> 13 : 0;
      EXPECT_TRUE(shift_right_arithmetic(x, 13).at(i) == (a >> 13 | sign));
      EXPECT_TRUE(low_bits(x, 9).at(i) == (a & 511));
    }
  }
}

TEST(RingArithmetic, Converts) {
  const RingArray x = RingArray::of(std::vector<uint32_t>{5, 0x80000001});
  EXPECT_EQ(convert(x, Ring::Z64, Extend::Zero).at(1), 0x80000001U);
  EXPECT_EQ(convert(x, Ring::Z64, Extend::Sign).at(1), 0xFFFFFFFF80000001U);
  EXPECT_TRUE(convert(x, Ring::Z128, Extend::Sign).at(1) == 0 - Word128{0x7FFFFFFF});
  EXPECT_TRUE(convert(convert(x, Ring::Z128, Extend::Sign), Ring::Z32, Extend::Zero) == x);
}

TEST(RingArithmetic, SumsRows) {
  const RingArray x = RingArray::of(std::vector<uint64_t>{1, 2, 3, 4, 5, 6});
  EXPECT_TRUE(sum_rows(x, 3) == RingArray::of(std::vector<uint64_t>{6, 15}));
  EXPECT_TRUE(dot_rows(x, x, 2) == RingArray::of(std::vector<uint64_t>{5, 25, 61}));
}

TEST(RingArithmetic, MovesElements) {
  const RingArray x = RingArray::of(std::vector<uint32_t>{10, 20, 30});
  const std::array<uint32_t, 3> places{2, 0, 1};
  EXPECT_TRUE(gather(x, places) == RingArray::of(std::vector<uint32_t>{30, 10, 20}));
  EXPECT_TRUE(scatter(x, places) == RingArray::of(std::vector<uint32_t>{20, 30, 10}));
  EXPECT_TRUE(slice(x, 1, 2) == RingArray::of(std::vector<uint32_t>{20, 30}));
  EXPECT_TRUE(tile(x, 2) == RingArray::of(std::vector<uint32_t>{10, 20, 30, 10, 20, 30}));
  EXPECT_TRUE(repeat_each(x, 2) == RingArray::of(std::vector<uint32_t>{10, 10, 20, 20, 30, 30}));
  const std::array<RingArray, 2> parts{x, slice(x, 0, 1)};
  EXPECT_TRUE(concatenate(parts) == RingArray::of(std::vector<uint32_t>{10, 20, 30, 10}));
}

/// By the definition.
auto slow_product(const RingArray& x, const RingArray& y, MatrixShape shape) -> RingArray {
  RingArray out = RingArray::zeros(x.ring(), shape.rows * shape.columns);
  with_word(x.ring(), [&]<class T>(std::type_identity<T>) {
    for (size_t i = 0; i < shape.rows; ++i) {
      for (size_t j = 0; j < shape.columns; ++j) {
        for (size_t k = 0; k < shape.inner; ++k) {
          out.edit<T>()[i * shape.columns + j] +=
              x.words<T>()[i * shape.inner + k] * y.words<T>()[k * shape.columns + j];
        }
      }
    }
  });
  return out;
}

constexpr std::array<MatrixShape, 5> kShapes{
    {{1, 1, 1}, {4, 256, 32}, {5, 300, 67}, {9, 3, 100}, {64, 513, 33}}};

TEST(RingArithmetic, MultipliesMatricesOfAllShapes) {
  for (const Ring ring : kRings) {
    for (const MatrixShape& shape : kShapes) {
      const RingArray x = random_array(ring, shape.rows * shape.inner, 1);
      const RingArray y = random_array(ring, shape.inner * shape.columns, 2);
      EXPECT_TRUE(multiply_matrices(x, y, shape) == slow_product(x, y, shape));
    }
  }
}

#if defined(__x86_64__)
TEST(RingArithmetic, EveryInstructionSetGivesTheSameProducts) {
  for (const Ring ring : {Ring::Z32, Ring::Z64}) {
    for (const MatrixShape& shape : kShapes) {
      const RingArray x = random_array(ring, shape.rows * shape.inner, 1);
      const RingArray y = random_array(ring, shape.inner * shape.columns, 2);
      const RingArray expected = slow_product(x, y, shape);
      auto product_by = [&](auto kernel) {
        RingArray out = RingArray::zeros(ring, shape.rows * shape.columns);
        kernel(x, y, out);
        return out;
      };
      auto words = [&]<class T>(std::type_identity<T>, Isa isa) {
        return product_by([&](const RingArray& a, const RingArray& b, RingArray& out) {
          const T* left = a.words<T>().data();
          const T* right = b.words<T>().data();
          return isa == Isa::Avx2
                     ? add_matrix_product_avx2(left, right, out.edit<T>().data(), shape)
                     : add_matrix_product_avx512(left, right, out.edit<T>().data(), shape);
        });
      };
      for (const Isa isa : {Isa::Avx2, Isa::Avx512Ifma}) {
        if (is_supported(isa)) {
          EXPECT_TRUE((ring == Ring::Z32 ? words(std::type_identity<uint32_t>{}, isa)
                                         : words(std::type_identity<uint64_t>{}, isa)) == expected);
        }
      }
    }
  }
}
#endif

TEST(WordBytes, CutsAndExtends) {
  for (const Ring ring : kRings) {
    const RingArray x = random_array(ring, 33, 3);
    for (unsigned count = 1; count <= n_bits(ring); ++count) {
      std::vector<std::byte> bytes(33 * cut_size(count));
      cut_words(x, count, bytes);
      EXPECT_TRUE(uncut_words(bytes, count, ring, 33, nullptr) == low_bits(x, count)) << count;
    }
  }
}

}  // namespace
}  // namespace tacet::mpc
