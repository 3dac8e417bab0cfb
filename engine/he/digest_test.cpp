#include "engine/he/digest.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <random>

#include "engine/he/sha256_blocks.h"

namespace tacet::he {
namespace {

using Hash = std::array<std::byte, 32>;

auto random_bytes(size_t n, std::mt19937_64& random) -> std::vector<std::byte> {
  std::vector<std::byte> bytes(n);
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(random());
  }
  return bytes;
}

/// By a library's function that takes all bytes at once.
auto library_hash(std::span<const std::byte> bytes) -> Hash {
  Hash hash;
  EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(hash.data()), nullptr,
             EVP_sha256(), nullptr);
  return hash;
}

/// Adds bytes in pieces of random sizes, often a block's or nearly so.
void add_in_pieces(Digester& digester, std::span<const std::byte> bytes, std::mt19937_64& random) {
  while (!bytes.empty()) {
    const size_t wanted = random() % 3 == 0 ? 62 + random() % 5 : random() % 200;
    const size_t n = std::min(wanted, bytes.size());
    digester.add_bytes(bytes.first(n));
    bytes = bytes.subspan(n);
  }
}

// FIPS 180-4's examples.
TEST(Digester, HashesThePublishedTexts) {
  EXPECT_EQ(hex_digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex_digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex_digest(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digester, HashesAsTheLibraryDoesHoweverBytesAreAdded) {
  std::mt19937_64 random(1);
  for (size_t n = 0; n < 700; ++n) {
    const std::vector<std::byte> bytes = random_bytes(n, random);
    Digester digester;
    add_in_pieces(digester, bytes, random);
    ASSERT_EQ(digester.finish(), library_hash(bytes)) << n << " bytes";
  }
}

TEST(Digester, TwoTakeTheSameBytesAtOnce) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 3000; ++round) {
    const auto first = random_bytes(random() % 130, random);
    const auto second = random_bytes(random() % 130, random);
    const auto both = random_bytes(random() % 400, random);
    const auto behind = random_bytes(random() % 130, random);
    Digester a;
    Digester b;
    a.add_bytes(first);
    b.add_bytes(second);
    Digester::add_bytes_to_both(a, b, both);
    a.add_bytes(behind);
    const auto joined = [&](std::vector<std::byte> bytes, const std::vector<std::byte>& end) {
      bytes.insert(bytes.end(), both.begin(), both.end());
      bytes.insert(bytes.end(), end.begin(), end.end());
      return bytes;
    };
    ASSERT_EQ(a.finish(), library_hash(joined(first, behind)));
    ASSERT_EQ(b.finish(), library_hash(joined(second, {})));
  }
}

TEST(Digester, CompressesBlocksOfTwoHashesAsOfEach) {
  if (!has_sha256_instructions()) {
    GTEST_SKIP() << "this processor has no instructions for SHA-256";
  }
  std::mt19937_64 random(3);
  for (size_t n = 0; n < 20; ++n) {
    const auto blocks = random_bytes(64 * n, random);
    const auto others = random_bytes(64 * n, random);
    Sha256Words a{};
    Sha256Words b{};
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<uint32_t>(random());
      b[i] = static_cast<uint32_t>(random());
    }
    Sha256Words a_alone = a;
    Sha256Words b_alone = b;
    compress_both(a, blocks.data(), b, others.data(), n);
    compress(a_alone, blocks.data(), n);
    compress(b_alone, others.data(), n);
    ASSERT_EQ(a, a_alone);
    ASSERT_EQ(b, b_alone);
  }
}

}  // namespace
}  // namespace tacet::he
