#include "cli/values/values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/values/array_bytes_test.h"
#include "cli/values/value_formats.h"

namespace tacet::cli {
namespace {

using interpret::ElementKind;
using interpret::ElementType;
using interpret::EntryParameter;

auto parameter(ElementType type, std::vector<uint64_t> shape = {},
               std::optional<types::ValueBound> bound = {}) -> EntryParameter {
  return {"x", type, std::move(shape), bound};
}

auto shown(const Result<interpret::Value>& value) -> std::string {
  return value ? interpret::value_text(value.value()) : value.error().message;
}

constexpr ElementType kI8{ElementKind::I8, 0};
constexpr ElementType kU64{ElementKind::U64, 0};
constexpr ElementType kFxp{ElementKind::Fxp, 18};
constexpr ElementType kF32{ElementKind::F32, 0};
using interpret::kBool;
using interpret::kI64;

TEST(JsonValues, AreReadWithTheirType) {
  EXPECT_EQ(shown(value_of_json(parameter(kI64), "-3")), "-3");
  EXPECT_EQ(shown(value_of_json(parameter(kU64), "18446744073709551615")), "18446744073709551615");
  EXPECT_EQ(shown(value_of_json(parameter(kI64), "-9223372036854775808")), "-9223372036854775808");
  EXPECT_EQ(shown(value_of_json(parameter(kBool, {3}), "[true, 0, 1]")), "[true, false, true]");
  EXPECT_EQ(shown(value_of_json(parameter(kFxp, {2}), "[0.1, -3]")), "[0.1, -3.0]");
  EXPECT_EQ(shown(value_of_json(parameter(kF32), "0.1")), "0.1");
  EXPECT_EQ(shown(value_of_json(parameter(kF32), "\"-inf\"")), "-inf");
  EXPECT_EQ(shown(value_of_json(parameter(kI64, {2, 2}), "[[1,2],[3,4]]")), "[[1, 2], [3, 4]]");
  EXPECT_EQ(shown(value_of_json(parameter(kI64, {0}), "[]")), "[]");
}

TEST(JsonValues, MistakesNameTheElement) {
  EXPECT_EQ(shown(value_of_json(parameter(kI8, {2}), "[1, 200]")),
            "parameter `x`: element [1] is 200, out of range for `i8`; its range is -128 to 127");
  EXPECT_EQ(shown(value_of_json(parameter(kI64), "99999999999999999999")),
            "parameter `x`: it is 99999999999999999999, out of range for `i64`; its range is "
            "-9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(shown(value_of_json(parameter(kI64), "1.5")),
            "parameter `x`: it is 1.5, expected `i64`");
  EXPECT_EQ(shown(value_of_json(parameter(kBool), "2")), "parameter `x`: it is 2, expected `bool`");
  EXPECT_EQ(shown(value_of_json(parameter(kI64), "true")),
            "parameter `x`: it is true, expected `i64`");
  EXPECT_EQ(shown(value_of_json(parameter(kI64, {2, 2}), "[[1,2],[3]]")),
            "parameter `x`: element [1] has 1 elements instead of 2");
  EXPECT_EQ(shown(value_of_json(parameter(kI64, {2, 2}), "[[1,2],3]")),
            "parameter `x`: element [1] is 3 instead of `[i64; 2]`");
  EXPECT_EQ(shown(value_of_json(parameter(kI64, {2}), "[1,2,3]")),
            "parameter `x`: it has more than 2 elements");
  EXPECT_EQ(shown(value_of_json(parameter(kI64), "[1]")),
            "parameter `x`: it is an array instead of `i64`");
  EXPECT_EQ(shown(value_of_json(parameter(kI64), "{\"a\": 1}")),
            "parameter `x`: it is an object instead of `i64`");
  EXPECT_EQ(shown(value_of_json(parameter(kI64), "\"7\"")),
            "parameter `x`: it is the string \"7\" instead of `i64`");
  EXPECT_EQ(shown(value_of_json(parameter(kFxp), "1e40")),
            "parameter `x`: it is 1e40, out of range for `fxp`");
  std::string garbled = shown(value_of_json(parameter(kI64, {2}), "[1, 2"));
  EXPECT_EQ(garbled.rfind("parameter `x`: invalid JSON at column 6", 0), 0U) << garbled;
  EXPECT_EQ(shown(value_of_json(parameter(kI64), std::string(100'000, '['))),
            "parameter `x`: it is an array instead of `i64`");
}

TEST(JsonValues, BoundsHoldForEveryElement) {
  types::ValueBound bound{-2, 3};
  EXPECT_EQ(shown(value_of_json(parameter(kI64, {2}, bound), "[-2, 2]")), "[-2, 2]");
  EXPECT_EQ(shown(value_of_json(parameter(kI64, {2}, bound), "[0, 3]")),
            "parameter `x`: element [1] is 3, outside the bound -2..3");
  const types::ValueBound fixed{-(2 << 18), 3 << 18, 18};
  EXPECT_EQ(shown(value_of_json(parameter(kFxp, {}, fixed), "2.999")), "2.999");
  EXPECT_EQ(shown(value_of_json(parameter(kFxp, {}, fixed), "-2.001")),
            "parameter `x`: it is -2.001, outside the bound -2..3");
  const types::ValueBound halves{-(1 << 17), 1 << 17, 18};
  EXPECT_EQ(shown(value_of_json(parameter(kFxp, {}, halves), "-0.5")), "-0.5");
  EXPECT_EQ(shown(value_of_json(parameter(kFxp, {}, halves), "0.49999")), "0.49999");
  EXPECT_EQ(shown(value_of_json(parameter(kFxp, {}, halves), "0.5")),
            "parameter `x`: it is 0.5, outside the bound -0.5..0.5");
  EXPECT_EQ(shown(value_of_json(parameter(kFxp, {}, halves), "-0.50001")),
            "parameter `x`: it is -0.50001, outside the bound -0.5..0.5");
  const types::ValueBound most{0, UINT64_MAX};
  EXPECT_EQ(shown(value_of_json(parameter(kU64, {}, most), "18446744073709551614")),
            "18446744073709551614");
  EXPECT_EQ(shown(value_of_json(parameter(kU64, {}, most), "18446744073709551615")),
            "parameter `x`: it is 18446744073709551615, outside the bound "
            "0..18446744073709551615");
  EXPECT_EQ(shown(value_of_json(parameter(kU64, {}, bound), "18446744073709551615")),
            "parameter `x`: it is 18446744073709551615, outside the bound -2..3");
}

TEST(CsvValues, RowsAndColumns) {
  EXPECT_EQ(shown(value_of_csv(parameter(kI64, {2, 2}), "1, 2\r\n3,\"4\"\r\n")),
            "[[1, 2], [3, 4]]");
  EXPECT_EQ(shown(value_of_csv(parameter(kI64, {3}),
                               "\xEF\xBB\xBF"
                               "1,2,3")),
            "[1, 2, 3]");
  EXPECT_EQ(shown(value_of_csv(parameter(kI64, {3}), "1\n2\n\n3\n")), "[1, 2, 3]");
  EXPECT_EQ(shown(value_of_csv(parameter(kFxp), "0.25\n")), "0.25");
  EXPECT_EQ(shown(value_of_csv(parameter(kBool, {2}), "true,0")), "[true, false]");
}

TEST(CsvValues, MistakesNameTheLineOrElement) {
  EXPECT_EQ(shown(value_of_csv(parameter(kI64, {2, 2}), "1,2\n3\n")),
            "parameter `x`: line 2 has 1 column instead of 2");
  EXPECT_EQ(shown(value_of_csv(parameter(kI64, {3}), "1,,2")),
            "parameter `x`: line 1, column 2: element [1] is missing");
  EXPECT_EQ(shown(value_of_csv(parameter(kI64, {2}), "1,two")),
            "parameter `x`: line 1, column 2: element [1] is `two`, expected `i64`");
  EXPECT_EQ(shown(value_of_csv(parameter(kI64, {1, 2}), "1,2\n3,4\n")),
            "parameter `x`: line 2: more rows than `[i64; 1, 2]` has");
  EXPECT_EQ(shown(value_of_csv(parameter(kI64, {2, 2}), "1,2\n")),
            "parameter `x`: found 2 elements; `[i64; 2, 2]` has 4");
}

TEST(JsonValues, GarbledTextHasAPlace) {
  const std::string lines = shown(value_of_json(parameter(kI64, {2}), "[1,\n 2 3]"));
  EXPECT_EQ(lines.rfind("parameter `x`: invalid JSON at line 2, column 4", 0), 0U) << lines;
  const std::string wide = shown(value_of_json(parameter(kI64), "\"é\" 1"));
  EXPECT_NE(wide.find("the string"), std::string::npos) << wide;
}

using test_bytes::little_endian;
using test_bytes::npy;
using test_bytes::reversed;

/// Every form takes both ends of every integer type and nothing beyond.
TEST(Values, IntegersReachToTheEndsOfTheirType) {
  struct Ends {
    ElementKind kind;
    std::string name, below, lowest, highest, above;
  };
  const Ends all[] = {
      {ElementKind::I8, "i8", "-129", "-128", "127", "128"},
      {ElementKind::I16, "i16", "-32769", "-32768", "32767", "32768"},
      {ElementKind::I32, "i32", "-2147483649", "-2147483648", "2147483647", "2147483648"},
      {ElementKind::I64, "i64", "-9223372036854775809", "-9223372036854775808",
       "9223372036854775807", "9223372036854775808"},
      {ElementKind::U8, "u8", "-1", "0", "255", "256"},
      {ElementKind::U16, "u16", "-1", "0", "65535", "65536"},
      {ElementKind::U32, "u32", "-1", "0", "4294967295", "4294967296"},
      {ElementKind::U64, "u64", "-1", "0", "18446744073709551615", "18446744073709551616"},
  };
  for (const Ends& ends : all) {
    EntryParameter two = parameter({ends.kind, 0}, {2});
    const std::string wanted = fmt::format("[{}, {}]", ends.lowest, ends.highest);
    EXPECT_EQ(shown(value_of_json(two, wanted)), wanted) << ends.name;
    EXPECT_EQ(shown(value_of_csv(two, ends.lowest + "," + ends.highest)), wanted) << ends.name;
    for (const std::string& wrong : {ends.below, ends.above}) {
      const std::string message =
          fmt::format("element [1] is {}, out of range for `{}`; its range is {} to {}", wrong,
                      ends.name, ends.lowest, ends.highest);
      EXPECT_EQ(shown(value_of_json(two, fmt::format("[0, {}]", wrong))),
                "parameter `x`: " + message);
      EXPECT_EQ(shown(value_of_csv(two, "0," + wrong)),
                "parameter `x`: line 1, column 2: " + message);
    }
  }
}

/// Every integer type of NumPy, in both byte orders, into every integer type that holds it.
TEST(Values, NumPysIntegers) {
  for (char sign : {'i', 'u'}) {
    for (size_t n_bytes : {1U, 2U, 4U, 8U}) {
      const uint64_t top = uint64_t{1} << (8 * n_bytes - 1);
      const uint64_t largest = sign == 'u' ? top | (top - 1) : top - 1;
      const std::string wanted = sign == 'u' ? fmt::format("{}", largest)
                                             : fmt::format("{}", static_cast<int64_t>(largest));
      EntryParameter one = parameter(sign == 'u' ? kU64 : kI64);
      const std::string bytes = little_endian(largest, n_bytes);
      EXPECT_EQ(
          shown(value_of_npy(one, npy(fmt::format("<{}{}", sign, n_bytes), "False", "()", bytes))),
          wanted);
      EXPECT_EQ(shown(value_of_npy(
                    one, npy(fmt::format(">{}{}", sign, n_bytes), "False", "()", reversed(bytes)))),
                wanted);
      if (sign == 'i') {
        EXPECT_EQ(shown(value_of_npy(one, npy(fmt::format("<i{}", n_bytes), "False", "()",
                                              little_endian(~uint64_t{0}, n_bytes)))),
                  "-1");
      }
    }
  }
  EXPECT_EQ(shown(value_of_npy(parameter(kI8), npy("<i8", "False", "()", little_endian(128, 8)))),
            "parameter `x`: byte 66: it is 128, out of range for `i8`; its range is -128 to 127");
}

TEST(Values, FractionsInEveryForm) {
  constexpr ElementType kF64{ElementKind::F64, 0};
  constexpr ElementType kShort{ElementKind::Fxp, 4};
  for (ElementType type : {kFxp, kShort, kF32, kF64}) {
    EXPECT_EQ(shown(value_of_json(parameter(type), "-2.25")), "-2.25");
    EXPECT_EQ(shown(value_of_csv(parameter(type), "-2.25")), "-2.25");
    EXPECT_EQ(shown(value_of_npy(parameter(type),
                                 npy("<f4", "False", "()", little_endian(0xC0100000, 4)))),
              "-2.25");
    EXPECT_EQ(
        shown(value_of_npy(parameter(type), npy(">f8", "False", "()",
                                                reversed(little_endian(0xC002000000000000, 8))))),
        "-2.25");
    EXPECT_EQ(shown(value_of_json(parameter(type), "true")).rfind("parameter `x`: it is true", 0),
              0U);
  }
  EXPECT_EQ(
      shown(value_of_npy(parameter(kI64),
                         npy("<f8", "False", "()", little_endian(0x3FF8000000000000, 8)))),
      "parameter `x`: it has elements of type float64, expected `i64`; if that loses nothing, "
      "save `array.astype(np.int64)`");
  EXPECT_EQ(shown(value_of_npy(parameter(kFxp),
                               npy("<f8", "False", "()", little_endian(0x7FF8000000000000, 8)))),
            "parameter `x`: byte 66: it is nan, out of range for `fxp`");
}

TEST(Values, RandomOnesAreTheSameForTheSameKeyAndWithinTheirBound) {
  const engine::PublicRandomKey key{{1, 2, 3, 4}};
  const engine::PublicRandomKey other{{1, 2, 3, 5}};
  EntryParameter numbers = parameter(kI64, {200}, types::ValueBound{-2, 3});
  interpret::Value drawn = value_of_random(numbers, key);
  EXPECT_EQ(drawn.cells, value_of_random(numbers, key).cells);
  EXPECT_NE(drawn.cells, value_of_random(numbers, other).cells);
  std::set<int64_t> seen;
  for (interpret::Cell cell : drawn.cells) {
    seen.insert(static_cast<int64_t>(cell));
  }
  EXPECT_EQ(seen, (std::set<int64_t>{-2, -1, 0, 1, 2}));
  // An element depends on its index and the name alone.
  numbers.shape = {10};
  EXPECT_TRUE(std::equal(drawn.cells.begin(), drawn.cells.begin() + 10,
                         value_of_random(numbers, key).cells.begin()));
  numbers.name = "y";
  EXPECT_FALSE(std::equal(drawn.cells.begin(), drawn.cells.begin() + 10,
                          value_of_random(numbers, key).cells.begin()));
  // Fractions are drawn between the ends of a bound, not whole numbers alone.
  const ElementType f64{ElementKind::F64, 0};
  for (const EntryParameter& bounded :
       {parameter(kFxp, {200}, types::ValueBound{-(1 << 17), 1 << 17, 18}),
        parameter(kF32, {200}, types::ValueBound{-1, 1}),
        parameter(f64, {200}, types::ValueBound{-1, 1})}) {
    std::set<interpret::Cell> different;
    for (interpret::Cell cell : value_of_random(bounded, key).cells) {
      EXPECT_TRUE(types::is_within(*bounded.bound, bounded.type, cell));
      different.insert(cell);
    }
    EXPECT_GT(different.size(), 150U);
  }
  const interpret::Value all =
      value_of_random(parameter(kU64, {50}, types::ValueBound{0, types::Wide{1} << 64}), key);
  EXPECT_GT(std::set<interpret::Cell>(all.cells.begin(), all.cells.end()).size(), 45U);
  for (ElementType type : {kFxp, kF32, ElementType{ElementKind::F64, 0}}) {
    for (interpret::Cell cell : value_of_random(parameter(type, {50}), key).cells) {
      double number = type.kind == ElementKind::Fxp   ? static_cast<double>(cell) / (1 << 18)
                      : type.kind == ElementKind::F32 ? double{interpret::f32_of_cell(cell)}
                                                      : interpret::f64_of_cell(cell);
      EXPECT_GE(number, 0.0);
      EXPECT_LT(number, 1.0);
    }
  }
}

TEST(Values, AMissingFileIsReported) {
  ValueReader reader([] { return engine::PublicRandomKey{}; });
  EXPECT_EQ(shown(reader.read(parameter(kI64), "@/no/such/file.json")),
            "parameter `x`: cannot read /no/such/file.json: No such file or directory");
  EXPECT_EQ(shown(reader.read(parameter(kI64), "@/")),
            "parameter `x`: / is not a `.json`, `.csv`, `.tsv`, `.npy` or `.npz` file");
}

}  // namespace
}  // namespace tacet::cli
