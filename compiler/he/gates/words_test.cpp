#include "compiler/he/gates/words.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "compiler/he/gates/evaluate.h"

namespace tacet::gates {
namespace {

constexpr size_t kWidths[] = {1, 2, 3, 4, 7, 8, 13, 16, 32, 64};

auto mask(size_t width) -> uint64_t {
  return width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

auto as_signed(uint64_t value, size_t width) -> int64_t {
  const auto n = static_cast<unsigned>(64 - width);
  return static_cast<int64_t>(value << n) >> n;
}

/// Words of a width, all of them if they are few, else those at the edges and random ones.
auto words_of(size_t width, std::mt19937_64& random) -> std::vector<uint64_t> {
  std::vector<uint64_t> all;
  if (width <= 4) {
    for (uint64_t i = 0; i <= mask(width); ++i) {
      all.push_back(i);
    }
    return all;
  }
  const uint64_t top = uint64_t{1} << (width - 1);
  all = {0, 1, 2, 3, top - 1, top, top + 1, mask(width) - 1, mask(width)};
  for (int i = 0; i < 12; ++i) {
    all.push_back(random() & mask(width) >> random() % width);
  }
  return all;
}

using Circuit = std::function<Word(GraphBuilder&, const Word&, const Word&)>;
using Model = std::function<uint64_t(uint64_t, uint64_t)>;

/// For every width up to `widest`, the circuit gives what the model does.
void expect_computes(const Circuit& circuit, const std::function<Model(size_t)>& model_of,
                     size_t widest = 64) {
  std::mt19937_64 random(1);
  size_t n_compared = 0;
  for (const size_t width : kWidths) {
    if (width > widest) {
      continue;
    }
    GraphBuilder builder;
    const Word a = builder.input("a", width);
    const Word b = builder.input("b", width);
    const Word result = circuit(builder, a, b);
    const size_t result_width = result.size();
    builder.output("out", result);
    const Graph graph = builder.take();
    const Model model = model_of(width);
    const std::vector<uint64_t> words = words_of(width, random);
    for (const uint64_t x : words) {
      for (const uint64_t y : words) {
        ASSERT_EQ(evaluate_words(graph, std::vector{x, y}).at(0), model(x, y) & mask(result_width))
            << width << " bits: " << x << ", " << y;
        ++n_compared;
      }
    }
  }
  EXPECT_GT(n_compared, 1000);
}

/// How many gates and levels there are for two words of a width.
auto cost_of(const Circuit& circuit, size_t width) -> std::pair<size_t, uint32_t> {
  GraphBuilder builder;
  const Word a = builder.input("a", width);
  const Word b = builder.input("b", width);
  builder.output("out", circuit(builder, a, b));
  const Graph graph = without_unused(builder.take());
  return {n_bootstraps(graph), depth(graph)};
}

TEST(Words, AreAdded) {
  for (const size_t block : std::initializer_list<size_t>{0, 1, 2, 3, 5, 8, 100}) {
    expect_computes([&](auto& builder, const Word& a,
                        const Word& b) { return add(builder, a, b, kFalse, {block}).bits; },
                    [](size_t) -> Model { return [](uint64_t a, uint64_t b) { return a + b; }; });
    expect_computes([&](auto& builder, const Word& a,
                        const Word& b) { return subtract(builder, a, b, {block}).bits; },
                    [](size_t) -> Model { return [](uint64_t a, uint64_t b) { return a - b; }; });
    // A carry that is not known.
    expect_computes([&](auto& builder, const Word& a,
                        const Word& b) { return add(builder, a, b, a.back(), {block}).bits; },
                    [](size_t width) -> Model {
                      return [=](uint64_t a, uint64_t b) { return a + b + (a >> (width - 1)); };
                    });
  }
}

TEST(Words, AreComparedWithAndWithoutSigns) {
  for (const size_t block : std::initializer_list<size_t>{0, 2, 4}) {
    expect_computes(
        [&](auto& builder, const Word& a, const Word& b) {
          return Word{less(builder, a, b, Signedness::Unsigned, {block})};
        },
        [](size_t) -> Model { return [](uint64_t a, uint64_t b) { return a < b ? 1U : 0U; }; });
    expect_computes(
        [&](auto& builder, const Word& a, const Word& b) {
          return Word{less(builder, a, b, Signedness::Signed, {block})};
        },
        [](size_t width) -> Model {
          return [=](uint64_t a, uint64_t b) {
            return as_signed(a, width) < as_signed(b, width) ? 1U : 0U;
          };
        });
  }
  expect_computes(
      [](auto& builder, const Word& a, const Word& b) { return Word{equal(builder, a, b)}; },
      [](size_t) -> Model { return [](uint64_t a, uint64_t b) { return a == b ? 1U : 0U; }; });
}

TEST(Words, AreNegatedAndSelected) {
  expect_computes([](auto& builder, const Word& a, const Word&) { return negate(builder, a); },
                  [](size_t) -> Model { return [](uint64_t a, uint64_t) { return 0 - a; }; });
  expect_computes(
      [](auto& builder, const Word& a, const Word& b) {
        return select(builder, less(builder, a, b, Signedness::Unsigned), a,
                      negate_if(builder, a.front(), b));
      },
      [](size_t) -> Model {
        return [](uint64_t a, uint64_t b) { return a < b ? a : a % 2 != 0 ? 0 - b : b; };
      });
}

TEST(Words, AreMultiplied) {
  for (const Signedness signedness : {Signedness::Unsigned, Signedness::Signed}) {
    expect_computes([=](auto& builder, const Word& a,
                        const Word& b) { return multiply(builder, a, b, signedness, a.size()); },
                    [](size_t) -> Model { return [](uint64_t a, uint64_t b) { return a * b; }; });
    // All of a product, of words that are narrower than it.
    expect_computes(
        [=](auto& builder, const Word& a, const Word& b) {
          return multiply(builder, resized(a, 64, signedness), resized(b, 64, signedness),
                          signedness, 64);
        },
        [=](size_t width) -> Model {
          return [=](uint64_t a, uint64_t b) {
            return signedness == Signedness::Signed ? static_cast<uint64_t>(as_signed(a, width)) *
                                                          static_cast<uint64_t>(as_signed(b, width))
                                                    : a * b;
          };
        });
  }
}

TEST(Words, AreAddedInColumns) {
  for (const Signedness signedness : {Signedness::Unsigned, Signedness::Signed}) {
    const auto value = [=](uint64_t word, size_t width) {
      return signedness == Signedness::Signed ? static_cast<uint64_t>(as_signed(word, width))
                                              : word;
    };
    expect_computes(
        [=](auto& builder, const Word& a, const Word& b) {
          ColumnSum sum(builder, std::min<size_t>(2 * a.size() + 2, 64));
          sum.add(a, signedness);
          sum.add_product(a, b, signedness);
          sum.add(resized(b, b.size() + 3, signedness), signedness);
          sum.add(constant(5, 8), signedness);
          return sum.finish();
        },
        [=](size_t width) -> Model {
          return [=](uint64_t a, uint64_t b) {
            return value(a, width) * (1 + value(b, width)) + value(b, width) + 5;
          };
        });
  }
}

TEST(Words, AreDivided) {
  expect_computes(
      [](auto& builder, const Word& a, const Word& b) {
        return divide(builder, a, b, Signedness::Unsigned).quotient;
      },
      [](size_t) -> Model { return [](uint64_t a, uint64_t b) { return b == 0 ? 0 : a / b; }; });
  expect_computes(
      [](auto& builder, const Word& a, const Word& b) {
        return divide(builder, a, b, Signedness::Unsigned).remainder;
      },
      [](size_t) -> Model { return [](uint64_t a, uint64_t b) { return b == 0 ? a : a % b; }; });
  const auto signed_model = [](bool is_quotient) {
    return [=](size_t width) -> Model {
      return [=](uint64_t a, uint64_t b) -> uint64_t {
        const int64_t x = as_signed(a, width);
        const int64_t y = as_signed(b, width);
        if (y == 0 || y == -1) {
          return is_quotient ? (y == 0 ? 0 : 0 - a) : (y == 0 ? a : 0);
        }
        return static_cast<uint64_t>(is_quotient ? x / y : x % y);
      };
    };
  };
  for (const bool is_quotient : {true, false}) {
    expect_computes(
        [=](auto& builder, const Word& a, const Word& b) {
          const Division division = divide(builder, a, b, Signedness::Signed);
          return is_quotient ? division.quotient : division.remainder;
        },
        signed_model(is_quotient));
  }
}

TEST(Words, AreShiftedByDistancesModuloTheirWidth) {
  for (const Shift direction : {Shift::Left, Shift::Right, Shift::RightArithmetic}) {
    std::mt19937_64 random(2);
    for (const size_t width : std::initializer_list<size_t>{1, 8, 16, 32, 64}) {
      GraphBuilder builder;
      const Word a = builder.input("a", width);
      const Word b = builder.input("b", width);
      builder.output("out", shift(builder, direction, a, b));
      const Graph graph = builder.take();
      for (const uint64_t x : words_of(width, random)) {
        for (const uint64_t y : words_of(width, random)) {
          const uint64_t by = y % width;
          const uint64_t expected = direction == Shift::Left ? x << by
                                    : direction == Shift::Right
                                        ? x >> by
                                        : static_cast<uint64_t>(as_signed(x, width) >> by);
          ASSERT_EQ(evaluate_words(graph, std::vector{x, y}).at(0), expected & mask(width))
              << width << " bits: " << x << ", " << y;
        }
      }
    }
  }
}

TEST(Words, AreReadAtIndices) {
  for (const size_t n : std::initializer_list<size_t>{1, 2, 3, 5, 8, 13}) {
    GraphBuilder builder;
    const Word index = builder.input("index", 4);
    std::vector<Word> words;
    for (size_t i = 0; i < n; ++i) {
      words.push_back(builder.input(std::string("w") + std::to_string(i), 8));
    }
    builder.output("out", selected(builder, one_hot(builder, index, n), words));
    const Graph graph = builder.take();
    for (uint64_t at = 0; at < 16; ++at) {
      std::vector<uint64_t> inputs = {at};
      for (size_t i = 0; i < n; ++i) {
        inputs.push_back(17 * i + 3);
      }
      EXPECT_EQ(evaluate_words(graph, inputs).at(0), at < n ? 17 * at + 3 : 0) << at << " of " << n;
    }
  }
}

TEST(Words, OfTablesAreReadAtIndices) {
  std::mt19937_64 random(7);
  for (const size_t n_bits : {1, 3, 6}) {
    for (size_t n = 1; n <= 150; n += n < 40 ? 1 : 37) {
      for (const size_t n_index : {1, 4, 8, 11}) {
        GraphBuilder builder;
        const Word index = builder.input("index", n_index);
        std::vector<Word> words;
        std::vector<uint64_t> numbers;
        std::vector<uint64_t> inputs = {0};
        for (size_t i = 0; i < n; ++i) {
          numbers.push_back(random() & mask(n_bits));
          if (random() % 2 == 0) {
            words.push_back(constant(numbers.back(), n_bits));
          } else {
            words.push_back(builder.input(std::string("w") + std::to_string(i), n_bits));
            inputs.push_back(numbers.back());
          }
        }
        builder.output("out", read_at(builder, index, words));
        const Graph graph = builder.take();
        for (uint64_t at = 0; at <= mask(n_index); at += n_index == 11 ? 13 : 1) {
          inputs[0] = at;
          ASSERT_EQ(evaluate_words(graph, inputs).at(0), at < n ? numbers[at] : 0)
              << at << " of " << n << ", " << n_index << " bits";
        }
      }
    }
  }
}

TEST(Words, CostWhatTheirDescriptionsSay) {
  const auto sum = [](size_t block) {
    return [=](GraphBuilder& builder, const Word& a, const Word& b) {
      return add(builder, a, b, kFalse, {block}).bits;
    };
  };
  EXPECT_EQ(cost_of(sum(0), 8), (std::pair<size_t, uint32_t>{15, 8}));
  EXPECT_EQ(cost_of(sum(0), 64), (std::pair<size_t, uint32_t>{127, 64}));
  EXPECT_EQ(cost_of(sum(8), 64), (std::pair<size_t, uint32_t>{237, 16}));
  EXPECT_EQ(cost_of([](auto& builder, const Word& a,
                       const Word& b) { return Word{less(builder, a, b, Signedness::Signed)}; },
                    8),
            (std::pair<size_t, uint32_t>{8, 8}));
  EXPECT_EQ(cost_of([](auto& builder, const Word& a,
                       const Word& b) { return multiply(builder, a, b, Signedness::Signed, 8); },
                    8),
            (std::pair<size_t, uint32_t>{85, 8}));
}

TEST(Graph, IsInNormalForm) {
  GraphBuilder builder;
  const Word a = builder.input("a", 3);
  EXPECT_EQ(builder.majority(a[0], a[0], a[1]), a[0]);
  EXPECT_EQ(builder.majority(a[1], !a[0], a[0]), a[1]);
  EXPECT_EQ(builder.majority(kFalse, a[0], kTrue), a[0]);
  EXPECT_EQ(builder.majority(!a[0], !a[1], !a[2]), !builder.majority(a[2], a[1], a[0]));
  EXPECT_EQ(builder.parity(!a[0], a[1], a[2]), !builder.parity(a[0], a[1], a[2]));
  EXPECT_EQ(builder.parity(a[0], a[1], a[0]), a[1]);
  EXPECT_EQ(builder.exclusive(a[0], !a[0]), kTrue);
  EXPECT_EQ(builder.exclusive(builder.exclusive(a[0], a[1]), a[2]),
            builder.parity(a[0], a[1], a[2]));
  EXPECT_EQ(builder.xor_and(!a[0], a[2], !a[1]), !builder.xor_and(a[0], !a[1], a[2]));
  EXPECT_EQ(builder.xor_and(a[0], a[0], a[1]), builder.conjunction(a[0], !a[1]));
  EXPECT_EQ(builder.xor_and(a[0], a[1], !a[0]), builder.disjunction(a[0], a[1]));
  EXPECT_EQ(builder.xor_and(!a[0], a[1], !a[0]), builder.conjunction(!a[0], !a[1]));
  EXPECT_EQ(builder.xor_and(kTrue, a[1], a[2]), !builder.conjunction(a[1], a[2]));
  EXPECT_EQ(builder.xor_and(a[0], kTrue, a[2]), builder.exclusive(a[0], a[2]));
  EXPECT_EQ(builder.xor_and(a[0], a[1], !a[1]), a[0]);
  EXPECT_EQ(builder.select(a[0], kTrue, a[1]), builder.disjunction(a[0], a[1]));
  EXPECT_EQ(builder.select(a[0], a[1], !a[1]), !builder.exclusive(a[0], a[1]));
}

}  // namespace
}  // namespace tacet::gates
