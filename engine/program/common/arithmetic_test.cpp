#include "engine/program/common/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace tacet::engine {
namespace {

__extension__ using Wide = __int128;

constexpr ElementKind kIntegers[] = {ElementKind::I8,  ElementKind::I16, ElementKind::I32,
                                     ElementKind::I64, ElementKind::U8,  ElementKind::U16,
                                     ElementKind::U32, ElementKind::U64};

auto number(ElementKind kind, Cell cell) -> Wide {
  return is_signed_integer(kind) ? Wide{static_cast<int64_t>(cell)} : Wide{cell};
}

/// The integer of `kind` that is congruent to `value`, found by counting widths down or up.
auto reduced(ElementKind kind, Wide value) -> Wide {
  Wide modulus = Wide{1} << bit_width(kind);
  Wide rest = value % modulus;
  rest += rest < 0 ? modulus : 0;
  return is_signed_integer(kind) && rest >= modulus / 2 ? rest - modulus : rest;
}

/// Numbers near the places where things go wrong, and some from anywhere.
class Numbers {
 public:
  auto next(ElementKind kind) -> Cell {
    switch (random_() % 4) {
      case 0:
        return wrapped(kind, random_());
      case 1:
        return wrapped(kind, static_cast<Cell>(min_integer(kind)) + random_() % 3);
      case 2:
        return wrapped(kind, max_integer(kind) - random_() % 3);
      default:
        return wrapped(kind, random_() % 9 - 4);
    }
  }

 private:
  std::mt19937_64 random_{20240601};
};

auto expected(BinaryOperation operation, ElementKind kind, Wide a, Wide b, bool& has_value)
    -> Wide {
  has_value = true;
  auto width = static_cast<Wide>(bit_width(kind));
  switch (operation) {
    case BinaryOperation::TotalDiv:
      return b != 0 ? a / b : 0;
    case BinaryOperation::TotalRem:
      return b != 0 ? a % b : a;
    case BinaryOperation::TotalShl:
    case BinaryOperation::TotalShr:
    case BinaryOperation::TotalShrArithmetic:
      return expected(partial(operation), kind, a, (b % width + width) % width, has_value);
    case BinaryOperation::Add:
      return a + b;
    case BinaryOperation::Sub:
      return a - b;
    case BinaryOperation::Mul:
      // A product of two u64 needs more bits than Wide has: multiply modulo 2^64 instead.
      return static_cast<Wide>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    case BinaryOperation::Div:
      has_value = b != 0;
      return has_value ? a / b : 0;
    case BinaryOperation::Rem:
      has_value = b != 0;
      return has_value ? a % b : 0;
    case BinaryOperation::And:
      return a & b;
    case BinaryOperation::Or:
      return a | b;
    case BinaryOperation::Xor:
      return a ^ b;
    case BinaryOperation::Shl:
      has_value = 0 <= b && b < width;
      return has_value ? static_cast<Wide>(static_cast<uint64_t>(a) << b) : 0;
    case BinaryOperation::Shr:
      has_value = 0 <= b && b < width;
      return has_value ? a >> b : 0;
    case BinaryOperation::ShrArithmetic: {
      has_value = 0 <= b && b < width;
      Wide as_signed = a >= Wide{1} << (width - 1) ? a - (Wide{1} << width) : a;
      return has_value ? as_signed >> b : 0;
    }
    case BinaryOperation::Less:
      return a < b;
    case BinaryOperation::LessEqual:
      return a <= b;
    case BinaryOperation::Greater:
      return a > b;
    case BinaryOperation::GreaterEqual:
      return a >= b;
    case BinaryOperation::Equal:
      return a == b;
    case BinaryOperation::NotEqual:
      return a != b;
  }
  return 0;
}

constexpr int kNumberOfOperations = static_cast<int>(BinaryOperation::NotEqual) + 1;

TEST(Arithmetic, IntegersAgreeWithWiderOnes) {
  Numbers numbers;
  for (ElementKind kind : kIntegers) {
    for (int operation = 0; operation < kNumberOfOperations; ++operation) {
      for (int i = 0; i < 2000; ++i) {
        Cell a = numbers.next(kind);
        Cell b = numbers.next(kind);
        bool has_value = false;
        Wide wide = expected(static_cast<BinaryOperation>(operation), kind, number(kind, a),
                             number(kind, b), has_value);
        ArithmeticResult result =
            evaluate(static_cast<BinaryOperation>(operation), {kind, 0}, a, b);
        ASSERT_EQ(result.fault == ArithmeticFault::None, has_value);
        if (has_value) {
          ASSERT_TRUE(number(kind, result.value) == reduced(kind, wide))
              << element_type_name({kind, 0}) << " operation " << operation << " on "
              << static_cast<int64_t>(a) << " and " << static_cast<int64_t>(b);
          ASSERT_EQ(result.value, wrapped(kind, result.value)) << "not canonical";
        }
      }
    }
  }
}

TEST(Arithmetic, TheSmallestIntegerOverMinusOneWraps) {
  EXPECT_EQ(evaluate(BinaryOperation::Div, kI64, Cell{1} << 63, ~Cell{0}).value, Cell{1} << 63);
  EXPECT_EQ(evaluate(BinaryOperation::Rem, kI64, Cell{1} << 63, ~Cell{0}).value, Cell{0});
  ElementType i8{ElementKind::I8, 0};
  EXPECT_EQ(
      static_cast<int64_t>(
          evaluate(BinaryOperation::Div, i8, static_cast<Cell>(int64_t{-128}), ~Cell{0}).value),
      -128);
}

TEST(Arithmetic, IntegerCastsWrap) {
  Numbers numbers;
  for (ElementKind from : kIntegers) {
    for (ElementKind to : kIntegers) {
      for (int i = 0; i < 200; ++i) {
        Cell a = numbers.next(from);
        ASSERT_TRUE(number(to, cast({from, 0}, {to, 0}, a)) == reduced(to, number(from, a)));
      }
    }
  }
}

auto fixed(double value, uint8_t bits) -> Cell {
  return cast({ElementKind::F64, 0}, {ElementKind::Fxp, bits}, cell_of_f64(value));
}

TEST(Arithmetic, FixedPointIsExactUpToTheLastBit) {
  std::mt19937_64 random(7);
  for (uint8_t bits : {uint8_t{0}, uint8_t{1}, uint8_t{18}, uint8_t{20}, uint8_t{40}}) {
    ElementType type{ElementKind::Fxp, bits};
    for (int i = 0; i < 5000; ++i) {
      auto a = static_cast<int64_t>(random()) >> (random() % 64);
      auto b = static_cast<int64_t>(random()) >> (random() % 64);
      Wide product = Wide{a} * b;
      Wide floor = product >= 0 ? product / (Wide{1} << bits)
                                : -((-product + (Wide{1} << bits) - 1) / (Wide{1} << bits));
      ASSERT_EQ(
          evaluate(BinaryOperation::Mul, type, static_cast<Cell>(a), static_cast<Cell>(b)).value,
          static_cast<Cell>(floor));
      if (b != 0) {
        Wide quotient = Wide{a} * (Wide{1} << bits) / b;
        ASSERT_EQ(
            evaluate(BinaryOperation::Div, type, static_cast<Cell>(a), static_cast<Cell>(b)).value,
            static_cast<Cell>(quotient));
      }
    }
  }
  EXPECT_EQ(evaluate(BinaryOperation::Mul, {ElementKind::Fxp, 18}, fixed(1.5, 18), fixed(-2.25, 18))
                .value,
            fixed(-3.375, 18));
  EXPECT_EQ(evaluate(BinaryOperation::Div, {ElementKind::Fxp, 18}, fixed(1, 18), 0).fault,
            ArithmeticFault::DivisionByZero);
}

TEST(Arithmetic, CastsOfFractionsSayWhatTheyDo) {
  ElementType fxp{ElementKind::Fxp, 18};
  ElementType i8{ElementKind::I8, 0};
  ElementType f64{ElementKind::F64, 0};
  EXPECT_EQ(cast(fxp, kI64, fixed(-2.75, 18)), static_cast<Cell>(int64_t{-2}));
  EXPECT_EQ(cast(fxp, {ElementKind::Fxp, 1}, fixed(-0.3, 18)), static_cast<Cell>(int64_t{-1}));
  EXPECT_EQ(cast(kI64, fxp, 3), fixed(3, 18));
  EXPECT_EQ(cast(f64, i8, cell_of_f64(1e9)), Cell{127});
  EXPECT_EQ(cast(f64, i8, cell_of_f64(-1e9)), static_cast<Cell>(int64_t{-128}));
  EXPECT_EQ(cast(f64, i8, cell_of_f64(-3.9)), static_cast<Cell>(int64_t{-3}));
  EXPECT_EQ(cast(f64, i8, cell_of_f64(std::nan(""))), Cell{0});
  EXPECT_EQ(cast(f64, kI64, cell_of_f64(9.3e18)), Cell{max_integer(ElementKind::I64)});
  EXPECT_EQ(cast(f64, {ElementKind::U64, 0}, cell_of_f64(1e19)), Cell{10000000000000000000U});
  EXPECT_EQ(cast({ElementKind::I8, 0}, kBool, 4), Cell{1});
}

TEST(Arithmetic, FloatsAreIeee) {
  ElementType f32{ElementKind::F32, 0};
  ElementType f64{ElementKind::F64, 0};
  EXPECT_EQ(
      f32_of_cell(
          evaluate(BinaryOperation::Add, f32, cell_of_f32(16777216.0F), cell_of_f32(1.0F)).value),
      16777216.0F);
  EXPECT_EQ(f64_of_cell(evaluate(BinaryOperation::Div, f64, cell_of_f64(1), cell_of_f64(0)).value),
            std::numeric_limits<double>::infinity());
  Cell nan = cell_of_f64(std::nan(""));
  EXPECT_EQ(evaluate(BinaryOperation::Equal, f64, nan, nan).value, Cell{0});
  EXPECT_EQ(evaluate(BinaryOperation::NotEqual, f64, nan, nan).value, Cell{1});
  EXPECT_EQ(
      f64_of_cell(evaluate(BinaryOperation::Rem, f64, cell_of_f64(-7.5), cell_of_f64(2)).value),
      -1.5);
}

}  // namespace
}  // namespace tacet::engine
