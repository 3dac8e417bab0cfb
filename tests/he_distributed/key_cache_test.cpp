#include "engine/he_distributed/key_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/value.h"
#include "engine/program/he/text.h"
#include "tests/he_distributed/run_on_ranks.h"
#include "tests/he_program/two_sides.h"

namespace tacet::engine {
namespace {

namespace fs = std::filesystem;

class Caches : public testing::Test {
 protected:
  Caches() { fs::remove_all(folder_); }
  ~Caches() override { fs::remove_all(folder_); }

  std::string folder_ = testing::TempDir() + "/tacet_keys_" + std::to_string(::getpid());
};

auto key_of(size_t n, int fill) -> he::Bytes {
  return he::Bytes(n, static_cast<std::byte>(fill));
}

TEST_F(Caches, KeepWhatIsStoredAndCheckIt) {
  const KeyCache cache(folder_, 1000);
  const he::Bytes key = key_of(100, 1);
  const KeyDigest digest = digest_of_key(key);
  EXPECT_FALSE(cache.find(digest));
  cache.store(digest, key);
  EXPECT_EQ(cache.find(digest), key);
  for (const fs::directory_entry& file : fs::directory_iterator(folder_)) {
    std::ofstream(file.path(), std::ios::binary) << "damaged";
  }
  EXPECT_FALSE(cache.find(digest));
}

TEST_F(Caches, DropWhatWasUsedLongestAgo) {
  const KeyCache cache(folder_, 250);
  std::vector<KeyDigest> digests;
  for (int i = 0; i < 3; ++i) {
    const he::Bytes key = key_of(100, i);
    digests.push_back(digest_of_key(key));
    cache.store(digests.back(), key);
    ::usleep(20'000);  // file times
  }
  EXPECT_TRUE(cache.find(digests[0]));
  cache.trim();
  EXPECT_TRUE(cache.find(digests[0]));
  EXPECT_FALSE(cache.find(digests[1]));
  EXPECT_TRUE(cache.find(digests[2]));
}

TEST_F(Caches, KeepNothingWithoutAFolder) {
  const KeyCache cache("", 250);
  const he::Bytes key = key_of(100, 1);
  cache.store(digest_of_key(key), key);
  EXPECT_FALSE(cache.find(digest_of_key(key)));
}

/// Two ranks of one machine and one of another: the keys go to each machine once, and in the next
/// run to none.
TEST_F(Caches, KeysAreSentToAMachineOnce) {
  const HeProgram program = value(parse_he_program(R"(he_program 1
slots 2 x 64
modulus 257
primes 4
input a[8, 64] from client
cipher x[i:8] = a[i, c] over (c:64) repeat
for i: 8 {
  x[i] = rotate x[i], 1
  x[i] = rotate x[i], 2
}
output o[8, 64] over (i:8, c:64) [i, c] = x[i] at 0, c
)"));
  const he::ContextRef context = small_context(program, he::Scheme::Bgv, 1);
  std::mt19937_64 random(1);
  const HeValues values = random_he_values(random, program);
  Sides sides(program, values, context);
  const auto run = [&] {
    auto links = local_links({"a", "b", "b", "c"});
    std::vector<RankOptions> others;
    for (const char* host : {"b", "b", "c"}) {
      others.push_back(eager_options());
      others.back().cache = KeyCache(folder_ + "/" + host, uint64_t{1} << 30);
    }
    RanksOutcome outcome = run_on_ranks(links,
                                        {{.program = &program,
                                          .context = context,
                                          .values = values,
                                          .keys = &sides.keys,
                                          .inputs = sides.inputs}},
                                        eager_options(), others);
    std::string text;
    for (const RankReport& report : value(std::move(outcome.root)).reports) {
      text += report.host + " " + std::to_string(report.n_cached_keys) + "/" +
              std::to_string(report.n_keys) + (report.key_bytes == 0 ? " none; " : " sent; ");
    }
    return text;
  };
  fs::create_directories(folder_);
  EXPECT_EQ(run(), "a 0/0 none; b 0/2 sent; b 2/2 none; c 0/2 sent; ");
  EXPECT_EQ(run(), "a 0/0 none; b 2/2 none; b 2/2 none; c 2/2 none; ");
}

}  // namespace
}  // namespace tacet::engine
