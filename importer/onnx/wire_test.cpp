#include "importer/onnx/wire.h"

#include <gtest/gtest.h>

#include <string>

namespace tacet::importer {
namespace {

/// Reads everything; the numbers of the fields, or `malformed`.
auto numbers_of(std::string_view message) -> std::string {
  WireReader reader(message);
  std::string text;
  while (const auto field = reader.next()) {
    text += std::to_string(field->number) + (field->kind == WireKind::Bytes ? "b " : " ");
  }
  return reader.is_valid() ? text : "malformed";
}

TEST(Wire, ReadsEveryKindOfField) {
  const std::string message("\x08\x96\x01\x12\x02hi\x1d\x00\x00\x80\x3f\x21\0\0\0\0\0\0\xf0\x3f",
                            21);
  EXPECT_EQ(numbers_of(message), "1 2b 3 4 ");
  WireReader reader(message);
  EXPECT_EQ(reader.next()->value, 150U);
  EXPECT_EQ(reader.next()->bytes, "hi");
  std::vector<double> numbers;
  EXPECT_TRUE(append_floats(*reader.next(), numbers));
  EXPECT_TRUE(append_doubles(*reader.next(), numbers));
  EXPECT_EQ(numbers, (std::vector<double>{1, 1}));
}

TEST(Wire, ReportsEveryTruncation) {
  const std::string message("\x08\x96\x01\x12\x02hi\x1d\x00\x00\x80\x3f", 12);
  for (size_t size = 1; size < message.size(); ++size) {
    const bool is_boundary = size == 3 || size == 7;
    EXPECT_EQ(numbers_of(message.substr(0, size)) != "malformed", is_boundary) << size;
  }
}

TEST(Wire, RejectsWhatNoEncoderWrites) {
  EXPECT_EQ(numbers_of(std::string_view("\x00\x01", 2)), "malformed");                 // field 0
  EXPECT_EQ(numbers_of("\x0b"), "malformed");                                          // a group
  EXPECT_EQ(numbers_of("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "malformed");  // size
  EXPECT_EQ(numbers_of("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "malformed");
}

TEST(Wire, ReadsPackedNumbers) {
  std::vector<int64_t> numbers;
  EXPECT_TRUE(append_integers({1, WireKind::Bytes, 0, "\x01\xac\x02"}, numbers));
  EXPECT_TRUE(append_integers({1, WireKind::Bytes, 0, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"},
                              numbers));
  EXPECT_EQ(numbers, (std::vector<int64_t>{1, 300, -1}));
  EXPECT_FALSE(append_integers({1, WireKind::Bytes, 0, "\x80"}, numbers));
  std::vector<double> floats;
  EXPECT_FALSE(append_floats({1, WireKind::Bytes, 0, "abc"}, floats));
  EXPECT_FALSE(append_doubles({1, WireKind::Varint, 0, ""}, floats));
}

}  // namespace
}  // namespace tacet::importer
