#include "engine/secure_random/aes_ctr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tacet::secure_random {
namespace {

auto from_hex(std::string_view text) -> std::vector<std::byte> {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

auto key_of(std::string_view text) -> AesKey {
  AesKey key;
  auto bytes = from_hex(text);
  std::copy_n(bytes.begin(), key.size(), key.begin());
  return key;
}

auto block_of(std::string_view text) -> AesBlock {
  AesBlock block;
  auto bytes = from_hex(text);
  std::copy_n(bytes.begin(), block.size(), block.begin());
  return block;
}

auto stream_bytes(AesCtr& stream, size_t n) -> std::vector<std::byte> {
  std::vector<std::byte> bytes(n);
  stream.fill(bytes);
  return bytes;
}

const AesKey kKey = key_of("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4");

TEST(AesCtr, GivesThePublishedCiphertext) {
  // NIST SP 800-38A, F.5.5: CTR-AES256.Encrypt.
  auto plaintext = from_hex(
      "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
      "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
  auto ciphertext = from_hex(
      "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
      "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6");
  for (Isa isa : supported_isas()) {
    AesCtr stream(kKey, block_of("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"), isa);
    auto text = stream_bytes(stream, plaintext.size());
    for (size_t i = 0; i < text.size(); ++i) {
      text[i] ^= plaintext[i];
    }
    EXPECT_EQ(text, ciphertext) << isa_name(isa);
  }
}

TEST(AesCtr, SetsAgreeWhereTheCounterWrapsAround) {
  for (const char* counter :
       {"00000000000000000000000000000000", "000000000000000000000000fffffff3",
        "0000000000000000fffffffffffffff5", "ffffffffffffffffffffffffffffffff",
        "00000000fffffffffffffffffffffff0", "0123456789abcdeffffffffffffffffe"}) {
    AesCtr reference(kKey, block_of(counter), Isa::Scalar);
    auto expected = stream_bytes(reference, 5000);
    for (Isa isa : supported_isas()) {
      AesCtr stream(kKey, block_of(counter), isa);
      EXPECT_EQ(stream_bytes(stream, expected.size()), expected) << isa_name(isa) << counter;
    }
  }
}

TEST(AesCtr, PiecesAreTheWhole) {
  for (Isa isa : supported_isas()) {
    AesCtr whole(kKey, AesBlock{}, isa);
    auto expected = stream_bytes(whole, 20000);
    AesCtr pieces(kKey, AesBlock{}, isa);
    std::vector<std::byte> bytes;
    for (size_t size = 0; bytes.size() < expected.size(); size = (size * 5 + 1) % 701) {
      auto piece = stream_bytes(pieces, std::min(size, expected.size() - bytes.size()));
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    }
    EXPECT_EQ(bytes, expected) << isa_name(isa);
  }
}

TEST(AesCtr, SkipsToTheNextBlockAndStartsAnew) {
  for (Isa isa : supported_isas()) {
    AesCtr stream(kKey, AesBlock{}, isa);
    auto expected = stream_bytes(stream, 64);
    stream.start(kKey, AesBlock{});
    stream_bytes(stream, 17);
    stream.skip_to_block();
    auto third = stream_bytes(stream, 16);
    EXPECT_TRUE(std::equal(third.begin(), third.end(), expected.begin() + 32)) << isa_name(isa);
    stream.skip_to_block();
    auto fourth = stream_bytes(stream, 16);
    EXPECT_TRUE(std::equal(fourth.begin(), fourth.end(), expected.begin() + 48)) << isa_name(isa);
  }
}

}  // namespace
}  // namespace tacet::secure_random
