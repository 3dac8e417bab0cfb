#include "engine/secure_random/secure_random.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "engine/secure_random/seed_expander.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::secure_random {
namespace {

auto hex(std::span<const std::byte> bytes) -> std::string {
  std::string text;
  for (std::byte byte : bytes) {
    text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  return text;
}

auto drawn(RandomStream& random, size_t n) -> std::vector<std::byte> {
  std::vector<std::byte> bytes(n);
  random.fill(bytes);
  return bytes;
}

auto from_hex(std::string_view text) -> TestSeed {
  TestSeed seed;
  for (size_t i = 0; i < seed.entropy.size(); ++i) {
    seed.entropy[i] =
        static_cast<std::byte>(std::stoi(std::string(text.substr(2 * i, 2)), nullptr, 16));
  }
  return seed;
}

TEST(SecureRandom, GivesThePublishedBits) {
  // NIST CAVP, CTR_DRBG without reseeding, AES-256 without derivation function, count 0: what the
  // second request of 512 bits is answered.
  TestSeed seed = from_hex(
      "df5d73faa468649edda33b5cca79b0b05600419ccb7a879ddfec9db32ee494e5"
      "531b51de16a30f769262474c73bec010");
  for (Isa isa : supported_isas()) {
    SecureRandom random = seeded_random(seed, isa);
    drawn(random, 64);
    EXPECT_EQ(hex(drawn(random, 64)),
              "d1c07cd95af8a7f11012c84ce48bb8cb87189e99d40fccb1771c619bdf82ab22"
              "80b1dc2f2581f39164f7ac0c510494b3a43c41b7db17514c87b107ae793e01c5")
        << isa_name(isa);
  }
}

TEST(SecureRandom, SetsAgreeOnEveryRequest) {
  SecureRandom reference = seeded_random(TestSeed::of(1), Isa::Scalar);
  std::vector<SecureRandom> others;
  for (Isa isa : supported_isas()) {
    others.push_back(seeded_random(TestSeed::of(1), isa));
  }
  for (size_t size : std::initializer_list<size_t>{0, 1, 15, 16, 17, 48, 255, 256, 257, 65535,
                                                   65536, 65537, 200000}) {
    auto expected = drawn(reference, size);
    for (SecureRandom& random : others) {
      EXPECT_EQ(drawn(random, size), expected) << size;
    }
  }
}

TEST(SecureRandom, LongRequestsAreSeveral) {
  SecureRandom whole = seeded_random(TestSeed::of(2), Isa::Scalar);
  SecureRandom parts = seeded_random(TestSeed::of(2), Isa::Scalar);
  auto expected = drawn(whole, SecureRandom::kMaxRequest + 5);
  auto bytes = drawn(parts, SecureRandom::kMaxRequest);
  auto rest = drawn(parts, 5);
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  EXPECT_EQ(bytes, expected);
}

TEST(SecureRandom, TheSystemSeedsEachDifferently) {
  auto one = SecureRandom::from_system(best_isa());
  auto other = SecureRandom::from_system(best_isa());
  ASSERT_TRUE(one.has_value());
  ASSERT_TRUE(other.has_value());
  EXPECT_NE(drawn(*one, 32), drawn(*other, 32));
}

TEST(SecureRandom, ReseedingChangesWhatComes) {
  SecureRandom kept = seeded_random(TestSeed::of(3), Isa::Scalar);
  SecureRandom reseeded = seeded_random(TestSeed::of(3), Isa::Scalar);
  ASSERT_TRUE(reseeded.reseed().has_value());
  EXPECT_NE(drawn(kept, 32), drawn(reseeded, 32));
}

TEST(SecureRandom, ForksAreRepeatableAndDiffer) {
  SecureRandom parent = seeded_random(TestSeed::of(4), best_isa());
  SecureRandom again = seeded_random(TestSeed::of(4), best_isa());
  SecureRandom first = parent.fork();
  SecureRandom second = parent.fork();
  SecureRandom first_again = again.fork();
  auto bytes = drawn(first, 64);
  EXPECT_EQ(drawn(first_again, 64), bytes);
  EXPECT_NE(drawn(second, 64), bytes);
  EXPECT_NE(drawn(parent, 64), bytes);
}

TEST(SecureRandom, AChildProcessDoesNotRepeatItsParent) {
  auto random = SecureRandom::from_system(best_isa());
  ASSERT_TRUE(random.has_value());
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto bytes = drawn(*random, 32);
    _exit(write(ends[1], bytes.data(), bytes.size()) == 32 ? 0 : 1);
  }
  std::vector<std::byte> of_child(32);
  EXPECT_EQ(read(ends[0], of_child.data(), of_child.size()), 32);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  close(ends[0]);
  close(ends[1]);
  EXPECT_NE(drawn(*random, 32), of_child);
}

TEST(SecureRandom, WordsAreLittleEndian) {
  SecureRandom bytes = seeded_random(TestSeed::of(5), Isa::Scalar);
  SecureRandom words = seeded_random(TestSeed::of(5), Isa::Scalar);
  auto expected = drawn(bytes, 8);
  uint64_t word = 0;
  words.fill_words(std::span(&word, 1));
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(std::to_integer<uint64_t>(expected[i]), (word >> (8 * i)) & 0xff);
  }
}

auto counting_seed() -> PublicSeed {
  PublicSeed seed;
  for (size_t i = 0; i < seed.bytes.size(); ++i) {
    seed.bytes[i] = static_cast<std::byte>(i);
  }
  return seed;
}

TEST(SeedExpander, TheFormatDoesNotChange) {
  // Computed with the program openssl.
  for (Isa isa : supported_isas()) {
    SeedExpander published(counting_seed(), 0x7766554433221100, isa);
    EXPECT_EQ(hex(drawn(published, 40)),
              "ed3eb1123cbcb8ad0164e6c3eb0dc53ec9942f30306784d0e9ea87ffd1d33a82"
              "34ff0b13560333ad");
    SeedExpander first(counting_seed(), 0, isa);
    EXPECT_EQ(hex(drawn(first, 40)),
              "f29000b62a499fd0a9f39a6add2e7780f05d76ae4ab99fe5a6f69b3148c2363d"
              "0ebcb5deb52c83bd");
  }
}

TEST(SeedExpander, StreamsCanBeExpandedInAnyOrder) {
  SeedExpander one(counting_seed(), 1, best_isa());
  SeedExpander two(counting_seed(), 2, best_isa());
  auto first = drawn(one, 100);
  auto second = drawn(two, 100);
  EXPECT_NE(first, second);
  two.restart(1);
  EXPECT_EQ(drawn(two, 100), first);
  two.restart(2);
  EXPECT_EQ(drawn(two, 100), second);
}

TEST(PublicSeed, IsDrawn) {
  SecureRandom random = seeded_random(TestSeed::of(6), best_isa());
  EXPECT_NE(PublicSeed::draw(random), PublicSeed::draw(random));
}

}  // namespace
}  // namespace tacet::secure_random
