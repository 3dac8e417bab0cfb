#include "engine/mpc/aby3_active/check_loops.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <type_traits>
#include <vector>

#include "base/cpu.h"
#include "engine/mpc/aby3_active/check_kernels.h"

namespace tacet::mpc {

#define TACET_CHECK_LOOPS(...) extern template struct CheckKernels<__VA_ARGS__, 0>;
#include "engine/mpc/aby3_active/algebras.def"
#undef TACET_CHECK_LOOPS
#if defined(__x86_64__)
#define TACET_CHECK_LOOPS(...)                         \
  extern template struct CheckKernels<__VA_ARGS__, 1>; \
  extern template struct CheckKernels<__VA_ARGS__, 2>;
#include "engine/mpc/aby3_active/algebras.def"
#undef TACET_CHECK_LOOPS
extern template struct CheckKernels<BinaryField<64>, 3>;
#endif

namespace {

/// The kernels of each instruction set, and what they should give, from the algebra's own
/// operations, a term at a time.
template <class A>
class CheckLoops : public testing::Test {
 protected:
  using Word = typename A::Word;
  using Weight = typename A::Weight;
  using Element = typename A::Element;
  template <class T>
  using Parts = std::array<std::vector<T>, 2>;
  static constexpr std::array<size_t, 9> kSizes{1, 2, 7, 8, 9, 63, 64, 65, 130};

  std::mt19937_64 random{7};

  /// Uniform, and sometimes all zeros or ones.
  auto bits() -> uint64_t {
    const uint64_t kind = random() % 8;
    return kind == 0 ? 0 : kind == 1 ? ~uint64_t{0} : random();
  }
  auto word() -> Word {
    if constexpr (sizeof(Word) == 16) {
      return Word{bits()} << 64 | bits();
    } else {
      return static_cast<Word>(bits());
    }
  }
  auto element() -> Element {
    Element element{};
    if constexpr (A::kWordElements == 1) {
      for (Word& word_of_element : element) {
        word_of_element = word();
      }
    } else {
      element = bits();
      A::clean(element);
    }
    return element;
  }
  auto words(size_t n) -> std::vector<Word> {
    std::vector<Word> out(n);
    for (Word& x : out) {
      x = word();
    }
    return out;
  }
  auto elements(size_t n) -> std::vector<Element> {
    std::vector<Element> out(n);
    for (Element& x : out) {
      x = element();
    }
    return out;
  }
  auto weights(size_t n) -> std::vector<Weight> {
    std::vector<Weight> out(n);
    for (Weight& x : out) {
      x = A::weight(bits());
    }
    return out;
  }
  template <class T>
  static auto of(const Parts<T>& parts, size_t from = 0) -> PartsOf<T> {
    return {parts[0].data() + from, parts[1].data() + from};
  }

  static auto times(const Element& x, Weight weight) -> Element {
    typename A::Wide product{};
    A::weigh_add(product, x, weight);
    return A::reduced(product);
  }
  /// sum += weight word.
  static void add_word(Element& sum, Word word, Weight weight) {
    if constexpr (A::kWordElements == 1) {
      A::add_word(sum, word, weight);
    } else {
      A::add(sum, times(word, weight));
    }
  }

  template <class Body>
  static void for_each_set(Body body) {
    for (const Isa isa : supported_isas()) {
      SCOPED_TRACE(isa_name(isa));
      switch (isa) {
        case Isa::Scalar:
          body(CheckKernels<A, 0>());
          break;
#if defined(__x86_64__)
        case Isa::Avx2:
          body(CheckKernels<A, 1>());
          break;
        case Isa::Avx512Ifma:
          body(CheckKernels<A, 2>());
          if constexpr (std::is_same_v<A, BinaryField<64>>) {
            if (__builtin_cpu_supports("vpclmulqdq") != 0) {
              SCOPED_TRACE("carry-less products");
              body(CheckKernels<A, 3>());
            }
          }
          break;
#else
        case Isa::Avx2:
        case Isa::Avx512Ifma:
          break;
#endif
      }
    }
  }
};

using Algebras = testing::Types<GaloisRing<uint32_t, 47, 5>, GaloisRing<uint64_t, 47, 5>,
                                GaloisRing<Word128, 47, 5>, BinaryField<64>>;
TYPED_TEST_SUITE(CheckLoops, Algebras);

TYPED_TEST(CheckLoops, PairsOfRows) {
  using A = TypeParam;
  for (const size_t rows : std::array<size_t, 5>{1, 2, 9, 31, 32}) {
    for (const size_t columns : this->kSizes) {
      SCOPED_TRACE(rows * 1000 + columns);
      const std::array x{this->words(rows * columns), this->words(rows * columns)};
      const std::array y{this->words(rows * columns), this->words(rows * columns)};
      const auto weights = this->weights(columns);
      std::vector<typename A::Element> expected(n_pairs(rows));
      for (size_t c = 0; c < rows; ++c) {
        for (size_t a = 0; a <= c; ++a) {
          for (size_t b = 0; b < columns; ++b) {
            const auto sum = [&](const std::vector<typename A::Word>& words) {
              const auto word = words[a * columns + b];
              return a == c ? word : A::plus(word, words[c * columns + b]);
            };
            this->add_word(expected[pair_index(a, c)],
                           A::local_product(sum(x[0]), sum(x[1]), sum(y[0]), sum(y[1])),
                           weights[b]);
          }
        }
      }
      const Block<A> block{.x = this->of(x),
                           .y = this->of(y),
                           .rows = rows,
                           .columns = columns,
                           .weights = weights.data()};
      this->for_each_set([&](auto kernels) {
        std::vector<typename A::Word> space(columns);
        std::vector<typename A::Element> out(n_pairs(rows));
        kernels.multiply_rows(block, space.data(), out.data());
        EXPECT_TRUE(out == expected);
      });
    }
  }
}

TYPED_TEST(CheckLoops, SumsOfRowsAndColumns) {
  using A = TypeParam;
  constexpr size_t kElements = A::kWordElements;
  for (const size_t rows : std::array<size_t, 5>{1, 3, 8, 32, 33}) {
    for (const size_t columns : this->kSizes) {
      SCOPED_TRACE(rows * 1000 + columns);
      const auto x = this->words(rows * columns);
      const auto of_rows = this->weights(rows);
      const auto of_columns = this->weights(columns);
      std::vector<typename A::Element> by_rows(rows);
      std::vector<typename A::Element> by_columns(columns * kElements);
      for (size_t a = 0; a < rows; ++a) {
        for (size_t b = 0; b < columns; ++b) {
          const auto word = x[a * columns + b];
          this->add_word(by_rows[a], word, of_columns[b]);
          for (size_t i = 0; i < kElements; ++i) {
            const auto bit = kElements == 1 ? word : static_cast<decltype(word)>(word >> i & 1);
            this->add_word(by_columns[b * kElements + i], bit, of_rows[a]);
          }
        }
      }
      this->for_each_set([&](auto kernels) {
        std::vector<typename A::Element> out(rows);
        kernels.weigh_rows(x.data(), rows, columns, of_columns.data(), out.data());
        EXPECT_TRUE(out == by_rows);
        out.assign(columns * kElements, {});
        kernels.combine_rows(x.data(), rows, columns, of_rows.data(), out.data());
        EXPECT_TRUE(out == by_columns);
      });
    }
  }
}

TYPED_TEST(CheckLoops, Elements) {
  using A = TypeParam;
  for (const size_t n : this->kSizes) {
    SCOPED_TRACE(n);
    const std::array x{this->elements(n), this->elements(n)};
    const std::array y{this->elements(n), this->elements(n)};
    const auto weights = this->weights(n);
    typename A::Wide wide{};
    auto weighed = x[0];
    auto sums = y[0];
    for (size_t i = 0; i < n; ++i) {
      auto both = y[0][i];
      A::add(both, y[1][i]);
      A::multiply_add(wide, x[0][i], both);
      A::multiply_add(wide, x[1][i], y[0][i]);
      weighed[i] = this->times(x[0][i], weights[i]);
      A::add(sums[i], this->times(x[0][i], weights[0]));
    }
    this->for_each_set([&](auto kernels) {
      EXPECT_TRUE(kernels.local_dot(this->of(x), this->of(y), n) == A::reduced(wide));
      auto out = x[0];
      kernels.weigh_each(out.data(), n, weights.data());
      EXPECT_TRUE(out == weighed);
      out = y[0];
      kernels.add_weighed(out.data(), x[0].data(), n, weights[0]);
      EXPECT_TRUE(out == sums);
    });
  }
}

}  // namespace
}  // namespace tacet::mpc
