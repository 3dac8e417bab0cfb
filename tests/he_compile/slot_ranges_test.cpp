// Ranges of slots hold whatever a computation puts there, and are narrow where one vector is
// enough.

#include "compiler/he/lower/slot_ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/harness/rounds.h"

namespace tacet::he_lower {
namespace {

using Slots = std::vector<double>;

/// Vectors with numbers, beside what is known of them.
class Vectors {
 public:
  explicit Vectors(uint64_t seed) : random_(seed) {}

  void add_any() {
    std::uniform_real_distribution<double> any(-1.5, 1.5);
    const double a = any(random_);
    const double b = any(random_);
    const array::RealInterval range{std::min(a, b), std::max(a, b)};
    std::uniform_real_distribution<double> inside(range.low, range.high);
    Slots slots(kSlots);
    std::generate(slots.begin(), slots.end(), [&] { return inside(random_); });
    slots[0] = range.low;
    slots[1] = range.high;
    keep(std::move(slots), ranges_.any(range));
  }

  /// With one of two kinds of padding.
  void add_padded() {
    const bool is_front = random_() % 2 == 0;
    const double outside = static_cast<double>(random_() % 3);
    std::uniform_real_distribution<double> inside(2, 3);
    Slots slots(kSlots, outside);
    const size_t begin = is_front ? 0 : 40;
    std::generate_n(slots.begin() + static_cast<std::ptrdiff_t>(begin), 24,
                    [&] { return inside(random_); });
    keep(std::move(slots), ranges_.padded({2, 3}, outside, is_front ? "front" : "back"));
  }

  void add_number() {
    const double number = static_cast<double>(random_() % 9) / 4 - 1;
    keep(Slots(kSlots, number), ranges_.number(number));
  }

  void operate() {
    const size_t a = random_() % slots_.size();
    const size_t b = random_() % 3 == 0 ? a : random_() % slots_.size();
    Slots result = slots_[a];
    switch (random_() % 5) {
      case 0:
        map(result, b, [](double x, double y) { return x + y; });
        return keep(std::move(result), ranges_.sum(ids_[a], ids_[b]));
      case 1:
        map(result, b, [](double x, double y) { return x - y; });
        return keep(std::move(result), ranges_.difference(ids_[a], ids_[b]));
      case 2:
        map(result, b, [](double x, double y) { return x * y; });
        return keep(std::move(result), ranges_.product(ids_[a], ids_[b]));
      case 3: {
        const auto [low, high] = std::minmax_element(result.begin(), result.end());
        const array::RealInterval known{*low, *high + static_cast<double>(random_() % 2)};
        return keep(std::move(result), ranges_.within(ids_[a], known));
      }
      default:
        std::rotate(result.begin(), result.begin() + 7, result.end());
        return keep(std::move(result), ranges_.moved(ids_[a]));
    }
  }

 private:
  static constexpr size_t kSlots = 64;

  template <class F>
  void map(Slots& result, size_t b, const F& f) {
    for (size_t i = 0; i < kSlots; ++i) {
      result[i] = f(result[i], slots_[b][i]);
    }
  }

  void keep(Slots slots, SlotRanges::Id id) {
    const array::RealInterval range = ranges_.range(id);
    const double slack = 1e-9 * (1 + std::abs(range.low) + std::abs(range.high));
    for (const double number : slots) {
      ASSERT_GE(number, range.low - slack);
      ASSERT_LE(number, range.high + slack);
    }
    slots_.push_back(std::move(slots));
    ids_.push_back(id);
  }

  std::mt19937_64 random_;
  SlotRanges ranges_;
  std::vector<Slots> slots_;
  std::vector<SlotRanges::Id> ids_;
};

TEST(SlotRanges, HoldWhateverIsComputed) {
  for (uint64_t seed = 0; seed < harness::rounds(300); ++seed) {
    Vectors vectors(seed);
    vectors.add_any();
    vectors.add_padded();
    vectors.add_padded();
    vectors.add_number();
    for (int i = 0; i < 24 && !testing::Test::HasFatalFailure(); ++i) {
      vectors.operate();
    }
  }
}

/// T_64(u), of which intervals alone would say that it may be as large as 3^63.
TEST(SlotRanges, ChebyshevPolynomialsStayInTheirRange) {
  SlotRanges ranges;
  SlotRanges::Id t = ranges.any({-1, 1});
  for (int i = 0; i < 6; ++i) {
    const SlotRanges::Id square = ranges.product(t, t);
    t = ranges.difference(ranges.sum(square, square), ranges.number(1));
    EXPECT_NEAR(ranges.range(t).low, -1, 1e-3);
    EXPECT_NEAR(ranges.range(t).high, 1, 1e-3);
  }
}

/// What is shifted by an array with the same padding.
TEST(SlotRanges, PaddingIsKnown) {
  SlotRanges ranges;
  const SlotRanges::Id x = ranges.padded({7, 9}, 0, "slots");
  const SlotRanges::Id shift = ranges.padded({-8, -8}, 0, "slots");
  const SlotRanges::Id u =
      ranges.sum(ranges.product(ranges.number(2), x), ranges.product(ranges.number(2), shift));
  EXPECT_EQ(ranges.range(u).low, -2);
  EXPECT_EQ(ranges.range(u).high, 2);
}

/// Where one operand has padding, and the other may be anything there.
TEST(SlotRanges, PaddingMeetsAnyNumbers) {
  SlotRanges ranges;
  const SlotRanges::Id x = ranges.padded({-2, 2}, 0, "slots");
  const SlotRanges::Id y = ranges.padded({1, 4}, 0, "slots");
  const SlotRanges::Id factor = ranges.any({0.25, 1});
  const SlotRanges::Id u = ranges.difference(ranges.product(x, factor), y);
  EXPECT_EQ(ranges.range(u).low, -6);
  EXPECT_EQ(ranges.range(u).high, 1);
  EXPECT_EQ(ranges.range(ranges.within(ranges.sum(u, ranges.number(8)), {-9, 9})).low, 2);
}

/// b + p(a - b), for p near max(x, 0): x/2 and a polynomial near |x|/2 of degree 2.
TEST(SlotRanges, TheGreaterIsBetweenItsOperands) {
  SlotRanges ranges;
  const SlotRanges::Id a = ranges.any({-1, 1});
  const SlotRanges::Id b = ranges.any({-1, 1});
  const SlotRanges::Id difference = ranges.difference(a, b);
  const SlotRanges::Id u = ranges.product(ranges.number(0.5), difference);
  const SlotRanges::Id even = ranges.sum(ranges.product(u, u), ranges.number(0.125));
  const SlotRanges::Id ramp = ranges.sum(u, even);
  EXPECT_LT(ranges.range(ranges.sum(b, ramp)).high, 1.2);
  EXPECT_GT(ranges.range(ranges.sum(ramp, b)).low, -1.2);
  EXPECT_LT(ranges.range(ranges.difference(a, ramp)).high, 1.2);
}

}  // namespace
}  // namespace tacet::he_lower
