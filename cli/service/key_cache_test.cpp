#include "cli/service/key_cache.h"

#include <gtest/gtest.h>

#include "cli/service/client_account.h"
#include "cli/service/served_program.h"

namespace tacet::service {
namespace {

class NoKeys final : public ClientKeys {
 public:
  [[nodiscard]] auto answer(std::span<const std::byte>, he::Bytes) const
      -> Result<he::Bytes> override {
    return he::Bytes();
  }
  [[nodiscard]] auto digest() const -> const cli::FileDigest& override { return digest_; }
  [[nodiscard]] auto memory() const -> uint64_t override { return 0; }

 private:
  cli::FileDigest digest_{};
};

auto digest(uint8_t number) -> cli::FileDigest {
  return {std::byte{number}};
}

class KeyCacheTest : public ::testing::Test {
 protected:
  auto make(uint64_t most_bytes, uint32_t most_of_client, milliseconds grace = milliseconds(0))
      -> std::unique_ptr<KeyCache> {
    return std::make_unique<KeyCache>(most_bytes, most_of_client, grace,
                                      [this](uint64_t) { ++n_evicted_; });
  }
  static auto put(KeyCache& cache, const std::string& client, uint8_t number, uint64_t n_bytes)
      -> bool {
    if (!cache.reserve(2 * n_bytes)) {
      return false;
    }
    return cache.put(client, digest(number), std::make_shared<NoKeys>(), n_bytes, 2 * n_bytes);
  }

  size_t n_evicted_ = 0;
};

TEST_F(KeyCacheTest, EvictsWhatWasUsedLeastRecently) {
  const auto cache = make(100, 10);
  EXPECT_TRUE(put(*cache, "a", 1, 30));
  EXPECT_TRUE(put(*cache, "a", 2, 30));
  EXPECT_TRUE(cache->use("a", digest(1)));
  EXPECT_TRUE(put(*cache, "a", 3, 30));  // sets 60 aside
  EXPECT_EQ(n_evicted_, 1U);
  EXPECT_TRUE(cache->find("a", digest(1)));
  EXPECT_FALSE(cache->find("a", digest(2)));
  EXPECT_EQ(cache->n_bytes(), 60U);
}

TEST_F(KeyCacheTest, KeepsWhatIsInUse) {
  const auto cache = make(100, 10);
  EXPECT_TRUE(put(*cache, "a", 1, 40));
  KeyCache::Keys used = cache->use("a", digest(1));
  EXPECT_FALSE(put(*cache, "a", 2, 40));
  EXPECT_EQ(n_evicted_, 0U);
  used.reset();
  EXPECT_TRUE(put(*cache, "a", 2, 40));
}

/// What a client loses, but a request still uses, is in memory until the request is answered.
TEST_F(KeyCacheTest, CountsWhatIsDroppedInUse) {
  const auto cache = make(100, 1);
  EXPECT_TRUE(put(*cache, "a", 1, 20));
  KeyCache::Keys used = cache->use("a", digest(1));
  EXPECT_TRUE(put(*cache, "a", 2, 20));
  EXPECT_FALSE(cache->find("a", digest(1)));
  EXPECT_EQ(cache->n_keys(), 1U);
  EXPECT_EQ(cache->n_bytes(), 40U);
  used.reset();
  EXPECT_EQ(cache->n_bytes(), 20U);
}

TEST_F(KeyCacheTest, KeepsNewKeysForAWhile) {
  const auto cache = make(100, 10, milliseconds(60'000));
  EXPECT_TRUE(put(*cache, "a", 1, 40));
  EXPECT_FALSE(put(*cache, "b", 2, 40));
  EXPECT_TRUE(cache->use("a", digest(1)));  // and then no longer
  EXPECT_TRUE(put(*cache, "b", 2, 40));
}

TEST_F(KeyCacheTest, KeysAreOfOneClient) {
  const auto cache = make(100, 10);
  EXPECT_TRUE(put(*cache, "a", 1, 10));
  EXPECT_FALSE(cache->find("b", digest(1)));
  EXPECT_TRUE(put(*cache, "b", 1, 10));
  EXPECT_EQ(cache->n_keys(), 2U);
  cache->forget("a");
  EXPECT_FALSE(cache->find("a", digest(1)));
  EXPECT_TRUE(cache->find("b", digest(1)));
  EXPECT_FALSE(cache->reserve(101));
}

TEST(TokenBucket, FillsWithTime) {
  TokenBucket bucket(2, 3);
  const Clock::time_point begin = Clock::now();
  EXPECT_EQ(bucket.available(begin), 3);
  bucket.take(3);
  EXPECT_EQ(bucket.available(begin), 0);
  EXPECT_EQ(bucket.time_until(1), milliseconds(501));
  EXPECT_EQ(bucket.available(begin + milliseconds(500)), 1);
  EXPECT_EQ(bucket.available(begin + milliseconds(60'000)), 3);
}

TEST(RecentNonces, ForgetTheOldest) {
  RecentNonces nonces(2);
  const auto nonce = [](uint8_t number) { return Nonce{std::byte{number}}; };
  EXPECT_TRUE(nonces.take(nonce(1)));
  EXPECT_TRUE(nonces.take(nonce(2)));
  EXPECT_FALSE(nonces.take(nonce(1)));
  EXPECT_TRUE(nonces.take(nonce(3)));
  EXPECT_TRUE(nonces.take(nonce(1)));
  EXPECT_FALSE(nonces.take(nonce(3)));
}

}  // namespace
}  // namespace tacet::service
