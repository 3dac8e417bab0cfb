#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>

#include "cli/values/array_bytes_test.h"
#include "cli/values/value_formats.h"

namespace tacet::cli {
namespace {

using interpret::ElementKind;
using interpret::ElementType;
using interpret::EntryParameter;
using namespace std::string_view_literals;
using test_bytes::little_endian;
using test_bytes::npy;
using test_bytes::zip;

constexpr ElementType kNpyFxp{ElementKind::Fxp, 18};
constexpr ElementType kNpyF32{ElementKind::F32, 0};
constexpr ElementType kNpyF64{ElementKind::F64, 0};

auto npy_parameter(ElementType type, std::vector<uint64_t> shape = {}) -> EntryParameter {
  return {"x", type, std::move(shape), {}};
}

auto text_of(const Result<interpret::Value>& value) -> std::string {
  return value ? interpret::value_text(value.value()) : value.error().message;
}

/// What a file reads as.
auto read_npy(ElementType type, std::vector<uint64_t> shape, std::string_view bytes)
    -> std::string {
  return text_of(value_of_npy(npy_parameter(type, std::move(shape)), bytes));
}

auto read_npz(std::vector<uint64_t> shape, std::string_view archive,
              const std::optional<std::string>& name = std::nullopt) -> std::string {
  return text_of(value_of_npz(npy_parameter(interpret::kI64, std::move(shape)), archive, name));
}

TEST(NpyValues, TypesAndOrders) {
  EXPECT_EQ(read_npy(interpret::kI64, {2}, npy("<i2", "False", "(2,)", "\x01\x00\xff\xff"sv)),
            "[1, -1]");
  EXPECT_EQ(read_npy(interpret::kI64, {2}, npy(">i2", "False", "(2,)", "\x01\x00\xff\xff"sv)),
            "[256, -1]");
  EXPECT_EQ(
      read_npy(interpret::kI64, {2, 3}, npy("|i1", "True", "(2, 3)", "\x01\x02\x03\x04\x05\x06"sv)),
      "[[1, 3, 5], [2, 4, 6]]");
  EXPECT_EQ(read_npy(interpret::kI64, {2, 2, 2},
                     npy("|u1", "True", "(2, 2, 2)", "\x01\x02\x03\x04\x05\x06\x07\x08"sv)),
            "[[[1, 5], [3, 7]], [[2, 6], [4, 8]]]");
  EXPECT_EQ(read_npy(interpret::kBool, {2}, npy("|b1", "False", "(2,)", "\x00\x01"sv)),
            "[false, true]");
  EXPECT_EQ(read_npy(kNpyFxp, {}, npy("<f8", "False", "()", "\x00\x00\x00\x00\x00\x00\xf8\xbf"sv)),
            "-1.5");
  for (const char version : {'\1', '\2', '\3'}) {
    EXPECT_EQ(read_npy(interpret::kI64, {1}, npy("<i2", "False", "(1L,)", "\x01\x00"sv, version)),
              "[1]");
  }
}

TEST(NpyValues, FloatsOf16Bits) {
  const std::string halves =
      little_endian(0x3c00, 2) + little_endian(0xc000, 2) + little_endian(0x7bff, 2) +
      little_endian(0x0001, 2) + little_endian(0x8000, 2) + little_endian(0x7c00, 2) +
      little_endian(0xfc00, 2) + little_endian(0x7e00, 2) + little_endian(0x0400, 2);
  EXPECT_EQ(read_npy(kNpyF64, {9}, npy("<f2", "False", "(9,)", halves)),
            "[1.0, -2.0, 65504.0, 5.960464477539063e-08, -0.0, inf, -inf, nan, "
            "6.103515625e-05]");
}

TEST(NpyValues, NumbersThatDoNotFit) {
  const std::string large = little_endian(0x7e37e43c8800759c, 8);  // 1e300
  EXPECT_EQ(read_npy(kNpyF32, {}, npy("<f8", "False", "()", large)),
            "parameter `x`: byte 66: it is 1e+300, out of range for `f32`");
  EXPECT_EQ(read_npy(kNpyFxp, {}, npy("<f8", "False", "()", little_endian(0xc2c0000000000000, 8))),
            "-35184372088832.0");
  EXPECT_EQ(read_npy(kNpyFxp, {}, npy("<f8", "False", "()", little_endian(0x42c0000000000000, 8))),
            "parameter `x`: byte 66: it is 35184372088832, out of range for `fxp`");
  EXPECT_EQ(read_npy(kNpyF64, {}, npy("|b1", "False", "()", "\1")),
            "parameter `x`: it has elements of type bool, expected `f64`; if that loses nothing, "
            "save `array.astype(np.float64)`");
}

TEST(NpyValues, ErrorsAreReported) {
  const auto of_two = [](std::string_view bytes) { return read_npy(interpret::kI64, {2}, bytes); };
  EXPECT_EQ(of_two(npy("<i8", "False", "(3,)", "")),
            "parameter `x`: it has an array of shape (3,), expected `[i64; 2]`");
  EXPECT_EQ(of_two(npy("<i8", "False", "(2,)", "123456789")),
            "parameter `x`: it ends at byte 77, behind 1 element; its header promises 2");
  EXPECT_EQ(of_two(npy("|i1", "False", "(2,)", "123")),
            "parameter `x`: more follows behind the last element, from byte 70");
  EXPECT_EQ(of_two(npy("<i8", "False", "(-2,)", "")),
            "parameter `x`: its header has a negative length");
  EXPECT_EQ(of_two(npy("<i8", "False", "(99999999999999999999,)", "")).substr(0, 38),
            "parameter `x`: its header is malformed");
  EXPECT_EQ(of_two("hello"),
            "parameter `x`: it is not in NumPy's array format; save it with `np.save`");
  EXPECT_EQ(of_two("\x93NUMPY"), "parameter `x`: it ends within its header, at byte 6");
  EXPECT_EQ(of_two("\x93NUMPY\x01\x00\xff\x00{}"sv),
            "parameter `x`: it ends within its header, at byte 12");
  EXPECT_EQ(of_two("\x93NUMPY\x04\x00\xff\x00{}"sv),
            "parameter `x`: it has version 4.0 of NumPy's format; versions 1.0, 2.0 and 3.0 are "
            "known");
  EXPECT_EQ(of_two("\x93NUMPY\x02\x00\xff\xff\xff\xff{}"sv),
            "parameter `x`: its header has 4294967295 bytes, which no array of numbers needs");
  for (const std::string_view header :
       {"{'descr': '<i8', 'fortran_order': False}", "{'descr': '<i8', 'shape': (2,)}",
        "{'descr': '<i8', 'fortran_order': Perhaps, 'shape': (2,)}", "{'descr': '<i8'", "{}", "",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), 'more': 1}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), 'shape': (2,)}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': 2}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (2,)} x"}) {
    const std::string bytes =
        fmt::format("{}{}{}{}", "\x93NUMPY\x01\x00"sv, little_endian(header.size(), 2), header,
                    little_endian(1, 8) + little_endian(2, 8));
    EXPECT_EQ(of_two(bytes).substr(0, 38), "parameter `x`: its header is malformed") << header;
  }
}

TEST(NpyValues, ElementsThatAreNotNumbersAreExplained) {
  for (const auto& [type, reason] :
       {std::pair("|O", "it has pickled Python objects, which run code when they are read"),
        std::pair("<c16", "it has complex numbers"), std::pair("<U5", "it has text"),
        std::pair("|S5", "it has byte strings"), std::pair("<M8[ns]", "it has dates"),
        std::pair("<f16", "it has elements of type `<f16`; save booleans, integers or floats"),
        std::pair("<i3", "it has elements of type `<i3`"), std::pair("|b2", "it has elements")}) {
    const std::string found =
        read_npy(interpret::kI64, {2}, npy(type, "False", "(2,)", "0123456789012345"));
    EXPECT_EQ(found.rfind(fmt::format("parameter `x`: {}", reason), 0), 0U) << found;
  }
  const std::string_view header =
      "{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (2,)}";
  EXPECT_EQ(read_npy(interpret::kI64, {2},
                     fmt::format("{}{}{}", "\x93NUMPY\x01\x00"sv, little_endian(header.size(), 2),
                                 header)),
            "parameter `x`: it has records; save each field as an array: `np.save(FILE, "
            "array[\"NAME\"])`");
}

/// An archive with two arrays, one of them in pieces.
auto two_arrays(bool is_deflated) -> std::string {
  return zip({{"a.npy", npy("|i1", "False", "(3,)", "\1\2\3"), is_deflated},
              {"readme.txt", "text", false},
              {"w s.npy",
               npy("<i8", "False", "(2, 2)",
                   little_endian(5, 8) + little_endian(6, 8) + little_endian(7, 8) +
                       little_endian(~uint64_t{0}, 8)),
               is_deflated}});
}

TEST(NpzValues, MembersByName) {
  for (const bool is_deflated : {false, true}) {
    EXPECT_EQ(read_npz({3}, two_arrays(is_deflated), "a"), "[1, 2, 3]");
    EXPECT_EQ(read_npz({2, 2}, two_arrays(is_deflated), "w s"), "[[5, 6], [7, -1]]");
  }
  EXPECT_EQ(read_npz({3}, two_arrays(false)),
            "parameter `x`: it has 2 arrays; append the name of one: `:a`, `:w s`");
  EXPECT_EQ(read_npz({3}, two_arrays(false), "b"),
            "parameter `x`: no array `b`; the arrays are `a`, `w s`");
  EXPECT_EQ(read_npz({2}, two_arrays(false), "a"),
            "parameter `x`: it has an array of shape (3,), expected `[i64; 2]`");
  EXPECT_EQ(read_npz({3}, zip({{"a.npy", npy("|i1", "False", "(3,)", "\1\2\3"), true}})),
            "[1, 2, 3]");
}

TEST(NpzValues, HostileArchives) {
  EXPECT_EQ(read_npz({3}, "PK\3\4"), "parameter `x`: the archive is cut off: its end is missing");
  EXPECT_EQ(read_npz({3}, "hello"), "parameter `x`: it is not an archive of `np.savez`");
  EXPECT_EQ(read_npz({3}, zip({})), "parameter `x`: it has no arrays");
  EXPECT_EQ(read_npz({3}, zip({{"a.npy", "", true}})),
            "parameter `x`: it is not in NumPy's array format; save it with `np.save`");
  // The same name twice.
  const std::string one = npy("|i1", "False", "(1,)", "\1");
  EXPECT_EQ(read_npz({1}, zip({{"a.npy", one, false}, {"a.npy", one, false}}), "a"),
            "parameter `x`: two arrays are named `a`");
  // An archive that promises 4 GB and has none of them.
  std::string lies = zip({{"a.npy", one, true}});
  const size_t entry = lies.find("PK\1\2");
  lies.replace(entry + 24, 4, little_endian(0xfffffff0, 4));
  EXPECT_EQ(
      read_npz({1}, lies),
      "parameter `x`: the archive is damaged: the bytes of `a` are not those that were saved");
  // Elements without end.
  const std::string many = npy("|i1", "False", "(1,)", std::string(100'000, '\0'));
  EXPECT_EQ(read_npz({1}, zip({{"a.npy", many, true}})),
            "parameter `x`: more follows behind the last element, from byte 69");
}

/// Mutations of a file: bytes that are changed, removed and doubled, and all beginnings.
auto mutations_of(const std::string& bytes) -> std::vector<std::string> {
  std::vector<std::string> mutated;
  std::mt19937_64 random(bytes.size());
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ static_cast<char>(1U << random() % 8));
    mutated.push_back(changed);
    changed[at] = static_cast<char>(random() % 2 == 0 ? 0xff : random() % 256);
    mutated.push_back(changed);
    mutated.push_back(bytes.substr(0, at));
    mutated.push_back(bytes.substr(0, at) + bytes.substr(at + 1));
    mutated.push_back(bytes.substr(0, at) + bytes.substr(at / 2));
  }
  return mutated;
}

TEST(NpyValues, MutatedFilesAreErrorsOrValues) {
  const std::string bytes = npy("<i4", "True", "(2, 3)", std::string(24, '\x7f'), '\2');
  for (const std::string& mutated : mutations_of(bytes)) {
    const EntryParameter parameter = npy_parameter(interpret::kI64, {2, 3});
    const Result<interpret::Value> value = value_of_npy(parameter, mutated);
    if (value) {
      EXPECT_EQ(value.value().cells.size(), 6U);
    } else {
      EXPECT_EQ(value.error().message.rfind("parameter `x`: ", 0), 0U) << value.error().message;
    }
  }
}

TEST(NpzValues, MutatedArchivesAreErrorsOrTheSameValue) {
  for (const bool is_deflated : {false, true}) {
    for (const std::string& mutated : mutations_of(two_arrays(is_deflated))) {
      const std::string found = read_npz({2, 2}, mutated, "w s");
      EXPECT_TRUE(found == "[[5, 6], [7, -1]]" || found.rfind("parameter `x`: ", 0) == 0) << found;
    }
  }
}

}  // namespace
}  // namespace tacet::cli
