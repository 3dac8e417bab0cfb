#include "cli/values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/value_formats.h"

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
            "parameter `x`: element [1] is 200, which does not fit `i8`; it holds -128 to 127");
  EXPECT_EQ(shown(value_of_json(parameter(kI64), "99999999999999999999")),
            "parameter `x`: it is 99999999999999999999, which does not fit `i64`; it holds "
            "-9223372036854775808 to 9223372036854775807");
  EXPECT_EQ(shown(value_of_json(parameter(kI64), "1.5")),
            "parameter `x`: it is 1.5, which is no `i64`");
  EXPECT_EQ(shown(value_of_json(parameter(kBool), "2")),
            "parameter `x`: it is 2, which is no `bool`");
  EXPECT_EQ(shown(value_of_json(parameter(kI64), "true")),
            "parameter `x`: it is true, which is no `i64`");
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
            "parameter `x`: it is 1e40, which does not fit `fxp`");
  std::string garbled = shown(value_of_json(parameter(kI64, {2}), "[1, 2"));
  EXPECT_EQ(garbled.rfind("parameter `x`: it is not JSON: byte 6", 0), 0U) << garbled;
  EXPECT_EQ(shown(value_of_json(parameter(kI64), std::string(100'000, '['))),
            "parameter `x`: it is an array instead of `i64`");
}

TEST(JsonValues, BoundsHoldForEveryElement) {
  types::ValueBound bound{-2, 3};
  EXPECT_EQ(shown(value_of_json(parameter(kI64, {2}, bound), "[-2, 2]")), "[-2, 2]");
  EXPECT_EQ(shown(value_of_json(parameter(kI64, {2}, bound), "[0, 3]")),
            "parameter `x`: element [1] is 3, outside of its bound -2..3");
  EXPECT_EQ(shown(value_of_json(parameter(kFxp, {}, bound), "2.999")), "2.999");
  EXPECT_EQ(shown(value_of_json(parameter(kFxp, {}, bound), "-2.001")),
            "parameter `x`: it is -2.001, outside of its bound -2..3");
  EXPECT_EQ(shown(value_of_json(parameter(kU64, {}, bound), "18446744073709551615")),
            "parameter `x`: it is 18446744073709551615, outside of its bound -2..3");
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
            "parameter `x`: line 2 has 1 fields instead of 2");
  EXPECT_EQ(shown(value_of_csv(parameter(kI64, {2}), "1,,2")),
            "parameter `x`: element [1] is empty");
  EXPECT_EQ(shown(value_of_csv(parameter(kI64, {2}), "1,two")),
            "parameter `x`: element [1] is two, which is no `i64`");
  EXPECT_EQ(shown(value_of_csv(parameter(kI64, {1, 2}), "1,2\n3,4\n")),
            "parameter `x`: line 2: there are more rows than `[i64; 1, 2]` has");
  EXPECT_EQ(shown(value_of_csv(parameter(kI64, {2, 2}), "1,2\n")),
            "parameter `x`: it has 2 elements, `[i64; 2, 2]` has 4");
}

/// An `.npy` file of version 1 with this header and data.
auto npy(std::string_view type, std::string_view order, std::string_view shape,
         std::string_view data) -> std::string {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", type, order, shape);
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes.push_back(static_cast<char>(header.size() & 0xff));
  bytes.push_back(static_cast<char>(header.size() >> 8));
  return fmt::format("{}{}{}", bytes, header, data);
}

TEST(NpyValues, TypesAndOrders) {
  using namespace std::string_view_literals;
  EXPECT_EQ(
      shown(value_of_npy(parameter(kI64, {2}), npy("<i2", "False", "(2,)", "\x01\x00\xff\xff"sv))),
      "[1, -1]");
  EXPECT_EQ(
      shown(value_of_npy(parameter(kI64, {2}), npy(">i2", "False", "(2,)", "\x01\x00\xff\xff"sv))),
      "[256, -1]");
  EXPECT_EQ(shown(value_of_npy(parameter(kI8, {2, 3}),
                               npy("|i1", "True", "(2, 3)", "\x01\x02\x03\x04\x05\x06"sv))),
            "[[1, 3, 5], [2, 4, 6]]");
  EXPECT_EQ(shown(value_of_npy(parameter(kBool, {2}), npy("|b1", "False", "(2,)", "\x00\x01"sv))),
            "[false, true]");
  EXPECT_EQ(shown(value_of_npy(parameter(kFxp),
                               npy("<f8", "False", "()", "\x00\x00\x00\x00\x00\x00\xf8\xbf"sv))),
            "-1.5");
}

TEST(NpyValues, MistakesAreTold) {
  EXPECT_EQ(shown(value_of_npy(parameter(kI64, {2}), npy("<i8", "False", "(3,)", ""))),
            "parameter `x`: the file holds an array of shape (3), `[i64; 2]` is wanted");
  EXPECT_EQ(shown(value_of_npy(parameter(kI64, {2}), npy("<i8", "False", "(2,)", "short"))),
            "parameter `x`: the file ends before its last element");
  for (std::string bytes :
       {npy("<c8", "False", "(2,)", ""), npy("<i8", "False", "2", ""), std::string("\x93NUMPY"),
        std::string("\x93NUMPY\x01\x00\xff\xff{}", 12), std::string("hello")}) {
    EXPECT_EQ(shown(value_of_npy(parameter(kI64, {2}), bytes)),
              "parameter `x`: it is no `.npy` file of booleans, integers or floats");
  }
}

TEST(Values, AFileThatIsNoneIsTold) {
  ValueReader reader;
  EXPECT_EQ(shown(reader.read(parameter(kI64), "@/no/such/file.json")),
            "parameter `x`: cannot read /no/such/file.json: No such file or directory");
  EXPECT_EQ(shown(reader.read(parameter(kI64), "@/")),
            "parameter `x`: cannot read /: it is a folder");
}

}  // namespace
}  // namespace tacet::cli
