#include "compiler/run/interpret/value.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

namespace tacet::interpret {
namespace {

auto cell(int64_t value) -> Cell {
  return static_cast<Cell>(value);
}

TEST(Value, ArraysAreWrittenInBrackets) {
  EXPECT_EQ(value_text({kI64, {}, {cell(-3)}}), "-3");
  EXPECT_EQ(value_text({kI64, {2, 3}, {1, 2, 3, 4, 5, 6}}), "[[1, 2, 3], [4, 5, 6]]");
  EXPECT_EQ(value_text({kBool, {2}, {0, 1}}), "[false, true]");
  EXPECT_EQ(value_text({kI64, {0}, {}}), "[]");
  EXPECT_EQ(value_text({{ElementKind::U64, 0}, {}, {~Cell{0}}}), "18446744073709551615");
  EXPECT_EQ(value_text({{ElementKind::F64, 0}, {}, {cell_of_f64(1)}}), "1.0");
  EXPECT_EQ(value_text({{ElementKind::F32, 0}, {}, {cell_of_f32(0.1F)}}), "0.1");
  EXPECT_EQ(type_text({ElementKind::Fxp, 20}, {2, 16}), "[fxp<20>; 2, 16]");
}

TEST(Value, FixedPointTextIsTheShortestThatReadsBack) {
  struct Case {
    std::string_view decimal;
    unsigned bits;
    std::string_view shown;
  };
  for (const Case& c :
       {Case{"0.1", 18, "0.1"}, Case{"-2.25", 18, "-2.25"}, Case{"3", 18, "3.0"},
        Case{"-0.000001", 18, "0.0"}, Case{"0.000004", 18, "0.000004"},
        Case{"17.999999", 18, "18.0"}, Case{"7", 0, "7.0"}, Case{"1.5", 62, "1.5"}}) {
    Cell value = 0;
    ASSERT_TRUE(parse_fixed(c.decimal, c.bits, value)) << c.decimal;
    EXPECT_EQ(element_text({ElementKind::Fxp, static_cast<uint8_t>(c.bits)}, value), c.shown);
  }
}

TEST(Value, EveryFixedPointNumberReadsBack) {
  std::mt19937_64 random(11);
  for (unsigned bits : {0U, 1U, 10U, 18U, 33U, 62U}) {
    for (int i = 0; i < 500; ++i) {
      Cell value = cell(static_cast<int64_t>(random()) >> (random() % 64));
      Cell back = 0;
      std::string text = element_text({ElementKind::Fxp, static_cast<uint8_t>(bits)}, value);
      ASSERT_TRUE(parse_fixed(text, bits, back)) << text;
      ASSERT_EQ(back, value) << text << " with " << bits << " bits";
    }
  }
}

TEST(Value, DecimalsAreRoundedToNearestWithTiesAwayFromZero) {
  __extension__ using Wide = __int128;
  std::mt19937_64 random(12);
  for (int i = 0; i < 20'000; ++i) {
    const auto bits = static_cast<unsigned>(random() % 40);
    const auto n_places = static_cast<size_t>(1 + random() % 12);
    int64_t power = 1;
    for (size_t k = 0; k < n_places; ++k) {
      power *= 10;
    }
    // Halves of units are frequent among multiples of 5.
    const auto fraction = static_cast<int64_t>(random() % static_cast<uint64_t>(power)) /
                          (i % 2 == 0 ? 1 : power / 10) * (i % 2 == 0 ? 1 : power / 10);
    const auto integer = static_cast<int64_t>(random() % 1000);
    const Wide number = (Wide{integer} * power + fraction) << bits;
    const auto expected = static_cast<int64_t>((2 * number + power) / (2 * Wide{power}));
    const std::string text = fmt::format("{}.{:0{}}", integer, fraction, n_places);
    Cell value = 0;
    ASSERT_TRUE(parse_fixed(text, bits, value)) << text;
    ASSERT_EQ(static_cast<int64_t>(value), expected) << text << " with " << bits << " bits";
    ASSERT_TRUE(parse_fixed("-" + text, bits, value)) << text;
    ASSERT_EQ(static_cast<int64_t>(value), -expected) << text << " with " << bits << " bits";
  }
}

TEST(Value, ParseFixedRefusesWhatIsNoDecimalOrTooLarge) {
  Cell value = 0;
  for (std::string_view bad : {"", "-", ".5", "1.", "1e3", "1 ", "35184372088832", "abc", "--1",
                               "99999999999999999999999"}) {
    EXPECT_FALSE(parse_fixed(bad, 18, value)) << bad;
  }
  EXPECT_TRUE(parse_fixed("-35184372088832", 18, value));
}

TEST(ElementType, NamesReadBack) {
  for (std::string_view name : {"bool", "i8", "u64", "f32", "fxp", "fxp<20>", "fxp<0>"}) {
    ElementType type;
    ASSERT_TRUE(find_element_type(name, type));
    EXPECT_EQ(element_type_name(type), name);
  }
  ElementType type;
  for (std::string_view bad : {"i128", "fxp<63>", "fxp<>", "fxp<-1>", ""}) {
    EXPECT_FALSE(find_element_type(bad, type)) << bad;
  }
}

}  // namespace
}  // namespace tacet::interpret
