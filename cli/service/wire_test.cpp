#include "cli/service/wire.h"

#include <gtest/gtest.h>

namespace tacet::service {
namespace {

TEST(Wire, HeadersComeBack) {
  const MessageHeader header{
      .kind = MessageKind::Request, .id = 0x0102'0304'0506'0708, .size = uint64_t{1} << 40};
  const auto bytes = encode_header(header);
  Result<MessageHeader> read = decode_header(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, header);
}

TEST(Wire, HeadersHaveKnownKindsAndZeros) {
  const auto good = encode_header({.kind = MessageKind::Keys, .id = 1, .size = 2});
  for (size_t i = 0; i < good.size(); ++i) {
    auto bytes = good;
    bytes[i] ^= std::byte{0x80};
    EXPECT_EQ(static_cast<bool>(decode_header(bytes)), i < 8 || i >= 16) << i;
  }
}

TEST(Wire, GreetingsHaveAVersion) {
  Bytes hello = encode_hello(7);
  Result<uint32_t> version = decode_hello(hello);
  ASSERT_TRUE(version);
  EXPECT_EQ(*version, 7U);
  hello.push_back({});
  EXPECT_FALSE(decode_hello(hello));
  hello.resize(hello.size() - 2);
  EXPECT_FALSE(decode_hello(hello));
  hello.clear();
  EXPECT_FALSE(decode_hello(hello));
}

/// Whatever the number of programs says, nothing is read or kept that is not there.
TEST(Wire, WelcomesAreWhole) {
  Welcome welcome{.most_keys = 1, .most_request = 2, .programs = {cli::FileDigest{}, {}}};
  welcome.programs[1][31] = std::byte{9};
  const Bytes bytes = encode_welcome(welcome);
  Result<Welcome> read = decode_welcome(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, welcome);
  for (size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_FALSE(decode_welcome(std::span(bytes).first(n))) << n;
  }
  Bytes many = bytes;
  many[19] = std::byte{0xFF};
  EXPECT_FALSE(decode_welcome(many));
}

TEST(Wire, RefusalsAreSafeToPrint) {
  const Refusal refusal{
      .reason = RefusalReason::Busy, .retry_milliseconds = 5, .text = "no\x1b[31m\n"};
  Result<Refusal> read = decode_refusal(encode_refusal(refusal));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text, "no?[31m?");
  EXPECT_EQ(read->retry_milliseconds, 5U);
  Bytes unknown = encode_refusal(refusal);
  unknown[0] = std::byte{200};
  EXPECT_FALSE(decode_refusal(unknown));
  Bytes longer = encode_refusal({.text = std::string(5000, 'x')});
  EXPECT_EQ(longer.size(), 6 + kMostRefusalText);
  longer.push_back(std::byte{'x'});
  EXPECT_FALSE(decode_refusal(longer));
}

}  // namespace
}  // namespace tacet::service
